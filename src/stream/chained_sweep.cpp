// Two streams carried out together, a block of rows at a time.
#include "src/stream/chained_sweep.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "src/runtime/buffers.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::stream {
namespace {

// Kept products are read again after all columns went by: they are far away by then anyway, but each
// number of them saves as many operations as its product has.
constexpr std::size_t most_kept_bytes = std::size_t{3} << 19;
constexpr std::size_t most_sum_bytes = std::size_t{2} << 20;
constexpr std::int64_t enough_tasks = 16;

constexpr std::size_t to_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

kept_products kept_of(const plan::stream_chain& what, bool second) {
    kept_products kept;
    kept.reused = second;
    kept.place.assign((second ? what.second : what.first).products.size(), -1);
    for (std::size_t k = 0; k < what.kept.size(); ++k)
        kept.place[static_cast<std::size_t>(second ? what.kept[k].second : what.kept[k].first)] =
            static_cast<std::int32_t>(k);
    return kept;
}

// What a number of a tile costs.
double operations(const plan::stream& what) {
    double work = 0;
    for (const auto& p : what.products) work += static_cast<double>(flatten(p.contracted).total);
    for (const auto& s : what.sinks) work += static_cast<double>(flatten(s.values).total);
    return work;
}

}  // namespace

template <class T>
chained_sweep<T>::chained_sweep(const plan::stream_chain& what,
                                const kernels::stream_table<T>& table,
                                const kernels::kernel_table<T>& packing)
    : chained_sweep(chain_operands(what), what, table, packing) {}

template <class T>
chained_sweep<T>::chained_sweep(const chain_operands& operands, const plan::stream_chain& what,
                                const kernels::stream_table<T>& table,
                                const kernels::kernel_table<T>& packing)
    : first_(operands.first(), table, packing, kept_of(what, false)),
      second_(operands.second(), table, packing, kept_of(what, true)),
      kept_products_(static_cast<std::int64_t>(what.kept.size())) {
    const geometry& g = second_.shape();
    first_.place_columns(operations(what.first));
    second_.keep_columns_near();
    std::vector<row_sink<T>> rows;
    std::int64_t number = first_.products();
    for (const auto& s : operands.first().sinks) {
        first_sinks_.push_back({{s, first_}, number++});
        rows.push_back(first_sinks_.back().sink);
    }
    first_scratch_ = first_.take(row_sink<T>::scratch(rows, first_));
    rows.clear();
    number = second_.products();
    for (const auto& s : operands.second().sinks) {
        if (s.summed == plan::stream_axis::row) {
            column_sinks_.push_back({{s, second_, g.column.extent}, number++});
        } else {
            row_sinks_.push_back({{s, second_}, number++});
            rows.push_back(row_sinks_.back().sink);
        }
    }
    second_scratch_ = second_.take(row_sink<T>::scratch(rows, second_));
    for (const auto& s : operands.sums()) sums_.emplace_back(s, g);
    suitable_ = choose_blocks() && same_ranges();
    if (!suitable_) return;
    finished_ = std::make_unique<std::atomic<bool>[]>(static_cast<std::size_t>(batches_ * groups_));
    runtime::lent_memory::reserve(lent_bytes_);
}

template <class T>
bool chained_sweep<T>::choose_blocks() {
    const geometry& g = second_.shape();
    batches_ = iterations(g.batch);
    units_ = iterations(g.other_rows) * second_.row_tiles();
    // What is one tile is made at once, with less around it.
    if (iterations(g.other_columns) != 1 || units_ < 2 || batches_ == 0 ||
        g.column.extent <= second_.sizes().columns)
        return false;
    first_bytes_ = to_lines(first_.bytes());
    second_bytes_ = to_lines(second_.bytes());
    const std::size_t sums = second_.shared_elements() * sizeof(T);
    const std::size_t kept = static_cast<std::size_t>(kept_products_ * second_.panel()) * sizeof(T);
    if (sums > most_sum_bytes || kept > most_kept_bytes ||
        first_bytes_ + second_bytes_ > runtime::worker_bytes)
        return false;
    tiles_at_once_ = std::min(
        {most_tiles_at_once, units_, static_cast<std::int64_t>(most_kept_bytes / kept),
         static_cast<std::int64_t>((runtime::worker_bytes - first_bytes_) / second_bytes_)});
    groups_ = std::clamp<std::int64_t>((enough_tasks + batches_ - 1) / batches_, 1,
                                       std::max<std::int64_t>(1, units_ / 2));
    lent_bytes_ = sums + static_cast<std::size_t>(tiles_at_once_) * kept;
    return true;
}

// The second stream finds every tile that it wants only where the first one made the same.
template <class T>
bool chained_sweep<T>::same_ranges() {
    first_.find_schedule(first_.sizes().columns);
    second_.find_schedule(second_.sizes().columns);
    return second_.has_ranges_of(first_);
}

template <class T>
void chained_sweep<T>::run(void* const* bases, const double* numbers) const {
    for (std::int64_t k = 0; k < batches_ * groups_; ++k)
        finished_[static_cast<std::size_t>(k)].store(false, std::memory_order_relaxed);
    auto body = [&](std::int64_t number, int worker) {
        run_rows(number / groups_, number % groups_, runtime::worker_memory(worker), bases,
                 numbers);
    };
    runtime::parallel_for(batches_ * groups_, body);
}

