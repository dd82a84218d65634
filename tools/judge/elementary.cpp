// Arguments are taken in normal form: term by term.
#include "judge/elementary.hpp"

#include <cstdint>
#include <cstdlib>
#include <utility>

#include <ricci/ir/rewrite.hpp>

namespace ricci::judge {
namespace {

using ir::function;
using ir::normal_factor;
using ir::normal_sum;
using ir::normal_term;
using ir::op;
using ir::ref;

constexpr std::int64_t most_argument_steps = 4000;  // of an argument's normal form
constexpr std::int64_t most_multiple = 12;          // of an angle, and in an exponent

bool is_function(const ir::node& x, function f) {
    return x.kind == op::apply && x.detail == static_cast<std::uint8_t>(f);
}

bool is_comparison(const ir::node& x, ir::comparison c) {
    return x.kind == op::compare && x.detail == static_cast<std::uint8_t>(c);
}

class rewriter {
public:
    rewriter(ir::program& p, bool complex) : p_(p), complex_(complex) {}

    ref run(ref n) {
        const ref inside = ir::rebuild_children(p_, n, [&](ref child) { return run(child); });
        const ir::node x = p_.nodes[inside];
        if (x.kind == op::power && !complex_)
            return power(p_.links[x.children.first], p_.links[x.children.first + 1], inside);
        if (x.kind == op::divide)
            return divided_by_sum(p_.links[x.children.first], p_.links[x.children.first + 1],
                                  inside);
        if (x.kind != op::apply || x.children.count != 1) return inside;
        const ref of = p_.links[x.children.first];
        switch (static_cast<function>(x.detail)) {
            case function::exp:
                return exponential(of, inside);
            case function::log:
                return complex_ ? inside : logarithm(of, inside);
            case function::sin:
                return angle(of, inside).sine;
            case function::cos:
                return angle(of, inside).cosine;
            case function::tan: {
                const sides both = angle(of, none_);
                return divided(both.sine, both.cosine);
            }
            case function::tanh: {
                const ref e = squared(exponential(of, none_));
                return divided(plus(e, p_.number(-1)), plus(e, p_.number(1)));
            }
            case function::sinh:
            case function::cosh: {
                const ref e = exponential(of, none_), one = p_.number(1);
                const double sign = is_function(x, function::sinh) ? -1 : 1;
                const ref other = times(p_.number(sign), divided(one, e));
                return divided(plus(e, other), p_.number(2));
            }
            case function::sigmoid:
                return logistic(of);
            case function::silu:
                return times(of, logistic(of));
            case function::softplus:
                return p_.apply(function::log, plus(p_.number(1), exponential(of, none_)));
            default:
                return inside;
        }
    }

private:
    static constexpr ref none_ = ir::none;

    ref plus(ref a, ref b) { return p_.make(op::add, a, b); }
    ref times(ref a, ref b) { return p_.make(op::multiply, a, b); }
    ref divided(ref a, ref b) { return p_.make(op::divide, a, b); }
    ref squared(ref a) { return p_.make(op::power, a, p_.number(2)); }
    ref raised(ref a, std::int64_t n) {
        return n == 1 ? a : p_.make(op::power, a, p_.number(static_cast<double>(n)));
    }
    ref logistic(ref of) {
        const ref e = exponential(of, none_);
        return divided(e, plus(e, p_.number(1)));
    }

    ref node_of(const normal_term& t, const ir::quotient& coefficient) {
        normal_term copy;
        copy.coefficient = coefficient;
        copy.bound = t.bound;
        for (const normal_factor& f : t.factors) copy.factors.push(f);
        normal_sum alone;
        alone.push(std::move(copy));
        return ir::normaliser(p_).to_node(alone);
    }

