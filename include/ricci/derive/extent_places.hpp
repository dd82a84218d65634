// Places that say the extent of an index together: arithmetic, and axes that several indices
// divide.
#pragma once

#include <cstdint>

#include <ricci/ir/conditions.hpp>
#include <ricci/ir/extrema.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/written_place.hpp>

namespace ricci::derive {

/// Compares those of two expressions, whose indices have their dimensions as `along`.
template <class Program>
class extent_places {
    using ref = ir::ref;
    template <class T>
    using buffer = detail::buffer<T>;

public:
    constexpr explicit extent_places(const Program& p) : p_(p) {}

    /// Whether the same places, which have to exist, have an index in both. `outer`: the indices
    /// that the brackets around the first expression do not stand below: of a place that has one
    /// of them they are conditions.
    constexpr bool alike(ref body, ref index, ref other, ref its,
                         const ir::index_set& outer) const {
        buffer<use> here, there;
        add_places(body, index, false, here);
        for (use& u : here)
            for (const ir::affine_term& t : u.at.terms) u.guarded = u.guarded || outer.has(t.index);
        add_places(other, its, false, there);
        return !here.empty() && are_among(here, there) && are_among(there, here);
    }

private:
    struct use {
        ir::axis axis;
        ir::position_kind kind;  // `gathered`: of a place that is written out
        ir::written_place at;
        bool guarded;
    };
    /// The places of tensors in which an index stands, but plainly.
    constexpr void add_places(ref n, ref index, bool guarded, buffer<use>& out) const {
        const ir::node& x = p_.nodes[n];
        for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k)
            if (p_.links[x.indices.first + k] == index) return;
        ref name = x.name;
        while (x.kind == ir::op::tensor && p_.names[name].kind != ir::name_kind::plain &&
               p_.names[name].numerator_rank == 0)
            name = p_.names[name].of;
        for (std::int32_t k = 0; x.kind == ir::op::tensor && k < x.positions.count; ++k) {
            const ir::position& q = p_.positions[x.positions.first + k];
            if (!ir::has_index(p_, {x.positions.first + k, 1}, index)) continue;
            ir::written_place at{true, q.offset};
            for (std::int32_t t = 0; t < q.terms.count; ++t)
                at.terms.push(p_.affine_terms[q.terms.first + t]);
            out.push({{name, k}, q.kind, static_cast<ir::written_place&&>(at), guarded});
        }
        if (const ref a = ir::written_axis(p_, x); a != ir::none) {
            const bool open = guarded || p_.indices[a].extent != ir::kept_inside;
            ir::written_place at = ir::read_written_place(p_, p_.links[x.children.first + 1]);
            bool has = false;
            for (const ir::affine_term& t : at.terms) has = has || t.index == index;
            if (has)
                out.push({p_.indices[a].along, ir::position_kind::gathered,
                          static_cast<ir::written_place&&>(at), open});
        }
        const ir::guarded_children below(p_, x);
        for (std::int32_t k = 0; k < x.children.count; ++k)
            add_places(p_.links[x.children.first + k], index, guarded || below(k), out);
    }
    constexpr bool same_place(const use& a, const use& b) const {
        if (a.axis != b.axis || a.kind != b.kind || a.at.offset != b.at.offset || !a.at.known ||
            !b.at.known || a.at.terms.size() != b.at.terms.size())
            return false;
        for (std::int32_t t = 0; t < a.at.terms.size(); ++t)
            if (a.at.terms[t].coefficient != b.at.terms[t].coefficient ||
                p_.indices[a.at.terms[t].index].along != p_.indices[b.at.terms[t].index].along)
                return false;
        return true;
    }
    constexpr bool are_among(const buffer<use>& some, const buffer<use>& all) const {
        for (const use& u : some) {
            bool found = false;
            for (const use& v : all) found = found || same_place(u, v);
            if (!found || u.guarded) return false;
        }
        return true;
    }

    const Program& p_;
};

}  // namespace ricci::derive
