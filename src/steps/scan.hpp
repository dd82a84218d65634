// The step of a scan.
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
///
/// A sum of float or double may decay: out[i] = in[i] + decay[i] out[i - 1], or out[i + 1] where it
/// runs backwards, a linear recurrence. The decay of the element that is first is not read. It may
/// be given by its logarithm: of the weight exp(-d r) of what lies d places back this is r, which
/// has all of its digits then, while those of a rounded exp(-r) are lost with d.
struct scan {
    element type = element::f32;
    fold folding = fold::sum;
    bool backwards = false;
    std::span<const std::int64_t> extents;
    std::size_t along = 0;  // the loop of i
    operand out, in;
    bool decays = false;
    operand decay{};  // overlaps `out` nowhere
    bool logarithms = false;
};

}  // namespace ricci::steps
