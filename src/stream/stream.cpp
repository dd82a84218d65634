// A streamed group, prepared once and run many times.
#include "src/stream/stream.hpp"

#include <algorithm>

#include "src/stream/chained_sweep.hpp"
#include "src/stream/column_sweep.hpp"
#include "src/stream/row_sweep.hpp"

namespace ricci::stream {
namespace {

template <class T>
const kernels::stream_table<T>& table_of(kernel_choice kernels) {
    return kernels == kernel_choice::scalar ? kernels::scalar_stream_kernels<T>()
                                            : kernels::stream_kernels<T>();
}
template <class T>
const kernels::kernel_table<T>& packing_of(kernel_choice kernels) {
    return kernels == kernel_choice::scalar ? kernels::scalar_gemm_kernels<T>()
                                            : kernels::gemm_kernels<T>();
}

template <class T>
std::unique_ptr<const sweep> choose(const plan::stream& what, kernel_choice kernels) {
    const auto& table = table_of<T>(kernels);
    const auto& packing = packing_of<T>(kernels);
    const bool columns = std::any_of(
        what.sinks.begin(), what.sinks.end(),
        [](const plan::stream_sink& s) { return s.summed != plan::stream_axis::column; });
    if (columns) return std::make_unique<column_sweep<T>>(what, table, packing);
    return std::make_unique<row_sweep<T>>(what, table, packing);
}

template <class T>
std::unique_ptr<const sweep> chained(const plan::stream_chain& what, kernel_choice kernels) {
    auto made =
        std::make_unique<chained_sweep<T>>(what, table_of<T>(kernels), packing_of<T>(kernels));
    if (!made->is_suitable()) return nullptr;
    return made;
}

}  // namespace

prepared_stream::prepared_stream(const plan::stream& what, kernel_choice kernels)
    : sweep_(what.type == element::f32 ? choose<float>(what, kernels)
                                       : choose<double>(what, kernels)) {}
prepared_stream::prepared_stream(prepared_stream&&) noexcept = default;
prepared_stream& prepared_stream::operator=(prepared_stream&&) noexcept = default;
prepared_stream::~prepared_stream() = default;

void prepared_stream::run(void* const* bases, const double* numbers) const {
    sweep_->run(bases, numbers);
}

std::string prepared_stream::words() const { return sweep_->words(); }

prepared_chain::prepared_chain(const plan::stream_chain& what, kernel_choice kernels)
    : sweep_(what.first.type == element::f32 ? chained<float>(what, kernels)
                                             : chained<double>(what, kernels)) {}
prepared_chain::prepared_chain(prepared_chain&&) noexcept = default;
prepared_chain& prepared_chain::operator=(prepared_chain&&) noexcept = default;
prepared_chain::~prepared_chain() = default;

void prepared_chain::run(void* const* bases, const double* numbers) const {
    sweep_->run(bases, numbers);
}

std::string prepared_chain::words() const { return sweep_->words(); }

}  // namespace ricci::stream
