// Whether every pass of the planner leaves a program's values as they were.
#pragma once

#include <map>
#include <string>

#include <ricci/engine/executable.hpp>

#include "tests/unit/interpreter.hpp"

namespace ricci::testing {

/// What plans had in them, by name: ways, folds, parts of groups, groups and chains; and how many
/// plans had it.
using plan_contents = std::map<std::string, int>;

/// Plans a request whose operands have memory, and interprets by plain loops: the program, after
/// each pass that rewrites it, and the assignments, after each pass that has them. Their outputs
/// have to be those of the program, and those after the pass before. What differs, in words, or
/// nothing. `seen` counts what the finished plan consists of.
///
/// `expected`: the program's tensors by name, where the caller knows them. Without it they are what
/// the program says once each letter of an equation has one extent.
std::string check_passes(const engine::request& request, plan_contents& seen,
                         const std::map<std::string, dense>& expected = {});

}  // namespace ricci::testing
