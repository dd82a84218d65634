// Speed of attention by itself, forward and with gradients, causal and not, at the shapes S1 to S7,
// as fractions of the FMA peak measured in the same run. GFLOP/s count 4 B H N N D forward and 12 B
// H N N D with gradients, half of it when causal. The peak is that of float, which 16 bits are
// computed in.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include <ricci/ricci.hpp>

#include "bench/peak.hpp"
#include "bench/timing.hpp"

using namespace ricci::literals;
using ricci::bench::factors;

namespace {

constexpr auto full = R"(
    S^{bhij} = \frac{1}{\sqrt{d_k}} Q^{bhia} K^{bhja}
    A^{bhij} = \operatorname{softmax}_j(S^{bhij})
    O^{bhic} = A^{bhij} V^{bhjc}
)"_eq;
constexpr auto causal = R"(
    S^{bhij} = \frac{1}{\sqrt{d_k}} Q^{bhia} K^{bhja}
    M^{bhij} = \begin{cases} S^{bhij} & \text{if } j \le i \\ -\infty & \text{otherwise} \end{cases}
    A^{bhij} = \operatorname{softmax}_j(M^{bhij})
    O^{bhic} = A^{bhij} V^{bhjc}
)"_eq;
constexpr auto full_gradients =
    ricci::value_and_gradient(full, "O"_t, ricci::wrt("Q"_t, "K"_t, "V"_t));
constexpr auto causal_gradients =
    ricci::value_and_gradient(causal, "O"_t, ricci::wrt("Q"_t, "K"_t, "V"_t));

struct shape {
    const char* name;
    std::size_t b, h, queries, keys, d;
};
constexpr shape shapes[] = {{"S1", 1, 8, 512, 512, 64},    {"S2", 1, 8, 2048, 2048, 64},
                            {"S3", 1, 12, 4096, 4096, 64}, {"S4", 4, 16, 1024, 1024, 128},
                            {"S5", 1, 32, 1, 4096, 128},   {"S6", 30, 8, 5, 5, 64},
                            {"S7", 1, 1, 1, 65536, 128}};

template <class T>
using tensor = ricci::tensor<T, 4>;

template <class T>
tensor<T> random_tensor(const std::array<std::size_t, 4>& extents, unsigned seed) {
    tensor<T> t(extents);
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal(0, 1);
    for (std::size_t k = 0; k < t.size(); ++k) t.data()[k] = static_cast<T>(normal(generator));
    return t;
}

template <class Body>
double best_time(Body&& body, int measurements) {
    const int repeat = ricci::bench::repetitions_for(0.02, body);
    double best = 1e9;
    for (int k = 0; k < measurements; ++k) {
        const auto start = std::chrono::steady_clock::now();
        for (int r = 0; r < repeat; ++r) body();
        best = std::min(best, ricci::bench::seconds_since(start) / repeat);
    }
    return best;
}

/// The best time, and the median of the parts of the peak that the threads reached right before or
/// after: the speed of a machine that others use drifts within a run.
struct rated {
    double time = 1e9;
    double of_peak = 0;
};
template <class Body>
rated rate(Body&& body, int measurements, double flop, int threads) {
    const auto peak = [&] {
        return ricci::bench::peak_gflops<float>(threads, factors::in_registers, 2);
    };
    const int repeat = ricci::bench::repetitions_for(0.02, body);
    rated out;
    std::vector<double> parts;
    double before = peak();
    for (int k = 0; k < measurements; ++k) {
        const auto start = std::chrono::steady_clock::now();
        for (int r = 0; r < repeat; ++r) body();
        const double time = ricci::bench::seconds_since(start) / repeat;
        out.time = std::min(out.time, time);
        const double after = peak();
        parts.push_back(flop / time * 1e-9 / std::max(before, after));
        before = after;
    }
    out.of_peak = ricci::bench::median(parts);
    return out;
}

/// Bytes a second that threads read of two tensors, for what is bound by that.
template <class T>
double read_rate(const tensor<T>& a, const tensor<T>& b, int threads) {
    std::vector<float> sums(static_cast<std::size_t>(threads));
    const auto read = [&](const tensor<T>& t, std::size_t thread) {
        float part[32] = {};
        const std::size_t count = sums.size(), lines = t.size() / 32;
        for (std::size_t k = lines * thread / count; k < lines * (thread + 1) / count; ++k)
            for (std::size_t l = 0; l < 32; ++l)
                part[l] += static_cast<float>(t.data()[k * 32 + l]);
        for (const float p : part) sums[thread] += p;
    };
    const auto read_both = [&](std::size_t thread) {
        read(a, thread);
        read(b, thread);
    };
    const double time = best_time(
        [&] {
            std::vector<std::thread> others;
            for (std::size_t k = 1; k < sums.size(); ++k) others.emplace_back(read_both, k);
            read_both(0);
            for (auto& other : others) other.join();
        },
        7);
    if (sums[0] == 0.5f) fmt::print(" ");
    return static_cast<double>((a.size() + b.size()) * sizeof(T)) / time;
}

