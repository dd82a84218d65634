// Speed of contractions beside OpenBLAS, where it is installed: the cases of bench/cases.hpp, run by
// the engine as ricci::einsum runs them. Run with OPENBLAS_CORETYPE=SkylakeX to see OpenBLAS's
// AVX-512 kernels where it chooses others.
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "bench/blas.hpp"
#include "bench/bound_case.hpp"
#include "bench/calls.hpp"
#include "bench/cases.hpp"
#include "bench/peak.hpp"
#include "bench/timing.hpp"
#include "src/kernels/gemm.hpp"
#include "src/runtime/parallel.hpp"

namespace {

using namespace ricci::bench;

struct settings {
    std::vector<int> threads;
    std::vector<std::string> groups;  // none: all of them
    std::string text;                 // only cases whose text contains it
    bool quick = false;
    bool alone = false;
    bool floats = true, doubles = true;
};

// OpenBLAS's threads keep their processors busy for about 120 ms after a call, waiting for the next.
void let_peer_rest(int threads) {
    if (threads > 1) std::this_thread::sleep_for(std::chrono::milliseconds(200));
}

// Bytes that have to move: every operand once.
template <class T>
double bytes_of(const sized_case& which) {
    double total = 0;
    for (std::size_t k = 0; k < which.labels.size(); ++k) {
        // A diagonal touches one element of each row.
        double elements = 1;
        for (const auto& [label, extent] : which.extents)
            if (which.labels[k].find(label) != std::string::npos)
                elements *= static_cast<double>(extent);
        total += elements * sizeof(T);
    }
    return total;
}

// Whether the two agree; a peer that computes something else would be no peer.
template <class T>
bool alike(const elements<T>& x, const elements<T>& y) {
    double largest = 0, worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        largest = std::max(largest, std::abs(static_cast<double>(x[i])));
        worst = std::max(worst, std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])));
    }
    return worst <= 1e-3 * std::max(1.0, largest);
}

template <class T>
void measure(const contraction_case& chosen, int threads, double peak, const settings& s) {
    const sized_case which(chosen);
    bound_case<T> ours(which);
    blas_case<T> theirs(which);
    const bool compared = !s.alone && theirs.possible();
    const elements<T> peer_result(ours.result().size());
    ricci::runtime::set_worker_count(threads);
    set_blas_threads(threads);
    const auto run = [&] { ours.run(); };
    const auto run_peer = [&] {
        if (compared)
            theirs.run(ours.operand(0).data(), ours.operand(1).data(), peer_result.data());
    };
    // A copy of as many bytes: what moves both ways counts twice.
    const double bytes = bytes_of<T>(which);
    const auto half = static_cast<std::size_t>(chosen.by == bound::memory ? bytes / 2 : 0);
    const elements<char> from(half), to(half);
    const auto copy = [&] { std::memcpy(to.data(), from.data(), from.size()); };
    const auto before = [&] {
        if (!compared) return;
        let_peer_rest(threads);
        run();  // our own threads have gone to sleep meanwhile
    };
    const auto [time, peer_time] = durations_in_turns(before, run, run_peer);
    const bool right = !compared || alike(ours.result(), peer_result);
    double rate = 0, of_limit = 0;
    if (chosen.by == bound::memory) {
        const double copy_time = durations_in_turns([] {}, copy, [] {}).first.best;
        rate = bytes * 1e-9 / time.best;
        of_limit = copy_time / time.best;
    } else {
        rate = 2e-9 * static_cast<double>(which.iterations()) / time.best;
        of_limit = rate / peak;
    }
    std::printf("%-6s %-18s %-26s %2d %10.3f %10.3f %8.1f %-7s %6.3f",
                sizeof(T) == 4 ? "float" : "double", chosen.text, chosen.extents, threads,
                time.median * 1e3, time.best * 1e3, rate,
                chosen.by == bound::memory ? "GB/s" : "GFLOP/s", of_limit);
    if (compared)
        std::printf(" %8.3f%s%s\n", peer_time.best / time.best, theirs.copies() ? " by copies" : "",
                    right ? "" : " DIFFERS");
    else std::printf("        -\n");
    std::fflush(stdout);
}

template <class T>
void measure_all(int threads, const settings& s) {
    const double peak = peak_gflops<T>(threads);
    std::printf("# peak of %d thread(s), %s: %.1f GFLOP/s\n", threads,
                sizeof(T) == 4 ? "float" : "double", peak);
    for (const contraction_case& which : contraction_cases) {
        if (which.large && s.quick) continue;
        if (std::string(which.text).find(s.text) == std::string::npos) continue;
        const auto wanted = [&](const std::string& group) { return group == which.group; };
        if (!s.groups.empty() && std::none_of(s.groups.begin(), s.groups.end(), wanted)) continue;
        measure<T>(which, threads, peak, s);
    }
}

}  // namespace

// Arguments, in any order: the numbers of threads to measure with (1 and 2 when none are given);
// "quick" leaves out the largest cases, "alone" the peer, whose threads linger on the processors
// that ours need; "float" or "double" for one of the two; names of groups of bench/cases.hpp, or
// "calls", for a part; "text=..." for the einsum strings that contain it.
int main(int argc, char** argv) {
    settings s;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "quick") s.quick = true;
        else if (word == "alone") s.alone = true;
        else if (word == "float") s.doubles = false;
        else if (word == "double") s.floats = false;
        else if (word.rfind("text=", 0) == 0) s.text = word.substr(5);
        else if (std::atoi(argv[i]) > 0) s.threads.push_back(std::atoi(argv[i]));
        else s.groups.push_back(word);
    }
    if (s.threads.empty()) s.threads = {1, 2};
    std::printf("# kernels: %s; peer: OpenBLAS %s\n", ricci::kernels::gemm_kernels<float>().target,
                blas_core());
    std::printf("%-6s %-18s %-26s %2s %10s %10s %8s %-7s %6s %8s\n", "type", "einsum", "extents",
                "th", "median ms", "best ms", "rate", "", "of max", "speed-up");
    const bool calls =
        s.groups.empty() || std::find(s.groups.begin(), s.groups.end(), "calls") != s.groups.end();
    for (const int n : s.threads) {
        if (s.floats) measure_all<float>(n, s);
        if (s.doubles) measure_all<double>(n, s);
    }
    if (calls && s.text.empty()) measure_calls();
}
