// Places that say the extent of an index together: arithmetic, and axes that several indices divide.
#pragma once

#include <cstdint>

#include <ricci/ir/conditions.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

/// Compares those of two expressions, whose indices have their dimensions as `along`.
template <class Program>
class extent_places {
    using ref = ir::ref;
    template <class T>
    using buffer = detail::buffer<T>;

public:
    constexpr explicit extent_places(const Program& p) : p_(p) {}

    /// Whether the same places, which have to exist, have an index in both.
    constexpr bool alike(ref body, ref index, ref other, ref its) const {
        buffer<use> here, there;
        add_places(body, index, false, here);
        add_places(other, its, false, there);
        return are_among(here, there) && are_among(there, here);
    }

private:
    struct use {
        ref name;
        std::int32_t axis;
        ir::range at;
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
        for (std::int32_t k = 0; x.kind == ir::op::tensor && k < x.positions.count; ++k)
            if (ir::has_index(p_, {x.positions.first + k, 1}, index))
                out.push({name, k, {x.positions.first + k, 1}, guarded});
        const ir::guarded_children below(p_, x);
        for (std::int32_t k = 0; k < x.children.count; ++k)
            add_places(p_.links[x.children.first + k], index, guarded || below(k), out);
    }
    constexpr bool same_place(const use& a, const use& b) const {
        const ir::position &x = p_.positions[a.at.first], &y = p_.positions[b.at.first];
        if (a.name != b.name || a.axis != b.axis || x.kind != y.kind || x.offset != y.offset ||
            x.terms.count != y.terms.count)
            return false;
        for (std::int32_t t = 0; t < x.terms.count; ++t) {
            const ir::affine_term &u = p_.affine_terms[x.terms.first + t],
                                  &v = p_.affine_terms[y.terms.first + t];
            if (u.coefficient != v.coefficient ||
                p_.indices[u.index].along != p_.indices[v.index].along)
                return false;
        }
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
