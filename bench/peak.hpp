// The measured rate of fused multiply-adds, which other rates are divided by.
#pragma once

namespace ricci::bench {

/// GFLOP/s that `threads` threads reach together with multiply-adds in registers, in the best of
/// a few runs of some milliseconds. T: float, double.
template <class T>
double peak_gflops(int threads, int runs = 8);

extern template double peak_gflops<float>(int threads, int runs);
extern template double peak_gflops<double>(int threads, int runs);

}  // namespace ricci::bench
