// The highest rates of fused multiply-adds, and of additions and maxima, that this CPU reaches, for
// benchmarks to compare with.
#pragma once

#include <cstdint>

#include <ricci/detail/export.hpp>

namespace ricci::kernels {

/// Where the factors of the multiply-adds are: a product of matrices loads them, which some
/// processors answer with a lower clock.
enum class factors { in_registers, in_first_cache };

/// Runs `rounds` rounds of independent multiply-adds; returns how many floating-point operations
/// that were. The caller takes the time. T: float, double.
template <class T>
std::int64_t multiply_add_rounds(std::int64_t rounds, factors where = factors::in_registers);

template <>
RICCI_HIDDEN std::int64_t multiply_add_rounds<float>(std::int64_t rounds, factors where);
template <>
RICCI_HIDDEN std::int64_t multiply_add_rounds<double>(std::int64_t rounds, factors where);

/// The same with as many additions and maxima, independent ones in registers; returns how many
/// additions and maxima together. T: float, double.
template <class T>
std::int64_t add_maximum_rounds(std::int64_t rounds);

template <>
RICCI_HIDDEN std::int64_t add_maximum_rounds<float>(std::int64_t rounds);
template <>
RICCI_HIDDEN std::int64_t add_maximum_rounds<double>(std::int64_t rounds);

}  // namespace ricci::kernels
