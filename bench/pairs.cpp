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
    bool exact = false;  // distances
    float centre = 0;    // of the points
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
    const std::string nearest = "d^{ij} = \\sum_a (x^{ia} - z^{ja})^2\n m^i = \\min_j(d^{ij})";
    const std::string place =
        "d^{ij} = \\sum_a (x^{ia} - z^{ja})^2\n y_i = \\operatorname{argmin}_j(d^{ij})";
    const std::string means =
        "d^{ik} = \\sum_a (x^{ia} - c^{ka})^2\n y_i = \\operatorname{argmin}_k(d^{ik})\n"
        "n^k = \\sum_i [y_i = k]\n"
        "C^{ka} = \\frac{1}{\\max(n^k, 1)} \\sum_i [y_i = k] x^{ia}";
    const std::string chamfer =
        "d^{ij} = \\sum_a (x^{ia} - z^{ja})^2\n"
        "c = \\operatorname{mean}_i(\\min_j(d^{ij})) + \\operatorname{mean}_j(\\min_i(d^{ij}))";
    const std::string late =
        "S^{nij} = Q^{ia} D^{nja}\n m^{ni} = \\max_j(S^{nij})\n s^n = \\sum_i m^{ni}";
    const std::string kernel =
        "K^{ij} = \\exp(-\\frac{1}{2} \\sum_a (x^{ia} - z^{ja})^2)\n f^i = K^{ij} v^j";
    const std::string scaled =
        "K^{ij} = \\exp(-\\frac{1}{2} \\sum_a \\frac{(x^{ia} - z^{ja})^2}{l_a^2})\n"
        "f^i = K^{ij} v^j";
    const std::string discrepancy =
        "K^{ij} = \\exp(-\\frac{1}{2} \\sum_a (x^{ia} - z^{ja})^2)\n"
        "P^{ij} = \\exp(-\\frac{1}{2} \\sum_a (x^{ia} - x^{ja})^2)\n"
        "R^{ij} = \\exp(-\\frac{1}{2} \\sum_a (z^{ia} - z^{ja})^2)\n"
        "M = \\operatorname{mean}_{ij}(P^{ij}) + \\operatorname{mean}_{ij}(R^{ij}) - 2 "
        "\\operatorname{mean}_{ij}(K^{ij})";
    const std::string neighbours =
        "w^{ij} = \\frac{1}{1 + \\sum_a (y^{ia} - y^{ja})^2}\n"
        "Z = \\sum_{ij} [i \\ne j] w^{ij}\n"
        "L = \\log(Z) - \\sum_{ij} p^{ij} \\log(w^{ij})";
    const std::string sigmoid =
        "S^{ij} = 2 X^{ia} Y^{ja}\n"
        "L = \\operatorname{mean}_i(\\sum_j \\operatorname{softplus}(S^{ij})) - "
        "\\operatorname{mean}_i(S^{ii})";
    const auto points = [](std::size_t axes) {
        return std::vector<operand>{{"x", {4096, axes}}, {"z", {4096, axes}}};
    };
    const auto with = [](std::vector<operand> all, std::vector<operand> more) {
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    const std::vector<operand> documents = {{"Q", {32, 128}}, {"D", {256, 180, 128}}};
    const std::vector<operand> embeddings = {{"X", {4096, 64}}, {"Y", {4096, 64}}};
    const std::vector<operand> places = {{"y", {4096, 2}}, {"p", {4096, 4096}}};
    const std::vector<operand> weights = {{"v", {4096}}};
    const std::vector<operand> scales = {{"v", {4096}}, {"l", {64}}};
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
        {"nearest", nearest, "", {}, points(3), "d", 8 * n * n},
        {"nearest-64", nearest, "", {}, points(64), "d", 128 * n * n},
        {"nearest-place", place, "", {}, points(3), "d", 8 * n * n},
        {"nearest-place-64", place, "", {}, points(64), "d", 128 * n * n},
        {"k-means", means, "", {}, {{"x", {20000, 16}}, {"c", {50, 16}}}, "d", 32.0 * 20000 * 50},
        {"nearest-gradients",
         nearest,
         "m",
         {"x", "z"},
         with(points(3), {{"dL/dm", {4096}}}),
         "d",
         8 * n * n},
        {"chamfer", chamfer, "", {}, points(3), "d", 8 * n * n},
        {"chamfer-gradients",
         chamfer,
         "c",
         {"x", "z"},
         with(points(3), {{"dL/dc", {}}}),
         "d",
         8 * n * n},
        {"maxsim", late, "", {}, documents, "S", 2.0 * 32 * 256 * 180 * 128},
        {"maxsim-gradients",
         late,
         "s",
         {"Q", "D"},
         with(documents, {{"dL/ds", {256}}}),
         "S",
         6.0 * 32 * 256 * 180 * 128},
        {"kernel-3", kernel, "", {}, with(points(3), weights), "K", 16 * n * n},
        {"kernel-64", kernel, "", {}, with(points(64), weights), "K", 128 * n * n},
        {"kernel-64-exact", kernel, "", {}, with(points(64), weights), "K", 128 * n * n, true},
        {"kernel-64-far", kernel, "", {}, with(points(64), weights), "K", 128 * n * n, false, 100},
        {"kernel-64-scaled", scaled, "", {}, with(points(64), scales), "K", 128 * n * n},
        {"kernel-64-scaled-gradients",
         scaled,
         "f",
         {"x", "z", "v", "l"},
         with(with(points(64), scales), {{"dL/df", {4096}}}),
         "K",
         512 * n * n},
        {"kernel-64-gradients",
         kernel,
         "f",
         {"x", "z", "v"},
         with(with(points(64), weights), {{"dL/df", {4096}}}),
         "K",
         384 * n * n},
        {"discrepancy-64", discrepancy, "", {}, points(64), "K", 3 * 128 * n * n},
        {"t-sne", neighbours, "", {}, places, "w", 16 * n * n},
        {"t-sne-gradients", neighbours, "L", {"y"}, with(places, {{"dL/dL", {}}}), "w", 32 * n * n},
        {"sigmoid-loss", sigmoid, "", {}, embeddings, "S", 128 * n * n},
        {"sigmoid-loss-gradients",
         sigmoid,
         "L",
         {"X", "Y"},
         with(embeddings, {{"dL/dL", {}}}),
         "S",
         384 * n * n},
    };
}

