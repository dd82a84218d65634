// Programs over all pairs of rows and columns, whose planes nobody stores: the time of each beside
// that of the same program with its planes kept, which stores them, and the workspace of both.
// Forces of bodies count 20 operations a pair, as is usual, and products 2 for each multiplication.
//   bench_pairs [THREADS] [NAME ...]
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/program.hpp>
#include <ricci/ricci.hpp>

#include "bench/peak.hpp"
#include "bench/timing.hpp"

namespace {

struct operand {
    std::string name;
    std::vector<std::size_t> extents;
    std::int32_t places = 0;  // not 0: whole numbers below it
};

struct pairs_case {
    std::string name, text, of;  // of: an output to differentiate, or nothing
    std::vector<std::string> by;
    std::vector<operand> operands;
    std::string plane;
    double flops = 0;
};

std::vector<pairs_case> all_cases() {
    const std::string scores = "S^{ij} = Q^{ia} K^{ja}\n l^i = \\operatorname{logsumexp}_j(S^{ij})";
    const std::string loss =
        "Z^{iv} = X^{ia} U^{va}\n"
        "L = \\operatorname{mean}_i(\\operatorname{logsumexp}_v(Z^{iv}) - Z^{i y_i})";
    const std::string forces =
        "d^{ij} = \\sum_b (x^{jb} - x^{ib})^2\n"
        "F^{ia} = \\sum_j m^j \\frac{x^{ja} - x^{ia}}{(d^{ij} + 0.01)^{3/2}}";
    const double n = 4096, rows = 2048, words = 16384, width = 512;
    const std::vector<operand> tokens = {
        {"X", {2048, 512}}, {"U", {16384, 512}}, {"y", {2048}, 16384}};
    auto with_seed = tokens;
    with_seed.push_back({"dL/dL", {}});
    return {
        {"logsumexp", scores, "", {}, {{"Q", {4096, 64}}, {"K", {4096, 64}}}, "S", 2 * n * n * 64},
        {"cross-entropy", loss, "", {}, tokens, "Z", 2 * rows * words * width},
        {"cross-entropy-gradients",
         loss,
         "L",
         {"X", "U"},
         with_seed,
         "Z",
         6 * rows * words * width},
        {"n-body", forces, "", {}, {{"x", {4096, 3}}, {"m", {4096}}}, "d", 20 * n * n},
    };
}

ricci::array random_array(const operand& o, std::mt19937& generator) {
    ricci::array a(o.places != 0 ? ricci::element::i32 : ricci::element::f32,
                   std::span<const std::size_t>(o.extents));
    std::normal_distribution<float> normal(0, 0.3f);
    std::uniform_int_distribution<std::int32_t> place(0, std::max(o.places, 1) - 1);
    void* const data = a.data();
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (o.places != 0) static_cast<std::int32_t*>(data)[k] = place(generator);
        else static_cast<float*>(data)[k] = o.extents.empty() ? 1 : normal(generator);
    }
    return a;
}

void measure(const pairs_case& c, int threads, double peak) {
    std::mt19937 generator(1);
    std::vector<ricci::named> operands;
    for (const auto& o : c.operands) operands.push_back({o.name, random_array(o, generator)});
    ricci::program fused = ricci::parse(c.text).value();

    if (!c.of.empty()) fused = ricci::value_and_gradient(fused, c.of, c.by);
    const ricci::program stored = fused.keep({c.plane});
    auto run_fused = ricci::prepare(fused, operands);
    auto run_stored = ricci::prepare(stored, operands);
    const double mib = 1024 * 1024;
    const auto needed = ricci::memory_of(fused, operands);
    const auto kept = ricci::memory_of(stored, operands);
    const auto [mine, other] =
        ricci::bench::durations_in_turns([] {}, run_fused, run_stored, 7, 0.1);
    peak = std::max(peak, ricci::bench::peak_gflops<float>(threads));
    fmt::print("{:26} {:10.3f} {:10.3f} {:8.2f} {:10.1f} {:8.2f} {:12.2f} {:12.2f}\n", c.name,
               mine.median * 1e3, other.median * 1e3, mine.median / other.median,
               c.flops / mine.median * 1e-9, c.flops / mine.median * 1e-9 / peak,
               static_cast<double>(needed.workspace) / mib,
               static_cast<double>(kept.workspace + kept.outputs - needed.outputs) / mib);
}

}  // namespace

int main(int count, char** words) {
    const int threads = count > 1 ? std::atoi(words[1]) : 1;
    ricci::threads(threads);
    const double peak = ricci::bench::peak_gflops<float>(threads);
    fmt::print("{} threads, float; the peak is {:.0f} GFLOP/s\n", threads, peak);
    fmt::print("{:26} {:>10} {:>10} {:>8} {:>10} {:>8} {:>12} {:>12}\n", "program", "ms",
               "stored ms", "ratio", "GFLOP/s", "of peak", "MiB", "stored MiB");
    for (const auto& c : all_cases()) {
        bool wanted = count < 3;
        for (int k = 2; k < count; ++k) wanted = wanted || c.name == words[k];
        if (wanted) measure(c, threads, peak);
    }
}
