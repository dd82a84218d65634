// From the operands' shapes to the extent of every index in every equation and the shape of every
// tensor. Works with what is known: at compile time some extents may be open.
#pragma once

#include <cstdint>

#include <ricci/detail/buffer.hpp>
#include <ricci/ir/extrema.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/conditions.hpp>
#include <ricci/ir/lent_extents.hpp>
#include <ricci/ir/print.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/shape_table.hpp>
#include <ricci/ir/shape_words.hpp>
#include <ricci/ir/written_place.hpp>

namespace ricci::ir {

/// a + b * c, or a * c where `add` is false; false where that is beyond 64 bits.
constexpr bool accumulate(std::int64_t& a, std::int64_t b, std::int64_t c, bool add) {
    if (!add) return !__builtin_mul_overflow(a, c, &a);
    std::int64_t product = 0;
    return !__builtin_mul_overflow(b, c, &product) && !__builtin_add_overflow(a, product, &a);
}

/// Passes over the equations in their order; with its parts the only friend that fills a table. A
/// template: files that ask for no shapes build nothing of it.
template <class Program = program_view, class Table = shape_table>
struct shape_inference : lent_extents<Program, Table> {
    using program = Program;
    using base = lent_extents<Program, Table>;
    using base::ask_lenders, base::compared_round, base::complete, base::doubt_, base::enter,
        base::extent, base::forget_lenders, base::found, base::given_round, base::guarded_round,
        base::guards_, base::is_guarded, base::is_open, base::last_pass_, base::last_round,
        base::lettered_, base::open_, base::outside_, base::p, base::round_, base::share_compared,
        base::share_given, base::share_primed, base::shared_, base::shared_round, base::t,
        base::unify, base::unread_, base::unsettled_, base::walk, base::cell, base::current_;
    using base::base;

    bool learnt_ = false;  // a use gave an axis its extent, in this pass
    /// The largest extent of an open index that keeps the arithmetic places of a tensor inside.
    struct candidate {
        std::int32_t cell;
        ref index;
        ref name;
        std::int32_t axis;
        std::int64_t extent;
    };
    detail::buffer<candidate> candidates_ = {};

