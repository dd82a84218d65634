// A contraction, prepared once and run many times: the kernels of its element type.
#include "src/contract/contraction.hpp"

#include <complex>
#include <cstdint>
#include <memory>
#include <utility>

#include "src/contract/candidates.hpp"
#include "src/contract/edged.hpp"
#include "src/contract/index_groups.hpp"
#include "src/kernels/gemm/gemm.hpp"
#include "src/kernels/gemm/gemm_complex.hpp"
#include "src/kernels/gemm/gemm_narrow.hpp"

namespace ricci::contract {
namespace {

template <class T>
choice choose(const steps::contraction& what, kernel_choice chosen) {
    const kernels::kernel_table<T>& table = chosen == kernel_choice::best
                                                ? kernels::gemm_kernels<T>()
                                                : kernels::scalar_gemm_kernels<T>();
    return choose_strategy(make_index_groups(what, table.lanes), table);
}

template <class S>
choice choose_narrow(const steps::contraction& what, kernel_choice chosen) {
    const kernels::kernel_table<float, S>& table = chosen == kernel_choice::best
                                                       ? kernels::narrow_gemm_kernels<S>()
                                                       : kernels::scalar_narrow_gemm_kernels<S>();
    return choose_strategy(make_index_groups(what, table.lanes), table);
}

template <class T>
choice choose_complex(const steps::contraction& what, kernel_choice chosen) {
    const auto table = [&](bool a, bool b) -> const kernels::kernel_table<T>& {
        return chosen == kernel_choice::best ? kernels::complex_gemm_kernels<T>(a, b)
                                             : kernels::scalar_complex_gemm_kernels<T>(a, b);
    };
    index_groups groups = make_index_groups(what, table(false, false).lanes);
    const auto& kernels = groups.origin.swapped ? table(what.conjugate_b, what.conjugate_a)
                                                : table(what.conjugate_a, what.conjugate_b);
    return choose_strategy(std::move(groups), kernels);
}

choice choose_for_type(const steps::contraction& what, kernel_choice kernels) {
    switch (what.type) {
        case element::f32:
            return choose<float>(what, kernels);
        case element::f64:
            return choose<double>(what, kernels);
        // Sums and products wrap, which is the same for signed and unsigned numbers.
        case element::i32:
            return choose<std::uint32_t>(what, kernels);
        case element::i64:
            return choose<std::uint64_t>(what, kernels);
        case element::bf16:
            return choose_narrow<bf16>(what, kernels);
        case element::f16:
            return choose_narrow<f16>(what, kernels);
        case element::c64:
            return choose_complex<std::complex<float>>(what, kernels);
        case element::c128:
            return choose_complex<std::complex<double>>(what, kernels);
        case element::boolean:
            break;
    }
    return {};
}

choice choose_with_edges(const steps::contraction& what, kernel_choice kernels) {
    if (!has_edges(what)) return choose_for_type(what, kernels);
    auto how = std::make_unique<const edged>(
        what, [&](const steps::contraction& inside) { return choose_for_type(inside, kernels); });
    choice made;
    made.name = how->whole().name;
    made.estimate = how->whole().estimate;
    made.runner_up = how->whole().runner_up;
    made.runner_up_estimate = how->whole().runner_up_estimate;
    made.how = std::move(how);
    return made;
}

}  // namespace

prepared_contraction::prepared_contraction(const steps::contraction& what, kernel_choice kernels)
    : choice_(choose_with_edges(what, kernels)) {}

}  // namespace ricci::contract
