// Sums of terms that are linear in a direction, and what multiplies them. A bracket hides what
// stands in its own product alone: a factor goes into every term that one hides.
#pragma once

#include <cstdint>

#include <ricci/derive/rules.hpp>
#include <ricci/derive/strong_zeros.hpp>
#include <ricci/derive/tidy.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

template <class Program>
class tangent_terms {
    using list = detail::buffer<ref>;

public:
    constexpr tangent_terms(Program& p, const strong_zeros<Program>& zeros)
        : p_(p), zeros_(zeros) {}

    /// Adds a term, or those of a sum; none is nothing.
    constexpr void add(list& terms, ref term) {
        if (term == ir::none) return;
        const ir::node x = p_.nodes[term];
        if (x.kind != op::add) return collect_term(p_, terms, term);
        for (std::int32_t k = 0; k < x.children.count; ++k) collect_term(p_, terms, child(x, k));
    }
    constexpr ref sum(const list& terms) {
        if (terms.empty()) return ir::none;
        return terms.size() == 1 ? terms[0] : p_.make(op::add, 0, terms.data(), terms.size());
    }
    /// What `make`, which is linear, gives for a tangent: of each term, where brackets hide them
    /// all. `deep`: of what stands below sums and in cases too.
    template <class Make>
    constexpr ref of_each(ref t, const Make& make, bool deep = false) {
        const ir::node x = p_.nodes[t];
        const bool opens = x.kind == op::add || (deep && (x.kind == op::choose || is_sum(x)));
        if (!opens || !is_hidden(t)) return make(t);
        if (is_sum(x)) {
            const ir::node copy = p_.nodes[ir::freshen_bound(p_, t)];
            list terms, sums;
            add(terms, of_each(child(copy, 0), make, deep));
            for (ref term : terms)
                sums.push(p_.reduce(static_cast<ir::reduction>(copy.detail), copy.indices, term));
            return sum(sums);
        }
        list parts;
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            const ref part = child(x, k);
            if (x.kind == op::add) add(parts, of_each(part, make, deep));
            else parts.push(is_zero(p_, part) || is_case(x, k) ? part : of_each(part, make, deep));
        }
        return x.kind == op::add ? sum(parts) : p_.make(op::choose, 0, parts.data(), parts.size());
    }
    /// The slope, which may be infinite where the tangent is hidden, times that.
    constexpr ref product(const list& slope, ref t) {
        bool infinite = false;
        for (ref f : slope) infinite = infinite || may_be_infinite(f);
        return of_each(
            t,
            [&](ref term) {
                list all = slope;
                all.push(term);
                return product_of(p_, all);
            },
            infinite);
    }
    constexpr ref product(ref slope, ref t) {
        list alone;
        alone.push(slope);
        return product(alone, t);
    }
    /// The conjugate, or the real or imaginary part, of a tangent; conditions stay outside.
    constexpr ref applied(function f, ref t) {
        return of_each(t, [&](ref term) {
            const ir::node x = p_.nodes[term];
            list all, inside;
            for (std::int32_t k = 0; x.kind == op::multiply && k < x.children.count; ++k)
                (zeros_.is_condition(child(x, k)) ? all : inside).push(child(x, k));
            const ref rest = all.empty() ? term : make_product(p_, inside);
            all.push(p_.apply(f, rest));
            return make_product(p_, all);
        });
    }

private:
    constexpr ref child(const ir::node& x, std::int32_t k) const {
        return p_.links[x.children.first + k];
    }
    static constexpr bool is_sum(const ir::node& x) {
        return x.kind == op::reduce && (x.detail == static_cast<std::uint8_t>(ir::reduction::sum) ||
                                        x.detail == static_cast<std::uint8_t>(ir::reduction::mean));
    }
    /// Whether a part of cases is a condition.
    static constexpr bool is_case(const ir::node& x, std::int32_t k) {
        return k % 2 == 1 && k + 1 != x.children.count;
    }
    /// Whether brackets or cases may make a tangent 0 whatever else stands in it.
    constexpr bool is_hidden(ref t) const {
        const ir::node& x = p_.nodes[t];
        bool any = zeros_.is_condition(t), all = x.kind == op::add;
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            const ref part = child(x, k);
            if (x.kind == op::choose) any = any || (!is_case(x, k) && is_zero(p_, part));
            if (x.kind == op::multiply) any = any || is_hidden(part);
            if (x.kind == op::add) all = all && is_hidden(part);
        }
        if (x.kind == op::divide || is_sum(x)) return is_hidden(child(x, 0));
        return any || all;
    }
    /// Of numbers that are none themselves.
    constexpr bool may_be_infinite(ref n) const {
        const ir::node& x = p_.nodes[n];
        constant c;
        if (x.kind == op::divide && !is_constant(p_, child(x, 1), c)) return true;
        if (x.kind == op::power && (!is_constant(p_, child(x, 1), c) || c.above < 0)) return true;
        if (x.kind == op::apply && x.detail == static_cast<std::uint8_t>(function::log))
            return true;
        for (std::int32_t k = 0; k < x.children.count; ++k)
            if (may_be_infinite(child(x, k))) return true;
        return false;
    }

    Program& p_;
    const strong_zeros<Program>& zeros_;
};

}  // namespace ricci::derive
