// Kernels between the 16-bit floating-point types and float, for the best SIMD target of this
// processor.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ricci/half.hpp>

namespace ricci::kernels {

/// Kernels on unit-stride memory of any alignment; arrays of one call do not overlap. S: bf16, f16.
template <class S>
struct convert_table {
    /// to[i] = from[i], exactly.
    void (*widen)(float* to, const S* from, std::size_t n);
    /// to[i] = from[i], to nearest, ties to even.
    void (*narrow)(S* to, const float* from, std::size_t n);
    /// c[i] = alpha * sums[i] + beta * c[i], rounded to S once; c is not read when beta is 0.
    void (*write)(S* c, float alpha, const float* sums, float beta, std::size_t n);
    /// The sum of x[i] * y[i].
    float (*dot)(const S* x, const S* y, std::size_t n);
    /// A whole vector at from + along[k] goes to to + k * step, for k = 0 .. depth - 1 in order.
    void (*widen_rows)(float* to, std::int64_t step, const S* from, const std::int64_t* along,
                       std::int64_t depth);
};

template <class S>
const convert_table<S>& conversions();
template <>
const convert_table<bf16>& conversions<bf16>();
template <>
const convert_table<f16>& conversions<f16>();

}  // namespace ricci::kernels
