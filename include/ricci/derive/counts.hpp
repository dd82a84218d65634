// Counts: sums of 1, which say how far an index runs. A count has its extent from its letter,
// unless the letter stands for several: then it reads what says it.
#pragma once

#include <cstdint>

#include <ricci/derive/extent_classes.hpp>
#include <ricci/derive/witness.hpp>
#include <ricci/ir/primes.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

/// A factor of 1 that gives `fresh` the extent which `index` has in `source`, or none where that
/// says nothing of it. `scope`: other indices that mean something where it stands.
template <class Program>
constexpr ref extent_witness(Program& p, ref index, ref fresh, ref source, ir::index_set scope) {
    detail::buffer<ref> said;
    ir::index_set own;
    own.add(index);
    scope.add(index);
    add_witnesses(
        p, said, [&](ref) { return source; }, own, scope);
    if (said.empty() || fresh == index) return said.empty() ? ir::none : said[0];
    ir::index_map renamed;
    renamed.set(index, fresh);
    return ir::rename_indices(p, said[0], renamed);
}

/// How far an index runs: the sum of 1 over `fresh`. `said`: what gives it its extent, or none.
template <class Program>
constexpr ref count_over(Program& p, ref fresh, ref said = ir::none) {
    const ir::range over = p.add_links(&fresh, 1);
    return p.reduce(ir::reduction::sum, over, said == ir::none ? p.number(1) : said);
}

/// A copy of what a derivative by the tensor `name` is, at `from`, whose indices are renamed, those
/// of its left side to those of `to`. A count that has its extent from a letter which is renamed is
/// renamed, too; where the new letter stands for other indices here, it reads what says its extent.
template <class Program>
constexpr ref rename_with_counts(Program& p, ref name, ref body, ir::range from, ir::range to,
                                 ir::index_map renamed) {
    if (renamed.empty()) return body;
    ir::index_set all;
    ir::add_indices(p, body, all);
    ir::index_set seen = all;
    ir::add_indices(p, to, seen);
    // The index that says how far a count runs, where its new letter is another's as well.
    const auto misread = [&](ref c) {
        for (ref i = 0; i < all.end(); ++i) {
            const ref now = renamed(i);
            if (!all.has(i) || i == c || now == i ||
                !(ir::letter_of(p, i) == ir::letter_of(p, c)) ||
                ir::letter_of(p, now) == ir::letter_of(p, c))
                continue;
            for (ref j = 0; j < seen.end(); ++j)
                if (seen.has(j) && j != now && j != c &&
                    ir::letter_of(p, j) == ir::letter_of(p, now))
                    return i;
        }
        return ir::none;
    };
    const auto settled = [&](const auto& self, ref n, ref around) -> ref {
        const ir::node x = p.nodes[n];
        const bool count = ir::binds(x) && x.indices.count == 1 &&
                           p.nodes[p.links[x.children.first]].kind == op::number;
        if (!count)
            return ir::rebuild_children(p, n, [&](ref child) { return self(self, child, around); });
        const ref c = p.links[x.indices.first];
        const ref i = renamed(c) == c ? misread(c) : ir::none;
        if (i == ir::none) return n;
        ref where = around;
        ir::for_each_node(p, around, [&](ref m) {
            const ir::node& sign = p.nodes[m];
            for (std::int32_t k = 0; ir::binds(sign) && k < sign.indices.count; ++k)
                if (p.links[sign.indices.first + k] == i) where = p.links[sign.children.first];
        });
        ref said = extent_witness(p, i, c, where, {});
        // An axis that stands in conditions alone is as long as the tensor's.
        for (std::int32_t k = 0; said == ir::none && k < from.count; ++k) {
            const ir::position& at = p.positions[from.first + k];
            if (at.kind == ir::position_kind::index && at.index == i)
                said = extent_witness(p, i, c, p.tensor(name, from), {});
        }
        return said == ir::none ? n : count_over(p, c, said);
    };
    detail::buffer<ref> bodies, left;
    bodies.push(settled(settled, body, body));
    ir::for_each_index(p, from, [&](ref i) { left.push(i); });
    ir::rename_counts(p, bodies, left, renamed);
    return ir::rename_indices(p, bodies[0], renamed);
}

/// Gives sums over what lacks their index the extent that this has from its letter, by a factor,
/// where the letter stands for several: in derived equations it may be beside others.
template <class Program = ir::program>
class count_settler {
public:
    constexpr explicit count_settler(Program& p) : p_(p) {}

    constexpr void run() {
        if (!any()) return;
        const extent_classes classes(p_);
        for (ref e = 0; e < p_.equations.size(); ++e) {
            const ir::equation q = p_.equations[e];
            if (q.claim) continue;
            around_.clear();
            bound_.clear();
            ir::for_each_index(p_, q.positions, [&](ref i) { around_.push({i, q.body}); });
            add_places(q);
            replace(e, settled(q.body, classes));
        }
    }

