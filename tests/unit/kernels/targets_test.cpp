// A processor without any SIMD target of the library runs the kernels that need none: one may be
// older than the machine that built the library with -Dtargets=native.
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ricci/ricci.hpp>

#include "src/kernels/fused/fused.hpp"
#include "src/kernels/gemm/gemm.hpp"
#include "src/kernels/gemm/gemm_complex.hpp"
#include "src/kernels/gemm/gemm_narrow.hpp"
#include "src/kernels/targets.hpp"
#include "tests/catch.hpp"

using namespace ricci::literals;
using namespace ricci::kernels;

namespace {

struct on_lesser_cpu {
    on_lesser_cpu() { force_lesser_cpu(); }
    ~on_lesser_cpu() { reset_target(); }
};

// Of a library with -Dtargets=own there is nothing lesser to run.
bool has_one_target() { return supported_targets().size() == 1; }

// What every processor of an architecture runs; of x86-64 that is SSE2 since Highway 1.1.
bool is_baseline(const std::string& target) {
    return target == "SCALAR" || target == "EMU128" || target == "SSE2" || target == "NEON";
}

}  // namespace

TEST_CASE("a lesser processor gets the kernels of the baseline", "[targets]") {
    if (has_one_target()) return;
    const on_lesser_cpu lesser;
    CHECK(is_baseline(gemm_kernels<float>().target));
    CHECK(is_baseline(gemm_kernels<double>().target));
    CHECK(is_baseline(gemm_kernels<std::uint32_t>().target));
    CHECK(is_baseline(gemm_kernels<std::uint64_t>().target));
    CHECK(is_baseline(complex_gemm_kernels<std::complex<float>>(false, false).target));
    CHECK(is_baseline(complex_gemm_kernels<std::complex<double>>(false, false).target));
    CHECK(is_baseline(narrow_gemm_kernels<ricci::bf16>().target));
    CHECK(is_baseline(fused_kernels<float>().target));
    CHECK(is_baseline(fused_kernels<double>().target));
}

TEST_CASE("a lesser processor computes the same", "[targets]") {
    constexpr auto attention = R"(
        S^{ij} = Q^{ia} K^{ja}
        O^{ic} = \operatorname{softmax}_j(S^{ij}) V^{jc}
        L = \sum_i \exp(-O^{ic} O^{ic})
    )"_eq;
    ricci::tensor<double, 2> q({40, 6}), k({50, 6}), v({50, 5});
    for (std::size_t i = 0; i < 40; ++i)
        for (std::size_t a = 0; a < 6; ++a) q(i, a) = 0.1 * static_cast<double>((i * 7 + a) % 11);
    for (std::size_t j = 0; j < 50; ++j) {
        for (std::size_t a = 0; a < 6; ++a) k(j, a) = 0.1 * static_cast<double>((j * 5 + a) % 13);
        for (std::size_t c = 0; c < 5; ++c) v(j, c) = 0.1 * static_cast<double>((j + c * 3) % 7);
    }
    const double best = attention("Q"_t = q, "K"_t = k, "V"_t = v)["L"_t]();
    const on_lesser_cpu lesser;
    const double there = attention("Q"_t = q, "K"_t = k, "V"_t = v)["L"_t]();
    CHECK(std::abs(there - best) <= 1e-12 * std::abs(best));
}