template <class Body>
double measure(const shape& s, const char* what, int threads, double flop, Body&& body) {
    const rated r = rate(body, flop > 1e10 ? 5 : 15, flop, threads);
    fmt::print("{:<3} {:<18} {:7} {:10.3f} {:9.1f} {:8.3f}\n", s.name, what, threads, r.time * 1e3,
               flop / r.time * 1e-9, r.of_peak);
    std::fflush(stdout);
    return r.time;
}

template <class T>
void measure_all(const shape& s, int threads, bool gradients) {
    const auto q = random_tensor<T>({s.b, s.h, s.queries, s.d}, 1);
    const auto k = random_tensor<T>({s.b, s.h, s.keys, s.d}, 2);
    const auto v = random_tensor<T>({s.b, s.h, s.keys, s.d}, 3);
    const auto d = random_tensor<T>({s.b, s.h, s.queries, s.d}, 4);
    ricci::threads(threads);
    const double flop = 4 * static_cast<double>(s.b * s.h * s.queries * s.keys * s.d);
    auto step = ricci::prepare(full, "Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = s.d);
    const double forward = measure(s, "forward", threads, flop, [&] { step(); });
    if (s.queries == 1) {
        const double bytes = static_cast<double>((k.size() + v.size()) * sizeof(T));
        fmt::print("    {:.1f} GB/s of K and V, {:.2f} of what so many threads read\n",
                   bytes / forward * 1e-9, bytes / forward / read_rate(k, v, threads));
        return;
    }
    auto masked = ricci::prepare(causal, "Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = s.d);
    measure(s, "causal", threads, flop / 2, [&] { masked(); });
    if (!gradients) return;
    auto both = ricci::prepare(full_gradients, "Q"_t = q, "K"_t = k, "V"_t = v, "d_k"_t = s.d,
                               "dL/dO"_t = d);
    measure(s, "gradients", threads, 3 * flop, [&] { both(); });
    auto masked_both = ricci::prepare(causal_gradients, "Q"_t = q, "K"_t = k, "V"_t = v,
                                      "d_k"_t = s.d, "dL/dO"_t = d);
    measure(s, "causal gradients", threads, 1.5 * flop, [&] { masked_both(); });
}

}  // namespace

// Arguments: numbers of threads, names of shapes, "forward" to leave the gradients out, "bf16" or
// "f16" for operands of 16 bits instead of float.
int main(int argc, char** argv) {
    std::vector<int> counts;
    std::vector<std::string> names;
    bool gradients = true;
    std::string type = "float";
    for (int k = 1; k < argc; ++k) {
        const std::string word = argv[k];
        if (word == "forward") gradients = false;
        else if (word == "float" || word == "bf16" || word == "f16") type = word;
        else if (word[0] == 'S') names.push_back(word);
        else if (const int count = std::atoi(argv[k]); count > 0) counts.push_back(count);
        else {
            fmt::print(stderr,
                       "{}: numbers of threads, names of shapes (S1 ...), forward, bf16, f16\n",
                       argv[0]);
            return 2;
        }
    }
    if (counts.empty()) counts = {1, 2};
    fmt::print("{:<3} {:<18} {:>7} {:>10} {:>9} {:>8}\n", "", type, "threads", "best ms", "GFLOP/s",
               "of peak");
    for (const int threads : counts) {
        const double peak = ricci::bench::peak_gflops<float>(threads);
        fmt::print(
            "# peak of {} thread(s): {:.1f} GFLOP/s, of a loop that loads its operands {:.1f}\n",
            threads, peak, ricci::bench::peak_gflops<float>(threads, factors::in_first_cache));
        for (const auto& s : shapes)
            if (names.empty() || std::find(names.begin(), names.end(), s.name) != names.end())
                (type == "bf16"  ? measure_all<ricci::bf16>
                 : type == "f16" ? measure_all<ricci::f16>
                                 : measure_all<float>)(s, threads, gradients);
    }
}
