// Matrices that are solved: Cholesky and LU factors, solutions with them, and small matrices of a
// batch; beside this library's product of the same size, and beside OpenBLAS' LAPACK where that is
// there, all timed in turns. Rates and fractions are of the best time of each, since a machine that
// others use slows down what takes longer; with one thread, times are those of the processor.
//   bench_linear [THREADS [SIZE]]
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <new>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/ricci.hpp>

#include "bench/blas.hpp"
#include "bench/timing.hpp"
#include "src/contract/contraction.hpp"
#include "src/linear/factorization.hpp"
#include "src/runtime/loans.hpp"

#ifdef RICCI_BENCH_OPENBLAS
extern "C" {
void dgetrf_(const int*, const int*, double*, const int*, int*, int*);
void dpotrf_(const char*, const int*, double*, const int*, int*, std::size_t);
void dgetrs_(const char*, const int*, const int*, const double*, const int*, const int*, double*,
             const int*, int*, std::size_t);
void sgetrf_(const int*, const int*, float*, const int*, int*, int*);
void spotrf_(const char*, const int*, float*, const int*, int*, std::size_t);
void sgetrs_(const char*, const int*, const int*, const float*, const int*, const int*, float*,
             const int*, int*, std::size_t);
}
#endif

namespace {

using namespace ricci;
using steps::factor_kind;

struct aligned_delete {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{64}); }
};
using bytes = std::unique_ptr<std::byte, aligned_delete>;

bytes allocate(std::size_t count) {
    return bytes(static_cast<std::byte*>(::operator new (count, std::align_val_t{64})));
}

/// What LAPACK does of the same, column-major.
template <class T>
struct peer {
    static bool is_there() { return bench::has_blas(); }
#ifdef RICCI_BENCH_OPENBLAS
    static void lu(int n, T* a, int* pivots) {
        int info = 0;
        if constexpr (std::is_same_v<T, double>) dgetrf_(&n, &n, a, &n, pivots, &info);
        else sgetrf_(&n, &n, a, &n, pivots, &info);
    }
    static void cholesky(int n, T* a) {
        int info = 0;
        if constexpr (std::is_same_v<T, double>) dpotrf_("L", &n, a, &n, &info, 1);
        else spotrf_("L", &n, a, &n, &info, 1);
    }
    static void solve(int n, int sides, const T* a, const int* pivots, T* x) {
        int info = 0;
        if constexpr (std::is_same_v<T, double>)
            dgetrs_("N", &n, &sides, a, &n, pivots, x, &n, &info, 1);
        else sgetrs_("N", &n, &sides, a, &n, pivots, x, &n, &info, 1);
    }
#else
    static void lu(int, T*, int*) {}
    static void cholesky(int, T*) {}
    static void solve(int, int, const T*, const int*, T*) {}
#endif
};

template <class T>
std::vector<T> random_numbers(std::int64_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<T> uniform(-1, 1);
    std::vector<T> numbers(static_cast<std::size_t>(count));
    for (T& x : numbers) x = uniform(generator);
    return numbers;
}

/// Holds what a step lends.
template <class Step>
struct held {
    explicit held(const Step& step) {
        step.list_loans(book);
        memory = std::make_unique<runtime::held_memory>(book);
    }
    runtime::loan_book book;
    std::unique_ptr<runtime::held_memory> memory;
};

/// Seconds of a product of n x n matrices.
template <class T>
class product {
public:
    explicit product(std::int64_t n)
        : rows_{n, n, 0, n},
          columns_{n, 0, 1, 1},
          inner_{n, 1, n, 0},
          kernels_({element_v<T>, {}, {&rows_, 1}, {&columns_, 1}, {&inner_, 1}}),
          a_(random_numbers<T>(n * n, 1)),
          b_(random_numbers<T>(n * n, 2)),
          c_(a_.size()) {}
    void run() { kernels_.run(a_.data(), b_.data(), c_.data(), 1, 0); }

private:
    steps::contraction_loop rows_, columns_, inner_;
    contractions::prepared_contraction kernels_;
    std::vector<T> a_, b_, c_;
};

