// Whether a program implies an equation.
#pragma once

#include <cstdint>

#include <ricci/ir/compact.hpp>
#include <ricci/ir/normal.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

/// A copy in which every bound index is a symbol of its own, so that free ones can be renamed.
constexpr ref freshen_bound(program& p, ref n) {
    const node x = p.nodes[n];
    index_map fresh;
    if (binds(x))
        for (std::int32_t k = 0; k < x.indices.count; ++k) {
            const ref i = p.links[x.indices.first + k];
            const range text = p.indices[i].text;
            fresh.set(i, p.indices.push({text}));
        }
    const ref inside = rebuild_node(p, n, {}, [&](ref child) { return freshen_bound(p, child); });
    return fresh.empty() ? inside : rename_indices(p, inside, fresh);
}

/// Maps the indices on one left side to those on another; false where the two differ in form.
constexpr bool align_left_sides(const program& p, range from, range to, index_map& renamed) {
    if (from.count != to.count) return false;
    detail::buffer<ref> a, b;
    for_each_index(p, from, [&](ref i) { a.push(i); });
    for_each_index(p, to, [&](ref i) { b.push(i); });
    for (std::int32_t k = 0; k < from.count; ++k) {
        const position &x = p.positions[from.first + k], &y = p.positions[to.first + k];
        if (x.kind != y.kind || x.offset != y.offset || x.terms.count != y.terms.count) return false;
    }
    for (std::int32_t k = 0; k < a.size(); ++k) renamed.set(a[k], b[k]);
    return true;
}

/// Whether one of the equations of `source` is `claim`, an equation of another program, up to the
/// names of indices and what the normal form knows.
constexpr bool states(const program_view& source, const program_view& claims, const equation& claim) {
    program scratch(source);
    const equation wanted = importer(scratch, claims).import(claim);
    for (ref e = 0; e < source.equations.size(); ++e) {
        const equation stated = scratch.equations[e];
        index_map renamed;
        if (stated.claim || stated.name != wanted.name || !align_left_sides(scratch, wanted.positions, stated.positions, renamed))
            continue;
        const ref body = rename_indices(scratch, freshen_bound(scratch, wanted.body), renamed);
        if (normaliser(scratch).equal(stated.body, body)) return true;
    }
    return false;
}

}  // namespace ricci::ir
