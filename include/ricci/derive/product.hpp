// Products as a textbook writes them: one constant in front, no factor of 1, no quotient of
// quotients, and nothing above a line that stands below it too.
#pragma once

#include <cstdint>

#include <ricci/ir/conditions.hpp>
#include <ricci/ir/literal.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

using ir::op;
using ir::ref;

/// A short decimal as whole / 10^k.
constexpr bool as_decimal(double x, std::int64_t& whole, std::int32_t& k) {
    double scale = 1;
    for (k = 0; k <= 15; ++k, scale *= 10) {
        const double scaled = x * scale;
        if (!(scaled < 1e15 && scaled > -1e15)) return false;
        whole = static_cast<std::int64_t>(scaled + (scaled < 0 ? -0.5 : 0.5));
        if (static_cast<double>(whole) / scale == x) return true;
    }
    return false;
}
/// a b and a + b as the decimals that they are, where those are short: nothing is rounded.
constexpr bool exact_product(double a, double b, double& out) {
    std::int64_t x = 0, y = 0, whole = 0;
    std::int32_t j = 0, k = 0;
    if (!as_decimal(a, x, j) || !as_decimal(b, y, k) || __builtin_mul_overflow(x, y, &whole) ||
        j + k > 15 || whole > 999'999'999'999'999 || whole < -999'999'999'999'999)
        return false;
    out = static_cast<double>(whole);
    double scale = 1;
    for (std::int32_t digit = 0; digit < j + k; ++digit) scale *= 10;
    out /= scale;
    return true;
}
constexpr bool exact_sum(double a, double b, double& out) {
    std::int64_t x = 0, y = 0;
    std::int32_t j = 0, k = 0;
    if (!as_decimal(a, x, j) || !as_decimal(b, y, k)) return false;
    double scale = 1;
    for (; j < k; ++j)
        if (__builtin_mul_overflow(x, 10, &x)) return false;
    for (; k < j; ++k)
        if (__builtin_mul_overflow(y, 10, &y)) return false;
    for (; k > 0; --k) scale *= 10;
    if (__builtin_add_overflow(x, y, &x) || x > 999'999'999'999'999 || x < -999'999'999'999'999)
        return false;
    out = static_cast<double>(x) / scale;
    return true;
}

/// A number as a quotient, of whole numbers wherever that is how it was written: 1/3 stays exact.
/// Products and sums that would be rounded are refused, and leave the number as it was.
struct constant {
    double above = 1;
    double below = 1;

    static constexpr bool whole(double x) {
        return x > -9e15 && x < 9e15 && x == static_cast<double>(static_cast<std::int64_t>(x));
    }
    /// Takes out of `a` and `b` what both are multiples of.
    static constexpr void reduce(double& a, double& b) {
        if (!whole(a) || !whole(b) || a == 0 || b == 0) return;
        auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
        while (y != 0) {
            const std::int64_t rest = x % y;
            x = y;
            y = rest;
        }
        if (b < 0 ? x > 0 : x < 0) x = -x;  // what is below stays positive
        a /= static_cast<double>(x);
        b /= static_cast<double>(x);
    }
    constexpr bool times(const constant& other) {
        double up = 0, down = 0;
        if (!exact_product(above, other.above, up) || !exact_product(below, other.below, down))
            return false;
        *this = {up, down};
        reduce(above, below);
        return true;
    }
    constexpr bool plus(const constant& other) {
        double left = 0, right = 0, up = 0, down = 0;
        if (!exact_product(above, other.below, left) || !exact_product(other.above, below, right) ||
            !exact_sum(left, right, up) || !exact_product(below, other.below, down))
            return false;
        *this = {up, down};
        reduce(above, below);
        return true;
    }
    constexpr bool is(double value) const { return above == value && below == 1; }
};

/// A number whose double is all there is to it.
constexpr bool is_foldable(const ir::node& x) {
    return x.kind == op::number && ir::digits_of(x).count == 0;
}

