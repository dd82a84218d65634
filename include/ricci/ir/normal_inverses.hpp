// A matrix times its inverse, in the terms of a normal form.
#pragma once

#include <cstdint>

#include <ricci/ir/normal_pairs.hpp>
#include <ricci/ir/normal_term.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/solutions.hpp>

namespace ricci::ir {

/// The index that a tensor has where another one, the same elsewhere, has `index`; none where they
/// differ otherwise.
constexpr ref instead_of(const program& p, const node& matrix, const node& other, ref index) {
    if (other.kind != op::tensor || other.name != matrix.name || other.children.count > 0 ||
        other.positions.count != matrix.positions.count)
        return none;
    ref found = none;
    for (std::int32_t axis = 0; axis < matrix.positions.count; ++axis) {
        const position &x = p.positions[matrix.positions.first + axis],
                       &y = p.positions[other.positions.first + axis];
        if (x.kind != position_kind::index || y.kind != position_kind::index) return none;
        if (x.index == index) found = y.index;
        else if (x.index != y.index) return none;
    }
    return found;
}
/// Whether no factor but two has an index.
constexpr bool is_in_two(const program& p, const normal_term& t, std::int32_t a, std::int32_t b,
                         ref index) {
    for (std::int32_t k = 0; k < t.factors.size(); ++k)
        if (k != a && k != b && free_indices(p, t.factors[k].atom).has(index)) return false;
    return true;
}

/// K^{ij} (K^{-1})^{jk} = \delta^{ik}, of a tensor K, where nothing else has j. Batches are free.
constexpr bool cancel_inverse(program& p, normal_term& t, std::int32_t k, ref summed, ref kept) {
    const node matrix = p.nodes[p.links[p.nodes[t.factors[k].atom].children.first]];
    if (matrix.kind != op::tensor || matrix.children.count > 0 || !is_bound(t, summed))
        return false;
    bool batches = false;
    for (std::int32_t axis = 0; axis < matrix.positions.count; ++axis) {
        const ref i = p.positions[matrix.positions.first + axis].index;  // of others none is found
        batches = batches || (i != summed && i != kept && is_bound(t, i));
    }
    for (std::int32_t j = 0; j < t.factors.size() && !batches; ++j) {
        if (j == k || !t.factors[j].exponent.is(1)) continue;
        const ref other = instead_of(p, matrix, p.nodes[t.factors[j].atom], kept);
        if (other == none || other == kept || other == summed || !is_in_two(p, t, k, j, summed))
            continue;
        node delta = blank_node(op::delta);
        delta.positions = {p.positions.size(), 2};
        p.positions.push(index_position(kept));
        p.positions.push(index_position(other));
        t.factors[k] = {p.nodes.push(delta), 1};
        t.factors[j] = t.factors.back();
        t.factors.shrink(t.factors.size() - 1);
        unbind(t, summed);
        return true;
    }
    return false;
}
constexpr void cancel_inverses(program& p, normal_term& t) {
    for (std::int32_t k = 0; k < t.factors.size(); ++k) {
        const node x = p.nodes[t.factors[k].atom];
        if (!is_inverse(x) || !t.factors[k].exponent.is(1)) continue;
        const ref i = p.links[x.indices.first], j = p.links[x.indices.first + 1];
        if (cancel_inverse(p, t, k, i, j) || cancel_inverse(p, t, k, j, i)) k = -1;
    }
}

}  // namespace ricci::ir
