// A contraction, prepared once and run many times: chooses how.
#include "src/contract/contraction.hpp"

#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "src/contract/interleaved_batch.hpp"
#include "src/contract/blocked.hpp"
#include "src/contract/direct.hpp"
#include "src/contract/packed_batch.hpp"
#include "src/contract/index_groups.hpp"
#include "src/contract/vector_product.hpp"
#include "src/contract/empty_sum.hpp"
#include "src/contract/transposed_output.hpp"
#include "src/kernels/gemm/gemm.hpp"
#include "src/kernels/gemm/gemm_complex.hpp"
#include "src/kernels/gemm/gemm_narrow.hpp"

namespace ricci::contract {
namespace {

// The loops and kernels that conjugate what is to be conjugated are at hand: what suits them best.
template <class T, class Stored>
std::unique_ptr<const strategy> choose_strategy(index_groups groups,
                                                const kernels::kernel_table<T, Stored>& table) {
    if (is_empty(groups)) return std::make_unique<empty_sum<T, Stored>>(groups);
    if (suits_vector_product(groups))
        return std::make_unique<vector_product<T, Stored>>(std::move(groups), table);
    if (suits_interleaved_batch(groups, table.lanes, !std::is_same_v<T, Stored>))
        return std::make_unique<interleaved_batch<T, Stored>>(std::move(groups), table);
    if constexpr (std::is_arithmetic_v<T> && std::is_same_v<T, Stored>) {
        if (table.transpose != nullptr && suits_packed_batch(groups, table.lanes, sizeof(T)))
            return std::make_unique<packed_batch<T>>(std::move(groups), table);
        if (suits_transposed_output(groups, table))
            return std::make_unique<transposed_output<T>>(std::move(groups), table);
        if (suits_direct(groups, table)) return std::make_unique<direct<T>>(groups, table);
    }
    return std::make_unique<blocked<T, Stored>>(std::move(groups), table);
}

template <class T>
std::unique_ptr<const strategy> choose(const steps::contraction& what, kernel_choice chosen) {
    const kernels::kernel_table<T>& table = chosen == kernel_choice::best
                                                ? kernels::gemm_kernels<T>()
                                                : kernels::scalar_gemm_kernels<T>();
    return choose_strategy(make_index_groups(what, table.lanes), table);
}

template <class S>
std::unique_ptr<const strategy> choose_narrow(const steps::contraction& what,
                                              kernel_choice chosen) {
    const kernels::kernel_table<float, S>& table = chosen == kernel_choice::best
                                                       ? kernels::narrow_gemm_kernels<S>()
                                                       : kernels::scalar_narrow_gemm_kernels<S>();
    return choose_strategy(make_index_groups(what, table.lanes), table);
}

template <class T>
std::unique_ptr<const strategy> choose_complex(const steps::contraction& what,
                                               kernel_choice chosen) {
    const auto table = [&](bool a, bool b) -> const kernels::kernel_table<T>& {
        return chosen == kernel_choice::best ? kernels::complex_gemm_kernels<T>(a, b)
                                             : kernels::scalar_complex_gemm_kernels<T>(a, b);
    };
    index_groups groups = make_index_groups(what, table(false, false).lanes);
    const auto& kernels = groups.origin.swapped ? table(what.conjugate_b, what.conjugate_a)
                                         : table(what.conjugate_a, what.conjugate_b);
    return choose_strategy(std::move(groups), kernels);
}

std::unique_ptr<const strategy> choose_for_type(const steps::contraction& what,
                                                kernel_choice kernels) {
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
    return nullptr;
}

}  // namespace

prepared_contraction::prepared_contraction(const steps::contraction& what, kernel_choice kernels)
    : strategy_(choose_for_type(what, kernels)) {}

}  // namespace ricci::contract
