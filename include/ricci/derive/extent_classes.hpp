// Which letters of a program stand for one extent throughout: indices that say the same axis.
#pragma once

#include <cstdint>

#include <ricci/ir/primes.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

/// An index has its extent where it is bound: below a sign, or on the left of an equation. Two such
/// places are of one class where the same axis of a tensor says both, or where one has its extent
/// from the letter of the other. Others may be of the same extent by chance.
template <class Program = ir::program>
class extent_classes {
public:
    constexpr explicit extent_classes(const Program& p) : p_(p) {
        number_axes();
        for (ir::ref e = 0; e < p_.equations.size(); ++e)
            if (!p_.equations[e].claim) add(p_.equations[e]);
        for (bool changed = true; changed;) changed = unite_splits();
    }

    /// Whether the letter of an index, whatever its primes, stands for several extents.
    constexpr bool several(ir::ref index) const {
        const detail::text_view letter = ir::letter_of(p_, index);
        std::int32_t first = ir::none;
        for (const place& s : places_) {
            if (!(ir::letter_of(p_, s.index) == letter)) continue;
            if (first == ir::none) first = root(s.member);
            else if (first != root(s.member)) return true;
        }
        return false;
    }

private:
    /// Where an index is bound, and its member of the classes.
    struct place {
        ir::ref index;
        std::int32_t member;
        bool said;  // a tensor has it
    };

    constexpr std::int32_t root(std::int32_t m) const {
        while (above_[m] != m) m = above_[m];
        return m;
    }
    constexpr std::int32_t fresh() {
        const std::int32_t m = above_.size();
        above_.push(m);
        return m;
    }
    constexpr void unite(std::int32_t a, std::int32_t b) { above_[root(a)] = root(b); }

    // Axes ----------------------------------------------------------------------------------------

    constexpr void number_axes() {
        for (ir::ref n = 0; n < p_.names.size(); ++n) ranks_.push(0), axes_.push(0);
        for (const ir::equation& q : p_.equations) {
            ranks_[q.name] = q.positions.count;
            ir::for_each_node(p_, q.body, [&](ir::ref n) {
                const ir::node& x = p_.nodes[n];
                if (x.kind == ir::op::tensor) ranks_[x.name] = x.positions.count;
            });
        }
        for (ir::ref n = 0; n < p_.names.size(); ++n) {
            const ir::name_symbol& s = p_.names[n];
            if (s.kind != ir::name_kind::plain && ranks_[s.of] == 0 &&
                s.numerator_rank <= ranks_[n])
                ranks_[s.of] = ranks_[n] - s.numerator_rank;
        }
        for (ir::ref n = 0; n < p_.names.size(); ++n) {
            axes_[n] = above_.size();
            for (std::int32_t k = 0; k < ranks_[n]; ++k) fresh();
        }
        for (ir::ref n = 0; n < p_.names.size(); ++n) {  // dA/dx has the axes of A, and of x
            const ir::name_symbol& s = p_.names[n];
            if (s.kind == ir::name_kind::plain) continue;
            const std::int32_t first = s.numerator_rank;
            const ir::ref numerator =
                first > 0 ? p_.find(ir::parts_of_derivative(p_.name(n)).numerator) : ir::none;
            for (std::int32_t k = 0; k < ranks_[n]; ++k) {
                const ir::ref other = k < first ? numerator : s.of;
                const std::int32_t there = k < first ? k : k - first;
                if (other != ir::none && there < ranks_[other])
                    unite(axes_[n] + k, axes_[other] + there);
            }
        }
    }

    // Equations -----------------------------------------------------------------------------------

    constexpr void add(const ir::equation& q) {
        in_hand_ = places_.size();
        current_.clear();
        current_.resize(p_.indices.size(), ir::none);
        read(q.name, q.positions);
        walk(q.body);
        // what no tensor says is said by another of the letter
        for (std::int32_t k = in_hand_; k < places_.size(); ++k) {
            if (places_[k].said) continue;
            for (std::int32_t j = in_hand_; j < places_.size(); ++j)
                if (places_[j].said &&
                    ir::letter_of(p_, places_[j].index) == ir::letter_of(p_, places_[k].index)) {
                    unite(places_[k].member, places_[j].member);
                    break;
                }
        }
    }
    constexpr place& place_of(ir::ref index) {
        if (current_[index] == ir::none) bind(index);
        return places_[current_[index]];
    }
    constexpr void bind(ir::ref index) {
        current_[index] = places_.size();
        const std::int32_t member = fresh();
        places_.push({index, member, false});
    }
    constexpr void read(ir::ref name, ir::range at) {
        for (std::int32_t k = 0; k < at.count; ++k) {
            const ir::position& q = p_.positions[at.first + k];
            ir::for_each_index(p_, {at.first + k, 1}, [&](ir::ref i) { place_of(i).said = true; });
            if (q.kind == ir::position_kind::index)
                unite(place_of(q.index).member, axes_[name] + k);
            if (q.kind != ir::position_kind::merged) continue;
            splits_.push({axes_[name] + k, parts_.size(), q.terms.count});
            ir::for_each_index(p_, {at.first + k, 1},
                               [&](ir::ref i) { parts_.push(place_of(i).member); });
        }
    }
    /// One axis that is divided twice, (gc), into parts that are of the same extents but for one:
    /// then that one is, too. Returns whether there was one.
    constexpr bool unite_splits() {
        bool changed = false;
        for (std::int32_t a = 0; a < splits_.size(); ++a)
            for (std::int32_t b = a + 1; b < splits_.size(); ++b) {
                const split &x = splits_[a], &y = splits_[b];
                if (x.count != y.count || root(x.axis) != root(y.axis)) continue;
                std::int32_t other = ir::none, others = 0;
                for (std::int32_t k = 0; k < x.count; ++k)
                    if (root(parts_[x.first + k]) != root(parts_[y.first + k])) other = k, ++others;
                if (others != 1) continue;
                unite(parts_[x.first + other], parts_[y.first + other]);
                changed = true;
            }
        return changed;
    }
    constexpr void walk(ir::ref n) {
        const ir::node& x = p_.nodes[n];
        detail::buffer<ir::ref> before;
        for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k) {
            const ir::ref i = p_.links[x.indices.first + k];
            before.push(current_[i]);
            bind(i);
        }
        for (std::int32_t k = 0; k < x.children.count; ++k) walk(p_.links[x.children.first + k]);
        if (x.kind == ir::op::tensor) read(x.name, x.positions);
        for (std::int32_t k = 0; k < before.size(); ++k)
            current_[p_.links[x.indices.first + k]] = before[k];
    }

    /// An axis that several indices divide; their members of the classes, in `parts_`.
    struct split {
        std::int32_t axis;
        std::int32_t first;
        std::int32_t count;
    };

    const Program& p_;
    detail::buffer<split> splits_;
    detail::buffer<std::int32_t> parts_;
    detail::buffer<std::int32_t> above_;  // of each member of a class another one, or itself
    detail::buffer<std::int32_t> ranks_;  // of each name
    detail::buffer<std::int32_t> axes_;   // of each name, the member of its first axis
    detail::buffer<place> places_;        // of all equations
    std::int32_t in_hand_ = 0;            // the first of the equation in hand
    detail::buffer<ir::ref> current_;     // by index: its place where we are
};

}  // namespace ricci::derive