    /// Equations in their order; again while a use has given a tensor, defined above it by
    /// positions alone, an extent that its own equation does not show.
    constexpr void run() {
        do {
            learnt_ = open_ = false;
            pass();
        } while (learnt_ && open_ && !found);
        if (!found) found = static_cast<mistake&&>(doubt_);
        if (complete && !found && open_) {
            last_pass_ = true;
            pass();
        }
        if (!found) relate_derivatives();
    }
    /// What is known of x is known of d/dt x, of dL/dx and of dA/dx, and what of those of x. Where
    /// both are known they are equal, or the caller has mistaken one for another.
    constexpr void relate_derivatives() {
        for (ref n = 0; n < p.names.size(); ++n) {
            if (p.names[n].kind == name_kind::plain || t.ranks_[n] < 0) continue;
            const ref of = p.names[n].of;
            const std::int32_t first = p.names[n].numerator_rank;
            const ref above = first > 0 ? p.find(parts_of_derivative(p.name(n)).numerator) : none;
            for (std::int32_t axis = 0; axis < t.ranks_[n]; ++axis) {
                const ref other = axis < first ? above : of;
                const std::int32_t there = axis < first ? axis : axis - first;
                const std::int32_t along = axis < first ? first : t.ranks_[n] - first;
                if (other == none || t.ranks_[other] != along) continue;  // one of them is batched
                std::int64_t& mine = t.axes_[t.first_[n] + axis];
                std::int64_t& its = t.axes_[t.first_[other] + there];
                if (mine == its) continue;
                learnt_ = learnt_ || mine == open_extent || its == open_extent;
                if (mine == open_extent) mine = its;
                else if (its == open_extent) its = mine;
                else if (!found) found = wrong_derivative(p, n, axis, mine, other, there, its);
            }
        }
    }
    constexpr void pass() {
        relate_derivatives();
        doubt_ = {};
        for (ref e = 0; e < p.equations.size() && !found; ++e) {
            const equation& q = p.equations[e];
            if (q.claim) continue;
            enter(e);
            forget_lenders(e);
            shape_of_derivative(p, t, q.name);
            // Plain positions first; merged and affine positions are solved with what is known by
            // then, twice because one may give another its extents, and merged ones before: an
            // axis may be longer than affine positions reach. Only what none of them says comes
            // from another index of the same letter: two sums over one letter have two extents.
            for (round_ = 0; round_ <= last_round && !found; ++round_) {
                candidates_.clear();
                unsettled_ = false;
                shared_ = lettered_ = false;
                walk(e, q.body, [&](ref n) {
                    const node& x = p.nodes[n];
                    if (x.kind == op::tensor) see(e, x.name, x.positions);
                    else if (x.kind == op::compare && round_ == compared_round) share_compared(x);
                    else if (x.kind == op::compare && round_ > given_round) see_written_place(x);
                    else if (is_of_matrix(x)) share_square(e, x);
                    for_each_index(p, x.positions, [&](ref i) { note_open(i); });
                    for (std::int32_t k = 0; binds(x) && k < x.indices.count; ++k)
                        note_open(p.reduced(x, k));
                });
                if (t.ranks_[q.name] >= 0) see(e, q.name, q.positions);
                for_each_index(p, q.positions, [&](ref i) { note_open(i); });
                settle_candidates(e);
                if (round_ == given_round) share_given(e);
                if (round_ >= shared_round) share_primed(e);
                if (!unsettled_ && round_ < last_round) round_ = last_round - 1;
                else if (shared_) --round_;  // j <= i, k <= j, x^k: k says j, j says i
                else if (lettered_) round_ = given_round;
            }
            if (!found) define(e);
        }
    }

private:
    // Shapes --------------------------------------------------------------------------------------

