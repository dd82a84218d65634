// What the engine of scans is told to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <ricci/element.hpp>

#include "src/steps/map.hpp"
#include "src/steps/operand.hpp"

namespace ricci::steps {

/// out[.., i, ..] = the fold of in[.., j, ..] over all j <= i, or over all j >= i; `in` may be
/// `out`, and overlaps it nowhere else. Sums, products, maxima and minima of float, double and
/// whole numbers; of float and double logarithms of sums of exponentials.
struct scan {
    element type = element::f32;
    fold folding = fold::sum;
    bool backwards = false;
    std::span<const std::int64_t> extents;
    std::size_t along = 0;  // the loop of i
    operand out, in;
};

}  // namespace ricci::steps
