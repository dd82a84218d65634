// The invariants of fused groups and chains, beside those of their assignments.
#pragma once

#include <functional>

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Told of every invariant whether it holds, and the words for where it does not.
using requirement = std::function<void(bool holds, const char* what)>;

/// What emission and the run of a group rely on:
/// - loops stand once, and some are columns;
/// - products come first, then operations, then results;
/// - a tile is made by its group before it is read, and both at the group's loops as they are;
/// - a factor of a product lacks columns and the other one rows;
/// - weights are a softmax over the columns, their log-sum-exp stands right behind them, and what
///   makes them again is exp(x - y) with y in memory;
/// - what is rescaled is a result of rows, and proportional to weights of its group; nothing else
///   reads weights, which are complete in the end only;
/// - a result is of a tile times at most one tensor; those of rows and of columns are whole sums;
/// - no member reads a result of the group.
void verify_group(const program_plan& plan, const fused& group, const requirement& require);

/// - both groups have the same loops; the first gives results of rows, the second of columns, too;
/// - a tile that is kept is a product of each group;
/// - the sums between have a value for each row, of a product of two tensors;
/// - what the first group and the sums give is read at its own rows alone, and in the second group
///   by operations alone.
void verify_chain(const program_plan& plan, const chained& chain, const requirement& require);

}  // namespace ricci::plan
