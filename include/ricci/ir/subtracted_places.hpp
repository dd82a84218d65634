// Places at subtracted letters, with what stands around them: whether conditions exclude what is
// below 0 there, and whether the letters stand together elsewhere as well.
#pragma once

#include <cstdint>

#include <ricci/ir/conditions.hpp>
#include <ricci/ir/inequalities.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

/// Whether an affine position subtracts a letter.
template <class Program>
constexpr bool has_subtracted(const Program& p, const position& q) {
    bool found = false;
    for (std::int32_t t = 0; q.kind == position_kind::affine && t < q.terms.count; ++t)
        found = found || p.affine_terms[q.terms.first + t].coefficient < 0;
    return found;
}

/// Visits the uses of tensors of one equation after the other, from the inside out. `Self` has
/// settle_use(use), which gives what takes its place, and see_place(use, place), which sees what
/// became of the number that a use looks up.
template <class Self, class Program>
class subtracted_places {
protected:
    constexpr explicit subtracted_places(Program& p) : p_(p) {}

    constexpr ref settled(const equation& e) {
        equation_ = e;
        return settle(e.body);
    }
    /// Whether the conditions around the use in hand exclude what is below 0.
    constexpr bool is_excluded(const position& q) const {
        return inequalities<Program>(p_, around_).exclude_below_zero(q, conditions_);
    }
    /// Whether the two letters of a place stand together elsewhere than in differences: on the
    /// left, or below the innermost sign that binds one of them.
    constexpr bool stand_together(ref use, const position& q) const {
        const ref i = p_.affine_terms[q.terms.first].index,
                  j = p_.affine_terms[q.terms.first + 1].index;
        if (has_index(p_, equation_.positions, i) && has_index(p_, equation_.positions, j))
            return true;
        ref scope = equation_.body;
        for (const ref sign : around_) {
            const range over = p_.nodes[sign].indices;
            bool first = false, second = false;
            for (std::int32_t k = 0; k < over.count; ++k) {
                first = first || p_.links[over.first + k] == i;
                second = second || p_.links[over.first + k] == j;
            }
            if (first && second && is_of_matrix(p_.nodes[sign])) return true;
            if ((first || second) && binds(p_.nodes[sign])) scope = sign;
        }
        return holds_both(scope, use, i, j);
    }

    Program& p_;

private:
    constexpr ref settle(ref n) {
        const node x = p_.nodes[n];
        const std::int32_t held = conditions_.size(), around = around_.size();
        if (x.indices.count > 0) around_.push(n);
        std::int32_t k = 0;
        const ref out = rebuild_children(p_, n, [&](ref child) {
            hold_conditions(x, k++);
            const ref inside = settle(child);
            conditions_.shrink(held);
            if (x.kind == op::tensor) static_cast<Self*>(this)->see_place(x, inside);
            return inside;
        });
        around_.shrink(around);
        return x.kind == op::tensor ? static_cast<Self*>(this)->settle_use(out) : out;
    }
    constexpr void hold(ref condition, bool holds) {
        conditions_.push({condition, holds, around_.size()});
    }
    /// Notes what holds where the k-th child counts.
    constexpr void hold_conditions(const node& x, std::int32_t k) {
        const ref* child = p_.links.data() + x.children.first;
        const auto kind = static_cast<comparison>(x.detail);
        if (x.kind == op::multiply || x.kind == op::divide) {
            const std::int32_t count = x.kind == op::divide ? 1 : x.children.count;
            for (std::int32_t f = 0; f < count; ++f)
                if (f != k) hold_brackets(child[f]);
        } else if (x.kind == op::choose) {
            for (std::int32_t c = 1; c < k; c += 2) hold(child[c], false);
            if (k % 2 == 0 && k + 1 < x.children.count) hold(child[k + 1], true);
        } else if (x.kind == op::compare && kind >= comparison::logical_and) {
            hold(child[1 - k], kind == comparison::logical_and);
        }
    }
    constexpr void hold_brackets(ref n) {
        const node& x = p_.nodes[n];
        if (is_bracket(x)) hold(n, true);
        const std::int32_t count = x.kind == op::multiply ? x.children.count
                                   : x.kind == op::divide ? 1
                                                          : 0;
        for (std::int32_t k = 0; k < count; ++k) hold_brackets(p_.links[x.children.first + k]);
    }
    constexpr bool holds_both(ref n, ref use, ref i, ref j) const {
        const node& x = p_.nodes[n];
        if (n != use && (x.kind == op::tensor || x.kind == op::delta)) {
            index_set here;
            add_places(n, i, j, here);
            if (here.has(i) && here.has(j)) return true;
        }
        for (std::int32_t k = 0; k < x.children.count; ++k)
            if (holds_both(p_.links[x.children.first + k], use, i, j)) return true;
        return false;
    }
    /// The letters of a use's places and of nested ones, but for those that subtract them too.
    constexpr void add_places(ref n, ref i, ref j, index_set& to) const {
        const node& x = p_.nodes[n];
        for (std::int32_t k = 0; k < x.positions.count; ++k) {
            const range one{x.positions.first + k, 1};
            const bool difference = has_subtracted(p_, p_.positions[one.first]) &&
                                    has_index(p_, one, i) && has_index(p_, one, j);
            if (!difference) add_indices(p_, one, to);
        }
        for (std::int32_t k = 0; x.kind == op::tensor && k < x.children.count; ++k)
            if (p_.nodes[p_.links[x.children.first + k]].kind == op::tensor)
                add_places(p_.links[x.children.first + k], i, j, to);
    }

    equation equation_{};                        // in hand
    detail::buffer<held_condition> conditions_;  // around the place in hand
    detail::buffer<ref> around_;                 // what binds or keeps indices around it
};

}  // namespace ricci::ir
