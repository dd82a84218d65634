// Whether conditions between letters exclude that arithmetic of letters is below 0, whatever the
// extents: x_{t-k} under k <= t. By elimination, as letters are 0 or more.
#pragma once

#include <cstdint>

#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

/// A node, and whether it holds or fails around a place; how many of the signs around the place are
/// around the node as well.
struct held_condition {
    ref node;
    bool holds;
    std::int32_t signs;
};

template <class Program>
class inequalities {
public:
    /// `signs`: what binds or keeps letters around the place, the outermost first.
    constexpr inequalities(const Program& p, const detail::buffer<ref>& signs)
        : p_(p), signs_(signs) {}

    constexpr bool exclude_below_zero(const position& q,
                                      const detail::buffer<held_condition>& conditions) {
        form place{};
        place.number = q.offset;
        for (std::int32_t t = 0; t < q.terms.count; ++t) {
            const affine_term term = p_.affine_terms[q.terms.first + t];
            if (!add_letter(place, term.index, term.coefficient, signs_.size())) return false;
        }
        add_less(place, 0);
        return never(conditions, 0);
    }

private:
    static constexpr std::int32_t most_letters = 8, most_rows = 64, most_cases = 64;
    /// A sum of letters, which is 0 or more where it is a row.
    struct form {
        std::int64_t factor[most_letters];
        std::int64_t number;
    };

    /// Under \operatorname{softmax}_j the j is another than that of a bracket outside.
    struct named {
        ref index;
        std::int32_t hidden;  // by how many signs between the condition and the place
    };
    constexpr bool add_letter(form& f, ref index, std::int64_t factor, std::int32_t signs) {
        named l{index, 0};
        for (std::int32_t s = signs; s < signs_.size(); ++s) {
            const range over = p_.nodes[signs_[s]].indices;
            for (std::int32_t k = 0; k < over.count; ++k)
                l.hidden += p_.links[over.first + k] == index;
        }
        std::int32_t k = 0;
        while (k < letters_.size() &&
               !(letters_[k].index == l.index && letters_[k].hidden == l.hidden))
            ++k;
        if (k == most_letters) return false;
        if (k == letters_.size()) letters_.push(l);
        return !__builtin_add_overflow(f.factor[k], factor, &f.factor[k]);
    }
    /// Adds a value times a whole number; false if it is no sum of letters and whole numbers.
    constexpr bool add(form& f, ref n, std::int64_t times, std::int32_t signs) {
        const node& x = p_.nodes[n];
        constexpr std::int64_t most = 1 << 30;
        const auto whole = [](double v) {
            return v > -1e9 && v < 1e9 && v == static_cast<double>(static_cast<std::int64_t>(v));
        };
        if (x.kind == op::number && whole(x.value)) {
            f.number += times * static_cast<std::int64_t>(x.value);
            return true;
        }
        if (x.kind == op::position)
            return add_letter(f, p_.positions[x.positions.first].index, times, signs);
        if (x.kind == op::multiply && x.children.count == 2) {
            const node& number = p_.nodes[p_.links[x.children.first]];
            return number.kind == op::number && whole(number.value) && times < most &&
                   times > -most &&
                   add(f, p_.links[x.children.first + 1],
                       times * static_cast<std::int64_t>(number.value), signs);
        }
        bool all = x.kind == op::add;
        for (std::int32_t k = 0; all && k < x.children.count; ++k)
            all = add(f, p_.links[x.children.first + k], times, signs);
        return all;
    }
    /// The row that says f < `bound`.
    constexpr void add_less(form f, std::int64_t bound) {
        for (std::int64_t& a : f.factor) a = -a;
        f.number = bound - 1 - f.number;
        rows_.push(f);
    }

