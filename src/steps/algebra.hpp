// The step of a contraction in another algebra: something else stands for the sum, and a sum for
// the product. As contraction.hpp: loops over strided memory, nothing more.
#pragma once

#include <cstdint>
#include <span>

#include <ricci/element.hpp>

#include "src/steps/contraction.hpp"

namespace ricci::steps {

/// What stands for the sum over k of A B: the maximum, the minimum, or the logarithm of the sum of
/// exponentials, of A + B.
enum class sum_algebra : std::uint8_t { maximum, minimum, logsumexp };

/// C[batch, m, n] = the algebra's sum over k of (A[batch, m, k] + B[batch, k, n]); groups as those
/// of a contraction. A loop of k in which one operand stands still (stride 0) is an index that the
/// other one alone has; k without loops makes C the sum of A and B, element by element. A sum of
/// nothing is -infinity, of the minimum +infinity. f32 and f64 alone.
///
/// Infinities are as IEEE 754 adds them: -infinity is the zero of maximum and logsumexp, and
/// -infinity + infinity is NaN. A term that is NaN makes the element NaN. Where no places are kept,
/// indices of k that one operand alone has may be folded in it first, and the terms are those of
/// what comes of that. The sign of a zero is not specified.
struct algebra_product {
    element type = element::f64;
    sum_algebra algebra = sum_algebra::maximum;
    std::span<const contraction_loop> batch;
    std::span<const contraction_loop> m;
    std::span<const contraction_loop> n;
    std::span<const contraction_loop> k;
    /// Whether the place of the first extremum is kept besides: of maximum and minimum alone, with
    /// less than 2^31 places.
    bool places = false;
};

}  // namespace ricci::steps
