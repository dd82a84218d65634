// A fused group carried out column block by column block.
#include "src/fused/columns_outside.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "src/fused/task_memory.hpp"
#include "src/runtime/buffers.hpp"

namespace ricci::fused {
namespace {

constexpr std::int64_t most_block_columns = 512;
constexpr std::int64_t block_bytes = 512
                                     << 10;  // of sums over rows, half of the second cache or less
constexpr std::int64_t enough_column_tasks = 16;
constexpr double flops_per_task = 4e5;

}  // namespace

template <class T>
columns_outside<T>::columns_outside(const steps::fused_group& what,
                                    const kernels::fused_table<T>& table,
                                    const kernels::kernel_table<T>& packing)
    : tiles_(what, table, packing) {
    choose_blocks(what);
    tiles_.keep_columns_near();
    std::vector<row_consumer<T>> rows;
    for (std::size_t k = 0; k < what.consumers.size(); ++k) {
        const auto number = tiles_.products() + static_cast<std::int64_t>(k);
        if (what.consumers[k].added) {
            line_consumers_.push_back({{what.consumers[k], tiles_, block_columns_}, number});
        } else if (what.consumers[k].summed == steps::loop_role::batch) {
            plane_consumers_.push_back(
                {{what.consumers[k], tiles_, block_columns_, units()}, number});
        } else if (what.consumers[k].summed == steps::loop_role::row) {
            column_consumers_.push_back(
                {{what.consumers[k], tiles_, block_columns_, units() == 1}, number});
            at_once_ = at_once_ || column_consumers_.back().consumer.is_at_once();
        } else {
            row_consumers_.push_back({{what.consumers[k], tiles_}, number});
            rows.push_back(row_consumers_.back().consumer);
        }
    }
    std::size_t scratch = row_consumer<T>::scratch(rows, tiles_);
    if (!plane_consumers_.empty()) scratch = std::max(scratch, plane_consumer<T>::scratch(tiles_));
    scratch_ = tiles_.take(scratch);
    shared_ = tiles_.take(tiles_.shared_elements());
    for (auto& s : plane_consumers_) {
        s.consumer.gather_if_room(tiles_);
        gathers_ = gathers_ || s.consumer.gathers();
    }
    if (split_ || gathers_) tiles_.keep_copies();
    tiles_.check_room();
    tiles_.find_schedule(block_columns_);
    runtime::worker_memory(0);  // now, not in the middle of a run
    order_.reserve(tasks());
}

template <class T>
void columns_outside<T>::choose_blocks(const steps::fused_group& what) {
    const geometry& g = tiles_.shape();
    batches_ = iterations(g.batch);
    batch_tasks_ = batches_ / std::max<std::int64_t>(g.summed, 1);
    std::int64_t bytes = 1;  // of a column
    for (const auto& s : what.consumers)
        if (s.summed == steps::loop_role::row)
            bytes += steps::numbers_carried(s) *
                     rounded_up(flatten(s.values).total, tiles_.packing().lanes) *
                     static_cast<std::int64_t>(sizeof(T));
    const std::int64_t unit = tiles_.sizes().columns;
    const std::int64_t others = iterations(g.other_columns);
    const std::int64_t fair = g.column.extent * batch_tasks_ * others / enough_column_tasks;
    block_columns_ = std::min({most_block_columns, block_bytes / bytes, fair});
    block_columns_ = std::max<std::int64_t>(1, block_columns_ / unit) * unit;
    blocks_ = others * ((g.column.extent + block_columns_ - 1) / block_columns_);
    split_ = batch_tasks_ < enough_column_tasks;
    double work = 0;  // for a number of a tile
    for (const auto& p : what.products) work += static_cast<double>(flatten(p.contracted).total);
    for (const auto& s : what.consumers) work += static_cast<double>(flatten(s.values).total);
    work *= 2 * static_cast<double>(g.summed * iterations(g.other_rows) * tiles_.row_tiles() *
                                    tiles_.sizes().full.width * g.column.extent * others);
    if (!split_)
        batches_per_task_ =
            std::max<std::int64_t>(1, static_cast<std::int64_t>(flops_per_task / (1 + work)));
    single_ = blocks_ == 1 && units() == 1;
}

template <class T>
std::int64_t columns_outside<T>::tasks() const {
    return split_ ? batch_tasks_ * blocks_
                  : (batch_tasks_ + batches_per_task_ - 1) / batches_per_task_;
}

// Tiles of rows that a block goes through.
template <class T>
std::int64_t columns_outside<T>::units() const {
    return iterations(tiles_.shape().other_rows) * tiles_.row_tiles();
}

template <class T>
runtime::loan_list columns_outside<T>::loans() const {
    return {{tiles_.bounds().bytes()}, task_memory::loan_of(tiles_.bytes(), tasks())};
}

template <class T>
void columns_outside<T>::run(void* const* bases, const double* numbers) const {
    const found_bounds<T> found(tiles_.bounds(), bases);
    auto body = [&](runtime::turn& mine, std::int64_t task, int worker) {
        const std::int64_t summed = batches_ / batch_tasks_;
        // All of a sum, where a block of it is added up before it is written.
        const std::int64_t at_once = gathers_ ? summed : 1;
        const std::int64_t first = (split_ ? task / blocks_ : task * batches_per_task_) * summed;
        const std::int64_t end = std::min(batches_, first + batches_per_task_ * summed);
        const task_memory own(worker, tiles_.bytes());
        auto t = tiles_.start(own.data(), bases, numbers, found.trees());
        t.shared = t.address(shared_);
        if (split_) {
            clear_planes(t);
            for (std::int64_t batch = first; batch < end; ++batch) {
                run_block(t, mine, batch, task % blocks_);
                mine.advance((batch - first + 1) * (units() + 1));
            }
            finish_planes(t, first, task % blocks_);
            return;
        }
        for (std::int64_t batch = first; batch < end; batch += at_once)
            for (std::int64_t block = 0; block < blocks_; ++block) {
                clear_planes(t);
                for (std::int64_t b = batch; b < batch + at_once; ++b) run_block(t, mine, b, block);
                finish_planes(t, batch, block);
            }
    };
    if (batches_ == 0) return;
    runtime::parallel_for_in_turns(order_, tasks(), body);
}

// Where a block of a batch begins; returns its first column.
template <class T>
std::int64_t columns_outside<T>::choose_block(tile_task<T>& t, std::int64_t batch,
                                              std::int64_t block) const {
    const geometry& g = tiles_.shape();
    const std::int64_t runs = blocks_ / iterations(g.other_columns);
    std::copy(g.offset.begin(), g.offset.end(), t.origin);
    move(g.batch, batch, t.origin);
    move(g.other_columns, block / runs, t.origin);
    return block % runs * block_columns_;
}

template <class T>
void columns_outside<T>::run_block(tile_task<T>& t, runtime::turn& mine, std::int64_t batch,
                                   std::int64_t block) const {
    const geometry& g = tiles_.shape();
    const std::int64_t first = choose_block(t, batch, block);
    const std::int64_t end = std::min(g.column.extent, first + block_columns_);
    const std::int64_t units = this->units();
    // Other blocks of this batch are other tasks, with as many batches as this one before it.
    const bool in_turns = split_ && block > 0;
    const std::int64_t done = batch % (batches_ / batch_tasks_) * (units + 1);
    if (single_ && sum_at_once(t, batch)) return;

    for (const auto& s : column_consumers_)
        if (!s.consumer.is_at_once()) s.consumer.clear(t, end - first);
    for (const auto& s : line_consumers_) s.consumer.clear(t);
    const std::int64_t row_tiles = tiles_.row_tiles();
    // The first block begins all sums over columns, and what is written has to be written.
    const bool skips =
        (block > 0 || row_consumers_.empty()) && plane_consumers_.empty() && !at_once_;
    for (std::int64_t unit = 0; unit < units; ++unit) {
        std::copy_n(t.origin, g.operands(), t.at);
        move(g.other_rows, unit / row_tiles, t.at);
        // Later rows first: masks mostly hide early rows from late columns, and a block that waits
        // for the one before it would wait longer.
        const std::int64_t row_tile = row_tiles - 1 - unit % row_tiles;
        const std::int64_t empty = skips ? tiles_.empty_row_tiles(t, row_tile, first, end) : 0;
        if (empty > 0) {
            unit += empty - 1;
            if (!skip_rows(mine, in_turns, done + unit + 1)) return;
            continue;
        }
        tiles_.choose_rows(t, row_tile);
        const bool added = run_rows(t, batch, first, end, unit, block == 0);
        if (row_consumers_.empty()) continue;
        // Blocks add to the sums one after another. Where it is not known beforehand which of them
        // have nothing to add, the order has to hold through those, too.
        if (in_turns && (added || !tiles_.has_schedule()) &&
            !mine.wait_for(block - adds_before(block, row_tile), done + unit + 1))
            return;
        if (added)
            for (const auto& s : row_consumers_)
                s.consumer.finish(t, t.numbers[s.number], block == 0, t.address(scratch_));
        if (split_) mine.advance(done + unit + 1);
    }
    std::copy_n(t.origin, g.operands(), t.at);
    for (const auto& s : column_consumers_)
        if (!s.consumer.is_at_once()) s.consumer.finish(t, first, end, t.numbers[s.number], true);
    if (line_consumers_.empty()) return;
    // Lines of one block cross those of others: one block after another adds its own.
    if (in_turns && !mine.wait_for(1, done + units + 1)) return;
    for (const auto& s : line_consumers_) s.consumer.finish(t, first, t.numbers[s.number]);
}

// The block is done with rows to which it adds nothing. False where a task has failed.
template <class T>
bool columns_outside<T>::skip_rows(runtime::turn& mine, bool in_turns, std::int64_t done) const {
    if (row_consumers_.empty()) return true;
    if (in_turns && !tiles_.has_schedule() && !mine.wait_for(1, done)) return false;
    if (split_) mine.advance(done);
    return true;
}

// The last block before this one that adds something to a tile of rows, as far as that is known.
template <class T>
std::int64_t columns_outside<T>::adds_before(std::int64_t block, std::int64_t row_tile) const {
    const std::int64_t runs = blocks_ / iterations(tiles_.shape().other_columns);
    std::int64_t before = block - 1;
    while (before > 0 && tiles_.has_schedule() &&
           tiles_.is_empty(row_tile, before % runs * block_columns_))
        --before;
    return before;
}

// One tile is all there is: its sums need not be kept. False where it is more, or nothing.
template <class T>
bool columns_outside<T>::sum_at_once(tile_task<T>& t, std::int64_t batch) const {
    const geometry& g = tiles_.shape();
    const std::int64_t end = g.column.extent;
    std::copy_n(t.origin, g.operands(), t.at);
    tiles_.choose_rows(t, 0);
    auto columns = tiles_.ranges(t, 0, end);
    if (!tiles_.is_last(columns)) return false;
    tiles_.pack_rows(t);
    tile_range range;
    tiles_.make_next(t, columns, range);
    T* const scratch = t.address(scratch_);
    for (const auto& s : row_consumers_) s.consumer.sum(t, range, t.numbers[s.number], scratch);
    for (const auto& s : column_consumers_)
        s.consumer.sum(t, range, end, t.numbers[s.number], scratch);
    add_nothing(t, batch, 0, range.column);
    add_planes(t, batch, range, 0, 0);
    add_nothing(t, batch, range.column_end, end);
    for (const auto& s : line_consumers_) {
        s.consumer.clear(t);
        s.consumer.add(t, range, 0);
        s.consumer.finish(t, 0, t.numbers[s.number]);
    }
    return true;
}

// A tile of rows: what the block's columns add to the sums over columns, and it to those over rows.
// False where there is nothing to add.
template <class T>
bool columns_outside<T>::run_rows(tile_task<T>& t, std::int64_t batch, std::int64_t block,
                                  std::int64_t end, std::int64_t unit, bool first_block) const {
    auto columns = tiles_.ranges(t, block, end);
    if (!first_block && !tiles_.counts(t, columns)) {
        add_nothing(t, batch, block, end);
        return false;
    }
    tiles_.pack_rows(t);
    for (const auto& s : column_consumers_) s.consumer.pack(t);
    std::int64_t done = block;  // columns up to here have been added, or do not count
    bool first = true;
    for (tile_range range; tiles_.make_next(t, columns, range); done = range.column_end) {
        add_nothing(t, batch, done, range.column);
        for (const auto& s : column_consumers_)
            if (s.consumer.is_at_once()) s.consumer.write(t, range, t.numbers[s.number]);
            else s.consumer.add(t, range, block);
        for (const auto& s : row_consumers_) s.consumer.add(t, range, first, t.address(scratch_));
        for (const auto& s : line_consumers_) s.consumer.add(t, range, block);
        add_planes(t, batch, range, block, unit);
        first = false;
    }
    if (first)
        for (const auto& s : row_consumers_) s.consumer.clear(t);
    add_nothing(t, batch, done, end);
    return true;
}

template <class T>
void columns_outside<T>::add_planes(const tile_task<T>& t, std::int64_t batch,
                                    const tile_range& range, std::int64_t block,
                                    std::int64_t unit) const {
    for (const auto& s : plane_consumers_)
        if (s.consumer.gathers()) s.consumer.gather(t, range, block, unit);
        else
            s.consumer.add(t, range, t.numbers[s.number], s.consumer.is_first(batch),
                           t.address(scratch_));
}

template <class T>
void columns_outside<T>::clear_planes(const tile_task<T>& t) const {
    for (const auto& s : plane_consumers_)
        if (s.consumer.gathers()) s.consumer.clear(t);
}

// What the batches of a sum have added up of a block.
template <class T>
void columns_outside<T>::finish_planes(tile_task<T>& t, std::int64_t batch,
                                       std::int64_t block) const {
    if (!gathers_) return;
    const std::int64_t first = choose_block(t, batch, block);
    const std::int64_t end = std::min(tiles_.shape().column.extent, first + block_columns_);
    const std::int64_t row_tiles = tiles_.row_tiles();
    for (std::int64_t unit = 0; unit < units(); ++unit) {
        std::copy_n(t.origin, tiles_.shape().operands(), t.at);
        move(tiles_.shape().other_rows, unit / row_tiles, t.at);
        tiles_.choose_rows(t, row_tiles - 1 - unit % row_tiles);
        for (const auto& s : plane_consumers_)
            if (s.consumer.gathers())
                s.consumer.finish(t, first, end, unit, t.numbers[s.number], t.address(scratch_));
    }
}

template <class T>
void columns_outside<T>::add_nothing(const tile_task<T>& t, std::int64_t batch, std::int64_t column,
                                     std::int64_t end) const {
    if (column >= end) return;
    for (const auto& s : column_consumers_)
        if (s.consumer.is_at_once()) s.consumer.write_nothing(t, column, end);
    for (const auto& s : plane_consumers_)
        if (!s.consumer.gathers())
            s.consumer.add_nothing(t, {t.row, t.row + t.width.rows, column, end},
                                   s.consumer.is_first(batch));
}

template <class T>
std::string columns_outside<T>::describe() const {
    return fmt::format("tiles of {} x {}, columns in blocks of {}", tiles_.sizes().full.rows,
                       tiles_.sizes().columns, block_columns_);
}

template class columns_outside<float>;
template class columns_outside<double>;

}  // namespace ricci::fused
