// Which places of a program are of one dimension: where the same axis says two of them, or where
// one has its extent from the letter of the other.
#pragma once

#include <cstdint>

#include <ricci/derive/open_places.hpp>
#include <ricci/ir/axes.hpp>
#include <ricci/ir/primes.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

using detail::buffer;
using ir::none;
using ir::ref;

/// Indices are bound at places: below signs and on left sides. Places and axes of one dimension are
/// the members of one class; others may be of one extent by chance.
template <class Program>
class dimension_classes {
protected:
    constexpr explicit dimension_classes(Program& p) : p_(p) {}

    constexpr void classify() {
        number_axes();
        for (ref e = 0; e < p_.equations.size(); ++e) {
            first_places_.push(places_.size());
            if (!p_.equations[e].claim) add(e);
        }
        for (bool changed = true; changed;) changed = unite_splits();
    }

    /// When the extent of an index is known: by what comes before letters share, by what comes
    /// after that, or by a letter alone.
    enum class known : std::uint8_t { early, late, never };
    struct place {
        ref index;
        std::int32_t member;
        bool said;             // by a tensor
        bool counts;           // below a sign before a number
        std::int32_t partner;  // the place around that its letter is shared with, or none
        ref equation;
        ref symbol;              // that stands for the index from now on
        ref body;                // that a sign binds it for, or none
        bool by_letter = false;  // its partner comes before what its body says
        known comes = known::never;
        bool asked = false;  // for its axis, which may be that of another
    };
    constexpr std::int32_t root(std::int32_t m) {
        while (above_[m] != m) m = above_[m] = above_[above_[m]];
        return m;
    }
    /// How many members all classes have, and so the most that root() says.
    constexpr std::int32_t member_count() const { return above_.size(); }
    /// The class of an axis of a tensor that the program has.
    constexpr std::int32_t class_of(ref name, std::int32_t axis) {
        return root(axes_[name] + axis);
    }
    constexpr bool same_letter(ref i, ref j) const {
        return ir::letter_of(p_, i) == ir::letter_of(p_, j);
    }
    constexpr bool is_bound(std::int32_t k) const {
        return !ir::has_index(p_, p_.equations[places_[k].equation].positions, places_[k].index);
    }
    constexpr std::int32_t end_of(ref e) const {
        return e + 1 < first_places_.size() ? first_places_[e + 1] : places_.size();
    }

    Program& p_;
    buffer<std::int32_t> ranks_;         // of each name
    buffer<std::int32_t> axes_;          // of each name, the member of its first axis
    buffer<place> places_;               // of all equations
    buffer<std::int32_t> first_places_;  // of each equation

private:
    constexpr std::int32_t fresh() { return above_.push(above_.size()); }
    constexpr void unite(std::int32_t a, std::int32_t b) { above_[root(a)] = root(b); }

    constexpr void number_axes() {
        ranks_.resize(p_.names.size(), 0);
        for (const ir::index_symbol& i : p_.indices)
            if (i.along.tensor != none && ranks_[i.along.tensor] <= i.along.number)
                ranks_[i.along.tensor] = i.along.number + 1;
        for (const ir::equation& q : p_.equations) {
            ranks_[q.name] = q.positions.count;
            ir::for_each_node(p_, q.body, [&](ref n) {
                const ir::node& x = p_.nodes[n];
                if (x.kind == ir::op::tensor) ranks_[x.name] = x.positions.count;
            });
        }
        for (ref n = 0; n < p_.names.size(); ++n) {
            const ir::name_symbol& s = p_.names[n];
            if (s.kind != ir::name_kind::plain && ranks_[s.of] == 0 &&
                s.numerator_rank <= ranks_[n])
                ranks_[s.of] = ranks_[n] - s.numerator_rank;
        }
        for (ref n = 0; n < p_.names.size(); ++n) {
            axes_.push(above_.size());
            for (std::int32_t k = 0; k < ranks_[n]; ++k) fresh();
        }
        for (ref n = 0; n < p_.names.size(); ++n) {  // dA/dx has the axes of A, and of x
            const ir::name_symbol& s = p_.names[n];
            if (s.kind == ir::name_kind::plain) continue;
            const std::int32_t first = s.numerator_rank;
            const ref numerator =
                first > 0 ? p_.find(ir::parts_of_derivative(p_.name(n)).numerator) : none;
            for (std::int32_t k = 0; k < ranks_[n]; ++k) {
                const ref other = k < first ? numerator : s.of;
                const std::int32_t there = k < first ? k : k - first;
                if (other != none && there < ranks_[other])
                    unite(axes_[n] + k, axes_[other] + there);
            }
        }
    }

