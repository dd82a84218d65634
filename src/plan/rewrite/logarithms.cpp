#include "src/plan/rewrite/logarithms.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ricci::plan {

bool is_nonnegative(const ir::program& p, ir::ref n) {
    const ir::node& x = p.nodes[n];
    const auto child = [&](std::int32_t k) { return p.links[x.children.first + k]; };
    const auto all = [&] {
        for (std::int32_t k = 0; k < x.children.count; ++k)
            if (!is_nonnegative(p, child(k))) return false;
        return true;
    };
    switch (x.kind) {
        case ir::op::number:
            return x.value >= 0;
        case ir::op::compare:
        case ir::op::delta:
            return true;
        case ir::op::add:
        case ir::op::multiply:
        case ir::op::divide:
            return all();
        case ir::op::power: {
            const ir::node& e = p.nodes[child(1)];
            return e.kind == ir::op::number && std::fmod(e.value, 2) == 0;
        }
        case ir::op::apply:
            switch (static_cast<ir::function>(x.detail)) {
                case ir::function::exp:
                case ir::function::sqrt:
                case ir::function::absolute:
                case ir::function::sigmoid:
                case ir::function::relu:
                case ir::function::softplus:
                    return true;
                default:
                    return false;
            }
        case ir::op::reduce:
            return x.detail == static_cast<std::uint8_t>(ir::reduction::softmax) ||
                   (x.detail != static_cast<std::uint8_t>(ir::reduction::logsumexp) &&
                    !ir::is_of_matrix(x) && all());
        default:
            return false;
    }
}

ir::ref logarithms::sum(const std::vector<ir::ref>& terms) {
    if (terms.empty()) return p_.number(0);
    if (terms.size() == 1) return terms[0];
    return p_.make(ir::op::add, 0, terms.data(), static_cast<std::int32_t>(terms.size()));
}

ir::ref logarithms::of(const factored& f) {
    std::vector<ir::ref> terms, small;
    for (const exponential& x : f.exponentials) {
        ir::ref exponent = x.exponent;
        if (!x.over.empty()) {
            const ir::range over =
                p_.add_links(x.over.data(), static_cast<std::int32_t>(x.over.size()));
            if (f.exponentials.size() > 1 && known_.is_given(exponent) &&
                take_from(exponent, over, x.times, terms, small))
                continue;
            exponent = p_.reduce(ir::reduction::logsumexp, over, exponent);
        }
        terms.push_back(x.times == 1 ? exponent : times(x.times, exponent));
    }
    if (f.coefficient != ir::none) {
        const ir::ref better = of(f.coefficient);
        terms.push_back(better != ir::none ? better : p_.apply(ir::function::log, f.coefficient));
    }
    terms.insert(terms.end(), small.begin(), small.end());
    return sum(terms);
}

// Adds number * logsumexp(v) as its maximum and what is left, which is small and comes last: where
// v is large, v less the maximum is exact, and v less the log-sum-exp is not. What is computed is
// rounded as much itself, and may be a tile of a fused group, which takes one sum over it.
bool logarithms::take_from(ir::ref v, ir::range over, double number, std::vector<ir::ref>& terms,
                           std::vector<ir::ref>& small) {
    const auto [most_of, all] = known_.with_own_indices(v, over);
    const auto [rest, others] = known_.with_own_indices(v, over);
    if (most_of == ir::none || rest == ir::none) return false;
    const ir::ref most = p_.reduce(ir::reduction::maximum, all, most_of);
    terms.push_back(times(number, most));
    small.push_back(times(number, p_.reduce(ir::reduction::logsumexp, others,
                                            p_.make(ir::op::add, rest, times(-1, most)))));
    return true;
}

ir::ref logarithms::of(ir::ref n) {
    const ir::node x = p_.nodes[n];
    switch (x.kind) {
        case ir::op::tensor:
            return known_.of_tensor(n);
        case ir::op::apply:
            if (is(x, ir::function::sqrt)) return of_power(x, 0.5);
            if (!is(x, ir::function::sigmoid)) return ir::none;
            return times(-1,
                         p_.apply(ir::function::softplus, times(-1, known_.stable(child(x, 0)))));
        case ir::op::power:
            if (p_.nodes[child(x, 1)].kind != ir::op::number) return ir::none;
            return of_power(x, p_.nodes[child(x, 1)].value);
        case ir::op::reduce: {
            if (x.detail != static_cast<std::uint8_t>(ir::reduction::softmax)) return ir::none;
            const ir::ref v = known_.stable(child(x, 0));
            std::vector<ir::ref> terms{v}, small;
            if (known_.is_given(v) && take_from(v, x.indices, -1, terms, small)) {
                terms.push_back(small[0]);
                return sum(terms);
            }
            const auto [copy, over] = known_.with_own_indices(v, x.indices);
            if (copy == ir::none) return ir::none;
            return sum({v, times(-1, p_.reduce(ir::reduction::logsumexp, over, copy))});
        }
        case ir::op::multiply:
        case ir::op::divide:
            return of_product(x);
        case ir::op::add:
            return of_sum(x);
        default:
            return ir::none;
    }
}

ir::ref logarithms::of_power(const ir::node& x, double exponent) {
    const ir::ref base = of(child(x, 0));
    return base == ir::none ? ir::none : times(exponent, base);
}

