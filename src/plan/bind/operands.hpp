// What a caller bound, checked against the program: shapes inferred, memory told apart.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <ricci/engine/executable.hpp>
#include <ricci/ir/extrema.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/error.hpp>
#include <ricci/ir/shapes.hpp>
#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Extents that do not fit each other.
class shape_error : public error {
public:
    using error::error;
};

/// The part each name plays; claims count for nothing.
struct name_roles {
    std::vector<bool> used;             // on the right of some equation
    std::vector<bool> defined;          // on the left of one
    std::vector<bool> output;           // defined, and not used or kept
    std::vector<slot_number> added_up;  // outputs that are added to what is there; see step_loop

    bool adds_up(ir::ref name) const {
        return std::ranges::find(added_up, slot_of_name(name)) != added_up.end();
    }
};

name_roles find_roles(const ir::program_view& program);

/// One slot for each name: the caller's memory, numbers, outputs (row-major where the caller binds
/// none) and intermediates (row-major). Fills `shapes`. Throws ricci::error for missing, unknown
/// and repeated names, for shapes that do not fit, and for outputs that overlap what they may not.
std::vector<slot> bind_operands(const engine::request& request, const name_roles& roles,
                                ir::shape_table& shapes);

/// Gives a slot the strides and the size of a contiguous row-major tensor of its extents.
void set_row_major(slot& s, const ir::program_view& program, element type);

/// Refuses a number that elements of `type` cannot be: `what` is bound to it.
void check_number_fits(const number& value, element type, const std::string& what);

/// An element that holds the number: std::int64_t or complex.
std::shared_ptr<const void> element_of_number(const number& value, element type);

/// The outputs that are, element for element, an input's memory as well.
std::vector<ir::ref> outputs_in_place(const std::vector<slot>& slots, element type);

}  // namespace ricci::plan
