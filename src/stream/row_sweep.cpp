// A streamed group carried out row tile by row tile.
#include "src/stream/row_sweep.hpp"

#include <algorithm>
#include <utility>

#include "src/contract/buffers.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::stream {
namespace {

constexpr double flops_per_task = 4e5;

}  // namespace

template <class T>
row_sweep<T>::row_sweep(const plan::stream& what, const kernels::stream_table<T>& table,
                        const kernels::kernel_table<T>& packing)
    : tiles_(what, table, packing) {
    double work = 0;
    for (const auto& p : what.products) work += static_cast<double>(flatten(p.contracted).total);
    for (const auto& s : what.sinks) {
        sinks_.emplace_back(s, tiles_);
        work += static_cast<double>(flatten(s.values).total);
    }
    scratch_ = tiles_.take(row_sink<T>::scratch(sinks_, tiles_));
    tiles_.check_room();
    const geometry& g = tiles_.shape();
    tiles_.find_schedule(std::max<std::int64_t>(g.column.extent, 1));
    work *= 2 * static_cast<double>(tiles_.sizes().full.width) *
            static_cast<double>(g.column.extent * iterations(g.other_columns));
    units_per_task_ =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(flops_per_task / (1 + work)));
}

template <class T>
void row_sweep<T>::run(void* const* bases, const double* numbers) const {
    const geometry& g = tiles_.shape();
    const std::int64_t rows = iterations(g.other_rows), row_tiles = tiles_.row_tiles();
    const std::int64_t units = iterations(g.batch) * rows * row_tiles;
    auto body = [&](std::int64_t number, int worker) {
        auto t = tiles_.start(contract::worker_memory(worker), bases, numbers);
        const std::int64_t first = number * units_per_task_;
        for (std::int64_t u = first; u < std::min(units, first + units_per_task_); ++u) {
            std::copy(g.offset.begin(), g.offset.end(), t.origin);
            move(g.batch, u / row_tiles / rows, t.origin);
            move(g.other_rows, u / row_tiles % rows, t.origin);
            // Later rows first: where masks leave more of them, the long tasks do not come last.
            tiles_.choose_rows(t, row_tiles - 1 - u % row_tiles);
            run_rows(t);
        }
    };
    runtime::parallel_for((units + units_per_task_ - 1) / units_per_task_, body);
}

template <class T>
void row_sweep<T>::run_rows(tile_task<T>& t) const {
    const geometry& g = tiles_.shape();
    std::copy_n(t.origin, g.operands(), t.at);
    tiles_.pack_rows(t);
    tiles_.forget_scores(t);
    for (const auto& s : sinks_) s.clear(t);
    const std::int64_t others = iterations(g.other_columns);
    for (std::int64_t other = 0; other < others; ++other) {
        std::copy_n(t.origin, g.operands(), t.at);
        move(g.other_columns, other, t.at);
        auto columns = tiles_.ranges(t, 0, g.column.extent);
        for (tile_range range; tiles_.make_next(t, columns, range);)
            for (const auto& s : sinks_) s.add(t, range, t.address(scratch_));
    }
    std::copy_n(t.origin, g.operands(), t.at);
    tiles_.write_log_sum_exp(t, t.address(scratch_));
    for (std::size_t k = 0; k < sinks_.size(); ++k)
        sinks_[k].finish(t, t.numbers[tiles_.products() + static_cast<std::int64_t>(k)], true,
                         t.address(scratch_));
}

template <class T>
std::string row_sweep<T>::words() const {
    return "tiles of " + std::to_string(tiles_.sizes().full.rows) + " x " +
           std::to_string(tiles_.sizes().columns);
}

template class row_sweep<float>;
template class row_sweep<double>;

}  // namespace ricci::stream