    /// 1 / (1 + e^{-x}) as e^x / (e^x + 1): a quotient of sums has one form.
    ref divided_by_sum(ref above, ref below, ref kept) {
        ir::normaliser normal(p_, most_argument_steps);
        const normal_sum sum = normal.normalise(below);
        if (normal.gave_up() || sum.size() < 2) return kept;
        ref factor = none_;
        for (std::int32_t k = 0; k < sum.size(); ++k)
            for (const normal_factor& f : sum[k].factors) {
                if (!is_function(p_.nodes[f.atom], function::exp) || f.exponent.above() >= 0 ||
                    !f.exponent.is_whole() || !is_least(normal, sum, k, f))
                    continue;
                const ref one = raised(f.atom, -f.exponent.above());
                factor = factor == none_ ? one : times(factor, one);
            }
        if (factor == none_ || normal.gave_up()) return kept;
        const normal_sum cleared = normal.normalise(times(below, factor));
        return divided(times(above, factor), normal.to_node(cleared));
    }
    /// Whether no term has a smaller power of a factor, nor one before number `k` the same; a
    /// factor with an index that the term sums over is none of the whole.
    bool is_least(ir::normaliser& normal, const normal_sum& sum, std::int32_t k,
                  const normal_factor& f) {
        const ir::index_set inside = ir::free_indices(p_, f.atom);
        for (const ref i : sum[k].bound)
            if (inside.has(i)) return false;
        for (std::int32_t j = 0; j < sum.size(); ++j)
            for (const normal_factor& g : sum[j].factors) {
                if (j == k || !normal.equal(f.atom, g.atom)) continue;
                const double difference = g.exponent.value() - f.exponent.value();
                if (difference < 0 || (difference == 0 && j < k)) return false;
            }
        return true;
    }

    /// e to the sum of terms is the product of its powers. `kept`: what there was before, for
    /// arguments that are too long.
    ref exponential(ref of, ref kept) {
        ir::normaliser normal(p_, most_argument_steps);
        const normal_sum sum = normal.normalise(of);
        if (normal.gave_up()) return kept == none_ ? p_.apply(function::exp, of) : kept;
        if (sum.size() == 0) return p_.number(1);
        ref product = none_;
        for (std::int32_t k = 0; k < sum.size(); ++k) {
            const ref factor = exponential_of(sum[k]);
            product = product == none_ ? factor : times(product, factor);
        }
        return product;
    }
    /// e^{c t} as (e^{t/d})^n, where c is n/d; e^{n \log x} as x^n.
    ref exponential_of(const normal_term& t) {
        const std::int64_t n = t.coefficient.above(), d = t.coefficient.below();
        if (std::abs(n) > most_multiple) return p_.apply(function::exp, node_of(t, t.coefficient));
        const bool one = t.bound.empty() && t.factors.size() == 1 && t.factors[0].exponent.is(1);
        if (one && d == 1 && !complex_ && is_function(p_.nodes[t.factors[0].atom], function::log))
            return raised(p_.links[p_.nodes[t.factors[0].atom].children.first], n);
        return raised(p_.apply(function::exp, node_of(t, ir::quotient(1, d))), n);
    }

    /// x^{a+n} as x^a x^n, (x y)^a as x^a y^a, and (x^a)^b as x^{ab}; over positive numbers, and so
    /// wherever all of it is finite.
    ref power(ref base, ref exponent, ref kept) {
        ir::normaliser normal(p_, most_argument_steps);
        const normal_sum above = normal.normalise(exponent);
        const bool constant = above.size() == 0 || (above.size() == 1 && is_number(above[0]));
        if (constant || normal.gave_up()) return kept;
        const normal_sum below = normal.normalise(base);
        if (normal.gave_up()) return kept;
        const bool product =
            below.size() == 1 && below[0].bound.empty() && below[0].coefficient.above() > 0;
        if (!product) return power_of(base, exponent);
        ref out = none_;
        const auto multiply = [&](ref n) { out = out == none_ ? n : times(out, n); };
        if (!below[0].coefficient.is(1))
            multiply(power_of(node_of(normal_term(), below[0].coefficient), exponent));
        for (const normal_factor& f : below[0].factors)
            multiply(power_of(f.atom, times(exponent_node(f.exponent), exponent)));
        return out == none_ ? p_.number(1) : out;
    }
    static bool is_number(const normal_term& t) { return t.bound.empty() && t.factors.empty(); }

