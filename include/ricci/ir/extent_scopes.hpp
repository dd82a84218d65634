// The indices of an equation and their extents, at each place of it: an index that several signs
// bind has one below each.
#pragma once

#include <cstdint>

#include <ricci/detail/buffer.hpp>
#include <ricci/ir/conditions.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/shape_table.hpp>
#include <ricci/ir/shape_words.hpp>

namespace ricci::ir {

/// Part of shape_inference.
template <class Program, class Table>
struct extent_scopes {
    constexpr extent_scopes(const Program& program, Table& table, bool all)
        : p(program), t(table), complete(all) {}

    const Program& p;
    Table& t;
    bool complete;  // every extent has to be known in the end
    mistake found = {};
    bool last_pass_ = false;
    bool open_ = false;                          // an extent stayed open, in this pass
    detail::buffer<std::int32_t> current_ = {};  // by index: its cell at the place in hand
    detail::buffer<ref> owners_ = {};            // by index: the first reduction that binds it
    detail::buffer<ref> around_ = {};            // the indices of the left and of the sums around
    std::int32_t guards_ = 0;  // how many brackets and cases are around the place in hand
    detail::buffer<std::int32_t> outside_ = {};  // by index: how many of them around what binds it
    std::int32_t unread_ = 0;  // powers of 0 around the place in hand: no place below has to exist

