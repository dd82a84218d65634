// Extents that indices have from one another: by letters, conditions and what the caller gave.
#pragma once

#include <cstdint>

#include <ricci/detail/buffer.hpp>
#include <ricci/ir/axes.hpp>
#include <ricci/ir/extent_scopes.hpp>
#include <ricci/ir/extrema.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/shape_table.hpp>
#include <ricci/ir/shape_words.hpp>
#include <ricci/ir/written_place.hpp>

namespace ricci::ir {

/// Part of shape_inference.
template <class Program, class Table>
struct lent_extents : extent_scopes<Program, Table> {
    using base = extent_scopes<Program, Table>;
    using base::around_, base::cell, base::counted_around, base::current_, base::each_bound,
        base::extent, base::found, base::is_guarded, base::is_open, base::letter, base::p, base::t,
        base::walk;
    using base::base;

    // 0: plain places; 1: merged axes, and after it what was given; 2, 3: arithmetic, and after it
    // what is around with the same letter; 4: the same with what that gave; 5: arithmetic under
    // brackets, without a number; 6: with one; 7: indices that conditions compare; 8: any index of
    // the letter, and then arithmetic again; 9: what does not fit is said
    static constexpr std::int32_t given_round = 1, shared_round = 3, guarded_round = 5,
                                  compared_round = 7, letter_round = 8, last_round = 9;

    std::int32_t round_ = 0;
    bool unsettled_ = false;  // an index of the equation is open, in this round
    bool shared_ = false;     // a condition gave an extent in this round
    bool lettered_ = false;   // an index of its letter gave one of another
    bool more_ = false;       // an index got the extent of another one of its letter
    /// The cell of an index that has the extent of another one: of one `around` it, or of any.
    struct lent {
        std::int32_t cell;
        bool around;
    };
    detail::buffer<lent> lent_ = {};
    mistake doubt_ = {};  // an extent that is said in two ways, by what is known in this pass

    /// What the equation's own indices had from others in a pass before, which says it again.
    constexpr void forget_lenders(ref e) {
        for (lent& l : lent_)
            if (l.cell / t.indices_ == e) l.cell = none;
    }

