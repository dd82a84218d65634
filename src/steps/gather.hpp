// The step of a gather.
#pragma once

#include <cstdint>
#include <span>

#include <ricci/element.hpp>

#include "src/steps/operand.hpp"

namespace ricci::steps {

/// An axis whose place a tensor of numbers says, one for each combination of the loops.
struct lookup {
    element type = element::i32;  // of the numbers: i32, i64, f32 or f64
    operand numbers;
    std::int64_t stride = 0;  // of the axis
    std::int64_t extent = 0;  // of the axis
    bool may_stray = false;   // of a factor of a sum: where it is no place, nothing is added
};

/// out[loops] = in[loops, numbers]: each lookup moves `in` by the number times the stride of the
/// axis. Without lookups a copy, which converts where `source`, the type of `in`, is another; or as
/// a scatter out[loops] += in[loops], which may reach an element any number of times. `out`
/// overlaps nothing else.
struct gather {
    element type = element::f32;
    element source = element::f32;
    bool scatter = false;
    std::span<const std::int64_t> extents;  // slowest first
    operand out, in;
    std::span<const lookup> lookups;
};

}  // namespace ricci::steps