    /// An index that is bound around the place in hand: its cell outside, and the guards there.
    struct bound {
        std::int32_t cell;
        std::int32_t guards;
    };
    /// Visits every node, children first, with the cells of the indices that are bound around it.
    /// Stands before its callers, where clang looks for it while it evaluates constants.
    template <class Visit>
    constexpr void walk(ref e, ref n, const Visit& visit, ref divided = none) {
        const node& x = p.nodes[n];
        const std::int32_t mark = around_.size();
        const bool unread = is_power_of_zero(p, x);
        unread_ += unread ? 1 : 0;
        detail::buffer<bound> before;
        for (std::int32_t k = 0; binds(x) && k < x.indices.count; ++k) {
            const ref i = p.reduced(x, k);
            before.push({current_[i], outside_[i]});
            current_[i] = cell_of(e, n, i, divided);
            obey(e, i);
            outside_[i] = guards_;
            around_.push(i);
        }
        const guarded_children under_bracket(p, x);
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            // what stands for its shape alone says it beside a bracket too
            const bool guarded = under_bracket(k) && !is_power_of_zero(p, p.nodes[p.child(x, k)]);
            guards_ += guarded ? 1 : 0;
            walk(e, p.child(x, k), visit, x.kind == op::divide ? p.child(x, 0) : none);
            guards_ -= guarded ? 1 : 0;
        }
        visit(n);
        unread_ -= unread ? 1 : 0;
        around_.shrink(mark);
        for (std::int32_t k = 0; k < before.size(); ++k) {
            current_[p.reduced(x, k)] = before[k].cell;
            outside_[p.reduced(x, k)] = before[k].guards;
        }
    }
    /// Every index starts in a cell of its own, which holds what the caller gave.
    constexpr void enter(ref e) {
        current_.clear();
        outside_.clear();
        owners_.clear();
        around_.clear();
        for (ref i = 0; i < p.indices.size(); ++i) {
            current_.push(e * t.indices_ + i);
            outside_.push(0);
            owners_.push(none);
            extent(i) = t.given_[i];
        }
        for_each_index(p, p.equations[e].positions, [&](ref i) {
            around_.push(i);
            obey(e, i);
        });
    }
    constexpr shape_table::cell& cell(ref i) { return t.cells_[current_[i]]; }
    constexpr std::int64_t& extent(ref i) { return cell(i).extent; }
    /// An index that the text says to run over an axis has its extent, whatever else would say one.
    constexpr void obey(ref e, ref i) {
        const axis& along = p.indices[i].along;
        if (along.tensor == none || found) return;
        shape_of_derivative(p, t, along.tensor);
        const std::int32_t rank = t.ranks_[along.tensor];
        if (rank >= 0 && along.number >= rank) found = no_such_axis(p, e, i, rank);
        if (rank < 0 && complete && last_pass_ && !found) found = unknown_extent(p, e, i);
        open_ = open_ || rank < 0;  // so that the last pass asks for it
        if (found || rank < 0) return;
        const std::int64_t size = t.extent(along.tensor, along.number);
        if (size != open_extent) unify(e, i, size, along.tensor, along.number);
    }
    /// Whether an index has no extent yet, and may have that of another.
    constexpr bool is_open(ref i) {
        return extent(i) == open_extent && p.indices[i].along.tensor == none;
    }
    /// The first sign that binds an index has the index's cell, each later one its own. A count of
    /// a mean has that of the sum which it divides: it counts the places of that sum.
    constexpr std::int32_t cell_of(ref e, ref n, ref i, ref divided) {
        const bool counts = p.nodes[n].value == some_place && divided != none && n != divided &&
                            binds_index(divided, i);
        const ref sign = counts ? divided : n;
        if (owners_[i] == none) owners_[i] = n;
        if (owners_[i] == sign) return e * t.indices_ + i;
        const std::int32_t known = cell_in_scope(e, n, i);
        if (known != none) return known;
        std::int32_t made = counts ? cell_in_scope(e, sign, i) : none;
        if (made == none) made = t.cells_.push({t.given_[i], none, 0});
        t.scopes_.push({e, n, i, made});
        return made;
    }
    constexpr std::int32_t cell_in_scope(ref e, ref n, ref i) const {
        for (const shape_table::scope& s : t.scopes_)
            if (s.equation == e && s.node == n && s.index == i) return s.cell;
        return none;
    }
    constexpr bool binds_index(ref sign, ref i) const {
        const node& x = p.nodes[sign];
        for (std::int32_t k = 0; binds(x) && k < x.indices.count; ++k)
            if (p.reduced(x, k) == i) return true;
        return false;
    }
    constexpr void unify(ref e, ref i, std::int64_t size, ref name, std::int32_t axis) {
        if (extent(i) == open_extent) {
            cell(i) = {size, name, axis};
        } else if (extent(i) != size) {
            detail::text_builder s;
            in_equation(p, s, e);
            s << "the index " << p.index(i) << " has extent " << extent(i);
            say_origin(p, s, cell(i).name, cell(i).axis);
            s << " and " << size << " in axis " << axis << " of " << p.name(name);
            found = make_mistake(mistake_kind::extents, s);
        }
    }
    /// Places under a bracket or in cases need not exist: they say an extent if nothing else does.
    /// A bracket around the sign that binds an index says nothing of where that runs.
    constexpr bool is_guarded(const position& q) const {
        bool guarded = false;
        for (std::int32_t k = 0; k < q.terms.count; ++k)
            guarded = guarded || guards_ > outside_[p.affine_terms[q.terms.first + k].index];
        return guarded;
    }
    constexpr text_view letter(ref index) const {
        text_view text = p.index(index);
        while (text.size > 0 && text[text.size - 1] == '\'') --text.size;
        return text;
    }
    /// Of the indices around with this letter and fewer primes the one with most; else any.
    /// `known`: of those that have an extent.
    constexpr ref counted_around(ref i, bool known = false) {
        ref best = none;
        for (ref j : around_) {
            if (j == i || !(letter(j) == letter(i)) || (known && extent(j) == open_extent))
                continue;
            const auto fits = [&](ref k) { return p.index(k).size < p.index(i).size; };
            if (best == none || (fits(j) && (!fits(best) || p.index(j).size > p.index(best).size)))
                best = j;
        }
        return best;
    }
    /// Visits the open indices that signs bind, those of the innermost first.
    template <class Visit>
    constexpr void each_bound(ref e, const Visit& visit) {
        walk(e, p.equations[e].body, [&](ref n) {
            const node& x = p.nodes[n];
            for (std::int32_t k = 0; binds(x) && k < x.indices.count; ++k)
                if (is_open(p.reduced(x, k))) visit(p.reduced(x, k));
        });
    }
};

}  // namespace ricci::ir
