// Rows that steps look up and store for others to read: what they are, as one expression.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Rows in memory of the plan's own. `body` is a gather of loads, of the rows as they lie in a
/// tensor; where one of its numbers may stray and does, and where it is under a condition that is
/// 0, the rows are 0.
struct stored_rows {
    assign made;
    std::vector<std::size_t> steps;  // that do nothing but make them, in their order
};

/// The rows that a step stores, where it is the last of those that make them.
std::optional<stored_rows> find_stored_rows(program_plan& plan, std::size_t step);

/// What the rows give, read at places of what they are stored in; none: it has no form.
expr rows_at(graph& values, const assign& made, const access& read);

}  // namespace ricci::plan
