// How an index stands in an expression where no plain place of a tensor says how far it runs.
#pragma once

#include <cstdint>

#include <ricci/ir/conditions.hpp>
#include <ricci/ir/extrema.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/written_place.hpp>

namespace ricci::derive {

/// Arithmetic that says how far an index runs: where its places have to exist, before a letter or a
/// condition does; elsewhere if nothing else does.
enum class arithmetic : std::uint8_t { absent, guarded, inside };

template <class Program>
constexpr arithmetic arithmetic_of(const Program& p, ir::ref n, ir::ref index,
                                   bool guarded = false) {
    const ir::node& x = p.nodes[n];
    arithmetic found = arithmetic::absent;
    const auto see = [&](arithmetic a) { found = a > found ? a : found; };
    const auto here = [](bool open) { return open ? arithmetic::guarded : arithmetic::inside; };
    for (std::int32_t k = 0; x.kind == ir::op::tensor && k < x.positions.count; ++k)
        if (p.positions[x.positions.first + k].kind == ir::position_kind::affine &&
            ir::has_index(p, {x.positions.first + k, 1}, index))
            see(here(guarded));
    if (const ir::ref axis = ir::written_axis(p, x); axis != ir::none)
        ir::for_each_node(p, p.links[x.children.first + 1], [&](ir::ref m) {
            if (ir::has_index(p, p.nodes[m].positions, index))
                see(here(guarded || p.indices[axis].extent != ir::kept_inside));
        });
    const ir::guarded_children below(p, x);
    for (std::int32_t k = 0; k < x.children.count; ++k)
        see(arithmetic_of(p, p.links[x.children.first + k], index, guarded || below(k)));
    return found;
}

/// Whether the places of an expression say how far an index runs: a place of several indices says
/// it of one, where other places say it of the rest.
template <class Program>
constexpr bool is_solved(const Program& p, ir::ref body, ir::ref index) {
    ir::index_set known;
    bool more = false;
    const auto solve = [&](const ir::index_set& all) {
        ir::ref open = ir::none;
        for (ir::ref i = 0, last = all.end(); i < last; ++i) {
            if (!all.has(i) || known.has(i)) continue;
            if (open != ir::none) return;
            open = i;
        }
        if (open == ir::none) return;
        known.add(open);
        more = true;
    };
    do {
        more = false;
        ir::for_each_node(p, body, [&](ir::ref n) {
            const ir::node& x = p.nodes[n];
            for (std::int32_t k = 0; x.kind == ir::op::tensor && k < x.positions.count; ++k) {
                ir::index_set all;
                ir::add_indices(p, {x.positions.first + k, 1}, all);
                solve(all);
            }
            if (ir::written_axis(p, x) == ir::none) return;
            ir::index_set all;
            ir::for_each_node(p, p.links[x.children.first + 1],
                              [&](ir::ref m) { ir::add_indices(p, p.nodes[m].positions, all); });
            solve(all);
        });
    } while (more);
    return known.has(index);
}

/// Whether a condition compares an index with another one, which may give it an extent, or with the
/// places of a tensor.
template <class Program>
constexpr bool is_compared(const Program& p, ir::ref body, ir::ref index) {
    bool found = false;
    ir::for_each_node(p, body, [&](ir::ref n) {
        const ir::node& x = p.nodes[n];
        bool mine = false, all = x.kind == ir::op::compare;
        for (std::int32_t k = 0; all && k < x.children.count; ++k) {
            const ir::node& y = p.nodes[p.links[x.children.first + k]];
            all = y.kind == ir::op::position ||
                  (y.kind == ir::op::tensor && ir::is_of_places(p, y.name));
            mine = mine || (y.kind == ir::op::position && ir::has_index(p, y.positions, index));
        }
        found = found || (all && mine);
    });
    return found;
}

}  // namespace ricci::derive