/// Seconds that the calling thread has computed, or that have passed where it does not compute
/// alone.
double seconds_now(bool alone) {
    timespec now{};
    clock_gettime(alone ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Seconds that a call of each body takes, of measurements in turns.
template <class... Bodies>
std::array<bench::duration, sizeof...(Bodies)> measure(bool alone, Bodies&&... bodies) {
    constexpr int measurements = 15;
    constexpr double seconds = 0.01;
    const std::array<int, sizeof...(Bodies)> repetitions{
        bench::repetitions_for(seconds, bodies)...};
    std::array<std::vector<double>, sizeof...(Bodies)> times;
    for (int i = 0; i < measurements; ++i) {
        std::size_t which = 0;
        const auto time_one = [&](auto& body) {
            const double start = seconds_now(alone);
            for (int r = 0; r < repetitions[which]; ++r) body();
            times[which].push_back((seconds_now(alone) - start) / repetitions[which]);
            ++which;
        };
        (time_one(bodies), ...);
    }
    std::array<bench::duration, sizeof...(Bodies)> all;
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = bench::summary(times[k]);
    return all;
}

/// Matrices of one size: what is factored and solved, and what it is compared with.
template <class T>
class large_case {
public:
    large_case(std::int64_t n, bool alone)
        : n_(n),
          alone_(alone),
          product_(n),
          k_(random_numbers<T>(n * n, 3)),
          y_(random_numbers<T>(n * n, 4)),
          x_(y_.size()),
          work_(k_.size()),
          factors_(allocate(linear::factor_bytes(element_v<T>, factor_kind::lu, n, 1))),
          pivots_(static_cast<std::size_t>(n)) {}

    void run() {
        factor("LU", factor_kind::lu, 2.0 / 3,
               [&] { peer<T>::lu(static_cast<int>(n_), work_.data(), pivots_.data()); });
        solve("LU solve, n right-hand sides", n_);
        solve("LU solve, 1 right-hand side", 1);
        make_positive_definite();
        factor("Cholesky", factor_kind::cholesky, 1.0 / 3,
               [&] { peer<T>::cholesky(static_cast<int>(n_), work_.data()); });
    }

private:
    /// `before`: what the peer does besides, since it overwrites what it is given. `share`: of n^3.
    template <class Ours, class Before, class Theirs>
    void compare(const char* name, double share, Ours ours, Before before, Theirs theirs) {
        const double cubed = std::pow(static_cast<double>(n_), 3);
        const auto [p, o, b, t] = measure(
            alone_, [&] { product_.run(); }, ours, before,
            [&] {
                before();
                theirs();
            });
        const double rate = share * cubed / o.best, product_rate = 2 * cubed / p.best;
        fmt::print("{:<28} n {:>5}  {:9.3f} ms  {:6.1f} GFLOP/s  {:4.2f} of the product ({:.1f})",
                   name, n_, o.median * 1e3, rate / 1e9, rate / product_rate, product_rate / 1e9);
        if (bench::has_blas()) fmt::print("  {:5.2f} of OpenBLAS", (t.best - b.best) / o.best);
        fmt::print("\n");
    }

    template <class Theirs>
    void factor(const char* name, factor_kind kind, double share, Theirs theirs) {
        const linear::prepared_factorization prepared({element_v<T>, kind, n_, n_, 1});
        const held memory(prepared);
        compare(
            name, share, [&] { (void)prepared.run(k_.data(), factors_.get()); },
            [&] { std::copy(k_.begin(), k_.end(), work_.begin()); }, theirs);
    }

    void solve(const char* name, std::int64_t sides) {
        const steps::side_loop columns{sides, 1, 1};
        steps::linear_solve what;
        what.type = element_v<T>;
        what.size = n_;
        what.x_row = what.y_row = sides;
        what.columns = {&columns, 1};
        const linear::prepared_solve prepared(what);
        const held memory(prepared);
        compare(
            name, 2 * static_cast<double>(sides) / static_cast<double>(n_),
            [&] { prepared.run(factors_.get(), y_.data(), x_.data()); },
            [&] { std::copy(y_.begin(), y_.begin() + n_ * sides, x_.begin()); },
            [&] {
                peer<T>::solve(static_cast<int>(n_), static_cast<int>(sides), work_.data(),
                               pivots_.data(), x_.data());
            });
    }

    void make_positive_definite() {
        const auto at = [&](std::int64_t i, std::int64_t j) -> T& {
            return k_[static_cast<std::size_t>(i * n_ + j)];
        };
        for (std::int64_t i = 0; i < n_; ++i) {
            for (std::int64_t j = 0; j < i; ++j) at(j, i) = at(i, j);
            at(i, i) += static_cast<T>(n_);
        }
    }

    std::int64_t n_;
    bool alone_;
    product<T> product_;
    std::vector<T> k_, y_, x_, work_;
    bytes factors_;
    std::vector<int> pivots_;
};

template <class T>
void measure_small(const char* type, std::int64_t count, std::int64_t n, factor_kind kind,
                   bool alone) {
    std::vector<T> k = random_numbers<T>(count * n * n, 5);
    const std::vector<T> y = random_numbers<T>(count * n, 6);
    std::vector<T> x(y.size());
    if (kind == factor_kind::cholesky) {
        for (std::int64_t b = 0; b < count; ++b)
            for (std::int64_t i = 0; i < n; ++i) {
                for (std::int64_t j = 0; j < i; ++j)
                    k[static_cast<std::size_t>((b * n + j) * n + i)] =
                        k[static_cast<std::size_t>((b * n + i) * n + j)];
                k[static_cast<std::size_t>((b * n + i) * n + i)] += static_cast<T>(n);
            }
    }
    const bytes factors = allocate(linear::factor_bytes(element_v<T>, kind, n, count));
    const steps::matrix_loop batch{count, n * n};
    const steps::side_loop sides{count, n, n};
    const linear::prepared_factorization prepared({element_v<T>, kind, n, n, 1, {&batch, 1}});
    steps::linear_solve what;
    what.type = element_v<T>;
    what.kind = kind;
    what.size = n;
    what.batch = {&sides, 1};
    const linear::prepared_solve solve(what);
    const held factor_memory(prepared);
    const held solve_memory(solve);
    const auto factor = [&] { (void)prepared.run(k.data(), factors.get()); };
    const auto both = [&] {
        factor();
        solve.run(factors.get(), y.data(), x.data());
    };
    const auto [f, b] = measure(alone, factor, both);
    const double each = 1e9 / static_cast<double>(count);
    fmt::print(
        "{:>6} {} of {} x {}, {}: {:.1f} ns each, {:.1f} ns with a right-hand side (best "
        "{:.1f})\n",
        count, type, n, n, kind == factor_kind::lu ? "LU" : "Cholesky", f.median * each,
        b.median * each, b.best * each);
}

}  // namespace

int main(int argc, char** argv) {
    const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
    const std::int64_t size = argc > 2 ? std::atoll(argv[2]) : 1000;
    ricci::threads(threads);
    bench::set_blas_threads(threads);
    fmt::print("{} threads; OpenBLAS: {}\n", threads, bench::blas_core());
    const bool alone = threads == 1;
    fmt::print("double\n");
    for (const std::int64_t n : {size / 4, size, 2 * size}) large_case<double>(n, alone).run();
    fmt::print("float\n");
    large_case<float>(size, alone).run();
    for (const factor_kind kind : {factor_kind::lu, factor_kind::cholesky}) {
        for (const std::int64_t n : {2, 3, 4, 8, 16, 32})
            measure_small<float>("floats", 10000, n, kind, alone);
        for (const std::int64_t n : {4, 16})
            measure_small<double>("doubles", 10000, n, kind, alone);
    }
    return 0;
}
