// Primes for indices: another letter of the same extent, where one is taken.
#pragma once

#include <cstdint>

#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

/// Adds every index of an expression, bound ones too.
constexpr void add_indices(const program& p, ref n, index_set& out) {
    for_each_node(p, n, [&](ref m) {
        const node& x = p.nodes[m];
        for_each_index(p, x.positions, [&](ref i) { out.add(i); });
        for (std::int32_t k = 0; k < x.indices.count; ++k) out.add(p.links[x.indices.first + k]);
    });
}

/// Whether a set has an index that is spelt like this one: bound ones may be symbols of their own.
constexpr bool has_spelling(const program& p, const index_set& set, ref index) {
    if (set.has(index)) return true;
    const detail::text_view spelling = p.index(index);
    for (ref i = 0; i < set.end(); ++i)
        if (set.has(i) && p.index(i) == spelling) return true;
    return false;
}

constexpr ref with_more_primes(program& p, ref index, const index_set& taken) {
    detail::text_builder spelling;
    spelling << p.index(index);
    while (true) {
        spelling << '\'';
        const ref candidate = p.intern_index(spelling);
        if (!has_spelling(p, taken, candidate)) return candidate;
    }
}

/// Renames bound indices that are spelt like one which is free or bound around them.
constexpr ref prime_shadowed(program& p, ref n, const index_set& outer) {
    const node x = p.nodes[n];
    if (x.children.count == 0) return n;
    if (!binds(x))
        return rebuild_node(p, n, {}, [&](ref child) { return prime_shadowed(p, child, outer); });
    index_map renamed;
    index_set inner = outer;
    for (std::int32_t k = 0; k < x.indices.count; ++k) {
        ref i = p.links[x.indices.first + k];
        if (has_spelling(p, outer, i)) {
            index_set taken = inner;
            add_indices(p, p.links[x.children.first], taken);  // a sum below may not capture it
            const ref fresh = with_more_primes(p, i, taken);
            renamed.set(i, fresh);
            i = fresh;
        }
        inner.add(i);
    }
    const ref copy = renamed.empty() ? n : rename_indices(p, n, renamed);
    return rebuild_node(p, copy, {}, [&](ref child) { return prime_shadowed(p, child, inner); });
}
constexpr ref prime_shadowed(program& p, ref body, range left) {
    // what is free in the body counts too: a sum beside it may not reuse the letter
    index_set outer = free_indices(p, body);
    for_each_index(p, left, [&](ref i) { outer.add(i); });
    return prime_shadowed(p, body, outer);
}

}  // namespace ricci::ir