    /// A power of what is no product, by the terms of its exponent.
    ref power_of(ref base, ref exponent) {
        const ir::node x = p_.nodes[base];
        if (is_function(x, function::exp))
            return exponential(times(p_.links[x.children.first], exponent), none_);
        if (x.kind == op::power)
            return power_of(p_.links[x.children.first],
                            times(p_.links[x.children.first + 1], exponent));
        const normal_sum sum = ir::normaliser(p_, most_argument_steps).normalise(exponent);
        ref out = none_;
        for (std::int32_t k = 0; k < sum.size(); ++k) {
            const ir::quotient c = sum[k].coefficient;
            ref factor = none_;
            if (is_number(sum[k])) factor = p_.make(op::power, base, exponent_node(c));
            else if (std::abs(c.above()) > most_multiple)
                factor = p_.make(op::power, base, node_of(sum[k], c));
            else
                factor =
                    raised(p_.make(op::power, base, node_of(sum[k], {1, c.below()})), c.above());
            out = out == none_ ? factor : times(out, factor);
        }
        return out == none_ ? p_.number(1) : out;
    }

    /// The logarithm of a product is a sum; what does not depend on the indices of a sum is one of
    /// its factors.
    ref logarithm(ref of, ref kept) {
        ir::normaliser normal(p_, most_argument_steps);
        const normal_sum sum = normal.normalise(of);
        if (normal.gave_up() || sum.size() != 1 || sum[0].coefficient.above() <= 0) return kept;
        const normal_term& t = sum[0];
        normal_term rest;
        rest.bound = t.bound;
        ref out = none_;
        const auto add = [&](ref n) { out = out == none_ ? n : plus(out, n); };
        for (const normal_factor& f : t.factors) {
            const ir::index_set inside = ir::free_indices(p_, f.atom);
            bool apart = true;
            for (const ref i : t.bound) apart = apart && !inside.has(i);
            if (!apart) rest.factors.push(f);
            else add(times(exponent_node(f.exponent), logarithm_of(f.atom)));
        }
        if (!t.coefficient.is(1))
            add(p_.apply(function::log, node_of(normal_term(), t.coefficient)));
        if (!rest.bound.empty()) add(p_.apply(function::log, node_of(rest, 1)));
        return out == none_ ? p_.number(0) : out;
    }
    ref exponent_node(const ir::quotient& e) {
        return divided(p_.number(static_cast<double>(e.above())),
                       p_.number(static_cast<double>(e.below())));
    }
    ref logarithm_of(ref atom) {
        const ir::node x = p_.nodes[atom];
        if (is_function(x, function::exp)) return p_.links[x.children.first];
        if (x.kind == op::power)
            return times(p_.links[x.children.first + 1], logarithm_of(p_.links[x.children.first]));
        return p_.apply(function::log, atom);
    }

