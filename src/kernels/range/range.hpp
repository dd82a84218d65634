// Kernels for numbers near the ends of their range: the largest magnitude, and powers of two taken
// in and out. Complex numbers are pairs of real ones. A table of plain functions, chosen for this
// CPU at run time.
#pragma once

#include <cstdint>

namespace ricci::kernels {

/// `from` and `to` are the same memory, or apart. Factors are applied from left to right, so that
/// two powers of two reach where one of them is no number any more.
template <class T>
struct range_table {
    const char* target = "";

    /// The largest |x[0 .. n - 1]| that is finite; 0 where there is none.
    T (*largest)(std::int64_t n, const T* x) = nullptr;
    /// to = from * first * second.
    void (*multiply)(std::int64_t n, const T* from, T first, T second, T* to) = nullptr;
    /// to = from * first / divisor.
    void (*divide)(std::int64_t n, const T* from, T first, T divisor, T* to) = nullptr;
    /// to = to + from * first * second.
    void (*add)(std::int64_t n, const T* from, T first, T second, T* to) = nullptr;
};

/// The kernels of the best SIMD target of this CPU. T: float, double.
template <class T>
const range_table<T>& range_kernels();

template <>
const range_table<float>& range_kernels<float>();
template <>
const range_table<double>& range_kernels<double>();

}  // namespace ricci::kernels
