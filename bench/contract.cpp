// Speed of contractions beside OpenBLAS, where it is installed: products of square matrices, the
// projections of multi-head attention, scores and values. OpenBLAS multiplies contiguous matrices of
// the same M, N and K; run with OPENBLAS_CORETYPE=SkylakeX to see its AVX-512 kernels where it
// chooses others.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#ifdef RICCI_BENCH_OPENBLAS
#include <cblas.h>
#endif

#include <ricci/plan/steps.hpp>

#include "bench/peak.hpp"
#include "bench/timing.hpp"
#include "src/contract/contraction.hpp"
#include "src/kernels/gemm.hpp"
#include "src/runtime/parallel.hpp"

namespace {

using ricci::plan::contraction_loop;
using loops = std::vector<contraction_loop>;

struct bench_case {
    std::string name;
    loops batch, m, n, k;
};

std::int64_t count(const loops& group) {
    std::int64_t total = 1;
    for (const contraction_loop& loop : group) total *= loop.extent;
    return total;
}

bench_case square(std::int64_t n) {
    return {std::to_string(n) + "^3", {}, {{n, n, 0, n}}, {{n, 0, 1, 1}}, {{n, 1, n, 0}}};
}

std::string sizes(std::int64_t i, std::int64_t b, std::int64_t h, std::int64_t a) {
    return " i" + std::to_string(i) + " b" + std::to_string(b) + " h" + std::to_string(h) + " a" +
           std::to_string(a);
}

bench_case project_in(std::int64_t i, std::int64_t b, std::int64_t h, std::int64_t a) {
    return {"ib,hba->hia" + sizes(i, b, h, a),
            {},
            {{i, b, 0, a}},
            {{h, 0, b * a, i * a}, {a, 0, 1, 1}},
            {{b, 1, a, 0}}};
}

bench_case project_out(std::int64_t i, std::int64_t d, std::int64_t h, std::int64_t c) {
    return {"hic,hcd->id" + sizes(i, d, h, c),
            {},
            {{i, c, 0, d}},
            {{d, 0, 1, 1}},
            {{h, i * c, c * d, 0}, {c, 1, d, 0}}};
}

bench_case scores(std::int64_t h, std::int64_t i, std::int64_t a) {
    return {
        "hia,hja->hij h" + std::to_string(h) + " ij" + std::to_string(i) + " a" + std::to_string(a),
        {{h, i * a, i * a, i * i}},
        {{i, a, 0, i}},
        {{i, 0, a, 1}},
        {{a, 1, 1, 0}}};
}

bench_case values(std::int64_t h, std::int64_t i, std::int64_t c) {
    return {
        "hij,hjc->hic h" + std::to_string(h) + " ij" + std::to_string(i) + " c" + std::to_string(c),
        {{h, i * i, i * c, i * c}},
        {{i, i, 0, c}},
        {{c, 0, 1, 1}},
        {{i, 1, c, 0}}};
}

#ifdef RICCI_BENCH_OPENBLAS
void use_threads(int threads) { openblas_set_num_threads(threads); }

// OpenBLAS's threads keep their processors busy for about 120 ms after a call, waiting for the next.
void let_peer_rest(int threads) {
    if (threads > 1) std::this_thread::sleep_for(std::chrono::milliseconds(200));
}

template <class T>
void peer(const bench_case& which, const T* a, const T* b, T* c) {
    const auto m = static_cast<blasint>(count(which.m));
    const auto n = static_cast<blasint>(count(which.n));
    const auto k = static_cast<blasint>(count(which.k));
    for (std::int64_t batch = 0; batch < count(which.batch); ++batch) {
        if constexpr (sizeof(T) == 4) {
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a + batch * m * k, k,
                        b + batch * k * n, n, 0, c + batch * m * n, n);
        } else {
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a + batch * m * k, k,
                        b + batch * k * n, n, 0, c + batch * m * n, n);
        }
    }
}
#else
void use_threads(int) {}
void let_peer_rest(int) {}

template <class T>
void peer(const bench_case&, const T*, const T*, T*) {}
#endif