// What has no better logarithm stays together: two factors may both be negative.
ir::ref logarithms::of_product(const ir::node& x) {
    std::vector<ir::ref> terms, kept;
    bool any = false;
    for (std::int32_t k = 0; k < x.children.count; ++k) {
        const factored f = known_.factor(child(x, k));
        terms.push_back(f.exponentials.empty() ? of(child(x, k)) : of(f));
        any = any || terms.back() != ir::none;
    }
    if (!any) return ir::none;
    ir::ref rest = ir::none;
    for (std::int32_t k = 0; k < x.children.count; ++k) {
        ir::ref& log = terms[static_cast<std::size_t>(k)];
        const bool below = x.kind == ir::op::divide && k > 0;
        if (log != ir::none) {
            if (below) log = times(-1, log);
            kept.push_back(log);
            continue;
        }
        const ir::ref factor = known_.stable(child(x, k));
        if (below) rest = p_.make(ir::op::divide, rest == ir::none ? p_.number(1) : rest, factor);
        else rest = rest == ir::none ? factor : p_.make(ir::op::multiply, rest, factor);
    }
    if (rest != ir::none && !is_number(rest, 1)) kept.push_back(p_.apply(ir::function::log, rest));
    return sum(kept);
}

// \log(1 - \sigma(x)) = -softplus(x)
ir::ref logarithms::below_one(const ir::node& x) {
    for (std::int32_t k = 0; x.children.count == 2 && k < 2; ++k) {
        const ir::node& other = p_.nodes[child(x, 1 - k)];
        if (!is_number(child(x, k), 1) || other.kind != ir::op::multiply ||
            other.children.count != 2 || !is_number(child(other, 0), -1))
            continue;
        const ir::node& p = p_.nodes[child(other, 1)];
        if (is(p, ir::function::sigmoid))
            return times(-1, p_.apply(ir::function::softplus, known_.stable(child(p, 0))));
        // Of a tensor: \log(1 - p) = \log p - x, where \log p = -softplus(-x).
        const ir::ref log = p.kind == ir::op::tensor ? known_.of_tensor(child(other, 1)) : ir::none;
        if (log == ir::none) continue;
        const ir::node& minus = p_.nodes[log];
        if (minus.kind != ir::op::multiply || !is_number(child(minus, 0), -1)) continue;
        const ir::node& softplus = p_.nodes[child(minus, 1)];
        if (is(softplus, ir::function::softplus))
            return times(-1, p_.apply(ir::function::softplus, times(-1, child(softplus, 0))));
    }
    return ir::none;
}

logarithms::term logarithms::term_of(ir::ref n) {
    const factored f = known_.factor(n);
    const ir::ref c = f.exponentials.empty() ? known_.stable(n) : f.coefficient;
    factored exponentials;
    exponentials.exponentials = f.exponentials;
    if (c == ir::none) return {of(exponentials), ir::none};
    if (p_.nodes[c].kind == ir::op::number && p_.nodes[c].value > 0) {
        exponentials.coefficient = c;
        return {of(exponentials), ir::none};
    }
    const bool positive = is_nonnegative(p_, c);
    exponentials.coefficient = positive ? c : p_.apply(ir::function::absolute, c);
    return {of(exponentials), positive ? ir::none : p_.apply(ir::function::sign, c)};
}

// None where no term is an exponential.
std::vector<logarithms::term> logarithms::terms_of(const ir::node& x) {
    bool any = false;
    for (std::int32_t k = 0; k < x.children.count; ++k)
        any = any || !known_.factor(child(x, k)).exponentials.empty();
    std::vector<term> terms;
    for (std::int32_t k = 0; any && k < x.children.count; ++k)
        terms.push_back(term_of(child(x, k)));
    return terms;
}

ir::ref logarithms::of_sum(const ir::node& x) {
    if (const ir::ref rest = below_one(x); rest != ir::none) return rest;
    const std::vector<term> terms = terms_of(x);
    return terms.size() < 2 ? ir::none : of_total(x, terms);
}

ir::ref logarithms::of_positive_sum(const ir::node& x) {
    const std::vector<term> terms = terms_of(x);
    const auto positive = [](const term& t) { return t.sign == ir::none; };
    if (terms.size() < 2 || !std::all_of(terms.begin(), terms.end(), positive)) return ir::none;
    return of_total(x, terms);
}

// The largest exponent and the logarithm of the rest. A largest one of -\infinity, where all terms
// are 0, is not taken from itself.
ir::ref logarithms::of_total(const ir::node& x, const std::vector<term>& terms) {
    for (std::int32_t k = 0; terms.size() == 2 && k < 2; ++k) {
        const term& other = terms[static_cast<std::size_t>(1 - k)];
        if (is_number(child(x, k), 1) && other.sign == ir::none)
            return p_.apply(ir::function::softplus, other.exponent);
    }
    constexpr double least = -1e38;  // also of a float
    ir::ref most = p_.number(least);
    for (const term& t : terms) {
        const ir::ref both[] = {most, t.exponent};
        most = p_.make(ir::op::apply, static_cast<std::uint8_t>(ir::function::maximum), both, 2);
    }
    std::vector<ir::ref> all;
    for (const term& t : terms) {
        const ir::ref e =
            p_.apply(ir::function::exp, p_.make(ir::op::add, t.exponent, times(-1, most)));
        all.push_back(t.sign == ir::none ? e : p_.make(ir::op::multiply, t.sign, e));
    }
    return p_.make(ir::op::add, most, p_.apply(ir::function::log, sum(all)));
}

}  // namespace ricci::plan
