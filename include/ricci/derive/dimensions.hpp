// The dimension of each index of a program: the axis that it runs over, whatever its letter. What
// is derived copies it with the index.
#pragma once

#include <cstdint>

#include <ricci/derive/extent_equations.hpp>
#include <ricci/derive/lent_axes.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

/// Every index gets one of the axes of its dimension as `along`; a letter that stands for several
/// dimensions becomes as many symbols.
template <class Program>
class dimensions : lent_axes<Program> {
public:
    constexpr explicit dimensions(Program& p) : base(p), symbols_(p.indices.size()) {}
    /// How many indices the program had.
    constexpr ref symbols() const { return symbols_; }

    constexpr void run() {
        classify();
        choose_axes();
        choose_symbols();
        for (ref e = 0; e < p_.equations.size(); ++e)
            if (!p_.equations[e].claim) set_apart(e);
    }
    /// The axes that no tensor of the program has, yet.
    constexpr const buffer<extent_giver<Program>>& givers() const { return givers_; }
    /// The axis that stands for an axis of a tensor, or of a derivative of one.
    constexpr ir::axis axis_of(ref name, std::int32_t axis) {
        while (name >= axes_.size() && p_.names[name].numerator_rank == 0) name = p_.names[name].of;
        if (name >= axes_.size() || axis >= ranks_[name]) return {name, axis};
        return chosen_[class_of(name, axis)];
    }

private:
    using base = lent_axes<Program>;
    using base::axes_, base::class_of, base::classify, base::end_of, base::first_places_,
        base::is_bound, base::is_lent, base::lender_of, base::member_count, base::p_, base::places_,
        base::ranks_, base::root, base::without_borrowers;
    using typename base::place;

    // Axes ----------------------------------------------------------------------------------------

    /// Of each class one axis: of an input, if there is one, else of what gives an extent that an
    /// equation has from those that read what it defines, else of what an equation defines, else of
    /// what stands in the name of a derivative alone; and of those that the text names first.
    constexpr void choose_axes() {
        chosen_.resize(member_count(), ir::no_axis);
        const auto choose = [&](ref name, std::int32_t axis) {
            ir::axis& chosen = chosen_[class_of(name, axis)];
            if (chosen.tensor == none) chosen = {name, axis};
        };
        for (const ir::index_symbol& i : p_.indices)
            if (i.along.tensor != none) choose(i.along.tensor, i.along.number);
        buffer<std::uint8_t> turns;  // of each name
        turns.resize(p_.names.size(), 2);
        for (const ir::equation& q : p_.equations) {
            if (q.claim) continue;
            ir::for_each_node(p_, q.body, [&](ref n) {
                const ir::node& x = p_.nodes[n];
                if (x.kind == ir::op::tensor) turns[x.name] = 0;
            });
        }
        for (const ir::equation& q : p_.equations)
            if (!q.claim) turns[q.name] = 1;
        for (std::uint8_t turn = 0; turn < 3; ++turn) {
            if (turn == 1) choose_lenders();
            for (ref n = 0; n < turns.size(); ++n)
                for (std::int32_t k = 0; turns[n] == turn && k < ranks_[n]; ++k) choose(n, k);
        }
    }
    /// An axis that an equation leaves open gets that of a tensor with the extent which another
    /// equation, that reads it, has for it.
    constexpr void choose_lenders() {
        for (ref e = 0; e < p_.equations.size(); ++e) {
            if (p_.equations[e].claim) continue;
            for (std::int32_t k = first_places_[e]; k < end_of(e) && !is_bound(k); ++k) {
                const std::int32_t mine = root(places_[k].member);
                if (chosen_[mine].tensor != none || !is_lent(e, k)) continue;
                if (const std::int32_t lender = lender_of(mine); lender != none)
                    chosen_[mine] = {giver_for(lender, ir::no_axis), 0};
            }
        }
    }

    // Symbols -------------------------------------------------------------------------------------

