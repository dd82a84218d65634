// From the inside outwards: what is compared has brackets alone in it by then.
#include "judge/brackets.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include <ricci/ir/normal.hpp>
#include <ricci/ir/rewrite.hpp>

#include "src/base/texts.hpp"

namespace ricci::judge {
namespace {

using ir::comparison;
using ir::function;
using ir::normal_factor;
using ir::normal_sum;
using ir::normal_term;
using ir::op;
using ir::ref;

constexpr std::int64_t steps_of_a_difference = 4000;

bool is_apply(const ir::node& x, function f) {
    return x.kind == op::apply && x.detail == static_cast<std::uint8_t>(f);
}
bool is_small_whole(double x) { return std::abs(x) < 1000 && x == std::floor(x); }
bool reads_infinity(const ir::program& p, ref n) {
    bool any = false;
    ir::for_each_node(p, n, [&](ref m) {
        const ir::node& x = p.nodes[m];
        any =
            any || (x.kind == op::number && std::abs(x.value) > std::numeric_limits<double>::max());
    });
    return any;
}

/// What a term is made of, indices apart: the order of terms by it is the same for all names of
/// indices.
std::string form_key(const ir::program& p, const normal_term& t) {
    std::vector<std::string> parts;
    for (const normal_factor& f : t.factors) {
        const ir::node& x = p.nodes[f.atom];
        std::string part = std::to_string(static_cast<int>(x.kind)) + " " +
                           std::to_string(x.detail) + " " + std::to_string(f.exponent.value());
        if (x.name != ir::none) part += detail::string_of(p.name(x.name));
        parts.push_back(std::move(part));
    }
    std::sort(parts.begin(), parts.end());
    std::string out = t.factors.empty() ? "~" : "";
    for (const std::string& part : parts) out += part + "|";
    return out;
}

}  // namespace

// What is decided is taken out at once: products of sums grow.
ref bracket_writer::plus(ref a, ref b) {
    if (is(a, 0)) return b;
    if (is(b, 0)) return a;
    const ir::node &x = p_.nodes[a], &y = p_.nodes[b];
    const bool small = x.kind == op::number && y.kind == op::number && is_small_whole(x.value) &&
                       is_small_whole(y.value);
    return small ? number(x.value + y.value) : p_.make(op::add, a, b);
}
ref bracket_writer::times(ref a, ref b) {
    if (is(a, 0) || is(b, 1)) return a;
    if (is(b, 0) || is(a, 1)) return b;
    const ir::node &x = p_.nodes[a], &y = p_.nodes[b];
    const bool small = x.kind == op::number && y.kind == op::number && is_small_whole(x.value) &&
                       is_small_whole(y.value);
    return small ? number(x.value * y.value) : p_.make(op::multiply, a, b);
}

/// Whether an index of a reduction around stands in it: what is assumed is of no such numbers.
bool bracket_writer::is_inside(ref n) const {
    bool any = false;
    ir::free_indices(p_, n).for_each([&](ref i) { any = any || bound_.has(i); });
    return any;
}

ref bracket_writer::run(ref n, ir::index_set bound) {
    const ir::node given = p_.nodes[n];
    ir::index_set inner = bound;
    if (given.kind == op::reduce)
        for (std::int32_t k = 0; k < given.indices.count; ++k)
            inner.add(p_.links[given.indices.first + k]);
    const ref inside = ir::rebuild_children(
        p_, n, [&](ref child) { return open_ == ir::none ? run(child, inner) : child; });
    if (open_ != ir::none) return n;
    bound_ = std::move(bound);
    const ir::node x = p_.nodes[inside];
    switch (x.kind) {
        case op::apply:
            return function_of(x, inside);
        case op::compare:
            return comparison_of(x, inside);
        case op::choose:
            return cases_of(x, inside);
        case op::power:
            return power_of(x, inside);
        default:
            return inside;
    }
}

/// b + (a - b) [a > b]. Of equal ones it is the shorter.
ref bracket_writer::larger(ref a, ref b) {
    const ref difference = minus(a, b);
    const sign_parts s = parts_of(difference);
    if (is(s.zero, 1)) return p_.nodes[a].kind == op::number ? a : b;
    if (is(s.weight, 1)) return a;
    return plus(b, times(difference, s.weight));
}

ref bracket_writer::absolute(ref a) {
    const sign_parts s = parts_of(a);
    if (is(s.zero, 1)) return number(0);
    if (is(s.weight, 1)) return a;
    return minus(times(number(2), times(a, s.weight)), a);
}

ref bracket_writer::function_of(const ir::node& x, ref n) {
    const ref a = p_.links[x.children.first];
    if (reads_infinity(p_, n)) return n;
    switch (static_cast<function>(x.detail)) {
        case function::absolute:
            return absolute(a);
        case function::sign:
            return sign_of(parts_of(a));
        case function::relu:
            return larger(number(0), a);
        case function::elu: {
            const ref above = parts_of(a).positive;
            return plus(times(a, above),
                        times(minus(p_.apply(function::exp, a), number(1)), opposite(above)));
        }
        case function::maximum:
            return larger(a, p_.links[x.children.first + 1]);
        case function::minimum: {
            const ref b = p_.links[x.children.first + 1];
            return minus(plus(a, b), larger(a, b));
        }
        case function::logical_not:
            return ir::is_truth(p_.nodes[a]) ? n : opposite(a);
        case function::sqrt: {
            const ir::node root = p_.nodes[p_.make(op::power, a, number(0.5))];
            return power_of(root, n);
        }
        default:
            return n;
    }
}

/// The root of a square, (x^2)^{1/2}, is |x|.
ref bracket_writer::power_of(const ir::node& x, ref n) {
    ir::normaliser normal(p_, steps_of_a_difference);
    const normal_sum exponent = normal.normalise(p_.links[x.children.first + 1]);
    if (exponent.size() != 1 || !exponent[0].factors.empty() || !exponent[0].bound.empty())
        return n;
    const ir::quotient e = exponent[0].coefficient;
    const normal_sum base = normal.normalise(p_.links[x.children.first]);
    if (normal.gave_up() || e.below() != 2 || base.size() != 1 || !base[0].bound.empty() ||
        base[0].coefficient.above() <= 0 || base[0].factors.empty())
        return n;
    normal_term root;
    for (const normal_factor& f : base[0].factors) {
        if (!f.exponent.is_whole() || f.exponent.above() % 2 != 0) return n;
        root.factors.push({f.atom, f.exponent.above() / 2});
    }
    normal_term rest;
    rest.coefficient = base[0].coefficient;
    normal_sum one, other;
    one.push(std::move(root));
    other.push(std::move(rest));
    const ref r = normal.to_node(one);
    const ref power = p_.number(static_cast<double>(e.above()));
    return times(p_.make(op::power, normal.to_node(other), p_.links[x.children.first + 1]),
                 p_.make(op::power, absolute(r), power));
}

ref bracket_writer::comparison_of(const ir::node& x, ref n) {
    if (ir::is_truth(x) || reads_infinity(p_, n)) return n;
    const ref a = p_.links[x.children.first], b = p_.links[x.children.first + 1];
    switch (static_cast<comparison>(x.detail)) {
        case comparison::less:
            return parts_of(minus(b, a)).positive;
        case comparison::less_equal:
            return opposite(parts_of(minus(a, b)).positive);
        case comparison::equal:
            return parts_of(minus(a, b)).zero;
        case comparison::not_equal:
            return opposite(parts_of(minus(a, b)).zero);
        case comparison::logical_and:
            return times(a, b);
        case comparison::logical_or:
            return minus(plus(a, b), times(a, b));
    }
    return n;
}

/// Where a bracket is false, what it multiplies counts for nothing: so do the other cases.
ref bracket_writer::cases_of(const ir::node& x, ref n) {
    if (reads_infinity(p_, n) || x.children.count % 2 == 0) return n;
    ref out = p_.links[x.children.first + x.children.count - 1];
    for (std::int32_t k = x.children.count - 3; k >= 0; k -= 2) {
        const ref value = p_.links[x.children.first + k],
                  condition = p_.links[x.children.first + k + 1];
        out = plus(times(value, condition), times(out, opposite(condition)));
    }
    return out;
}

bracket_writer::sign_parts bracket_writer::parts_of(ref difference) {
    ir::normaliser normal(p_, steps_of_a_difference);
    const normal_sum sum = normal.normalise(difference);
    if (sum.size() == 0) return {number(0), number(1), number(0)};
    if (normal.gave_up()) return parts_of_one(difference);
    if (sum.size() == 1 && sum[0].bound.empty()) return parts_of_product(sum[0]);
    if (const ref d = of_exponents(sum); d != ir::none) return parts_of(d);
    const normal_term common = common_factors(sum);
    if (common.factors.empty()) return parts_of_sum(sum);
    normal_sum alone;
    alone.push(normal_term(common));
    const ref rest = p_.make(op::divide, difference, normal.to_node(alone));
    const sign_parts s = parts_of_sum(normal.normalise(rest));
    return parts_of_product(common, &s);
}

/// The powers that all terms of a sum have, which divide it.
normal_term bracket_writer::common_factors(const normal_sum& sum) {
    ir::normaliser normal(p_, steps_of_a_difference);
    normal_term out;
    for (const normal_factor& f : sum[0].factors) {
        if (ir::is_number_factor(p_, f) || !f.exponent.is_whole()) continue;
        ir::quotient least = f.exponent;
        bool all = true;
        for (std::int32_t k = 0; k < sum.size() && all; ++k) {
            all = false;
            for (const normal_factor& g : sum[k].factors) {
                if (!g.exponent.is_whole() || !normal.equal(f.atom, g.atom)) continue;
                all = true;
                if (g.exponent.above() < least.above()) least = g.exponent;
            }
            const ir::index_set inside = ir::free_indices(p_, f.atom);
            for (const ref i : sum[k].bound) all = all && !inside.has(i);
        }
        if (all) out.factors.push({f.atom, least});
    }
    return out;
}

/// One form for d, 2 d and -d.
bracket_writer::sign_parts bracket_writer::parts_of_sum(const normal_sum& sum) {
    ir::normaliser normal(p_, steps_of_a_difference);
    std::int32_t first = 0;
    for (std::int32_t k = 1; k < sum.size(); ++k)
        if (form_key(p_, sum[k]) < form_key(p_, sum[first])) first = k;
    const bool turned = sum[first].coefficient.above() < 0;
    ir::quotient scale(sum[first].coefficient.below(), std::abs(sum[first].coefficient.above()));
    if (turned) scale.multiply(-1);
    normal_sum scaled;
    bool fits = true;
    for (std::int32_t k = 0; k < sum.size(); ++k) {
        normal_term t = sum[k];
        fits = t.coefficient.multiply(scale) && fits;
        scaled.push(std::move(t));
    }
    if (!fits) return parts_of_one(normal.to_node(sum));
    const sign_parts s = parts_of_one(normal.to_node(scaled));
    return turned ? turned_parts(s) : s;
}

/// a - b, which has the sign of e^a - e^b; none for other sums.
ref bracket_writer::of_exponents(const normal_sum& sum) {
    if (sum.size() != 2) return ir::none;
    ref difference = ir::none;
    for (std::int32_t k = 0; k < 2; ++k) {
        const ir::quotient c = sum[k].coefficient;
        if (!sum[k].bound.empty() || sum[k].factors.size() > 1 || std::abs(c.above()) != 1 ||
            c.below() != 1 || c.above() + sum[1 - k].coefficient.above() != 0)
            return ir::none;
        ref exponent = number(0);
        for (const normal_factor& f : sum[k].factors) {
            const ir::node& x = p_.nodes[f.atom];
            if (!is_apply(x, function::exp) || !f.exponent.is_whole()) return ir::none;
            exponent = times(number(static_cast<double>(c.above() * f.exponent.above())),
                             p_.links[x.children.first]);
        }
        difference = k == 0 ? exponent : plus(difference, exponent);
    }
    return difference;
}

/// The sign of a product is that of its factors, `other` among them: a square is above 0, or 0.
bracket_writer::sign_parts bracket_writer::parts_of_product(const normal_term& t,
                                                            const sign_parts* other) {
    const bool turned = t.coefficient.above() < 0;
    ref sign = number(turned ? -1 : 1), square = number(1), weight = ir::none;
    int odd = 0;
    const auto add = [&](const sign_parts& s) {
        sign = times(sign, sign_of(s));
        weight = turned ? opposite(s.weight) : s.weight;
        ++odd;
    };
    if (other) {
        add(*other);
        square = opposite(other->zero);
    }
    for (const normal_factor& f : t.factors) {
        const ir::node& x = p_.nodes[f.atom];
        if (ir::is_number_factor(p_, f) || is_apply(x, function::exp)) continue;
        const sign_parts s = is_apply(x, function::log)
                                 ? parts_of(minus(p_.links[x.children.first], number(1)))
                                 : parts_of_one(f.atom);
        if (!other && t.factors.size() == 1 && f.exponent.is(1))
            return turned ? turned_parts(s) : s;
        square = times(square, opposite(s.zero));
        if (f.exponent.is_whole() && f.exponent.above() % 2 != 0) add(s);
    }
    const ref half = p_.make(op::divide, number(1), number(2)), zero = opposite(square);
    const ref positive =
        odd == 0 ? (turned ? number(0) : square) : times(half, plus(square, times(square, sign)));
    return {positive, zero, odd == 1 ? weight : positive};
}

/// Of what is compared with 0 as it stands: two brackets inside of sums, and outside the numbers
/// that the facts make of them, where they do.
bracket_writer::sign_parts bracket_writer::parts_of_one(ref d) {
    const ref zero = number(0);
    const ref below[] = {zero, d}, beside[] = {d, zero};
    const auto bracket = [&](comparison c, const ref* parts) {
        return p_.make(op::compare, static_cast<std::uint8_t>(c), parts, 2);
    };
    if (is_inside(d)) {
        const ref positive = bracket(comparison::less, below);
        return {positive, bracket(comparison::equal, beside), positive};
    }
    const bool negative = !facts_.exclude(p_, d, -1), equal = !facts_.exclude(p_, d, 0),
               positive = !facts_.exclude(p_, d, 1);
    if (negative + equal + positive > 1 && open_ == ir::none) open_ = d;
    const ref above = number(positive ? 1 : 0);
    return {above, number(equal ? 1 : 0), above};
}

}  // namespace ricci::judge
