// A plan that runs, in words.
#include "src/engine/plan_words.hpp"

#include <complex>

#include <fmt/core.h>

#include "src/kernels/gemm/gemm.hpp"
#include "src/kernels/gemm/gemm_complex.hpp"
#include "src/plan/words/explain.hpp"

namespace ricci::engine {
namespace {

template <class Table>
std::string kernel_words(const Table& k, element type, const char* computes = "") {
    return fmt::format("{}, {}{}, tiles of {} x {}", k.target, name_of(type), computes, k.mr,
                       k.vectors * k.lanes);
}

std::string kernel_words(element type) {
    using namespace kernels;
    switch (type) {
        case element::f32:
            return kernel_words(gemm_kernels<float>(), type);
        case element::f64:
            return kernel_words(gemm_kernels<double>(), type);
        case element::i32:
            return kernel_words(gemm_kernels<std::uint32_t>(), type);
        case element::i64:
            return kernel_words(gemm_kernels<std::uint64_t>(), type);
        case element::bf16:
        case element::f16:
            return kernel_words(gemm_kernels<float>(), type, " computed in float");
        case element::c64:
            return kernel_words(complex_gemm_kernels<std::complex<float>>(false, false), type);
        case element::c128:
            return kernel_words(complex_gemm_kernels<std::complex<double>>(false, false), type);
        case element::boolean:
            break;
    }
    return "";
}

}  // namespace

std::string words_of(const ir::program_view& program, const plan::program_plan& plan,
                     const execution& kernels) {
    return plan::explain(
        program, plan,
        [&](std::size_t step, std::size_t part) { return kernels.words(step, part); },
        kernel_words(plan.type));
}

}  // namespace ricci::engine
