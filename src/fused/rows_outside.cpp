// A fused group carried out row tile by row tile.
#include "src/fused/rows_outside.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "src/fused/task_memory.hpp"
#include "src/runtime/buffers.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::fused {
namespace {

constexpr double flops_per_row_task = 4e5;
// Batches of a task that serve one copy of a plane, as long as there are enough tasks.
constexpr std::int64_t batches_of_copies = 16, enough_row_tasks = 32;

}  // namespace

template <class T>
rows_outside<T>::rows_outside(const steps::fused_group& what, const kernels::fused_table<T>& table,
                              const kernels::kernel_table<T>& packing)
    : tiles_(what, table, packing) {
    double work = 0;
    for (const auto& p : what.products) work += static_cast<double>(flatten(p.contracted).total);
    for (const auto& s : what.consumers) {
        consumers_.emplace_back(s, tiles_);
        work += static_cast<double>(flatten(s.values).total);
    }
    scratch_ = tiles_.take(row_consumer<T>::scratch(consumers_, tiles_));
    const geometry& g = tiles_.shape();
    tiles_.place_columns(work);
    work *= 2 * static_cast<double>(tiles_.sizes().full.width);
    others_ = iterations(g.other_columns);
    parts_ = column_parts<T>(what, tiles_, consumers_, units(), work);
    if (parts_.count() == 1) tiles_.keep_copies();
    tiles_.check_room();
    tiles_.find_schedule(parts_.columns());
    work *= static_cast<double>(g.column.extent * others_);
    units_per_task_ =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(flops_per_row_task / (1 + work)));
    if (tiles_.keeps_copies())
        units_per_task_ = std::max(units_per_task_, std::min(batches_of_copies * tiles_.row_tiles(),
                                                             units() / enough_row_tasks));
    runtime::worker_memory(0);  // now, not in the middle of a run
}

// A tile of rows of one iteration of the loops around it.
template <class T>
std::int64_t rows_outside<T>::units() const {
    const geometry& g = tiles_.shape();
    return iterations(g.batch) * iterations(g.other_rows) * tiles_.row_tiles();
}

template <class T>
std::int64_t rows_outside<T>::tasks() const {
    return (units() + units_per_task_ - 1) / units_per_task_;
}

template <class T>
std::size_t rows_outside<T>::kept_bytes() const {
    return static_cast<std::size_t>(units() * parts_.count() * parts_.kept()) * sizeof(T);
}

template <class T>
runtime::loan_list rows_outside<T>::loans() const {
    return {{kept_bytes()},
            {tiles_.bounds().bytes()},
            task_memory::loan_of(tiles_.bytes(), std::max(tasks(), units() * parts_.count()))};
}

template <class T>
void rows_outside<T>::run(void* const* bases, const double* numbers) const {
    const found_bounds<T> found(tiles_.bounds(), bases);
    if (parts_.count() > 1) return run_parts(bases, numbers, found.trees());
    const std::int64_t count = units();
    auto body = [&](std::int64_t number, int worker) {
        const task_memory own(worker, tiles_.bytes());
        auto t = tiles_.start(own.data(), bases, numbers, found.trees());
        const std::int64_t first = number * units_per_task_;
        for (std::int64_t u = first; u < std::min(count, first + units_per_task_); ++u) {
            choose_unit(t, u);
            tiles_.pack_rows(t);
            if (sum_at_once(t)) continue;
            add_columns(t, parts_.part(0));
            finish_rows(t);
        }
    };
    runtime::parallel_for(tasks(), body);
}

template <class T>
void rows_outside<T>::run_parts(void* const* bases, const double* numbers, const T* trees) const {
    const runtime::lent_memory memory(kept_bytes());
    T* const kept = reinterpret_cast<T*>(memory.data());
    const std::int64_t parts = parts_.count();
    auto add = [&](std::int64_t number, int worker) {
        const task_memory own(worker, tiles_.bytes());
        auto t = tiles_.start(own.data(), bases, numbers, trees);
        choose_unit(t, number / parts);
        tiles_.pack_rows(t);
        add_columns(t, parts_.part(number % parts));
        parts_.keep(t, consumers_, kept + number * parts_.kept());
    };
    runtime::parallel_for(units() * parts, add);
    auto merge = [&](std::int64_t unit, int worker) {
        const task_memory own(worker, tiles_.bytes());
        auto t = tiles_.start(own.data(), bases, numbers, trees);
        choose_unit(t, unit);
        forget_sums(t);
        parts_.merge(t, consumers_, kept + unit * parts * parts_.kept());
        finish_rows(t);
    };
    runtime::parallel_for(units(), merge);
}

template <class T>
void rows_outside<T>::choose_unit(tile_task<T>& t, std::int64_t unit) const {
    const geometry& g = tiles_.shape();
    const std::int64_t rows = iterations(g.other_rows), row_tiles = tiles_.row_tiles();
    std::copy(g.offset.begin(), g.offset.end(), t.origin);
    move(g.batch, unit / row_tiles / rows, t.origin);
    move(g.other_rows, unit / row_tiles % rows, t.origin);
    // Later rows first: where masks leave more of them, the long tasks do not come last.
    tiles_.choose_rows(t, row_tiles - 1 - unit % row_tiles);
    std::copy_n(t.origin, g.operands(), t.at);
}

// All columns that count are one range: the sums are complete with it, and need not be kept. False
// where they are not.
template <class T>
bool rows_outside<T>::sum_at_once(tile_task<T>& t) const {
    if (others_ != 1) return false;
    auto columns = tiles_.ranges(t, 0, tiles_.shape().column.extent);
    if (!tiles_.is_last(columns)) return false;
    tiles_.forget_scores(t);
    tile_range range;
    tiles_.make_next(t, columns, range);
    tiles_.write_sums(t, t.address(scratch_));
    for (std::size_t k = 0; k < consumers_.size(); ++k)
        consumers_[k].sum(t, range, t.numbers[tiles_.products() + static_cast<std::int64_t>(k)],
                          t.address(scratch_));
    return true;
}

template <class T>
void rows_outside<T>::forget_sums(const tile_task<T>& t) const {
    tiles_.forget_scores(t);
    for (const auto& s : consumers_) s.clear(t);
}

template <class T>
void rows_outside<T>::add_columns(tile_task<T>& t, const column_part& part) const {
    const geometry& g = tiles_.shape();
    tiles_.forget_scores(t);
    bool first = true;
    for (std::int64_t other = part.other; other < part.other_end; ++other) {
        std::copy_n(t.origin, g.operands(), t.at);
        move(g.other_columns, other, t.at);
        auto columns = tiles_.ranges(t, part.column, part.column_end);
        for (tile_range range; tiles_.make_next(t, columns, range); first = false)
            for (const auto& s : consumers_) s.add(t, range, first, t.address(scratch_));
    }
    if (first)
        for (const auto& s : consumers_) s.clear(t);
    std::copy_n(t.origin, g.operands(), t.at);
}

template <class T>
void rows_outside<T>::finish_rows(tile_task<T>& t) const {
    tiles_.write_sums(t, t.address(scratch_));
    for (std::size_t k = 0; k < consumers_.size(); ++k)
        consumers_[k].finish(t, t.numbers[tiles_.products() + static_cast<std::int64_t>(k)], true,
                             t.address(scratch_));
}

template <class T>
std::string rows_outside<T>::describe() const {
    return fmt::format("tiles of {} x {}{}", tiles_.sizes().full.rows, tiles_.sizes().columns,
                       parts_.describe());
}

template class rows_outside<float>;
template class rows_outside<double>;

}  // namespace ricci::fused