    constexpr void see(ref e, ref name, range at) {
        if (t.ranks_[name] < 0 || found) return;
        if (t.ranks_[name] != at.count) {
            found = wrong_rank(p, name, t.ranks_[name], at.count);
            return;
        }
        for (std::int32_t axis = 0; axis < at.count && !found; ++axis) {
            const std::int64_t size = t.extent(name, axis);
            const position& q = p.at(at, axis);
            if (size == open_extent) {
                if (q.kind == position_kind::index && round_ >= last_round)
                    learn(name, axis, q.index);
                continue;
            }
            if (q.kind == position_kind::index) unify(e, q.index, size, name, axis);
            else if (q.kind == position_kind::gathered) continue;
            else if (q.kind == position_kind::affine && is_guarded(q) && !counts_guarded(q.offset))
                continue;
            else if (round_ > 1 || (round_ > 0 && q.kind == position_kind::merged))
                see_arithmetic(e, q, size, name, axis, round_ >= last_round);
        }
    }
    constexpr void note_open(ref i) { unsettled_ = unsettled_ || extent(i) == open_extent; }
    /// The extent of an axis that the tensor's own equation does not show, from one of its uses.
    constexpr void learn(ref name, std::int32_t axis, ref i) {
        if (extent(i) == open_extent) return;
        t.axes_[t.first_[name] + axis] = extent(i);
        learnt_ = true;
    }
    /// Which round what may lie outside is asked in, by its number.
    constexpr bool counts_guarded(std::int64_t offset) const {
        return round_ >= guarded_round + (offset != 0 ? 1 : 0);
    }
    /// \sum_p [p = i - 1] x^p, which a place was written out as: how far i runs, if nothing else
    /// says it. As far as the axis where conditions, pad, wrap or clamp say what happens outside;
    /// else, as of x^{3-i}, as far as all places are inside.
    constexpr void see_written_place(const node& x) {
        const ref a = written_axis(p, x);
        if (a == none || extent(a) == open_extent) return;
        written_place at = read_written_place(p, p.child(x, 1));
        bool guarded = p.indices[a].extent != kept_inside;
        std::int64_t least = at.offset, most = at.offset;  // without the open letters
        ref up = none, down = none;
        for (const affine_term& term : at.terms) {
            const std::int64_t n = extent(term.index), c = term.coefficient;
            guarded = guarded || guards_ > outside_[term.index];
            ref& open = c > 0 ? up : down;
            if (n == open_extent && open != none) at.known = false;
            if (n == open_extent) open = term.index;
            else if (n > 0 && !accumulate(c > 0 ? most : least, c, n - 1, true)) at.known = false;
        }
        if (!at.known || (up == none && down == none)) return;
        const auto factor = [&](ref i) {
            for (const affine_term& term : at.terms)
                if (term.index == i) return std::int64_t{term.coefficient};
            return std::int64_t{0};
        };
        const auto [size, name, place] = cell(a);
        if (!guarded) {
            if (up != none && most < size)
                offer(up, (size - 1 - most) / factor(up) + 1, name, place);
            if (down != none && least >= 0) offer(down, least / -factor(down) + 1, name, place);
        } else if (counts_guarded(at.offset)) {
            const bool alone = at.terms.size() == 1 && p.indices[a].extent != kept_inside;
            if (up != none && factor(up) == 1) offer(up, size, name, place);
            else if (up == none && alone && factor(down) == -1) offer(down, size, name, place);
        }
    }
    /// A function of a matrix has as many rows as columns.
    constexpr void share_square(ref e, const node& x) {
        const ref i = p.reduced(x, 0), j = p.reduced(x, 1);
        if (extent(i) == open_extent) cell(i) = cell(j);
        else if (extent(j) == open_extent) cell(j) = cell(i);
        if (extent(i) == extent(j) || found) return;
        detail::text_builder s;
        in_equation(p, s, e);
        s << (x.detail == static_cast<std::uint8_t>(reduction::inverse)
                  ? text_view("a solution or an inverse")
                  : reduction_word(static_cast<reduction>(x.detail)))
          << " takes a square matrix, and the index " << p.index(i) << " has extent " << extent(i);
        say_origin(p, s, cell(i).name, cell(i).axis);
        s << ", " << p.index(j) << ' ' << extent(j);
        say_origin(p, s, cell(j).name, cell(j).axis);
        found = make_mistake(mistake_kind::extents, s);
    }
    /// The tensor whose shape a derivative has: x, of d/dt x and of dL/dx.
    constexpr ref shape_of(ref name) const {
        while (p.names[name].kind != name_kind::plain && p.names[name].numerator_rank == 0)
            name = p.names[name].of;
        return name;
    }
    constexpr void offer(ref i, std::int64_t size, ref name, std::int32_t axis) {
        if (!is_open(i)) return;
        for (candidate& c : candidates_) {
            if (c.cell != current_[i] || shape_of(c.name) != shape_of(name)) continue;
            if (size < c.extent) c.extent = size, c.axis = axis, c.name = name;
            return;
        }
        candidates_.push({current_[i], i, name, axis, size});
    }
    constexpr void settle_candidates(ref e) {
        for (const candidate& c : candidates_) {
            if (found) return;
            const std::int32_t before = current_[c.index];
            current_[c.index] = c.cell;
            unify(e, c.index, c.extent, c.name, c.axis);
            current_[c.index] = before;
        }
    }
    /// An axis that several indices, or arithmetic, fill: solved for the one index that is open.
    constexpr void see_arithmetic(ref e, const position& q, std::int64_t size, ref name,
                                  std::int32_t axis, bool last) {
        ref open = none;
        std::int64_t reach =
            q.kind == position_kind::merged ? 1 : q.offset;  // product, or least length - 1
        std::int64_t open_coefficient = 1;
        bool fits = true, nowhere = false;  // an index of extent 0 stands at no place of the axis
        for (std::int32_t k = 0; k < q.terms.count; ++k) {
            const affine_term& term = p.affine_terms[q.terms.first + k];
            const std::int64_t n = extent(term.index);
            const std::int64_t wide = term.coefficient, count = wide < 0 ? -wide : wide;
            nowhere = nowhere || (n == 0 && q.kind != position_kind::merged);
            if (n == open_extent) {
                if (open != none) return;
                open = term.index;
                open_coefficient = count;
            } else if (q.kind == position_kind::merged) {
                fits = accumulate(reach, 0, n, false) && fits;
            } else if (n > 0) {
                fits = accumulate(reach, count, n - 1, true) && fits;
            }
        }
        if (!fits) {
            found = too_far_places(p, e, name, axis);
            return;
        }
        if (open != none && q.kind == position_kind::merged) {
            if (reach > 0 && size % reach == 0) return unify(e, open, size / reach, name, axis);
            if (reach == 0 && size == 0) return;  // any extent fits, and the caller may give it
        } else if (open != none) {
            if (open_coefficient == 1 && q.terms.count > 0 && is_guarded(q) && q.offset >= 0)
                return offer(open, size, name, axis);
            if (open_coefficient > 0 && size > reach && reach >= 0)
                return offer(open, (size - 1 - reach) / open_coefficient + 1, name, axis);
            if (size <= reach && size >= 0 && reach >= 0 && q.offset >= 0 && !last)
                return;  // another place may give the index
        } else if (!last || nowhere) {
            return;
        } else if (q.kind == position_kind::merged ? reach == size
                                                   : (reach < size && q.offset >= 0)) {
            return;
        }
        // A place that a bracket guards may lie beyond the axis; the planner asks whether one is
        // read.
        const bool beyond = guards_ > 0 && open == none && q.kind == position_kind::affine;
        if (!last || unread_ > 0 || (beyond && q.offset >= 0)) return;
        detail::text_builder s;
        in_equation(p, s, e);
        s << "axis " << axis << " of " << p.name(name) << " has extent " << size << ", ";
        if (q.kind != position_kind::merged)
            s << "and its indices reach from " << (q.offset < 0 ? q.offset : 0) << " to " << reach;
        else if (open != none) say_divisor(s, q, reach);
        else s << "and its indices make " << reach;
        for (std::int32_t k = 0; k < q.terms.count; ++k) {
            const ref index = p.affine_terms[q.terms.first + k].index;
            if (extent(index) == open_extent) continue;
            s << "; " << p.index(index) << " has extent " << extent(index);
            say_origin(p, s, cell(index).name, cell(index).axis);
        }
        found = make_mistake(mistake_kind::extents, s);
    }
    /// "which 12, the product of the extents of h and w, does not divide"
    constexpr void say_divisor(detail::text_builder& s, const position& q, std::int64_t product) {
        detail::text_builder letters;
        std::int32_t count = 0;
        for (std::int32_t k = 0; k < q.terms.count; ++k) {
            const ref index = p.affine_terms[q.terms.first + k].index;
            if (extent(index) == open_extent) continue;
            letters << (count++ > 0 ? " and " : "") << p.index(index);
        }
        s << "which " << product
          << (count > 1 ? ", the product of the extents of " : ", the extent of ") << letters.view()
          << ", does not divide";
    }
    /// The shape of what the equation defines, and a complaint where an extent stays open.
    constexpr void define(ref e) {
        const equation& q = p.equations[e];
        for_each_index(p, q.positions, [&](ref i) { need(e, i); });
        walk(e, q.body, [&](ref n) {
            const node& x = p.nodes[n];
            for_each_index(p, x.positions, [&](ref i) { need(e, i); });
            for (std::int32_t k = 0; k < x.indices.count; ++k) need(e, p.reduced(x, k));
            if (binds(x) && x.value >= 1) need_places(e, p.reduced(x, 0), x.value);
            if (gives_place(x)) need_place(e, p.reduced(x, 0));
        });
        if (!found) ask_lenders(e);
        if (found) return;
        if (t.ranks_[q.name] >= 0) {
            for (std::int32_t axis = 0; axis < t.ranks_[q.name]; ++axis) {
                std::int64_t& size = t.axes_[t.first_[q.name] + axis];
                if (size != open_extent) continue;
                size = axis_length(e, q.name, axis, p.at(q.positions, axis));
                learnt_ = learnt_ || size != open_extent;
            }
            return see(e, q.name, q.positions);
        }
        detail::buffer<std::int64_t> sizes;
        std::int64_t elements = max_bytes_per_element;
        for (std::int32_t axis = 0; axis < q.positions.count; ++axis) {
            const std::int64_t size = axis_length(e, q.name, axis, p.at(q.positions, axis));
            sizes.push(size);
            if (size > 0 && !accumulate(elements, 0, size, false) && !found)
                found = too_many_elements(p, e, q.name);
        }
        t.set_shape(q.name, q.positions.count, sizes.data());
    }
    static constexpr std::int64_t max_bytes_per_element = 16;
    constexpr void need(ref e, ref i) {
        if (extent(i) == open_extent) open_ = true;
        if (complete && last_pass_ && !found && extent(i) == open_extent)
            found = unknown_extent(p, e, i);
    }
    /// \sum_{a=1}^{3} has three places to run over.
    constexpr void need_places(ref e, ref i, double least) {
        if (found || extent(i) == open_extent || static_cast<double>(extent(i)) >= least) return;
        detail::text_builder s;
        in_equation(p, s, e);
        s << "a sum over the first " << static_cast<std::int64_t>(least) << " places of the index "
          << p.index(i) << " has only " << extent(i);
        say_origin(p, s, cell(i).name, cell(i).axis);
        found = make_mistake(mistake_kind::extents, s);
    }
    /// Of an extremum: it is one of the axis, and a number of 32 bits.
    constexpr void need_place(ref e, ref i) {
        constexpr std::int64_t most = std::int64_t{1} << 31;
        if (found || extent(i) == open_extent || (extent(i) > 0 && extent(i) <= most)) return;
        detail::text_builder s;
        in_equation(p, s, e);
        s << "the index " << p.index(i) << " has " << extent(i) << " places, "
          << (extent(i) > 0 ? "more than a number of 32 bits counts"
                            : "so that none of them is that of an extremum");
        say_origin(p, s, cell(i).name, cell(i).axis);
        found = make_mistake(mistake_kind::extents, s);
    }
    constexpr std::int64_t axis_length(ref e, ref name, std::int32_t axis, const position& q) {
        if (q.kind == position_kind::index) return extent(q.index);
        if (q.kind == position_kind::fixed) return q.offset + 1;
        const bool merged = q.kind == position_kind::merged;
        std::int64_t length = merged ? 1 : std::int64_t{q.offset} + 1;
        for (std::int32_t k = 0; k < q.terms.count; ++k) {
            const affine_term& term = p.affine_terms[q.terms.first + k];
            const std::int64_t n = extent(term.index), wide = term.coefficient;
            if (n == open_extent) return open_extent;
            const bool fits =
                merged ? accumulate(length, 0, n, false)
                       : n == 0 || accumulate(length, wide < 0 ? -wide : wide, n - 1, true);
            if (!fits) {
                if (!found) found = too_far_places(p, e, name, axis);
                return open_extent;
            }
        }
        return length;
    }
};

/// Fills the table from the shapes that were set. Extents may stay open unless `complete`.
template <class Inference = shape_inference<>>
constexpr mistake infer_shapes(const typename Inference::program& p, shape_table& table,
                               bool complete = true) {
    Inference inference{p, table, complete};
    inference.run();
    return static_cast<mistake&&>(inference.found);
}

}  // namespace ricci::ir
