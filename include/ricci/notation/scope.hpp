// Where an implied sum stands: over the smallest product, or argument of a function, that holds all
// occurrences of its index.
#pragma once

#include <cstdint>

#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/scope.hpp>

namespace ricci::notation {

using ir::none;
using ir::op;
using ir::ref;

using ir::add_uses;
using ir::close_argument;
using ir::shown_indices;
using ir::takes_values;

/// How many factors of a product hold an index: `alone` could sum it themselves, `once` could not.
struct holders {
    std::int32_t alone = 0;
    std::int32_t once = 0;
    /// Whether the product can be read as one sum and as several.
    constexpr bool ambiguous() const { return alone > 1 || (alone == 1 && once > 1); }
};
constexpr void count_holders(const ir::program& p, const ir::node& x, ref index, holders& out) {
    for (std::int32_t k = 0; k < x.children.count; ++k) {
        const ref child = p.links[x.children.first + k];
        if (p.nodes[child].kind == op::divide && !ir::is_conditional_mean(p, p.nodes[child])) {
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
    bool solved = false;  // at the columns of a solution, which stand at the other height
    constexpr bool is_pair() const { return above == 1 && below == 1 && others == 0; }
    friend constexpr bool operator==(const occurrences& a, const occurrences& b) {
        return a.above == b.above && a.below == b.below && a.others == b.others &&
               a.solved == b.solved;
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
    if (ir::is_solve(x) && x.indices.count == 2 && index == p.links[x.indices.first + 1]) {
        occurrences column;  // of the matrix
        count_occurrences(p, p.links[x.children.first], index, column);
        out.solved = true;
        out.above += column.below;
        out.below += column.above;
        out.others += column.others;
        return;
    }
    const bool values = takes_values(x);
    occurrences terms;  // of a sum, which holds the index once if each of its terms does so alike
    for (std::int32_t k = 0; k < x.children.count; ++k) {
        const ref child = p.links[x.children.first + k];
        ir::index_set shown = shown_indices(p, child);
        if (values) close_argument(p, x, child, shown);
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
    out.solved = out.solved || terms.solved;
}

}  // namespace ricci::notation
