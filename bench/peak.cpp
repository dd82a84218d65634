// The measured rate of fused multiply-adds, which other rates are divided by.
#include "bench/peak.hpp"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "bench/timing.hpp"

namespace ricci::bench {

template <class T>
double peak_gflops(int threads, factors where, int runs) {
    const std::int64_t rounds = where == factors::in_registers ? 2'000'000 : 16'000;
    double best = 0;
    for (int run = 0; run < runs; ++run) {
        std::vector<double> rates(static_cast<std::size_t>(threads));
        std::barrier start_together(threads);
        const auto measure = [&](std::size_t thread) {
            start_together.arrive_and_wait();
            const auto begin = std::chrono::steady_clock::now();
            const double had = processor_seconds();
            const auto flops = static_cast<double>(kernels::multiply_add_rounds<T>(rounds, where));
            // Several threads are to run at the same time; of one it is no matter who else runs.
            const double took = threads == 1 ? processor_seconds() - had : seconds_since(begin);
            rates[thread] = flops / took * 1e-9;
        };
        std::vector<std::thread> others;
        for (std::size_t t = 1; t < rates.size(); ++t) others.emplace_back(measure, t);
        measure(0);
        for (std::thread& other : others) other.join();
        double together = 0;
        for (const double rate : rates) together += rate;
        best = std::max(best, together);
    }
    return best;
}

template double peak_gflops<float>(int threads, factors where, int runs);
template double peak_gflops<double>(int threads, factors where, int runs);

}  // namespace ricci::bench
