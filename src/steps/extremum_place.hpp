// The step that finds where the largest or the smallest values stand.
#pragma once

#include <cstdint>
#include <span>

#include <ricci/element.hpp>

#include "src/steps/operand.hpp"

namespace ricci::steps {

/// For every combination of all loops but the last one: out = the place along that loop, counted
/// from 0, at which the largest value of `in` stands, or the smallest one; the first of equals, and
/// of NaN where there are any, as these are the extremum then. The last loop has a place at least.
/// `out` holds numbers of 32 bits, has stride 0 along the last loop and overlaps `in` nowhere.
struct extremum_place {
    element type = element::f32;  // of `in`: float, double and whole numbers
    bool largest = true;
    std::span<const std::int64_t> extents;
    operand out, in;
};

}  // namespace ricci::steps
