// Two groups carried out together, a block of rows at a time.
#include "src/fused/row_blocks.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "src/runtime/buffers.hpp"

namespace ricci::fused {
namespace {

// Of a task. What is kept leaves the nearer caches until it is read again, but each number of it
// saves as many operations as its product has.
constexpr std::size_t most_bytes = std::size_t{4} << 20;
constexpr std::int64_t enough_block_tasks = 16;

constexpr std::size_t to_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

kept_products kept_of(const steps::fused_chain& what, bool second) {
    kept_products kept;
    kept.reused = second;
    kept.place.assign((second ? what.second : what.first).products.size(), -1);
    for (std::size_t k = 0; k < what.kept.size(); ++k)
        kept.place[static_cast<std::size_t>(second ? what.kept[k].second : what.kept[k].first)] =
            static_cast<std::int32_t>(k);
    return kept;
}

// What a number of a tile costs.
double work_of(const steps::fused_group& what) {
    double work = 0;
    for (const auto& p : what.products) work += static_cast<double>(flatten(p.contracted).total);
    for (const auto& s : what.consumers) work += static_cast<double>(flatten(s.values).total);
    return work;
}

}  // namespace

template <class T>
row_blocks<T>::row_blocks(const steps::fused_chain& what, const kernels::fused_table<T>& table,
                          const kernels::kernel_table<T>& packing)
    : row_blocks(chain_operands(what), what, table, packing) {}

template <class T>
row_blocks<T>::row_blocks(const chain_operands& operands, const steps::fused_chain& what,
                          const kernels::fused_table<T>& table,
                          const kernels::kernel_table<T>& packing)
    : first_(operands.first(), table, packing, kept_of(what, false)),
      second_(operands.second(), table, packing, kept_of(what, true)),
      // Whole lines, for what lies behind.
      panels_(rounded_up(static_cast<std::int64_t>(what.kept.size()) * second_.panel(), 64)) {
    const geometry& g = second_.shape();
    first_.place_columns(work_of(what.first));
    second_.keep_columns_near();
    std::vector<row_consumer<T>> rows;
    std::int64_t number = first_.products();
    for (const auto& s : operands.first().consumers) {
        first_consumers_.push_back({{s, first_}, number++});
        rows.push_back(first_consumers_.back().consumer);
    }
    first_scratch_ = first_.take(row_consumer<T>::scratch(rows, first_));
    rows.clear();
    number = second_.products();
    for (const auto& s : operands.second().consumers) {
        if (s.summed == steps::loop_role::row) {
            column_consumers_.push_back({{s, second_, g.column.extent}, number++});
        } else {
            row_consumers_.push_back({{s, second_}, number++});
            rows.push_back(row_consumers_.back().consumer);
        }
    }
    second_scratch_ = second_.take(row_consumer<T>::scratch(rows, second_));
    for (const auto& s : operands.sums()) sums_.emplace_back(s, g);
    suitable_ = choose_blocks() && choose_ranges();
    if (!suitable_) return;
    order_.reserve(batches_ * groups_);
}

template <class T>
bool row_blocks<T>::choose_blocks() {
    const geometry& g = second_.shape();
    // A mask that one of them alone has may make its tiles others.
    if (first_.shape().row != g.row || first_.shape().column != g.column) return false;
    batches_ = iterations(g.batch);
    units_ = iterations(g.other_rows) * second_.row_tiles();
    if (iterations(g.other_columns) != 1 || units_ < 2 || batches_ == 0) return false;
    first_bytes_ = to_lines(first_.bytes());
    second_bytes_ = to_lines(second_.bytes());
    const std::size_t sums = second_.shared_elements() * sizeof(T);
    const auto ranges = static_cast<std::size_t>(first_.most_ranges());
    const std::size_t for_tile = second_bytes_ + static_cast<std::size_t>(panels_) * sizeof(T) +
                                 ranges * sizeof(typename made_ranges::piece);
    if (first_bytes_ + sums + for_tile > most_bytes) return false;
    tiles_at_once_ =
        std::min({most_tiles_at_once, units_,
                  static_cast<std::int64_t>((most_bytes - first_bytes_ - sums) / for_tile)});
    lent_bytes_ = first_bytes_ + sums + static_cast<std::size_t>(tiles_at_once_) * for_tile;
    groups_ = std::clamp<std::int64_t>((enough_block_tasks + batches_ - 1) / batches_, 1,
                                       std::max<std::int64_t>(1, units_ / 2));
    return true;
}

// The second group finds what it wants of kept products only where the first one has made it.
template <class T>
bool row_blocks<T>::choose_ranges() {
    const auto find = [](tiles<T>& group) { group.find_schedule(group.sizes().columns); };
    if (!second_.needs_weights()) first_.forget_bounds(), second_.forget_bounds();
    find(first_);
    if (first_.has_schedule()) second_.forget_bounds();
    find(second_);
    scheduled_ = second_.has_ranges_of(first_);
    return scheduled_ || (!first_.has_schedule() && second_.needs_weights());
}

template <class T>
void row_blocks<T>::run(void* const* bases, const double* numbers) const {
    const found_bounds<T> first(first_.bounds(), bases), second(second_.bounds(), bases);
    auto body = [&](const runtime::turn& mine, std::int64_t task, int) {
        run_rows(mine, task, bases, numbers, {first.trees(), second.trees()});
    };
    runtime::parallel_for_in_turns(order_, batches_ * groups_, body);
}

template <class T>
runtime::loan_list row_blocks<T>::loans() const {
    return {
        {lent_bytes_, batches_ * groups_}, {first_.bounds().bytes()}, {second_.bounds().bytes()}};
}

template <class T>
void row_blocks<T>::run_rows(const runtime::turn& mine, std::int64_t task, void* const* bases,
                             const double* numbers, const group_trees& trees) const {
    const std::int64_t batch = task / groups_, group = task % groups_;
    const runtime::lent_memory lent(lent_bytes_);
    std::byte* const second_memory = lent.data() + first_bytes_;
    T* const shared = reinterpret_cast<T*>(
        second_memory + static_cast<std::size_t>(tiles_at_once_) * second_bytes_);
    T* const kept = shared + second_.shared_elements();
    auto* const ranges =
        reinterpret_cast<typename made_ranges::piece*>(kept + tiles_at_once_ * panels_);
    auto first = first_.start(lent.data(), bases, numbers, trees.first);
    row_tasks second;
    for (std::int64_t r = 0; r < tiles_at_once_; ++r) {
        auto& [t, made] = second[static_cast<std::size_t>(r)];
        t = second_.start(
            second_memory + static_cast<std::size_t>(r) * second_bytes_, bases,
            numbers + first_.products() + static_cast<std::int64_t>(first_consumers_.size()),
            trees.second);
        t.shared = shared;
        t.kept = kept + r * panels_;
        // One tile is made at a time: in the same places, which stay in the first cache.
        t.tile = second[0].tile.tile;
        made.list = ranges + r * first_.most_ranges();
    }
    const std::int64_t columns = second_.shape().column.extent;
    for (const auto& s : column_consumers_) s.consumer.clear(second[0].tile, columns);
    const std::int64_t begin = units_ * group / groups_, end = units_ * (group + 1) / groups_;
    const std::int64_t blocks = (end - begin + tiles_at_once_ - 1) / tiles_at_once_;
    for (std::int64_t block = 0; block < blocks; ++block) {
        const std::int64_t from = begin + (end - begin) * block / blocks;
        const std::int64_t count = begin + (end - begin) * (block + 1) / blocks - from;
        for (std::int64_t r = 0; r < count; ++r) {
            auto& [t, made] = second[static_cast<std::size_t>(r)];
            choose_unit(first_, first, batch, from + r);
            first.kept = t.kept;
            make_first(first, made);
            choose_unit(second_, t, batch, from + r);
        }
        make_second(second, count);
    }
    auto& t = second[0].tile;
    choose_unit(second_, t, batch, begin);
    if (group > 0 && !mine.wait_for(1)) return;
    for (const auto& s : column_consumers_)
        s.consumer.finish(t, 0, columns, t.numbers[s.number], group == 0);
}

template <class T>
void row_blocks<T>::choose_unit(const tiles<T>& made, tile_task<T>& t, std::int64_t batch,
                                std::int64_t unit) const {
    const geometry& g = made.shape();
    std::copy(g.offset.begin(), g.offset.end(), t.origin);
    move(g.batch, batch, t.origin);
    move(g.other_rows, unit / made.row_tiles(), t.origin);
    std::copy_n(t.origin, g.operands(), t.at);
    made.choose_rows(t, unit % made.row_tiles());
}

// A tile of rows: all that the first group gives for it, and the sums of that.
template <class T>
void row_blocks<T>::make_first(tile_task<T>& t, made_ranges& made) const {
    T* const scratch = t.address(first_scratch_);
    first_.pack_rows(t);
    first_.forget_scores(t);
    for (const auto& s : first_consumers_) s.consumer.clear(t);
    made.count = made.next = 0;
    // Where ranges are known they start anew with each of the second group's steps.
    const std::int64_t extent = first_.shape().column.extent;
    const std::int64_t columns = scheduled_ ? first_.sizes().columns : extent;
    for (std::int64_t column = 0; column < extent; column += columns) {
        auto next = first_.ranges(t, column, std::min(extent, column + columns));
        for (tile_range range; first_.make_next(t, next, range);) {
            for (const auto& s : first_consumers_) s.consumer.add(t, range, false, scratch);
            if (!scheduled_) made.list[made.count++] = {range.column, range.column_end};
        }
    }
    first_.write_sums(t, scratch);
    for (const auto& s : first_consumers_) s.consumer.finish(t, t.numbers[s.number], true, scratch);
    for (const auto& s : sums_) s.run(t);
}

// The next range of a tile of rows before the end of a cursor's columns.
template <class T>
bool row_blocks<T>::make_next(second_task& t, typename tiles<T>::cursor& columns,
                              tile_range& range) const {
    if (scheduled_) return second_.make_next(t.tile, columns, range);
    auto& made = t.made;
    while (made.next < made.count && made.list[made.next].column < columns.end) {
        const auto piece = made.list[made.next++];
        range = {t.tile.row, t.tile.row + t.tile.width.rows, piece.column, piece.column_end};
        if (second_.make_again(t.tile, range)) return true;
    }
    return false;
}

// The first column that some tile of rows of a block still has to make.
template <class T>
std::int64_t row_blocks<T>::next_column(const row_tasks& tasks, std::int64_t count) const {
    std::int64_t column = second_.shape().column.extent;
    for (std::int64_t r = 0; r < count; ++r) {
        const auto& made = tasks[static_cast<std::size_t>(r)].made;
        if (made.next < made.count) column = std::min(column, made.list[made.next].column);
    }
    return column;
}

// All columns for the tiles of rows of a block.
template <class T>
void row_blocks<T>::make_second(row_tasks& tasks, std::int64_t count) const {
    for (std::int64_t r = 0; r < count; ++r) {
        const auto& t = tasks[static_cast<std::size_t>(r)].tile;
        second_.pack_rows(t);
        for (const auto& s : column_consumers_) s.consumer.pack(t);
        for (const auto& s : row_consumers_) s.consumer.clear(t);
    }
    const std::int64_t extent = second_.shape().column.extent, columns = second_.sizes().columns;
    for (std::int64_t column = 0; column < extent; column += columns) {
        if (!scheduled_) column = std::max(column, next_column(tasks, count) / columns * columns);
        for (std::int64_t r = 0; r < count; ++r) {
            auto& task = tasks[static_cast<std::size_t>(r)];
            const auto& t = task.tile;
            auto next = second_.ranges(t, column, std::min(extent, column + columns));
            for (tile_range range; make_next(task, next, range);) {
                for (const auto& s : column_consumers_) s.consumer.add(t, range, 0);
                for (const auto& s : row_consumers_)
                    s.consumer.add(t, range, false, t.address(second_scratch_));
            }
        }
    }
    for (std::int64_t r = 0; r < count; ++r) {
        const auto& t = tasks[static_cast<std::size_t>(r)].tile;
        for (const auto& s : row_consumers_)
            s.consumer.finish(t, t.numbers[s.number], true, t.address(second_scratch_));
    }
}

template <class T>
std::string row_blocks<T>::describe() const {
    return fmt::format("tiles of {} x {}, together with the next steps, {} rows at a time",
                       first_.sizes().full.rows, first_.sizes().columns,
                       tiles_at_once_ * first_.sizes().full.rows);
}

template class row_blocks<float>;
template class row_blocks<double>;

}  // namespace ricci::fused