    /// Whether the rows and the conditions from the k-th on hold nowhere together.
    constexpr bool never(const detail::buffer<held_condition>& conditions, std::int32_t k) {
        if (k == conditions.size()) return ++cases_ <= most_cases && contradict(rows_, 0);
        const node& x = p_.nodes[conditions[k].node];
        const bool holds = conditions[k].holds;
        const std::int32_t signs = conditions[k].signs;
        const auto with = [&](held_condition a, held_condition b, bool both) {
            detail::buffer<held_condition> rest;
            rest.append(conditions.data() + k + 1, conditions.size() - k - 1);
            rest.push(a);
            if (both) rest.push(b);
            return never(rest, 0);
        };
        const ref* parts = p_.links.data() + x.children.first;
        if (x.kind == op::apply && x.detail == static_cast<std::uint8_t>(function::logical_not))
            return with({parts[0], !holds, signs}, {}, false);
        if (x.kind != op::compare) return never(conditions, k + 1);
        const auto kind = static_cast<comparison>(x.detail);
        if (kind >= comparison::logical_and) {
            const held_condition a{parts[0], holds, signs}, b{parts[1], holds, signs};
            if ((kind == comparison::logical_and) == holds) return with(a, b, true);
            return with(a, {}, false) && with(b, {}, false);
        }
        form difference{};
        if (!add(difference, parts[0], 1, signs) || !add(difference, parts[1], -1, signs))
            return never(conditions, k + 1);
        return never_with(kind, holds, difference, conditions, k + 1);
    }
    constexpr bool never_with(comparison kind, bool holds, const form& difference,
                              const detail::buffer<held_condition>& conditions, std::int32_t k) {
        form opposite{};
        for (std::int32_t l = 0; l < most_letters; ++l) opposite.factor[l] = -difference.factor[l];
        opposite.number = -difference.number;
        const std::int32_t mark = rows_.size();
        bool out = false;
        if (kind == comparison::less || kind == comparison::less_equal) {
            const bool strict = kind == comparison::less;
            if (holds) add_less(difference, strict ? 0 : 1);
            else add_less(opposite, strict ? 1 : 0);
            out = never(conditions, k);
        } else if ((kind == comparison::equal) == holds) {
            add_less(difference, 1);
            add_less(opposite, 1);
            out = never(conditions, k);
        } else {
            add_less(difference, 0);
            out = never(conditions, k);
            rows_.shrink(mark);
            add_less(opposite, 0);
            out = out && never(conditions, k);
        }
        rows_.shrink(mark);
        return out;
    }
    /// Whether no letters of 0 or more satisfy the rows: one letter after the other is eliminated.
    constexpr bool contradict(const detail::buffer<form>& rows, std::int32_t letter) const {
        if (letter == letters_.size()) {
            for (const form& r : rows)
                if (r.number < 0) return true;
            return false;
        }
        detail::buffer<form> left, lower, upper;  // of the letter, from below and from above
        form natural{};
        natural.factor[letter] = 1;
        lower.push(natural);
        for (const form& r : rows)
            (r.factor[letter] == 0 ? left : r.factor[letter] > 0 ? lower : upper).push(r);
        for (const form& low : lower)
            for (const form& high : upper) {
                form sum{};
                const std::int64_t a = low.factor[letter], b = -high.factor[letter];
                bool fits = combine(sum.number, low.number, b, high.number, a);
                for (std::int32_t l = 0; l < most_letters; ++l)
                    fits = combine(sum.factor[l], low.factor[l], b, high.factor[l], a) && fits;
                if (fits && left.size() < most_rows) left.push(sum);
            }
        return contradict(left, letter + 1);
    }
    static constexpr bool combine(std::int64_t& out, std::int64_t a, std::int64_t by,
                                  std::int64_t b, std::int64_t times) {
        std::int64_t first = 0, second = 0;
        return !__builtin_mul_overflow(a, by, &first) &&
               !__builtin_mul_overflow(b, times, &second) &&
               !__builtin_add_overflow(first, second, &out);
    }

    const Program& p_;
    const detail::buffer<ref>& signs_;
    detail::buffer<named> letters_;
    detail::buffer<form> rows_;
    std::int32_t cases_ = 0;
};

}  // namespace ricci::ir