/// Whether an expression is a number, or a quotient, product or sum of some; its value.
template <class Program>
constexpr bool is_constant(const Program& p, ref n, constant& value) {
    const ir::node& x = p.nodes[n];
    if (x.kind == op::number) {
        value = {};
        return is_foldable(x) && value.times({x.value, 1});
    }
    if (x.kind != op::divide && x.kind != op::multiply && x.kind != op::add) return false;
    constant total{x.kind == op::add ? 0.0 : 1.0, 1};
    for (std::int32_t k = 0; k < x.children.count; ++k) {
        constant part;
        if (!is_constant(p, p.links[x.children.first + k], part)) return false;
        if (x.kind == op::divide && k == 1) {
            if (part.above == 0) return false;
            part = {part.below, part.above};
        }
        if (!(x.kind == op::add ? total.plus(part) : total.times(part))) return false;
    }
    value = total;
    return true;
}

/// Adds the constant as a factor, or as -1 and a positive one, unless it is 1.
template <class Program>
constexpr void push_constant(Program& p, detail::buffer<ref>& factors, constant c) {
    if (c.below == 1) {
        if (c.above != 1) factors.push(p.number(c.above));
        return;
    }
    if (c.above < 0) factors.push(p.number(-1));
    factors.push(p.make(op::divide, p.number(c.above < 0 ? -c.above : c.above), p.number(c.below)));
}
template <class Program>
constexpr ref make_product(Program& p, const detail::buffer<ref>& factors) {
    if (factors.empty()) return p.number(1);
    return factors.size() == 1 ? factors[0]
                               : p.make(op::multiply, 0, factors.data(), factors.size());
}
template <class Program>
constexpr ref make_constant(Program& p, const constant& c) {
    detail::buffer<ref> factors;
    push_constant(p, factors, c);
    return make_product(p, factors);
}

/// The factors of a product, quotients taken apart so that what is above and below can cancel.
template <class Program = ir::program>
class cancellation {
public:
    constexpr cancellation(Program& p, detail::buffer<ref>& factors) : p_(p), list_(factors) {}

    /// Replaces the factors by what is left of them; their numbers go to `total` if they have to.
    constexpr void run(constant& total) {
        for (std::int32_t k = 0; k < list_.size(); ++k) {
            owners_.push({});
            take_apart(list_[k], k, true, 0);
        }
        for (std::int32_t a = 0; a < powers_.size(); ++a)
            for (std::int32_t b = 0; b < powers_.size() && powers_[a].above; ++b)
                if (!powers_[b].above) cancel(powers_[a], powers_[b]);
        for (owner& o : owners_) {
            const double above = o.above, below = o.below;
            constant::reduce(total.above, o.below);
            constant::reduce(o.above, total.below);
            o.changed = o.changed || o.above != above || o.below != below;
        }
        detail::buffer<ref> out;
        for (std::int32_t k = 0; k < list_.size(); ++k) rebuild(k, out, total);
        list_ = static_cast<detail::buffer<ref>&&>(out);
    }

private:
    /// base^exponent above or below the line of factor number `owner`.
    struct powered_factor {
        ref base;
        std::int32_t exponent;
        std::int32_t owner;
        bool above;
    };
    struct owner {
        double above = 1, below = 1;  // its numbers
        bool changed = false;
    };