    /// The same for equations from number `first` on, where a letter that stands for one extent is
    /// said by the equations before them alone.
    constexpr void complete(std::int32_t first) {
        for (ref e = first; e < p_.equations.size(); ++e) {
            const ir::equation q = p_.equations[e];
            bound_.clear();
            add_places(q);
            replace(e, completed(q.body, first));
        }
    }

private:
    /// What says an extent has the letters of where it was read, which mean others around it now.
    constexpr void replace(ref e, ref body) {
        ir::equation& q = p_.equations[e];
        if (body != q.body) q.body = ir::prime_shadowed(p_, body, ir::range(q.positions));
    }
    /// Where the indices of an equation are bound: by signs, or on the left.
    constexpr void add_places(const ir::equation& q) {
        ir::for_each_node(p_, q.body, [&](ref n) {
            const ir::node& x = p_.nodes[n];
            for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k)
                bound_.push({p_.links[x.indices.first + k], p_.links[x.children.first]});
        });
        ir::for_each_index(p_, q.positions, [&](ref i) { bound_.push({i, q.body}); });
    }
    constexpr ref completed(ref n, std::int32_t first) {
        const ir::node x = p_.nodes[n];
        if (!ir::binds(x) || p_.nodes[p_.links[x.children.first]].kind != op::number)
            return ir::rebuild_children(p_, n, [&](ref child) { return completed(child, first); });
        detail::buffer<ref> factors;
        factors.push(p_.links[x.children.first]);
        for (std::int32_t k = 0; k < x.indices.count; ++k) {
            const ref i = p_.links[x.indices.first + k];
            bool said = false;  // by a tensor here, or by the shape of what is defined
            for (const binding<Program>& s : bound_)
                said = said || (s.index != i && ir::letter_of(p_, s.index) == ir::letter_of(p_, i));
            for (ref e = 0; e < first && !said; ++e) {
                const detail::buffer<binding<Program>> mine = bound_;
                bound_.clear();
                add_places(p_.equations[e]);
                const ref factor = said_by(i);
                bound_ = mine;
                if (factor == ir::none) continue;
                factors.push(factor);
                said = true;
            }
        }
        if (factors.size() == 1) return n;
        ir::node copy = x;
        const ref body = product_of(p_, factors);
        copy.children = p_.add_links(&body, 1);
        return p_.nodes.push(copy);
    }

    constexpr bool lacks(ref body, ref index) const {
        bool found = false;
        for_each_use(p_, body, index, [&](ref, ir::position_kind) { found = true; });
        return !found;
    }
    constexpr bool any() const {
        bool found = false;
        for (const ir::equation& q : p_.equations)
            ir::for_each_node(p_, q.body, [&](ref n) {
                const ir::node& x = p_.nodes[n];
                if (!ir::binds(x) || p_.nodes[p_.links[x.children.first]].kind != op::number)
                    return;
                found = found || !q.claim;
            });
        return found;
    }
    constexpr ref settled(ref n, const extent_classes<Program>& classes) {
        const ir::node x = p_.nodes[n];
        const std::int32_t mark = around_.size();
        for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k)
            around_.push({p_.links[x.indices.first + k], p_.links[x.children.first]});
        ref inside =
            ir::rebuild_children(p_, n, [&](ref child) { return settled(child, classes); });
        around_.shrink(mark);
        if (!ir::binds(x)) return inside;
        detail::buffer<ref> factors;
        factors.push(p_.links[p_.nodes[inside].children.first]);
        for (std::int32_t k = 0; k < x.indices.count; ++k) {
            const ref i = p_.links[x.indices.first + k];
            if (!lacks(p_.links[x.children.first], i) || !classes.several(i)) continue;
            // What stands in conditions alone is given, or has its extent from them.
            if (ir::free_indices(p_, p_.links[x.children.first]).has(i)) continue;
            const ref said = said_by(i);
            if (said != ir::none) factors.push(said);
        }
        if (factors.size() == 1) return inside;
        ir::node copy = p_.nodes[inside];
        const ref body = product_of(p_, factors);
        copy.children = p_.add_links(&body, 1);
        return p_.nodes.push(copy);
    }
    /// From the letter around with most primes, of those with fewer; or else from any.
    constexpr ref said_by(ref i) {
        const auto of_letter = [&](const binding<Program>& s) {
            return s.index != i && ir::letter_of(p_, s.index) == ir::letter_of(p_, i) &&
                   !lacks(s.body, s.index);
        };
        const binding<Program>* best = nullptr;
        for (std::int32_t k = around_.size(); k-- > 0;)
            if (of_letter(around_[k]) && p_.index(around_[k].index).size < p_.index(i).size &&
                (best == nullptr || p_.index(around_[k].index).size > p_.index(best->index).size))
                best = &around_[k];
        for (const binding<Program>& s : bound_)
            if (best == nullptr && of_letter(s)) best = &s;
        return best == nullptr ? ir::none : extent_witness(p_, best->index, i, best->body, {});
    }

    Program& p_;
    detail::buffer<binding<Program>>
        around_;  // the indices of the left side and of the signs around
    detail::buffer<binding<Program>> bound_;  // of all signs of the equation, and of its left side
};

}  // namespace ricci::derive
