// Axes of which only the uses of a tensor say how long they are.
#pragma once

#include <cstdint>

#include <ricci/derive/dimension_classes.hpp>
#include <ricci/derive/open_places.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

/// P^j = j + 1 is as long as \sum_j P^j x^{j+1} makes it: derived equations may lack that sum, but
/// have the extent from x^{j+1} alone, which lends it to P.
template <class Program>
class lent_axes : protected dimension_classes<Program> {
protected:
    using base = dimension_classes<Program>;
    using base::class_of, base::end_of, base::first_places_, base::p_, base::places_, base::ranks_,
        base::root, base::same_letter;
    using typename base::known, typename base::place;

    constexpr explicit lent_axes(Program& p) : base(p) {}

    /// Whether nothing in the equation says how far an index of its left side runs.
    constexpr bool is_lent(ref e, std::int32_t k) {
        const ref body = p_.equations[e].body, index = places_[k].index;
        bool alone = true;  // no other index of the equation has an extent to share
        for (std::int32_t j = first_places_[e]; j < end_of(e); ++j) {
            const place& s = places_[j];
            if (root(s.member) == root(places_[k].member) || has_extent_from(j, k)) continue;
            if (same_letter(s.index, index) && s.comes == known::early) return false;
            alone = alone && s.comes != known::early;
        }
        return !is_solved(p_, body, index) && (alone || !is_compared(p_, body, index));
    }
    /// The first place of a class whose expression says its extent also without the tensors that
    /// borrow it; one whose places have to exist comes before one below a bracket.
    constexpr std::int32_t lender_of(std::int32_t members) {
        const arithmetic orders[] = {arithmetic::inside, arithmetic::guarded};
        for (const arithmetic least : orders)
            for (std::int32_t k = 0; k < places_.size(); ++k) {
                const place& s = places_[k];
                if (root(s.member) != members || s.counts) continue;
                const ref body = s.body == none ? p_.equations[s.equation].body : s.body;
                if (arithmetic_of(p_, body, s.index) < least) continue;
                const ref without = without_borrowers(body, s.index, members);
                if (is_solved(p_, without, s.index) && !is_borrower_read(without, members))
                    return k;
            }
        return none;
    }
    /// An expression with 1 for each tensor that has the class's extent at a plain place; of a
    /// product the other factors.
    constexpr ref without_borrowers(ref n, ref index, std::int32_t members) {
        const ir::node& x = p_.nodes[n];
        for (std::int32_t k = 0; x.kind == ir::op::tensor && k < x.positions.count; ++k) {
            const ir::position& at = p_.positions[x.positions.first + k];
            if (at.kind == ir::position_kind::index && at.index == index &&
                p_.definition(x.name) != none && class_of(x.name, k) == members)
                return p_.number(1);
        }
        if (x.children.count == 0) return n;
        buffer<ref> others;
        const ref without = ir::rebuild_children(p_, n, [&](ref child) {
            const ref inside = without_borrowers(child, index, members);
            if (inside == child || p_.nodes[inside].kind != ir::op::number) others.push(inside);
            return inside;
        });
        if (without == n || p_.nodes[n].kind != ir::op::multiply || others.empty()) return without;
        return others.size() == 1 ? others[0]
                                  : p_.make(ir::op::multiply, 0, others.data(), others.size());
    }

private:
    /// Whether a place that no tensor says has the extent of another one by its letter.
    constexpr bool has_extent_from(std::int32_t mine, std::int32_t other) const {
        while (mine != ir::none && mine != other)
            mine = places_[mine].said ? ir::none : places_[mine].partner;
        return mine == other;
    }
    /// Whether an expression reads a tensor with an axis of the class, or what is made from one.
    constexpr bool is_borrower_read(ref n, std::int32_t members) {
        buffer<bool> seen;
        seen.resize(p_.names.size(), false);
        return is_borrower_read(n, members, seen);
    }
    constexpr bool is_borrower_read(ref n, std::int32_t members, buffer<bool>& seen) {
        bool found = false;
        ir::for_each_node(p_, n, [&](ref m) {
            const ir::node& x = p_.nodes[m];
            if (x.kind != ir::op::tensor || found || seen[x.name]) return;
            seen[x.name] = true;
            const std::int32_t defined = p_.definition(x.name);
            if (defined == none) return;
            for (std::int32_t k = 0; k < ranks_[x.name]; ++k)
                found = found || class_of(x.name, k) == members;
            found = found || is_borrower_read(p_.equations[defined].body, members, seen);
        });
        return found;
    }
};

}  // namespace ricci::derive
