// Whether the conditions of cases leave nothing out, so that the last case needs no `otherwise`.
#pragma once

#include <cstdint>

#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::notation {

/// Conditions that all compare one quantity with numbers: i - j, |i - j| - w, i mod 2. What they
/// leave out is looked for at every number that they compare it with, and beside it. Conditions of
/// other kinds are not understood, and leave something out.
class completeness {
public:
    constexpr explicit completeness(const ir::program& p) : p_(p) {}

    constexpr bool leave_nothing(const detail::buffer<ir::ref>& conditions) {
        for (ir::ref c : conditions)
            if (!read(c)) return false;
        if (!has_quantity_) return false;
        for (const double at : thresholds_)
            for (std::int32_t side = -1; side <= 1; ++side) {
                const double here = at + side * (is_whole() ? 1 : gap() / 2);
                if (!is_possible(here)) continue;
                bool holds = false;
                for (ir::ref c : conditions) holds = holds || is_true(c, here);
                if (!holds) return false;
            }
        return true;
    }

private:
    /// number + sum of count * atom
    struct term {
        ir::ref atom;
        double count;
    };
    struct linear {
        detail::buffer<term> terms;
        double number = 0;
    };

    constexpr void add(linear& out, ir::ref n, double times) const {
        const ir::node& x = p_.nodes[n];
        const auto child = [&](std::int32_t k) { return p_.links[x.children.first + k]; };
        if (x.kind == ir::op::number) {
            out.number += times * x.value;
        } else if (x.kind == ir::op::add) {
            for (std::int32_t k = 0; k < x.children.count; ++k) add(out, child(k), times);
        } else if (x.kind == ir::op::multiply && x.children.count == 2 &&
                   p_.nodes[child(0)].kind == ir::op::number) {
            add(out, child(1), times * p_.nodes[child(0)].value);
        } else {
            for (term& q : out.terms)
                if (ir::same_expression(p_, q.atom, n)) {
                    q.count += times;
                    return;
                }
            out.terms.push({n, times});
        }
    }
    static constexpr bool is_logical(const ir::node& x) {
        return x.kind == ir::op::compare &&
               (x.detail == static_cast<std::uint8_t>(ir::comparison::logical_and) ||
                x.detail == static_cast<std::uint8_t>(ir::comparison::logical_or));
    }
    static constexpr bool is_negation(const ir::node& x) {
        return x.kind == ir::op::apply &&
               x.detail == static_cast<std::uint8_t>(ir::function::logical_not);
    }
    /// left - right of a comparison as `sign` times the quantity plus a number; false otherwise.
    constexpr bool side(const ir::node& x, double& sign, double& number) {
        linear difference;
        add(difference, p_.links[x.children.first], 1);
        add(difference, p_.links[x.children.first + 1], -1);
        linear kept;
        for (const term& q : difference.terms)
            if (q.count != 0) kept.terms.push(q);
        number = difference.number;
        if (kept.terms.empty()) return false;
        if (!has_quantity_) {
            has_quantity_ = true;
            quantity_ = kept;
        }
        if (kept.terms.size() != quantity_.terms.size()) return false;
        sign = 0;
        for (const term& q : kept.terms) {
            double ratio = 0;
            for (const term& known : quantity_.terms)
                if (ir::same_expression(p_, q.atom, known.atom)) ratio = q.count / known.count;
            if ((ratio != 1 && ratio != -1) || (sign != 0 && ratio != sign)) return false;
            sign = ratio;
        }
        return true;
    }
    constexpr bool read(ir::ref c) {
        const ir::node& x = p_.nodes[c];
        if (is_logical(x) || is_negation(x)) {
            for (std::int32_t k = 0; k < x.children.count; ++k)
                if (!read(p_.links[x.children.first + k])) return false;
            return true;
        }
        double sign = 0, number = 0;
        if (x.kind != ir::op::compare || !side(x, sign, number)) return false;
        thresholds_.push(-sign * number);
        return true;
    }
    constexpr bool is_true(ir::ref c, double at) {
        const ir::node& x = p_.nodes[c];
        const auto child = [&](std::int32_t k) { return p_.links[x.children.first + k]; };
        if (is_negation(x)) return !is_true(child(0), at);
        const auto kind = static_cast<ir::comparison>(x.detail);
        if (kind == ir::comparison::logical_and)
            return is_true(child(0), at) && is_true(child(1), at);
        if (kind == ir::comparison::logical_or)
            return is_true(child(0), at) || is_true(child(1), at);
        double sign = 0, number = 0;
        side(x, sign, number);
        const double difference = sign * at + number;
        switch (kind) {
            case ir::comparison::less:
                return difference < 0;
            case ir::comparison::less_equal:
                return difference <= 0;
            case ir::comparison::equal:
                return difference == 0;
            default:
                return difference != 0;
        }
    }
    /// Made of positions with whole factors, so that it is a whole number.
    constexpr bool is_whole() const {
        for (const term& q : quantity_.terms)
            if (!is_whole_atom(q.atom) || q.count != static_cast<double>(static_cast<int>(q.count)))
                return false;
        return true;
    }
    constexpr bool is_whole_atom(ir::ref n) const {
        return p_.nodes[n].kind == ir::op::position || modulus_of(n) > 0;
    }
    /// m of `position mod m`, or 0.
    constexpr double modulus_of(ir::ref n) const {
        const ir::node& x = p_.nodes[n];
        if (x.kind != ir::op::apply || x.detail != static_cast<std::uint8_t>(ir::function::modulo))
            return 0;
        const ir::node &a = p_.nodes[p_.links[x.children.first]],
                       &m = p_.nodes[p_.links[x.children.first + 1]];
        const bool whole = m.kind == ir::op::number && m.value >= 1 && m.value < 1e6 &&
                           m.value == static_cast<double>(static_cast<int>(m.value));
        return a.kind == ir::op::position && whole ? m.value : 0;
    }
    /// A position is 0 or more, and what is left by m less than m.
    constexpr bool is_possible(double here) const {
        if (quantity_.terms.size() != 1 || !is_whole()) return true;
        const term& only = quantity_.terms[0];
        const double value = here / only.count, modulus = modulus_of(only.atom);
        return value >= 0 && (modulus == 0 || value < modulus);
    }
    /// Less than any two thresholds are apart.
    constexpr double gap() const {
        double least = 1;
        for (const double a : thresholds_)
            for (const double b : thresholds_)
                if (a < b && b - a < least) least = b - a;
        return least;
    }

    const ir::program& p_;
    linear quantity_;
    bool has_quantity_ = false;
    detail::buffer<double> thresholds_;
};

}  // namespace ricci::notation