    constexpr void choose_symbols() {
        buffer<bool> seen;  // by symbol
        seen.resize(p_.indices.size(), false);
        for (std::int32_t k = 0; k < places_.size(); ++k) {
            const ir::axis along = axis_for(k);
            place& s = places_[k];
            if (!seen[s.index]) p_.indices[s.index].along = along;
            seen[s.index] = true;
            if (p_.indices[s.index].along == along) continue;
            const std::int32_t extent = p_.indices[s.index].extent;
            detail::text_builder spelling;
            spelling << p_.index(s.index);
            s.symbol = p_.index_along(spelling, along);
            p_.indices[s.symbol].extent = extent;
        }
    }
    /// The axis of a place; what has none gets one of a tensor that gives extents, and what it has
    /// its own extent from before.
    constexpr ir::axis axis_for(std::int32_t k) {
        const std::int32_t mine = root(places_[k].member), partner = places_[k].partner;
        if (chosen_[mine].tensor != none || !is_bound(k) || places_[k].asked) return chosen_[mine];
        places_[k].asked = true;
        const ir::axis its = partner == none ? ir::no_axis : axis_for(partner);
        if (chosen_[mine].tensor == none) chosen_[mine] = {giver_for(k, its), 0};
        return chosen_[mine];
    }
    constexpr ref giver_for(std::int32_t k, ir::axis partner) {
        detail::text_builder spelling;
        do {
            spelling = {};
            spelling << "extent_" << ++count_;
        } while (p_.find(spelling) != none);
        const place& s = places_[k];
        givers_.push({p_.add_name(spelling), none, none, p_.equations[s.equation].name, k, partner,
                      s.by_letter && partner.tensor != none});
        return givers_.back().name;
    }
    /// Puts the new symbols into an equation, in the order in which its places were found.
    constexpr void set_apart(ref e) {
        bool any = !givers_.empty();
        for (std::int32_t k = first_places_[e]; k < end_of(e) && !any; ++k)
            any = places_[k].symbol != places_[k].index;
        if (!any) return;
        ir::equation q = p_.equations[e];
        next_ = first_places_[e];
        buffer<std::int32_t> left;
        while (next_ < places_.size() && places_[next_].equation == e && !is_bound(next_))
            left.push(next_++);
        q.body = apart(q.body);
        ir::index_map renamed;
        for (const std::int32_t k : left) {
            if (places_[k].symbol == places_[k].index) continue;
            q.body = rename_free(p_, q.body, places_[k].index, places_[k].symbol);
            renamed.set(places_[k].index, places_[k].symbol);
        }
        q.positions = ir::rename_positions(p_, q.positions, renamed);
        p_.equations[e] = q;
        for (const std::int32_t k : left) find_giver(k, q.body, places_[k].symbol);
        next_ = first_places_[e] + left.size();
        find_givers(q.body);
    }
    /// What stands below the signs without an axis, when all symbols around are the new ones.
    constexpr void find_givers(ref n) {
        const ir::node& x = p_.nodes[n];
        for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k)
            find_giver(next_++, p_.links[x.children.first], p_.links[x.indices.first + k]);
        for (std::int32_t k = 0; k < x.children.count; ++k)
            find_givers(p_.links[x.children.first + k]);
    }
    constexpr void find_giver(std::int32_t made_at, ref body, ref index) {
        const std::int32_t members = root(places_[made_at].member);
        for (extent_giver<Program>& g : givers_)
            if (g.place == made_at) {
                g.body = without_borrowers(body, index, members);
                g.index = index;
            }
    }
    constexpr ref apart(ref n) {
        const std::int32_t first = next_;
        const bool binds = ir::binds(p_.nodes[n]);
        if (binds) next_ += p_.nodes[n].indices.count;
        const ref inside = ir::rebuild_children(p_, n, [&](ref child) { return apart(child); });
        if (!binds) return inside;
        ir::node x = p_.nodes[inside];
        ref body = p_.links[x.children.first];
        buffer<ref> over;
        bool changed = false;
        for (std::int32_t k = 0; k < x.indices.count; ++k) {
            const place s = places_[first + k];
            over.push(s.symbol);
            if (s.symbol == s.index) continue;
            body = rename_free(p_, body, s.index, s.symbol);
            changed = true;
        }
        if (!changed) return inside;
        x.children = p_.add_links(&body, 1);
        x.indices = p_.add_links(over);
        return p_.nodes.push(x);
    }

    ref symbols_;
    buffer<ir::axis> chosen_;  // of each class, by its root
    buffer<extent_giver<Program>> givers_;
    std::int32_t next_ = 0, count_ = 0;
};

}  // namespace ricci::derive
