// What the planner knows of a program, carried over to a copy of it with more indices.
#pragma once

#include <cstdint>
#include <vector>

#include <ricci/ir/program.hpp>
#include <ricci/ir/shapes.hpp>

namespace ricci::plan {

/// An index that the copy has and the program had not.
struct new_index {
    ir::ref index;
    std::int64_t extent;  // in every equation
};

/// Extends `shapes` from `program` to `grown`, which has the same equations of the same names;
/// indices keep their numbers, and new ones come after them.
void carry_over(const ir::program_view& program, const ir::program& grown,
                const std::vector<new_index>& made, ir::shape_table& shapes);

}  // namespace ricci::plan