    /// i has the extent of j where a condition compares the two, if nothing else gives it.
    constexpr void share_compared(const node& x) {
        const node &a = p.nodes[p.child(x, 0)], &b = p.nodes[p.child(x, 1)];
        if (a.kind == op::position && b.kind == op::tensor) share_axis_of_places(a, b);
        if (b.kind == op::position && a.kind == op::tensor) share_axis_of_places(b, a);
        if (!compares_positions(x)) return;
        const ref i = compared(x, 0), j = compared(x, 1);
        if (is_open(i) && extent(j) != open_extent) lend(i, cell(j), false);
        else if (is_open(j) && extent(i) != open_extent) lend(j, cell(i), false);
        else return;
        shared_ = true;
    }
    constexpr bool compares_positions(const node& x) const {
        return p.nodes[p.child(x, 0)].kind == op::position &&
               p.nodes[p.child(x, 1)].kind == op::position;
    }
    constexpr ref compared(const node& x, std::int32_t side) const {
        return p.at(p.nodes[p.child(x, side)].positions, 0).index;
    }
    /// [y_i = k]: k runs over the axis that y has places of, if nothing else says how far.
    constexpr void share_axis_of_places(const node& position, const node& tensor) {
        const ref i = p.at(position.positions, 0).index;
        if (!is_of_places(p, tensor.name) || !is_open(i)) return;
        const ref e = p.definition(tensor.name);
        const ref along = p.reduced(p.nodes[p.equations[e].body], 0);
        const shape_table::cell axis = t.cells_[e * t.indices_ + along];
        if (axis.extent == open_extent) return;
        cell(i) = axis;
        shared_ = true;
    }
    /// What the caller gave j holds for each symbol that is spelt so, and for j', wherever they
    /// stand without a plain place: arithmetic would take the most that fits. But where j' only
    /// counts, as in \sum_{j'} 1, it counts the index of its letter around it, whatever that is: by
    /// which derived equations write the extents of axes.
    constexpr void share_given(ref e) {
        if (!unsettled_) return;
        index_set counted;
        walk(e, p.equations[e].body, [&](ref n) {
            const node& x = p.nodes[n];
            for (std::int32_t k = 0; binds(x) && k < x.indices.count; ++k) {
                const bool counts = p.nodes[p.child(x, 0)].kind == op::number;
                take_given(p.reduced(x, k), counts);
                if (counts) counted.add(p.reduced(x, k));
            }
        });
        for (ref i = 0; i < p.indices.size(); ++i)
            if (!counted.has(i)) take_given(i, false);
    }
    constexpr void take_given(ref i, bool counts) {
        text_view spelling = p.index(i);
        take_given_of(i, spelling);
        if (counts && counted_around(i) != none) return;
        while (spelling.size > letter(i).size) {
            --spelling.size;
            take_given_of(i, spelling);
        }
    }
    constexpr void take_given_of(ref i, text_view spelling) {
        for (ref j = 0; j < p.indices.size() && is_open(i); ++j)
            if (t.given_[j] != open_extent && p.index(j) == spelling)
                cell(i) = {t.given_[j], none, 0};
    }
    /// Where nothing else gives j' an extent it has that of j: of the j around it, or of any other.
    constexpr void share_primed(ref e) {
        if (!unsettled_) return;
        for (more_ = true; more_;) {
            more_ = false;
            each_bound(e, [&](ref i) { share_around(i); });
            if (more_ || round_ != letter_round)
                continue;  // what is around comes first, everywhere
            for_each_index(p, p.equations[e].positions, [&](ref i) { share_with_any(e, i); });
            each_bound(e, [&](ref i) {
                if (counted_around(i) == none) share_with_any(e, i);
            });
        }
    }
    /// As counted_around() says; one that has no extent yet is waited for.
    constexpr void share_around(ref i) {
        ref best = counted_around(i);
        if (round_ >= last_round && best != none && extent(best) == open_extent)
            best = counted_around(i, true);
        if (best == none || extent(best) == open_extent) return;
        lend(i, cell(best), true);
        more_ = true;
    }
    constexpr void share_with_any(ref e, ref i) {
        // the letter itself first, then the letter with other primes
        for (std::int32_t pass = 0; pass < 2; ++pass)
            for (ref j = 0; j < p.indices.size() && is_open(i); ++j) {
                if (!is_of_letter(j, i)) continue;
                if (pass == 0 && letter(j).size != p.index(j).size) continue;
                const shape_table::cell first = t.cells_[e * t.indices_ + j];
                const shape_table::cell its = extent(j) == open_extent ? first : cell(j);
                if (its.extent == open_extent) continue;
                lend(i, its, false);
                more_ = lettered_ = true;
            }
    }
    /// Of an axis that a place is written out on no letter has its extent.
    constexpr bool is_of_letter(ref j, ref i) const {
        return p.indices[j].extent >= 0 && letter(j) == letter(i);
    }
    /// An index got the extent of another one.
    constexpr void lend(ref i, const shape_table::cell& its, bool around) {
        cell(i) = its;
        lent_.push({current_[i], around});
    }
    /// Conditions, letters and places below brackets that say several extents of an index leave
    /// open which is meant: the order in which they are asked is nothing that a reader sees. Of
    /// letters and conditions an index around it comes first.
    constexpr void ask_lenders(ref e) {
        if (lent_.empty()) return;
        walk(e, p.equations[e].body, [&](ref n) {
            each_place(p.nodes[n], [&](ref i, const shape_table::cell& its) {
                for (lent& l : lent_)
                    if (l.cell == current_[i] && its.extent == extent(i)) l.cell = none;
            });
        });
        const index_set all = indices_of(p, p.equations[e]);
        for_each_index(p, p.equations[e].positions, [&](ref i) { ask_letters(e, i, all); });
        walk(e, p.equations[e].body, [&](ref n) {
            const node& x = p.nodes[n];
            each_place(x, [&](ref i, const shape_table::cell& its) { ask(e, i, its, true); });
            if (x.kind == op::compare && compares_positions(x)) {
                const ref i = compared(x, 0), j = compared(x, 1);
                ask(e, i, cell(j));
                ask(e, j, cell(i));
            }
            for (std::int32_t k = 0; binds(x) && k < x.indices.count; ++k) {
                const ref i = p.reduced(x, k), around = counted_around(i);
                if (around != none) ask(e, i, cell(around));
                else ask_letters(e, i, all);
            }
        });
    }
    /// Visits the letters of factor 1 at places that need not exist, with the axis: of x_{i-1} in
    /// a bracket, and of [p = i - 1], which says i by the axis of p.
    template <class Visit>
    constexpr void each_place(const node& x, const Visit& visit) {
        if (x.kind == op::compare) {
            const ref a = written_axis(p, x);
            if (a == none) return;
            for (const affine_term& term : read_written_place(p, p.child(x, 1)).terms)
                if (term.coefficient == 1) visit(term.index, cell(a));
        }
        for (std::int32_t axis = 0; x.kind == op::tensor && axis < x.positions.count; ++axis) {
            const position& q = p.at(x.positions, axis);
            if (q.kind != position_kind::affine || !is_guarded(q) || q.terms.count != 1) continue;
            const affine_term& term = p.affine_terms[q.terms.first];
            if (term.coefficient == 1 && t.ranks_[x.name] == x.positions.count)
                visit(term.index, {t.extent(x.name, axis), x.name, axis});
        }
    }
    /// `all`: the indices of the equation. Those with primes ask the letter itself first.
    constexpr void ask_letters(ref e, ref i, const index_set& all) {
        const auto is_plain = [&](ref j) { return letter(j).size == p.index(j).size; };
        bool plain = false;
        for (ref j = 0; j < p.indices.size(); ++j)
            plain = plain ||
                    (j != i && !is_plain(i) && is_plain(j) && all.has(j) && is_of_letter(j, i));
        const auto ask = [&](ref j, const shape_table::cell& its) {
            if (all.has(j) && is_of_letter(j, i) && (!plain || is_plain(j))) this->ask(e, i, its);
        };
        for (ref j = 0; j < p.indices.size(); ++j) ask(j, t.cells_[e * t.indices_ + j]);
        for (const shape_table::scope& c : t.scopes_)
            if (c.equation == e) ask(c.index, t.cells_[c.cell]);
    }
    constexpr void ask(ref e, ref i, const shape_table::cell& its, bool place = false) {
        if (doubt_ || its.extent == open_extent || its.extent == extent(i)) return;
        for (const lent& l : lent_)
            if (l.cell == current_[i] && (place || !l.around) && !doubt_)
                doubt_ = two_extents(p, e, i, cell(i), its);
    }
};

}  // namespace ricci::ir
