// The indices of an expression as the products around it see them, which is what implied sums are
// found by: the reader makes such sums explicit, the printer leaves out what the reader finds.
#pragma once

#include <cstdint>

#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

/// Products and quotients hold factors, sums hold terms. The children of anything else are values
/// before it sees them: what such a child can sum by itself it has summed.
constexpr bool takes_values(const node& x) {
    switch (x.kind) {
        case op::add:
        case op::multiply:
        case op::divide:
        case op::tensor:
            return false;
        case op::reduce:
            return x.detail != static_cast<std::uint8_t>(reduction::sum);
        default:
            return true;
    }
}

/// Whether a quotient is a mean under a condition, whose count has the letters of the condition a
/// second time: one value, as a sum under it is, and no product.
template <class Program>
constexpr bool is_conditional_mean(const Program& p, const node& x) {
    if (x.kind != op::divide) return false;
    const node& count = p.nodes[p.links[x.children.first + 1]];
    return count.kind == op::reduce && count.value == some_place;
}

/// Every use of an index in a tensor that stands as a position: A^{i x_{jj}} sums over j outside.
template <class Program>
constexpr void add_uses(const Program& p, ref n, index_set& out) {
    const node& x = p.nodes[n];
    add_indices(p, x.positions, out);
    for (std::int32_t k = 0; k < x.children.count; ++k)
        add_uses(p, p.links[x.children.first + k], out);
}

/// Leaves of an argument's indices those that it does not sum by itself. What a softmax runs over,
/// and a function that keeps its index, is summed nowhere inside.
template <class Program>
constexpr void close_argument(const Program& p, const node& x, ref argument, index_set& shown) {
    shown.drop_repeated();
    if (x.indices.count == 0 || binds(x)) return;
    const index_set all = free_indices(p, argument);
    for (std::int32_t k = 0; k < x.indices.count; ++k)
        if (const ref i = p.links[x.indices.first + k]; all.has(i) && !shown.has(i)) shown.add(i);
}

/// The indices of an expression that nothing in it binds, as what stands around it sees them;
/// repeated: those that a product or a tensor inside could sum by itself.
template <class Program>
constexpr index_set shown_indices(const Program& p, ref n) {
    const node& x = p.nodes[n];
    index_set out;
    if (x.kind == op::tensor || x.children.count == 0) {
        add_uses(p, n, out);
        return out;
    }
    const bool values = takes_values(x);
    for (std::int32_t k = 0; k < x.children.count; ++k) {
        const ref argument = p.links[x.children.first + k];
        index_set child = shown_indices(p, argument);
        if (values) close_argument(p, x, argument, child);
        if (x.kind == op::add || is_solve(x) || is_conditional_mean(p, x)) out.unite(child);
        else out.merge(child);
    }
    for (std::int32_t k = 0; k < bound_count(x); ++k) out.remove(p.links[x.indices.first + k]);
    return out;
}

/// Whether the reader finds a sum whose sign is left out: each index is at an axis of two or more
/// factors of a product, none of which could sum it alone; or one tensor has it twice.
constexpr bool is_implied_sum(const program_view& p, const node& sum) {
    const ref body = p.child(sum, 0);
    const node& x = p.nodes[body];
    if (x.kind == op::tensor) {
        const index_set shown = shown_indices(p, body);
        for (std::int32_t k = 0; k < sum.indices.count; ++k)
            if (!shown.repeated(p.reduced(sum, k))) return false;
        return true;
    }
    if (x.kind != op::multiply) return false;
    index_set once, axes;
    for (std::int32_t c = 0; c < x.children.count; ++c) {
        const index_set shown = shown_indices(p, p.child(x, c));
        for (std::int32_t k = 0; k < sum.indices.count; ++k) {
            const ref i = p.reduced(sum, k);
            if (shown.repeated(i)) return false;
            if (shown.has(i)) once.add(i);
        }
    }
    bool mine = true;  // no argument inside sums an index before the product sees it
    for_each_node(p, body, [&](ref n) {
        const node& y = p.nodes[n];
        if (y.kind == op::tensor) add_indices(p, y.positions, axes);
        for (std::int32_t c = 0; takes_values(y) && mine && c < y.children.count; ++c) {
            const index_set shown = shown_indices(p, p.child(y, c));
            for (std::int32_t k = 0; k < sum.indices.count; ++k)
                mine = mine && !shown.repeated(p.reduced(sum, k));
        }
    });
    for (std::int32_t k = 0; k < sum.indices.count; ++k)
        if (!once.repeated(p.reduced(sum, k)) || !axes.has(p.reduced(sum, k))) return false;
    return mine;
}

}  // namespace ricci::ir
