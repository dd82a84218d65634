// Letters that derivations bring beside a number of the same name: they get a prime, since what is
// printed as that letter is read as the position.
#pragma once

#include <cstdint>

#include <ricci/ir/primes.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

constexpr bool reads_number(const program& p, ref body, ref name) {
    bool found = false;
    for_each_node(p, body, [&](ref n) {
        const node& x = p.nodes[n];
        found = found || (x.kind == op::tensor && x.name == name && x.positions.count == 0);
    });
    return found;
}

/// Renames an index wherever an equation reads the number that is spelt like it. Whether any does.
constexpr bool rename_beside(program& p, ref index, ref name) {
    bool any = false;
    for (ref e = 0; e < p.equations.size(); ++e) {
        if (!reads_number(p, p.equations[e].body, name)) continue;
        index_set taken;
        add_indices(p, p.equations[e].positions, taken);
        add_indices(p, p.equations[e].body, taken);
        if (!taken.has(index)) continue;
        ref fresh = index;
        do fresh = with_more_primes(p, fresh, taken);
        while (p.find(p.index(fresh)) != none);
        if (p.indices[index].extent != 0) p.indices[fresh].extent = p.indices[index].extent;
        index_map renamed;
        renamed.set(index, fresh);
        const range left = rename_positions(p, p.equations[e].positions, renamed);
        const ref body = rename_indices(p, p.equations[e].body, renamed);
        p.equations[e].positions = left;
        p.equations[e].body = body;
        any = true;
    }
    return any;
}
/// Whether any got one.
constexpr bool part_letters_from_names(program& p) {
    bool any = false;
    for (ref i = 0, count = p.indices.size(); i < count; ++i)
        if (const ref name = p.find(p.index(i)); name != none) any |= rename_beside(p, i, name);
    return any;
}

}  // namespace ricci::ir