template <class T>
std::vector<T> numbers(std::int64_t size) {
    std::vector<T> filled(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < filled.size(); ++i) {
        filled[i] = static_cast<T>(static_cast<double>(i % 31) / 16.0 - 1.0);
    }
    return filled;
}

template <class T>
void measure(const bench_case& which, int threads, double peak, bool alone) {
    const std::int64_t batch = count(which.batch);
    const std::int64_t m = count(which.m), n = count(which.n), k = count(which.k);
    const std::vector<T> a = numbers<T>(batch * m * k);
    const std::vector<T> b = numbers<T>(batch * k * n);
    std::vector<T> c = numbers<T>(batch * m * n);
    std::vector<T> peer_c = c;
    ricci::runtime::set_worker_count(threads);
    use_threads(threads);
    const ricci::contract::prepared_contraction prepared(
        {ricci::element_v<T>, which.batch, which.m, which.n, which.k});
    const auto run = [&] { prepared.run(a.data(), b.data(), c.data(), 1, 0); };
    const auto [ours, theirs] = ricci::bench::time_in_turns(
        [&] {
            if (alone) return;
            let_peer_rest(threads);
            run();  // our own threads have gone to sleep meanwhile
        },
        run,
        [&] {
            if (!alone) peer<T>(which, a.data(), b.data(), peer_c.data());
        });
    const double gflop = 2e-9 * static_cast<double>(batch) * static_cast<double>(m) *
                         static_cast<double>(n) * static_cast<double>(k);
    std::printf("%-6s %-38s %7d %11.3f %9.1f %7.3f", sizeof(T) == 4 ? "float" : "double",
                which.name.c_str(), threads, ours * 1e3, gflop / ours, gflop / ours / peak);
#ifdef RICCI_BENCH_OPENBLAS
    const bool compared = !alone;
#else
    const bool compared = false;
#endif
    if (compared) std::printf(" %9.1f %9.3f\n", gflop / theirs, theirs / ours);
    else std::printf("         -         -\n");
    std::fflush(stdout);
}

template <class T>
void measure_all(int threads, bool quick, bool alone) {
    const double peak = ricci::bench::peak_gflops<T>(threads);
    std::printf("# peak of %d thread(s), %s: %.1f GFLOP/s\n", threads,
                sizeof(T) == 4 ? "float" : "double", peak);
    std::vector<bench_case> cases;
    for (std::int64_t n = 64; n <= (quick ? 1024 : 2048); n *= 2) cases.push_back(square(n));
    cases.push_back(project_in(1024, 512, 8, 64));
    cases.push_back(project_out(1024, 512, 8, 64));
    if (!quick) {
        cases.push_back(project_in(4096, 768, 12, 64));
        cases.push_back(project_out(4096, 768, 12, 64));
    }
    cases.push_back(scores(8, 1024, 64));
    cases.push_back(values(8, 1024, 64));
    for (const bench_case& which : cases) measure<T>(which, threads, peak, alone);
}

}  // namespace

// Arguments: the numbers of threads to measure with (1 and 2 when none are given); "quick" leaves
// out the largest cases, "alone" the peer, whose threads linger on the processors that ours need.
int main(int argc, char** argv) {
    std::vector<int> threads;
    bool quick = false, alone = false;
    for (int i = 1; i < argc; ++i) {
        if (std::string(argv[i]) == "quick") quick = true;
        else if (std::string(argv[i]) == "alone") alone = true;
        else threads.push_back(std::atoi(argv[i]));
    }
    if (threads.empty()) threads = {1, 2};
    std::printf("# kernels: %s", ricci::kernels::gemm_kernels<float>().target);
#ifdef RICCI_BENCH_OPENBLAS
    std::printf("; peer: OpenBLAS %s", openblas_get_corename());
#endif
    std::printf("\n%-6s %-38s %7s %11s %9s %7s %9s %9s\n", "type", "case", "threads", "median ms",
                "GFLOP/s", "of peak", "peer", "speed-up");
    for (const int n : threads) {
        measure_all<float>(n, quick, alone);
        measure_all<double>(n, quick, alone);
    }
}
