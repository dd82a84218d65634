// A streamed group, prepared once and run many times.
#include "src/stream/stream.hpp"

#include <algorithm>

#include "src/stream/column_sweep.hpp"
#include "src/stream/row_sweep.hpp"

namespace ricci::stream {
namespace {

template <class T>
std::unique_ptr<const sweep> choose(const plan::stream& what, kernel_choice kernels) {
    const bool scalar = kernels == kernel_choice::scalar;
    const auto& table = scalar ? kernels::scalar_stream_kernels<T>() : kernels::stream_kernels<T>();
    const auto& packing = scalar ? kernels::scalar_gemm_kernels<T>() : kernels::gemm_kernels<T>();
    const bool columns = std::any_of(
        what.sinks.begin(), what.sinks.end(),
        [](const plan::stream_sink& s) { return s.summed != plan::stream_axis::column; });
    if (columns) return std::make_unique<column_sweep<T>>(what, table, packing);
    return std::make_unique<row_sweep<T>>(what, table, packing);
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

}  // namespace ricci::stream