template <class T>
void chained_sweep<T>::run_rows(std::int64_t batch, std::int64_t group, std::byte* memory,
                                void* const* bases, const double* numbers) const {
    const runtime::lent_memory lent(lent_bytes_);
    T* const shared = reinterpret_cast<T*>(lent.data());
    T* const kept = shared + second_.shared_elements();
    auto first = first_.start(memory, bases, numbers);
    row_tasks second;
    for (std::int64_t r = 0; r < tiles_at_once_; ++r) {
        auto& t = second[static_cast<std::size_t>(r)];
        t = second_.start(
            memory + first_bytes_ + static_cast<std::size_t>(r) * second_bytes_, bases,
            numbers + first_.products() + static_cast<std::int64_t>(first_sinks_.size()));
        t.shared = shared;
        t.kept = kept + r * kept_products_ * second_.panel();
        // One tile is made at a time: in the same places, which stay in the first cache.
        t.tile = second[0].tile;
    }
    const std::int64_t columns = second_.shape().column.extent;
    for (const auto& s : column_sinks_) s.sink.clear(second[0], columns);
    const std::int64_t begin = units_ * group / groups_, end = units_ * (group + 1) / groups_;
    const std::int64_t blocks = (end - begin + tiles_at_once_ - 1) / tiles_at_once_;
    for (std::int64_t block = 0; block < blocks; ++block) {
        const std::int64_t from = begin + (end - begin) * block / blocks;
        const std::int64_t count = begin + (end - begin) * (block + 1) / blocks - from;
        for (std::int64_t r = 0; r < count; ++r) {
            choose_unit(first_, first, batch, from + r);
            first.kept = second[static_cast<std::size_t>(r)].kept;
            make_first(first);
            choose_unit(second_, second[static_cast<std::size_t>(r)], batch, from + r);
        }
        make_second(second, count);
    }
    choose_unit(second_, second[0], batch, begin);
    std::atomic<bool>* const mine = &finished_[static_cast<std::size_t>(batch * groups_ + group)];
    if (group > 0)
        while (!(mine - 1)->load(std::memory_order_acquire)) std::this_thread::yield();
    for (const auto& s : column_sinks_)
        s.sink.finish(second[0], 0, columns, second[0].numbers[s.number], group == 0);
    mine->store(true, std::memory_order_release);
}

template <class T>
void chained_sweep<T>::choose_unit(const tiles<T>& made, tile_task<T>& t, std::int64_t batch,
                                   std::int64_t unit) const {
    const geometry& g = made.shape();
    std::copy(g.offset.begin(), g.offset.end(), t.origin);
    move(g.batch, batch, t.origin);
    move(g.other_rows, unit / made.row_tiles(), t.origin);
    std::copy_n(t.origin, g.operands(), t.at);
    made.choose_rows(t, unit % made.row_tiles());
}

// A tile of rows: all that the first stream gives for it, and the sums of that.
template <class T>
void chained_sweep<T>::make_first(tile_task<T>& t) const {
    T* const scratch = t.address(first_scratch_);
    first_.pack_rows(t);
    first_.forget_scores(t);
    for (const auto& s : first_sinks_) s.sink.clear(t);
    const std::int64_t extent = first_.shape().column.extent, columns = first_.sizes().columns;
    for (std::int64_t column = 0; column < extent; column += columns) {
        auto next = first_.ranges(t, column, std::min(extent, column + columns));
        for (tile_range range; first_.make_next(t, next, range);)
            for (const auto& s : first_sinks_) s.sink.add(t, range, scratch);
    }
    first_.write_log_sum_exp(t, scratch);
    for (const auto& s : first_sinks_) s.sink.finish(t, t.numbers[s.number], true, scratch);
    for (const auto& s : sums_) s.run(t);
}

// All columns for the tiles of rows of a block.
template <class T>
void chained_sweep<T>::make_second(row_tasks& tasks, std::int64_t count) const {
    for (std::int64_t r = 0; r < count; ++r) {
        const auto& t = tasks[static_cast<std::size_t>(r)];
        second_.pack_rows(t);
        for (const auto& s : column_sinks_) s.sink.pack(t);
        for (const auto& s : row_sinks_) s.sink.clear(t);
    }
    const std::int64_t extent = second_.shape().column.extent, columns = second_.sizes().columns;
    for (std::int64_t column = 0; column < extent; column += columns)
        for (std::int64_t r = 0; r < count; ++r) {
            auto& t = tasks[static_cast<std::size_t>(r)];
            auto next = second_.ranges(t, column, std::min(extent, column + columns));
            for (tile_range range; second_.make_next(t, next, range);) {
                for (const auto& s : column_sinks_) s.sink.add(t, range, 0);
                for (const auto& s : row_sinks_) s.sink.add(t, range, t.address(second_scratch_));
            }
        }
    for (std::int64_t r = 0; r < count; ++r) {
        const auto& t = tasks[static_cast<std::size_t>(r)];
        for (const auto& s : row_sinks_)
            s.sink.finish(t, t.numbers[s.number], true, t.address(second_scratch_));
    }
}

template <class T>
std::string chained_sweep<T>::words() const {
    return "tiles of " + std::to_string(first_.sizes().full.rows) + " x " +
           std::to_string(first_.sizes().columns) + ", together with the next steps, " +
           std::to_string(tiles_at_once_ * first_.sizes().full.rows) + " rows at a time";
}

template class chained_sweep<float>;
template class chained_sweep<double>;

}  // namespace ricci::stream
