// The highest rate of fused multiply-adds this CPU reaches, for benchmarks to compare with.
#pragma once

#include <cstdint>

namespace ricci::kernels {

/// Where the factors of the multiply-adds are: a product of matrices loads them, which some
/// processors answer with a lower clock.
enum class factors { in_registers, in_first_cache };

/// Runs `rounds` rounds of independent multiply-adds; returns how many floating-point operations
/// that were. The caller takes the time. T: float, double.
template <class T>
std::int64_t multiply_add_rounds(std::int64_t rounds, factors where = factors::in_registers);

template <>
std::int64_t multiply_add_rounds<float>(std::int64_t rounds, factors where);
template <>
std::int64_t multiply_add_rounds<double>(std::int64_t rounds, factors where);

}  // namespace ricci::kernels