    struct sides {
        ref sine, cosine;
    };
    /// By the sum of angles, one term after another, each as often as its coefficient says.
    sides angle(ref of, ref kept) {
        ir::normaliser normal(p_, most_argument_steps);
        const normal_sum sum = normal.normalise(of);
        std::int64_t count = 0;
        for (std::int32_t k = 0; k < sum.size(); ++k)
            count += sum[k].coefficient.is_whole() ? std::abs(sum[k].coefficient.above()) : 1;
        if (normal.gave_up() || count > most_multiple) {
            if (kept != none_) return {kept, kept};
            return {p_.apply(function::sin, of), p_.apply(function::cos, of)};
        }
        sides all{p_.number(0), p_.number(1)};
        for (std::int32_t k = 0; k < sum.size(); ++k) {
            const ir::quotient c = sum[k].coefficient;
            const bool whole = c.is_whole();
            const std::int64_t times_there = whole ? std::abs(c.above()) : 1;
            const ref unit = node_of(
                sum[k], whole ? ir::quotient(1) : ir::quotient(std::abs(c.above()), c.below()));
            const ref sine = p_.apply(function::sin, unit);
            const sides one{c.above() < 0 ? times(p_.number(-1), sine) : sine,
                            p_.apply(function::cos, unit)};
            for (std::int64_t j = 0; j < times_there; ++j) all = together(all, one);
        }
        return all;
    }
    sides together(const sides& a, const sides& b) {
        return {plus(times(a.sine, b.cosine), times(a.cosine, b.sine)),
                plus(times(a.cosine, b.cosine), times(p_.number(-1), times(a.sine, b.sine)))};
    }

    ir::program& p_;
    bool complex_;
};

}  // namespace

ir::ref with_few_functions(ir::program& p, ir::ref n, bool complex) {
    return rewriter(p, complex).run(n);
}

void drop_guards(ir::program& p) {
    const auto compared_with_zero = [&](ref n) {
        const ir::node& x = p.nodes[n];
        if (!is_comparison(x, ir::comparison::not_equal)) return ir::none;
        const ir::node& right = p.nodes[p.links[x.children.first + 1]];
        const bool zero = right.kind == op::number && right.value == 0;
        return zero ? p.links[x.children.first] : ir::none;
    };
    const std::int32_t count = p.nodes.size();
    for (ref n = 0; n < count; ++n) {
        const ir::node x = p.nodes[n];
        if (!is_comparison(x, ir::comparison::logical_or)) continue;
        const ref exponent = compared_with_zero(p.links[x.children.first]),
                  base = compared_with_zero(p.links[x.children.first + 1]);
        if (exponent == ir::none || base == ir::none) continue;
        bool power = false;
        for (ref k = 0; k < count && !power; ++k) {
            const ir::node y = p.nodes[k];
            power = y.kind == op::power &&
                    p.nodes[p.links[y.children.first + 1]].kind != op::number &&
                    ir::normaliser(p, most_argument_steps).equal(p.links[y.children.first], base);
        }
        if (!power) continue;
        // what it compares is looked for among all nodes: none of it may stay
        const ir::node one = p.nodes[p.number(1)];
        for (const ref gone : {n, p.links[x.children.first], p.links[x.children.first + 1]})
            p.nodes[gone] = one;
    }
}

bool is_cosine(const ir::program& p, ir::ref atom) {
    return is_function(p.nodes[atom], function::cos);
}

ir::ref without_squared_cosines(ir::program& p, const ir::normal_sum& sum) {
    bool any = false;
    detail::buffer<ref> terms;
    for (std::int32_t k = 0; k < sum.size(); ++k) {
        normal_term t;
        t.coefficient = sum[k].coefficient;
        t.bound = sum[k].bound;
        for (normal_factor f : sum[k].factors) {
            const std::int64_t n = f.exponent.above();
            if (!is_cosine(p, f.atom) || !f.exponent.is_whole() || n < 2) {
                t.factors.push(f);
                continue;
            }
            any = true;
            const ref sine = p.apply(function::sin, p.links[p.nodes[f.atom].children.first]);
            const ref square = p.make(op::power, sine, p.number(2));
            t.factors.push(
                {p.make(op::add, p.number(1), p.make(op::multiply, p.number(-1), square)), n / 2});
            if (n % 2 == 1) t.factors.push({f.atom, 1});
        }
        normal_sum alone;
        alone.push(std::move(t));
        terms.push(ir::normaliser(p).to_node(alone));
    }
    return any ? p.make(op::add, 0, terms.data(), terms.size()) : ir::none;
}

}  // namespace ricci::judge