    // Equations -----------------------------------------------------------------------------------

    constexpr void add(ref e) {
        const ir::equation q = p_.equations[e];
        current_.clear();
        current_.resize(p_.indices.size(), none);
        around_.clear();
        ir::for_each_index(p_, q.positions, [&](ref i) {
            if (current_[i] == none) bind(e, i, none);
        });
        read(q.name, q.positions);
        walk(e, q.body);
        for (std::int32_t k = first_places_[e]; k < places_.size(); ++k) {
            place& s = places_[k];
            const arithmetic reach =
                s.body == none ? arithmetic::absent : arithmetic_of(p_, s.body, s.index);
            s.said = s.said || reach == arithmetic::inside;
            if (s.said) s.comes = known::early;
            else if (s.partner != none) s.comes = places_[s.partner].comes;
            else if (reach != arithmetic::absent ||
                     (s.body != none && is_compared(p_, s.body, s.index)))
                s.comes = known::late;
        }
        for (std::int32_t k = first_places_[e]; k < places_.size(); ++k) share_letter(k);
    }
    constexpr void bind(ref e, ref index, ref body) {
        const std::int32_t made = places_.size();
        const bool counts = body != none && p_.nodes[body].kind == ir::op::number;
        place s{index, fresh(), false, counts, none, e, index, body};
        for (std::int32_t k : around_) {
            if (!same_letter(places_[k].index, index)) continue;
            const auto size = [&](ref i) { return p_.index(i).size; };
            const auto fits = [&](std::int32_t j) { return size(places_[j].index) < size(index); };
            if (s.partner == none ||
                (fits(k) &&
                 (!fits(s.partner) || size(places_[k].index) > size(places_[s.partner].index))))
                s.partner = k;
        }
        const ir::axis along = p_.indices[index].along;
        if (along.tensor != none) {
            s.said = true;
            unite(s.member, axes_[along.tensor] + along.number);
        }
        places_.push(s);
        current_[index] = made;
        around_.push(made);
    }
    constexpr void read(ref name, ir::range at) {
        for (std::int32_t k = 0; k < at.count; ++k) {
            const ir::position& q = p_.positions[at.first + k];
            const auto place_of = [&](ref i) -> place& { return places_[current_[i]]; };
            if (q.kind == ir::position_kind::index) {
                place& s = place_of(q.index);
                s.said = true;
                unite(s.member, axes_[name] + k);
                continue;
            }
            if (q.kind != ir::position_kind::merged) continue;
            ir::for_each_index(p_, {at.first + k, 1}, [&](ref i) { place_of(i).said = true; });
            splits_.push({axes_[name] + k, parts_.size(), q.terms.count});
            ir::for_each_index(p_, {at.first + k, 1},
                               [&](ref i) { parts_.push(place_of(i).member); });
        }
    }
    constexpr void walk(ref e, ref n) {
        const ir::node& x = p_.nodes[n];
        const std::int32_t mark = around_.size();
        buffer<std::int32_t> before;
        for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k) {
            const ref i = p_.links[x.indices.first + k];
            before.push(current_[i]);
            bind(e, i, p_.links[x.children.first]);
        }
        const std::int32_t first = places_.size();
        std::int32_t last = first;  // the places of the last child begin there
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            last = places_.size();
            walk(e, p_.links[x.children.first + k]);
        }
        if (x.kind == ir::op::divide) count_places_of(x, first, last);
        if (x.kind == ir::op::tensor) read(x.name, x.positions);
        for (std::int32_t k = 0; k < before.size(); ++k)
            current_[p_.links[x.indices.first + k]] = before[k];
        around_.shrink(mark);
    }
    /// The count of a mean is of the places of the sum that it divides.
    constexpr void count_places_of(const ir::node& quotient, std::int32_t sum, std::int32_t count) {
        const ir::node& all = p_.nodes[p_.links[quotient.children.first]];
        const ir::node& by = p_.nodes[p_.links[quotient.children.first + 1]];
        if (!ir::binds(all) || !ir::binds(by) || by.value != ir::some_place) return;
        for (std::int32_t j = 0; j < by.indices.count; ++j)
            for (std::int32_t k = 0; k < all.indices.count; ++k) {
                place &mine = places_[count + j], &its = places_[sum + k];
                if (mine.index != its.index) continue;
                unite(mine.member, its.member);
                mine.said = mine.said || its.said;
                mine.body = its.body;
            }
    }
    /// What no tensor says has the extent of its letter, unless the caller gives it another one. A
    /// count has that of the index around which it counts, whatever the caller gives. Where none of
    /// the letter is around, conditions are asked first.
    constexpr void share_letter(std::int32_t k) {
        place& s = places_[k];
        if (s.said || s.body == none) return;
        const bool around = s.partner != none;
        if (!around && s.comes == known::late) return;
        if (!around) s.partner = of_its_letter(k);
        if (s.partner == none) return;
        if (around && s.counts) return unite(s.member, places_[s.partner].member);
        // what is around, and known late itself, comes after what the body says
        const bool is_late = around && places_[s.partner].comes != known::early;
        s.by_letter = !is_late || (arithmetic_of(p_, s.body, s.index) == arithmetic::absent &&
                                   !is_compared(p_, s.body, s.index));
    }
    constexpr std::int32_t primes(std::int32_t k) const {
        const ref i = places_[k].index;
        return p_.index(i).size - ir::letter_of(p_, i).size;
    }
    /// The place that an index has its extent from where none of its letter is around: of the first
    /// places of symbols that of the letter itself before those with primes, and of those the
    /// symbol that stands first. The axis on which a place is written out, [p = i - 1], is a letter
    /// of its own.
    constexpr std::int32_t of_its_letter(std::int32_t k) {
        ir::index_set seen;
        std::int32_t best = none;
        for (std::int32_t j = first_places_.back(); j < places_.size(); ++j) {
            const ref i = places_[j].index;
            if (seen.has(i) || p_.indices[i].extent < 0 || !same_letter(i, places_[k].index))
                continue;
            seen.add(i);
            const auto comes_first = [&](std::int32_t other) {
                const bool primed = primes(j) > 0, its = primes(other) > 0;
                return primed != its ? its : i < places_[other].index;
            };
            const bool before = places_[j].comes < places_[k].comes;
            if (before && (best == none || comes_first(best))) best = j;
        }
        return best;
    }
    /// One axis that is divided twice, (gc), into parts that are of the same extents but for one:
    /// then that one is, too. Returns whether there was one.
    constexpr bool unite_splits() {
        bool changed = false;
        for (std::int32_t a = 0; a < splits_.size(); ++a)
            for (std::int32_t b = a + 1; b < splits_.size(); ++b) {
                const split x = splits_[a], y = splits_[b];
                if (x.count != y.count || root(x.axis) != root(y.axis)) continue;
                std::int32_t other = none, others = 0;
                for (std::int32_t k = 0; k < x.count; ++k)
                    if (root(parts_[x.first + k]) != root(parts_[y.first + k])) other = k, ++others;
                if (others != 1) continue;
                unite(parts_[x.first + other], parts_[y.first + other]);
                changed = true;
            }
        return changed;
    }

    /// An axis that several indices divide; their members of the classes, in `parts_`.
    struct split {
        std::int32_t axis;
        std::int32_t first;
        std::int32_t count;
    };

    buffer<split> splits_;
    buffer<std::int32_t> parts_;
    buffer<std::int32_t> above_;    // of each member of a class another one, or itself
    buffer<std::int32_t> current_;  // by index: its place where we are
    buffer<std::int32_t> around_;   // the places around where we are
};

}  // namespace ricci::derive