ricci::array random_array(const operand& o, float centre, std::mt19937& generator) {
    ricci::array a(o.places != 0 ? ricci::element::i32 : ricci::element::f32,
                   std::span<const std::size_t>(o.extents));
    std::normal_distribution<float> normal(0, 0.3f);
    std::uniform_int_distribution<std::int32_t> place(0, std::max(o.places, 1) - 1);
    void* const data = a.data();
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (o.places != 0) static_cast<std::int32_t*>(data)[k] = place(generator);
        else static_cast<float*>(data)[k] = o.extents.empty() ? 1 : centre + normal(generator);
    }
    return a;
}

void measure(const pairs_case& c, int threads, double peak) {
    std::mt19937 generator(1);
    std::vector<ricci::named> operands;
    for (const auto& o : c.operands) {
        const bool point = o.name == "x" || o.name == "z";
        const float centre = o.name == "l" ? 2 : point ? c.centre : 0;
        operands.push_back({o.name, random_array(o, centre, generator)});
    }
    const ricci::prepare_options options{.exact_distances = c.exact};
    ricci::program fused = ricci::parse(c.text).value();

    if (!c.of.empty()) fused = ricci::value_and_gradient(fused, c.of, c.by);
    const ricci::program stored = fused.keep({c.plane});
    auto run_fused = ricci::prepare(fused, operands, options);
    auto run_stored = ricci::prepare(stored, operands, options);
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
