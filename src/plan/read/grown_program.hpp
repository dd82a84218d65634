// What the planner knows of a program, carried over to a copy of it with more names and indices.
#pragma once

#include <cstdint>
#include <vector>

#include <ricci/ir/program.hpp>
#include <ricci/ir/shapes.hpp>
#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// An index that the copy has and the program had not.
struct new_index {
    ir::ref index;
    std::int64_t extent;  // in every equation
};

/// Extends `shapes` and `slots` from `program` to `grown`, in which names and indices keep their
/// numbers and new ones come after them. `origins` says for each equation of `grown` which equation
/// of `program` it was or whose indices it uses. A new name is a row-major tensor of `type` with
/// the extents of the indices on its left side; of float where `type` has 16 bits: only what the
/// text names is rounded to these.
void carry_over(const ir::program_view& program, const ir::program& grown,
                const std::vector<ir::ref>& origins, const std::vector<new_index>& made,
                ir::shape_table& shapes, std::vector<slot>& slots, element type);

/// A name that the program has not: T_1, T_2, ...
ir::ref new_name(ir::program& program);

}  // namespace ricci::plan
