// A fused group, prepared once and run many times.
#include "src/fused/group.hpp"

#include <algorithm>
#include <utility>

#include "src/fused/row_blocks.hpp"
#include "src/fused/columns_outside.hpp"
#include "src/fused/pairs.hpp"
#include "src/fused/rows_outside.hpp"

namespace ricci::fused {
namespace {

template <class T>
const kernels::fused_table<T>& table_of(kernel_choice kernels) {
    return kernels == kernel_choice::scalar ? kernels::scalar_fused_kernels<T>()
                                            : kernels::fused_kernels<T>();
}
template <class T>
const kernels::kernel_table<T>& packing_of(kernel_choice kernels) {
    return kernels == kernel_choice::scalar ? kernels::scalar_gemm_kernels<T>()
                                            : kernels::gemm_kernels<T>();
}

template <class T>
std::unique_ptr<const loop_order> choose(const steps::fused_group& what, kernel_choice kernels) {
    if (kernels == kernel_choice::best) {
        const geometry g = make_geometry(what);
        if (auto body = pair_body_of(what, g)) {
            auto made =
                std::make_unique<pairs<T>>(what, g, std::move(*body), packing_of<T>(kernels));
            if (made->is_suitable()) return made;
        }
    }
    const auto& table = table_of<T>(kernels);
    const auto& packing = packing_of<T>(kernels);
    const bool columns = std::any_of(
        what.consumers.begin(), what.consumers.end(),
        [](const steps::tile_consumer& s) { return s.summed != steps::loop_role::column; });
    if (columns) return std::make_unique<columns_outside<T>>(what, table, packing);
    return std::make_unique<rows_outside<T>>(what, table, packing);
}

template <class T>
std::unique_ptr<const loop_order> chained(const steps::fused_chain& what, kernel_choice kernels) {
    auto made = std::make_unique<row_blocks<T>>(what, table_of<T>(kernels), packing_of<T>(kernels));
    if (!made->is_suitable()) return nullptr;
    return made;
}

}  // namespace

prepared_group::prepared_group(const steps::fused_group& what, kernel_choice kernels)
    : order_(what.type == element::f32 ? choose<float>(what, kernels)
                                       : choose<double>(what, kernels)) {}
prepared_group::prepared_group(prepared_group&&) noexcept = default;
prepared_group& prepared_group::operator=(prepared_group&&) noexcept = default;
prepared_group::~prepared_group() = default;

void prepared_group::run(void* const* bases, const double* numbers) const {
    order_->run(bases, numbers);
}

runtime::loan_list prepared_group::loans() const { return order_->loans(); }

std::string prepared_group::describe() const { return order_->describe(); }

prepared_chain::prepared_chain(const steps::fused_chain& what, kernel_choice kernels)
    : order_(what.first.type == element::f32 ? chained<float>(what, kernels)
                                             : chained<double>(what, kernels)) {}
prepared_chain::prepared_chain(prepared_chain&&) noexcept = default;
prepared_chain& prepared_chain::operator=(prepared_chain&&) noexcept = default;
prepared_chain::~prepared_chain() = default;

void prepared_chain::run(void* const* bases, const double* numbers) const {
    order_->run(bases, numbers);
}

runtime::loan_list prepared_chain::loans() const { return order_->loans(); }

std::string prepared_chain::describe() const { return order_->describe(); }

}  // namespace ricci::fused
