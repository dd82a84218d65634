// Speed of every element type: products of square matrices, a matrix by a vector, and an element-wise
// pass. Beside each stands how long float takes for the same shape and, for complex matrices, how long
// OpenBLAS takes where it is installed; all are timed in turns with float or that peer.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <type_traits>
#include <vector>

#ifdef RICCI_BENCH_OPENBLAS
#include <cblas.h>
#endif

#include <ricci/element.hpp>
#include <ricci/plan/steps.hpp>

#include "bench/peak.hpp"
#include "bench/timing.hpp"
#include "src/contract/contraction.hpp"
#include "src/elementwise/map.hpp"
#include "src/runtime/parallel.hpp"

namespace {

using ricci::contract::prepared_contraction;
using ricci::plan::contraction_loop;
using ricci::plan::opcode;

template <class T>
constexpr bool complex = ricci::is_complex(ricci::element_v<T>);

template <class T>
std::vector<T> numbers(std::int64_t size) {
    std::vector<T> filled(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < filled.size(); ++i)
        filled[i] = ricci::plan::number(static_cast<double>(i % 31) / 16 - 1).as<T>();
    return filled;
}

/// A product of an m x k and a k x n matrix, ready to run.
template <class T>
class product {
public:
    product(std::int64_t m, std::int64_t n, std::int64_t k)
        : a_(numbers<T>(m * k)),
          b_(numbers<T>(k * n)),
          c_(numbers<T>(m * n)),
          m_{m, k, 0, n},
          n_{n, 0, 1, 1},
          k_{k, 1, n, 0},
          prepared_({ricci::element_v<T>, {}, {&m_, 1}, {&n_, 1}, {&k_, 1}}) {}
    void run() { prepared_.run(a_.data(), b_.data(), c_.data(), 1, 0); }
    /// The same by OpenBLAS; false where it has no such product.
    bool run_peer() {
#ifdef RICCI_BENCH_OPENBLAS
        if constexpr (complex<T>) {
            const T one = 1, zero = 0;
            const auto m = static_cast<blasint>(m_.extent), n = static_cast<blasint>(n_.extent);
            const auto k = static_cast<blasint>(k_.extent);
            const auto gemm = sizeof(T) == 8 ? cblas_cgemm : cblas_zgemm;
            gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, &one, a_.data(), k, b_.data(),
                 n, &zero, c_.data(), n);
            return true;
        }
#endif
        return false;
    }

private:
    std::vector<T> a_, b_, c_;
    contraction_loop m_, n_, k_;
    prepared_contraction prepared_;
};

/// y = x * y + x over n numbers, ready to run.
template <class T>
class pass {
public:
    explicit pass(std::int64_t n)
        : x_(numbers<T>(n)), y_(numbers<T>(n)), extents_{n}, map_(describe()) {}
    void run() { map_.run(bases_); }

private:
    ricci::plan::map describe() {
        using ricci::plan::instruction;
        operands_ = {{0, strides_}, {0, strides_}, {0, strides_}};
        program_ = {{opcode::load, -1, -1, -1, 1, 0},
                    {opcode::load, -1, -1, -1, 2, 0},
                    {opcode::multiply, 0, 1, -1, -1, 0},
                    {opcode::add, 2, 0, -1, -1, 0}};
        bases_[0] = bases_[2] = y_.data();
        bases_[1] = x_.data();
        return {ricci::element_v<T>, ricci::plan::fold::none, extents_, 0, operands_, program_};
    }
    std::vector<T> x_, y_;
    std::vector<std::int64_t> extents_, strides_{1};
    std::vector<ricci::plan::map_operand> operands_;
    std::vector<ricci::plan::instruction> program_;
    void* bases_[3] = {};
    ricci::elementwise::prepared_map map_;
};

template <class T>
void row(const char* what, double seconds, double rate, const char* unit, double of_peak,
         double float_seconds, double peer_seconds) {
    std::printf("%-21s %-22s %10.3f %8.1f %s", ricci::name_of(ricci::element_v<T>), what,
                1e3 * seconds, rate, unit);
    if (of_peak > 0) std::printf(" %7.2f", of_peak);
    else std::printf("       -");
    std::printf(" %8.2f", float_seconds / seconds);
    if (peer_seconds > 0) std::printf(" %9.2f", peer_seconds / seconds);
    std::printf("\n");
}

template <class T>
void measure(double float_peak, double double_peak) {
    const auto nothing = [] {};
    const bool wide = std::is_same_v<T, double> || std::is_same_v<T, std::complex<double>> ||
                      std::is_same_v<T, std::int64_t>;
    for (const std::int64_t n : {256, 1024}) {
        product<T> mine(n, n, n);
        product<float> other(n, n, n);
        const auto [own, floats] = ricci::bench::time_in_turns(
            nothing, [&] { mine.run(); }, [&] { other.run(); }, 9);
        double peer = 0;
        if (mine.run_peer())
            peer = ricci::bench::time_in_turns(
                       nothing, [&] { mine.run(); }, [&] { mine.run_peer(); }, 9)
                       .second;
        const double flops = (complex<T> ? 8.0 : 2.0) * static_cast<double>(n * n * n);
        char name[32];
        std::snprintf(name, sizeof name, "%lld^3", static_cast<long long>(n));
        row<T>(name, own, 1e-9 * flops / own, "GFLOP/s",
               1e-9 * flops / own / (wide ? double_peak : float_peak), floats, peer);
    }
    {
        constexpr std::int64_t n = 4096;
        product<T> mine(n, 1, n);
        product<float> other(n, 1, n);
        const auto [own, floats] = ricci::bench::time_in_turns(
            nothing, [&] { mine.run(); }, [&] { other.run(); }, 9);
        row<T>("matrix-vector 4096", own, 1e-9 * n * n * sizeof(T) / own, "GB/s   ", 0, floats, 0);
    }
    {
        constexpr std::int64_t n = 1 << 22;
        pass<T> mine(n);
        pass<float> other(n);
        const auto [own, floats] = ricci::bench::time_in_turns(
            nothing, [&] { mine.run(); }, [&] { other.run(); }, 9);
        row<T>("x y + x, 4 M", own, 3e-9 * n * sizeof(T) / own, "GB/s   ", 0, floats, 0);
    }
}

}  // namespace

int main() {
    ricci::runtime::set_worker_count(1);
#ifdef RICCI_BENCH_OPENBLAS
    openblas_set_num_threads(1);
#endif
    const double float_peak = ricci::bench::peak_gflops<float>(1);
    const double double_peak = ricci::bench::peak_gflops<double>(1);
    std::printf("one thread; peak %.0f GFLOP/s float, %.0f double\n", float_peak, double_peak);
    std::printf("%-21s %-22s %10s %8s %-7s %7s %8s %9s\n", "type", "case", "ms", "rate", "",
                "of peak", "of float", "of peer");
    measure<float>(float_peak, double_peak);
    measure<double>(float_peak, double_peak);
    measure<std::complex<float>>(float_peak, double_peak);
    measure<std::complex<double>>(float_peak, double_peak);
    measure<ricci::bf16>(float_peak, double_peak);
    measure<ricci::f16>(float_peak, double_peak);
    measure<std::int32_t>(float_peak, double_peak);
    measure<std::int64_t>(float_peak, double_peak);
}
