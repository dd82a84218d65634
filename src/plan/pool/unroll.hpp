// Loops of few iterations that are run one by one: an expression for each iteration.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "src/plan/pool/expression.hpp"

namespace ricci::plan {

/// Iterations that are few enough to run one by one, in all.
constexpr double most_unrolled = 8;
/// So many may be summed one by one.
constexpr double most_iterations = 32;

/// One iteration of some loops: each with its counter.
using iteration = std::vector<std::pair<loop, std::int64_t>>;

/// All of them, the last loop fastest; of no loops one, which is empty.
std::vector<iteration> iterations_of(const graph&, const loop_list& loops);

access at_iteration(access, const iteration&);
expr at_iteration(graph&, expr, const iteration&);

/// A product with the factors that depend on none of the loops as one factor of their own, which
/// all iterations have in common; other expressions as they are.
expr with_common_factor(graph&, expr, const loop_list& loops);

}  // namespace ricci::plan
