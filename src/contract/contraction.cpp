// A contraction, prepared once and run many times: chooses how.
#include "src/contract/contraction.hpp"

#include <utility>

#include "src/contract/blocked.hpp"
#include "src/contract/index_groups.hpp"
#include "src/contract/streamed.hpp"
#include "src/kernels/gemm.hpp"

namespace ricci::contract {
namespace {

template <class T>
std::unique_ptr<const strategy> choose(const plan::contraction& what, kernel_choice chosen) {
    const kernels::kernel_table<T>& table = chosen == kernel_choice::best
                                                ? kernels::gemm_kernels<T>()
                                                : kernels::scalar_gemm_kernels<T>();
    index_groups groups = make_index_groups(what, table.lanes);
    if (worth_streaming(groups)) return std::make_unique<streamed<T>>(std::move(groups), table);
    return std::make_unique<blocked<T>>(std::move(groups), table);
}

}  // namespace

prepared_contraction::prepared_contraction(const plan::contraction& what, kernel_choice kernels)
    : strategy_(what.type == element::f32 ? choose<float>(what, kernels)
                                          : choose<double>(what, kernels)) {}

}  // namespace ricci::contract
