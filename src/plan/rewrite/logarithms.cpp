#include "src/plan/rewrite/logarithms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ricci::plan {

expr logarithms::of(expr e) {
    const parts p = parts_of(e);
    return p.empty() ? expr(expr::none) : total(p);
}

expr logarithms::of(const factored& f) { return total(parts_of(f)); }

logarithms::parts logarithms::parts_of(const factored& f) {
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
    parts all;
    for (const expr t : terms) all.push_back({t});
    if (f.coefficient) {
        const parts better = parts_of(f.coefficient);
        all.insert(all.end(), better.begin(), better.end());
        if (better.empty()) all.push_back({f.coefficient, 1});
    }
    for (const expr t : small) all.push_back({t});
    return all;
}

// The logarithm of a factor that may be negative may stand alone where no other one may be: it is
// no number where the product has none.
expr logarithms::total(const parts& all) {
    const auto has_sign = [this](const part& p) { return may_be_negative(p); };
    const bool apart = std::ranges::count_if(all, has_sign) <= 1;
    expr_list terms, together;
    for (const part& p : all) {
        if (p.power == 0) terms.push_back(p.value);
        else if (apart || !has_sign(p)) terms.push_back(times(p.power, log(p.value)));
        else together.push_back(values_.power(p.value, values_.constant(p.power)));
    }
    if (!together.empty()) terms.push_back(log(values_.multiply(together)));
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

logarithms::parts logarithms::parts_of(expr e) {
    const auto& node = values_[e];
    if (node.kind == kind::load || node.kind == kind::gather) return known_.of_tensor(e);
    if (node.folding == fold::softmax) return {{of_softmax(node)}};
    if (node.folding == fold::product) return of_fold(node);
    if (node.kind != kind::operation) return {};
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
            return exponent.kind == kind::constant ? of_power(first, exponent.value) : parts();
        }
        case code_of(ir::function::absolute):
            return without_signs(parts_of_factor(first));
        case code_of(ir::function::sigmoid):
            return {{times(-1, apply(ir::function::softplus, times(-1, known_.stable(first))))}};
        case opcode::multiply:
            return of_product(e);
        case opcode::add:
            return of_sum(e);
        default:
            return {};
    }
}

logarithms::parts logarithms::parts_of_factor(expr e) {
    const factored& f = known_.factor(e);
    return f.exponentials.empty() ? parts_of(e) : parts_of(f);
}

expr logarithms::of_softmax(const expression& softmax) {
    const expr v = known_.stable(softmax.arguments[0]);
    expr_list terms{v}, small;
    if (known_.is_given(v)) take_from(v, softmax.over, -1, terms, small);
    else small.push_back(times(-1, values_.row(fold::logsumexp, softmax.over, v)));
    terms.push_back(small[0]);
    return values_.add(terms);
}

logarithms::parts logarithms::without_signs(parts all) {
    for (part& p : all)
        if (may_be_negative(p)) p.value = apply(ir::function::absolute, p.value);
    return all;
}

// An even power of a negative number has a logarithm; an odd one has its sign, and no other power
// is a number.
logarithms::parts logarithms::of_power(expr base, double exponent) {
    parts all = parts_of_factor(base);
    if (all.empty()) return all;
    const double half = std::fmod(exponent, 2);
    if (half == 0) all = without_signs(std::move(all));
    const auto has_sign = [this](const part& p) { return may_be_negative(p); };
    if (std::abs(half) != 1 || std::ranges::none_of(all, has_sign))
        return {{times(exponent, total(all))}};
    for (part& p : all) {
        if (p.power == 0) p.value = times(exponent, p.value);
        p.power *= exponent;
    }
    return all;
}

// The factors must all be positive: many may be negative.
logarithms::parts logarithms::of_fold(const expression& product) {
    const loop_list over = product.over;
    const parts all = parts_of_factor(product.arguments[0]);
    const auto has_sign = [this](const part& p) { return may_be_negative(p); };
    if (all.empty() || std::ranges::any_of(all, has_sign)) return {};
    return {{values_.sum(over, total(all))}};
}

// What has no better logarithm stays together.
logarithms::parts logarithms::of_product(expr product) {
    const auto span = values_.factors(product);
    const expr_list factors(span.begin(), span.end());
    parts all;
    expr_list rest;
    for (const expr each : factors) {
        const parts better = parts_of_factor(each);
        all.insert(all.end(), better.begin(), better.end());
        if (better.empty()) rest.push_back(known_.stable(each));
    }
    if (all.empty()) return all;
    const expr others = values_.multiply(rest);
    if (!values_.is_constant(others, 1)) all.push_back({others, 1});
    return all;
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
        const parts log =
            what == kind::load || what == kind::gather ? known_.of_tensor(p) : parts();
        if (log.size() != 1 || log[0].power != 0) continue;
        const auto minus = values_.factors(log[0].value);
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
    const bool positive = known_.is_nonnegative(c);
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

logarithms::parts logarithms::of_sum(expr sum) {
    if (const expr rest = below_one(sum)) return {{rest}};
    const std::vector<term> terms = terms_of(sum);
    return terms.size() < 2 ? parts() : of_total(sum, terms);
}

expr logarithms::of_positive_sum(expr sum) {
    const std::vector<term> terms = terms_of(sum);
    const auto positive = [](const term& t) { return !t.sign; };
    if (terms.size() < 2 || !std::ranges::all_of(terms, positive)) return expr::none;
    return total(of_total(sum, terms));
}

// The largest exponent and the logarithm of the rest. Bounds keep infinite ones, of terms that are
// 0 or beyond all numbers, from being taken from themselves.
logarithms::parts logarithms::of_total(expr sum, const std::vector<term>& terms) {
    const auto written = values_.terms(sum);
    for (std::size_t k = 0; terms.size() == 2 && k < 2; ++k)
        if (values_.is_constant(written[k], 1) && !terms[1 - k].sign)
            return {{apply(ir::function::softplus, terms[1 - k].exponent)}};
    const bool wide = values_.type() == element::f64 || values_.type() == element::c128;
    const double bound = wide ? std::numeric_limits<double>::max()
                              : static_cast<double>(std::numeric_limits<float>::max());
    expr most = values_.constant(-bound);
    for (const term& t : terms)
        most = values_.apply(code_of(ir::function::maximum), most, t.exponent);
    most = values_.apply(code_of(ir::function::minimum), most, values_.constant(bound));
    expr_list all;
    for (const term& t : terms) {
        const expr e = apply(ir::function::exp, values_.apply(opcode::subtract, t.exponent, most));
        all.push_back(t.sign ? values_.multiply({t.sign, e}) : e);
    }
    return {{most}, {values_.add(all), 1}};
}

}  // namespace ricci::plan
