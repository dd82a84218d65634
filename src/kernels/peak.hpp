// The highest rate of fused multiply-adds this CPU reaches, for benchmarks to compare with.
#pragma once

#include <cstdint>

namespace ricci::kernels {

/// Runs `rounds` rounds of independent multiply-adds in registers; returns how many floating-point
/// operations that were. The caller takes the time. T: float, double.
template <class T>
std::int64_t multiply_add_rounds(std::int64_t rounds);

template <>
std::int64_t multiply_add_rounds<float>(std::int64_t rounds);
template <>
std::int64_t multiply_add_rounds<double>(std::int64_t rounds);

}  // namespace ricci::kernels
