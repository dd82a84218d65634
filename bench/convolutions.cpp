// Speed of the contractions of convolutions beside plain products of the same sizes.
#include "bench/convolutions.hpp"

#include <cstdio>
#include <string>

#include <fmt/core.h>

#include "bench/bound_case.hpp"
#include "bench/timing.hpp"
#include "src/contract/contraction.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::bench {
namespace {

// A contraction with operands of its own.
class prepared_case {
public:
    explicit prepared_case(const sized_convolution& which)
        : how_(which.step(element::f32)), a_(which.size(0)), b_(which.size(1)), c_(which.size(2)) {
        for (std::size_t i = 0; i < a_.size(); ++i) a_[i] = example<float>(0, i);
        for (std::size_t i = 0; i < b_.size(); ++i) b_[i] = example<float>(1, i);
    }
    void run() const { how_.run(a_.data(), b_.data(), c_.data(), engine::number(1.0), {}); }
    std::string words() const { return how_.words(); }

private:
    contractions::prepared_contraction how_;
    elements<float> a_, b_, c_;
};

}  // namespace

void measure_convolutions(int threads, double peak, const std::string& part_of_text) {
    fmt::print("{:<26} {:>2} {:>10} {:>10} {:>8} {:>6} {:>11}\n", "convolution", "th", "median ms",
               "best ms", "GFLOP/s", "of max", "of product");
    runtime::set_worker_count(threads);
    for (const convolution_case& chosen : convolution_cases) {
        if (std::string(chosen.text).find(part_of_text) == std::string::npos) continue;
        const sized_convolution which(chosen);
        const std::string extents = fmt::format(
            "b={} m={} n={} k={}", sized_convolution::iterations(which.batch),
            sized_convolution::iterations(which.m), sized_convolution::iterations(which.n),
            sized_convolution::iterations(which.k));
        // The side that holds the longer one of the two gives the columns of the product.
        const bool turn =
            sized_convolution::iterations(which.m) > sized_convolution::iterations(which.n);
        const sized_convolution plain(
            {"product", turn ? "bkm,bnk->bnm" : "bmk,bkn->bmn", extents.c_str()});
        const prepared_case ours(which), product(plain);
        const auto [time, other] =
            durations_in_turns([] {}, [&] { ours.run(); }, [&] { product.run(); });
        const double rate = which.operations() * 1e-9 / time.best;
        fmt::print("{:<26} {:2} {:10.3f} {:10.3f} {:8.1f} {:6.3f} {:11.3f}\n", chosen.name, threads,
                   time.median * 1e3, time.best * 1e3, rate, rate / peak, other.best / time.best);
        std::fflush(stdout);
    }
}

}  // namespace ricci::bench
