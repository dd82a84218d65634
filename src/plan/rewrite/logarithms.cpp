#include "src/plan/rewrite/logarithms.hpp"

#include <algorithm>

namespace ricci::plan {

expr logarithms::of(const factored& f) {
    expr_list terms, small;
    for (const exponential& x : f.exponentials) {
        if (x.over.empty()) {
            terms.push_back(times(x.times, x.exponent));
        } else if (f.exponentials.size() > 1 && known_.is_given(x.exponent)) {
            take_from(x.exponent, x.over, x.times, terms, small);
        } else {
            terms.push_back(times(x.times, values_.row(fold::logsumexp, x.over, x.exponent)));
        }
    }
    if (f.coefficient) {
        const expr better = of(f.coefficient);
        terms.push_back(better ? better : apply(ir::function::log, f.coefficient));
    }
    terms.insert(terms.end(), small.begin(), small.end());
    return values_.add(terms);
}

// Adds number * logsumexp(v) as its maximum and what is left, which is small and comes last: where
// v is large, v less the maximum is exact, and v less the log-sum-exp is not. What is computed is
// rounded as much itself, and may be a tile of a fused group, which takes one sum over it.
void logarithms::take_from(expr v, const loop_list& over, double number, expr_list& terms,
                           expr_list& small) {
    const expr most = values_.apart(over, values_.row(fold::maximum, over, v));
    terms.push_back(times(number, most));
    const expr rest = values_.apply(opcode::subtract, v, most);
    small.push_back(times(number, values_.row(fold::logsumexp, over, rest)));
}

expr logarithms::of(expr e) {
    const auto& node = values_[e];
    if (node.kind == kind::load || node.kind == kind::gather) return known_.of_tensor(e);
    if (node.folding == fold::softmax) return of_softmax(node);
    if (node.kind != kind::operation) return expr::none;
    const expr first = node.arguments[0];
    switch (node.code) {
        case opcode::square:
            return of_power(first, 2);
        case opcode::reciprocal:
            return of_power(first, -1);
        case code_of(ir::function::sqrt):
            return of_power(first, 0.5);
        case opcode::power: {
            const auto& exponent = values_[node.arguments[1]];
            return exponent.kind == kind::constant ? of_power(first, exponent.value)
                                                   : expr(expr::none);
        }
        case code_of(ir::function::sigmoid):
            return times(-1, apply(ir::function::softplus, times(-1, known_.stable(first))));
        case opcode::multiply:
            return of_product(e);
        case opcode::add:
            return of_sum(e);
        default:
            return expr::none;
    }
}

expr logarithms::of_softmax(const expression& softmax) {
    const expr v = known_.stable(softmax.arguments[0]);
    expr_list terms{v}, small;
    if (known_.is_given(v)) take_from(v, softmax.over, -1, terms, small);
    else small.push_back(times(-1, values_.row(fold::logsumexp, softmax.over, v)));
    terms.push_back(small[0]);
    return values_.add(terms);
}

expr logarithms::of_power(expr base, double exponent) {
    const factored& f = known_.factor(base);
    const expr log = f.exponentials.empty() ? of(base) : of(f);
    return log ? times(exponent, log) : log;
}

// What has no better logarithm stays together: two factors may both be negative.
expr logarithms::of_product(expr product) {
    const auto span = values_.factors(product);
    const expr_list factors(span.begin(), span.end());
    expr_list kept, rest;
    for (const expr part : factors) {
        const factored& f = known_.factor(part);
        const expr log = f.exponentials.empty() ? of(part) : of(f);
        if (log) kept.push_back(log);
        else rest.push_back(known_.stable(part));
    }
    if (kept.empty()) return expr::none;
    const expr others = values_.multiply(rest);
    if (!values_.is_constant(others, 1)) kept.push_back(apply(ir::function::log, others));
    return values_.add(kept);
}

// \log(1 - \sigma(x)) = -softplus(x)
expr logarithms::below_one(expr sum) {
    const auto terms = values_.terms(sum);
    for (std::size_t k = 0; terms.size() == 2 && k < 2; ++k) {
        const auto other = values_.factors(terms[1 - k]);
        if (!values_.is_constant(terms[k], 1) || other.size() != 2 ||
            !values_.is_constant(other[0], -1))
            continue;
        const expr p = other[1];
        if (is(p, ir::function::sigmoid))
            return times(-1, apply(ir::function::softplus, known_.stable(values_[p].arguments[0])));
        // Of a tensor: \log(1 - p) = \log p - x, where \log p = -softplus(-x).
        const auto what = values_[p].kind;
        const expr log =
            what == kind::load || what == kind::gather ? known_.of_tensor(p) : expr(expr::none);
        if (!log) continue;
        const auto minus = values_.factors(log);
        if (minus.size() != 2 || !values_.is_constant(minus[0], -1) ||
            !is(minus[1], ir::function::softplus))
            continue;
        const expr x = values_[minus[1]].arguments[0];
        return times(-1, apply(ir::function::softplus, times(-1, x)));
    }
    return expr::none;
}

logarithms::term logarithms::term_of(expr e) {
    const factored& f = known_.factor(e);
    const expr c = f.exponentials.empty() ? known_.stable(e) : f.coefficient;
    factored exponentials;
    exponentials.exponentials = f.exponentials;
    if (!c) return {of(exponentials), {}};
    if (values_[c].kind == kind::constant && values_[c].value > 0) {
        exponentials.coefficient = c;
        return {of(exponentials), {}};
    }
    const bool positive = is_nonnegative(values_, c);
    exponentials.coefficient = positive ? c : apply(ir::function::absolute, c);
    return {of(exponentials), positive ? expr(expr::none) : apply(ir::function::sign, c)};
}

// None where no term is an exponential.
std::vector<logarithms::term> logarithms::terms_of(expr sum) {
    const auto span = values_.terms(sum);
    const expr_list all(span.begin(), span.end());
    std::vector<term> terms;
    if (std::ranges::any_of(all, [&](expr t) { return !known_.factor(t).exponentials.empty(); }))
        for (const expr t : all) terms.push_back(term_of(t));
    return terms;
}

expr logarithms::of_sum(expr sum) {
    if (const expr rest = below_one(sum)) return rest;
    const std::vector<term> terms = terms_of(sum);
    return terms.size() < 2 ? expr(expr::none) : of_total(sum, terms);
}

expr logarithms::of_positive_sum(expr sum) {
    const std::vector<term> terms = terms_of(sum);
    const auto positive = [](const term& t) { return !t.sign; };
    if (terms.size() < 2 || !std::ranges::all_of(terms, positive)) return expr::none;
    return of_total(sum, terms);
}

// The largest exponent and the logarithm of the rest. A largest one of -\infinity, where all terms
// are 0, is not taken from itself.
expr logarithms::of_total(expr sum, const std::vector<term>& terms) {
    const auto written = values_.terms(sum);
    for (std::size_t k = 0; terms.size() == 2 && k < 2; ++k)
        if (values_.is_constant(written[k], 1) && !terms[1 - k].sign)
            return apply(ir::function::softplus, terms[1 - k].exponent);
    constexpr double least = -1e38;  // also of a float
    expr most = values_.constant(least);
    for (const term& t : terms)
        most = values_.apply(code_of(ir::function::maximum), most, t.exponent);
    expr_list all;
    for (const term& t : terms) {
        const expr e = apply(ir::function::exp, values_.apply(opcode::subtract, t.exponent, most));
        all.push_back(t.sign ? values_.multiply({t.sign, e}) : e);
    }
    return values_.add({most, apply(ir::function::log, values_.add(all))});
}

}  // namespace ricci::plan
