// Where loops are cut so that places with edges have none in each of the parts: inside they are
// plain, and beyond an edge they are one place, or nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "src/plan/pool/expression.hpp"

namespace ricci::plan {

/// Part of a loop; as two loops, one of `round` iterations within another, where it is not 0.
struct loop_range {
    std::int64_t first = 0, count = 0, round = 0;
};

/// Boxes of loops that an assignment is cut into, at most.
inline constexpr std::int64_t most_boxes = 81;

/// Iterations of folded loops that are run one by one where places move with them, at most.
inline constexpr double most_shifts = 64;

/// All loads with an edge in an expression without sums, once each.
expr_list edged_loads(const graph&, expr e);

/// The parts of a loop in each of which no place that moves with it alone has an edge, and no
/// comparison of it with a number changes; one, if there is no such edge.
std::vector<loop_range> parts_of(const graph&, loop l, expr e);

/// Whether there is one part, and that is the loop itself.
bool is_uncut(const std::vector<loop_range>& parts);

/// The part in the place of the loop.
moved_loop to_part(graph&, loop l, const loop_range&);

/// What stands in the place of the first of some loops that has several parts, in each of these;
/// nothing: none has.
std::vector<moved_loop> first_cut(graph&, const loop_list&, expr e);

/// Whether each edge of a load is that of a place that moves with one loop alone, and that one is
/// among these.
bool is_cut_by(const graph&, const access& load, const loop_list& loops);

/// An access where a loop is elsewhere, and loops of which one is.
access moved(const graph&, access, const moved_loop&);
loop_list moved(const loop_list&, const moved_loop&);

}  // namespace ricci::plan