    constexpr bool whole_power(const ir::node& x, std::int32_t& exponent) const {
        if (x.kind != op::power) return false;
        const ir::node& e = p_.nodes[p_.links[x.children.first + 1]];
        if (e.kind != op::number || !constant::whole(e.value) || e.value < 1 || e.value > 99)
            return false;
        exponent = static_cast<std::int32_t>(e.value);
        return true;
    }
    constexpr void take_apart(ref n, std::int32_t k, bool above, std::int32_t depth) {
        const ir::node x = p_.nodes[n];
        std::int32_t exponent = 1;
        if (x.kind == op::divide) {
            if (depth > 0) owners_[k].changed = true;  // a quotient in a quotient
            take_apart(p_.links[x.children.first], k, above, depth + 1);
            take_apart(p_.links[x.children.first + 1], k, !above, depth + 1);
        } else if (x.kind == op::multiply && depth > 0) {
            for (std::int32_t c = 0; c < x.children.count; ++c)
                take_apart(p_.links[x.children.first + c], k, above, depth + 1);
        } else if (double& mine = above ? owners_[k].above : owners_[k].below;
                   depth > 0 && is_foldable(x) && exact_product(mine, x.value, mine)) {
            // taken into the number
        } else if (whole_power(x, exponent)) {
            add({p_.links[x.children.first], exponent, k, above});
        } else {
            add({n, 1, k, above});
        }
    }
    /// What stands twice below one line is there once, as a power; the square of a root is what is
    /// under it, from two lines too.
    constexpr void add(const powered_factor& mine) {
        const ir::node x = p_.nodes[mine.base];
        const bool root =
            x.kind == op::apply && x.detail == static_cast<std::uint8_t>(ir::function::sqrt);
        for (powered_factor& other : powers_) {
            if (mine.above || other.above || (other.owner != mine.owner && !root)) continue;
            if (!ir::same_expression(p_, other.base, mine.base)) continue;
            other.exponent += mine.exponent;
            owners_[mine.owner].changed = owners_[other.owner].changed = true;
            if (!root || other.exponent % 2 != 0) return;
            other.base = p_.links[x.children.first];
            other.exponent /= 2;
            return;
        }
        powers_.push(mine);
    }
    /// A bracket above the line hides what stands beside it, also where it stands below as well.
    constexpr void cancel(powered_factor& a, powered_factor& b) {
        if (a.exponent == 0 || b.exponent == 0 || !ir::same_expression(p_, a.base, b.base) ||
            ir::condition_names<Program>(p_).is_condition(p_, a.base))
            return;
        const std::int32_t common = a.exponent < b.exponent ? a.exponent : b.exponent;
        a.exponent -= common;
        b.exponent -= common;
        owners_[a.owner].changed = owners_[b.owner].changed = true;
    }
    constexpr ref written(const powered_factor& x) {
        return x.exponent == 1 ? x.base : p_.make(op::power, x.base, p_.number(x.exponent));
    }
    constexpr void rebuild(std::int32_t k, detail::buffer<ref>& out, constant& total) {
        const owner& o = owners_[k];
        if (!o.changed) {
            out.push(list_[k]);
            return;
        }
        detail::buffer<ref> above, below;
        for (const powered_factor& x : powers_) {
            if (x.owner != k || x.exponent == 0) continue;
            (x.above ? above : below).push(written(x));
        }
        if (below.empty()) {
            if (!total.times({o.above, o.below})) push_constant(p_, out, {o.above, o.below});
            out.append(above.data(), above.size());
            return;
        }
        if (!total.times({o.above, 1})) push_constant(p_, above, {o.above, 1});
        detail::buffer<ref> under;
        push_constant(p_, under, {o.below, 1});
        under.append(below.data(), below.size());
        const ref over = make_product(p_, above);
        out.push(p_.make(op::divide, over, make_product(p_, under)));
    }

    Program& p_;
    detail::buffer<ref>& list_;
    detail::buffer<owner> owners_;
    detail::buffer<powered_factor> powers_;
};

/// The product of factors: nested products are opened, constants come first, quotients are reduced.
template <class Program>
constexpr ref product_of(Program& p, const detail::buffer<ref>& factors) {
    constant total;
    bool quotients = false;
    detail::buffer<ref> all;
    const auto take = [&](auto& self, ref n) -> void {
        const ir::node x = p.nodes[n];
        constant value;
        if (is_foldable(x) && total.times({x.value, 1})) {
            // taken into the number
        } else if (x.kind == op::multiply) {
            for (std::int32_t k = 0; k < x.children.count; ++k)
                self(self, p.links[x.children.first + k]);
        } else if (x.kind == op::divide && is_constant(p, n, value) && total.times(value)) {
            // the same
        } else {
            quotients = quotients || x.kind == op::divide;
            all.push(n);
        }
    };
    for (ref n : factors) take(take, n);
    if (total.above == 0) return p.number(0);
    if (quotients) cancellation(p, all).run(total);
    detail::buffer<ref> list;
    push_constant(p, list, total);
    list.append(all.data(), all.size());
    return make_product(p, list);
}

/// The constant in front of a product, and what it stands before.
template <class Program>
constexpr ref without_constant(Program& p, ref n, constant& c) {
    c = {};
    const ir::node x = p.nodes[n];
    if (x.kind != op::multiply) return n;
    std::int32_t first = 0;
    for (constant part; first < x.children.count; ++first)
        if (!is_constant(p, p.links[x.children.first + first], part) || !c.times(part)) break;
    if (first == 0) return n;
    detail::buffer<ref> rest;
    for (std::int32_t k = first; k < x.children.count; ++k)
        rest.push(p.links[x.children.first + k]);
    return make_product(p, rest);
}

}  // namespace ricci::derive
