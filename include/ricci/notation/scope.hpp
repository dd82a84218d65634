// Where an implied sum stands: over the smallest product, or argument of a function, that holds all
// occurrences of its index.
#pragma once

#include <cstdint>

#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::notation {

using ir::none;
using ir::op;
using ir::ref;

/// Products and quotients hold factors, sums hold terms. The children of anything else are values
/// before it sees them: what such a child can sum by itself it has summed.
constexpr bool takes_values(const ir::node& x) {
    switch (x.kind) {
        case op::add:
        case op::multiply:
        case op::divide:
        case op::tensor:
            return false;
        case op::reduce:
            return x.detail != static_cast<std::uint8_t>(ir::reduction::sum);
        default:
            return true;
    }
}

/// Every use of an index in a tensor that stands as a position: A^{i x_{jj}} sums over j as a whole.
constexpr void add_uses(const ir::program& p, ref n, ir::index_set& out) {
    const ir::node& x = p.nodes[n];
    ir::for_each_index(p, x.positions, [&](ref i) { out.add(i); });
    for (std::int32_t k = 0; k < x.children.count; ++k)
        add_uses(p, p.links[x.children.first + k], out);
}

/// Leaves of an argument's indices those that it does not sum by itself. What a softmax runs over, and
/// a function that keeps its index, is summed nowhere inside.
constexpr void close_argument(const ir::program& p, const ir::node& x, ir::index_set& shown) {
    ir::index_set over;
    for (std::int32_t k = 0; k < x.indices.count; ++k)
        if (const ref i = p.links[x.indices.first + k]; shown.has(i)) over.add(i);
    shown.drop_repeated();
    for (ref i = 0; i < over.end(); ++i)
        if (over.has(i) && !shown.has(i)) shown.add(i);
}

/// The indices of an expression that nothing in it binds, as what stands around it sees them;
/// repeated: those that a product or a tensor inside could sum by itself.
constexpr ir::index_set shown_indices(const ir::program& p, ref n) {
    const ir::node& x = p.nodes[n];
    ir::index_set out;
    if (x.kind == op::tensor || x.children.count == 0) {
        add_uses(p, n, out);
        return out;
    }
    const bool values = takes_values(x);
    for (std::int32_t k = 0; k < x.children.count; ++k) {
        ir::index_set child = shown_indices(p, p.links[x.children.first + k]);
        if (values) close_argument(p, x, child);
        if (x.kind == op::add) out.unite(child);
        else out.merge(child);
    }
    for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k)
        out.remove(p.links[x.indices.first + k]);
    return out;
}

/// How the factors of a product hold an index: `alone` could sum it by themselves, `once` could not.
struct holders {
    std::int32_t alone = 0;
    std::int32_t once = 0;
    /// Whether the product can be read as one sum and as several.
    constexpr bool ambiguous() const { return alone > 1 || (alone == 1 && once > 1); }
};
constexpr void count_holders(const ir::program& p, const ir::node& x, ref index, holders& out) {
    for (std::int32_t k = 0; k < x.children.count; ++k) {
        const ref child = p.links[x.children.first + k];
        if (p.nodes[child].kind == op::divide) {
            count_holders(p, p.nodes[child], index, out);
            continue;
        }
        const ir::index_set shown = shown_indices(p, child);
        if (shown.repeated(index)) ++out.alone;
        else if (shown.has(index)) ++out.once;
    }
}

/// How often an implied sum's index stands above, below and as a number.
struct occurrences {
    std::int32_t above = 0;
    std::int32_t below = 0;
    std::int32_t others = 0;
    constexpr bool is_pair() const { return above == 1 && below == 1 && others == 0; }
    friend constexpr bool operator==(const occurrences& a, const occurrences& b) {
        return a.above == b.above && a.below == b.below && a.others == b.others;
    }
};
constexpr void count_occurrences(const ir::program& p, ref n, ref index, occurrences& out) {
    const ir::node& x = p.nodes[n];
    for (std::int32_t k = 0; k < x.positions.count; ++k) {
        const ir::position& q = p.positions[x.positions.first + k];
        ir::for_each_index(p, {x.positions.first + k, 1}, [&](ref i) {
            if (i == index)
                ++(x.kind == op::position ? out.others : q.upper ? out.above : out.below);
        });
    }
    const bool values = takes_values(x);
    occurrences terms;  // of a sum, which holds the index once if each of its terms does so alike
    for (std::int32_t k = 0; k < x.children.count; ++k) {
        const ref child = p.links[x.children.first + k];
        ir::index_set shown = shown_indices(p, child);
        if (values) close_argument(p, x, shown);
        if (!shown.has(index)) continue;  // or a sum of its own
        if (x.kind != op::add) {
            count_occurrences(p, child, index, out);
            continue;
        }
        occurrences term;
        count_occurrences(p, child, index, term);
        if (terms == occurrences{}) terms = term;
        else if (!(terms == term)) ++terms.others;
    }
    out.above += terms.above;
    out.below += terms.below;
    out.others += terms.others;
}

}  // namespace ricci::notation
