// The measured rate of fused multiply-adds, which other rates are divided by.
#pragma once

#include "src/kernels/peak.hpp"

namespace ricci::bench {

using kernels::factors;

/// GFLOP/s that `threads` threads reach together with multiply-adds, in the best of a few runs of
/// some milliseconds. T: float, double.
template <class T>
double peak_gflops(int threads, factors where = factors::in_registers, int runs = 8);

extern template double peak_gflops<float>(int threads, factors where, int runs);
extern template double peak_gflops<double>(int threads, factors where, int runs);

}  // namespace ricci::bench
