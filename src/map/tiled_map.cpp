// Preparing a map and running its tasks.

#include "src/map/tiled_map.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include "src/map/map.hpp"
#include "src/map/task_memory.hpp"
#include "src/runtime/caches.hpp"
#include "src/runtime/parallel.hpp"
#include "src/tile/instances.hpp"

namespace ricci::elementwise {
namespace {

using steps::fold;
using steps::opcode;

// Nanoseconds, by the rough prices of cost_of: a task should outweigh its own start, and work below
// the second figure is not worth waking another thread for.
constexpr double task_price = 8000;
constexpr double serial_price = 16000;

/// Blocks of all units together, at most: partial results stay small.
constexpr std::int64_t most_blocks = 256;

constexpr std::int64_t largest_tile = 1024;
// Elements of a tile of a sum that reads its operands where they lie and stores nothing: the start
// of a tile costs as much as many lines of memory. What a lane of a vector adds up rounds at every
// step.
constexpr std::int64_t longest_summed = 4096;
constexpr std::int64_t summed_in_a_lane = 256;
constexpr std::int64_t smallest_tile = 16;
// Of so many values that the smallest tile of each is too much for the first cache.
constexpr std::int64_t lent_tile = 64;

/// Bytes of a run of the output that is worth writing past the caches.
constexpr std::int64_t shortest_past_row = 512;

/// Bytes of a tile of a row that is summed together with those of other rows, and how far the
/// places of a group lie apart that are read at once.
constexpr std::int64_t longest_tile_abreast = std::int64_t{16} << 10;
constexpr std::int64_t bytes_apart = std::int64_t{64} << 10;
constexpr std::int64_t fewest_rows_abreast = 16;

/// Bytes of an operand that comes from behind the second cache.
constexpr std::int64_t far_bytes = std::int64_t{2} << 20;

std::size_t lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

template <class T, class S>
tiled_map<T, S>::tiled_map(const steps::map& map, std::vector<node> program, loop_nest nest)
    : folding_(map.folding),
      nest_(std::move(nest)),
      operands_(map.operands.size()),
      kernels_(kernels::elementwise<T>()) {
    // Nothing is beyond the maximum of one value: as of none.
    if (nest_.values == 1 && folding_ == fold::excess) nest_.values = 0;
    if (nest_.outputs == 0 || nest_.values == 0) return;
    // One value is its own sum, mean, extreme and log-sum-exp.
    if (nest_.values == 1 && folding_ != fold::softmax) folding_ = fold::none;
    const std::int64_t most_summed =
        is_real<T> ? std::min(longest_summed, kernels_.lanes * summed_in_a_lane) : longest_summed;
    for (std::int64_t most = largest_tile;; most /= 2) {
        const bool is_lent = most < smallest_tile;
        if (is_lent) most = lent_tile;
        layout_ = choose_layout(nest_, folding_, program, operands_, most, most_summed, sizeof(T),
                                is_real<T> && !converts);
        code_ = code_type(program, layout_.strides, layout_.shape);
        stage_ = folding_ == fold::softmax ? static_cast<std::size_t>(layout_.shape.elements()) : 0;
        if (is_lent) lent_bytes_ = scratch_needed();
        if (is_lent || scratch_needed() <= scratch_bytes) break;
    }
    direct_output_ = !converts && layout_.shape.contiguous(code_.strides(0));
    past_ = writes_past();
    if constexpr (is_real<T>)
        writes_rows_ = !converts && !direct_output_ && !past_ && layout_.how == traversal::plain &&
                       code_.writes_rows() && code_.strides(0).q == 1;
    ahead_ = choose_ahead();
    find_factors(program);
    units_ = layout_.units.steps();
    tiles_ = layout_.tiles.steps();
    choose_sums();
    cut_into_tasks(cost_of(program) + (folding_ == fold::none ? 0.05 : 0.1) +
                   (sums_exponentials(folding_) ? 0.4 : 0));
}

template <class T, class S>
std::size_t tiled_map<T, S>::scratch_needed() const {
    std::size_t bytes =
        lines(code_.number_elements() * sizeof(T)) +
        lines(code_.slot_count() * sizeof(*typename code_type::memory_type().slots)) +
        lines(stage_ * sizeof(T)) + 2 * lines(operands_ * sizeof(std::int64_t));
    if (layout_.how == traversal::columns) {
        bytes +=
            column_buffers() * lines(static_cast<std::size_t>(layout_.shape.q_chunk) * sizeof(T));
    }
    return bytes;
}

/// Whether the output is larger than the caches, and what is written at once is many of its cache
/// lines.
template <class T, class S>
bool tiled_map<T, S>::writes_past() const {
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
    const bool folds = layout_.how == traversal::columns && folding_ != fold::softmax;
    const bool tiles = layout_.how == traversal::plain;
    const std::int64_t row =
        tiles && direct_output_ ? layout_.shape.elements() : layout_.shape.q_chunk;
    return is_real<T> && !converts && (tiles || folds) &&
           ((tiles && direct_output_) || code_.strides(0).q == 1) &&
           row * bytes >= shortest_past_row && nest_.outputs * bytes >= runtime::stream_bytes;
}

/// How many tiles ahead memory is asked for: no processor guesses where the rows of a tile begin,
/// and a row that goes on stops where the output is written meanwhile.
template <class T, class S>
std::int64_t tiled_map<T, S>::choose_ahead() const {
    if (layout_.how != traversal::plain) return 0;
    if (layout_.shape.p_chunk == 1) return past_ ? layout_.tiles_ahead : 0;
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(S));
    return layout_.shape.q_chunk > 1 && nest_.outputs * bytes >= far_bytes ? 1 : 0;
}

/// How rows are summed that are an operand's own elements: several rows in groups, tile after tile;
/// one that is a run of many tiles, or rows of larger ones, from several places at once.
template <class T, class S>
void tiled_map<T, S>::choose_sums() {
    if (!is_real<T> || layout_.how != traversal::rows || !code_.in_place() || !sums()) return;
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
    if (!nest_.free.empty() && layout_.shape.q_chunk * bytes <= longest_tile_abreast) {
        const std::int64_t row_bytes =
            std::abs(layout_.units.axes.back().stride[code_.operand_of_result()]) * bytes;
        one_run_ = tiles_ == 1 && (layout_.shape.p_extent == 1 ||
                                   code_.strides_of_result().p == layout_.shape.q_extent);
        abreast_ =
            std::clamp(places_at_once * bytes_apart / std::max(row_bytes, bytes),
                       fewest_rows_abreast, one_run_ ? most_runs_abreast : most_rows_abreast);
    }
    long_ = layout_.tiles.axes.back().count() == tiles_ && tiles_ >= places_at_once &&
            nest_.outputs * nest_.values * bytes >= far_bytes;
}

/// Finds the factors of rows that are sums of products of two operands, both contiguous.
template <class T, class S>
void tiled_map<T, S>::find_factors(const std::vector<node>& program) {
    if (!is_real<T> || converts || layout_.how != traversal::rows ||
        operands_ > most_operands_of_product || !sums() || !is(program.back(), opcode::multiply)) {
        return;
    }
    std::size_t factor[2];
    for (int k = 0; k < 2; ++k) {
        const node& n = program[static_cast<std::size_t>(program.back().argument[k])];
        if (!is(n, opcode::load)) return;
        factor[k] = static_cast<std::size_t>(n.operand);
        if (layout_.strides[factor[k]].q != 1) return;
    }
    std::copy_n(factor, 2, factor_);
}

template <class T, class S>
void tiled_map<T, S>::cut_into_tasks(double cost) {
    const double columns =
        layout_.how == traversal::columns ? static_cast<double>(layout_.shape.q_chunk) : 1;
    const double unit = layout_.how == traversal::plain
                            ? static_cast<double>(layout_.shape.elements()) * cost + 20
                            : static_cast<double>(nest_.values) * columns * cost + 60;
    const double all = unit * static_cast<double>(units_);
    if (all < serial_price) {
        units_per_task_ = units_;
        return;
    }
    units_per_task_ = std::max<std::int64_t>(static_cast<std::int64_t>(task_price / unit),
                                             std::max<std::int64_t>(abreast_, 1));
    const std::int64_t tasks = (units_ + units_per_task_ - 1) / units_per_task_;
    if (layout_.how == traversal::plain || tasks >= 32 || all < 4 * task_price) return;
    // Few large units: their tiles are shared out, and what the blocks find is joined in order.
    const auto wanted = static_cast<std::int64_t>(unit / task_price);
    blocks_ = std::min<std::int64_t>({wanted, most_blocks / units_, tiles_});
    if (blocks_ <= 1) {
        blocks_ = 1;
        return;
    }
    past_ = false;  // what is joined is little
    partial_ = layout_.how == traversal::rows
                   ? sizeof(row_sum)
                   : lines(3 * sizeof(T) * static_cast<std::size_t>(layout_.shape.q_chunk));
    partials_.resize(partial_ * static_cast<std::size_t>(units_ * blocks_) + 64);
}

/// Folds of nothing.
template <class T, class S>
void tiled_map<T, S>::run_empty(void* const* bases) const {
    if (nest_.outputs == 0 || folding_ == fold::softmax) return;
    T value{};
    if constexpr (!is_whole<T>) {
        if (folding_ == fold::mean)
            value = number_from<T>(std::numeric_limits<double>::quiet_NaN());
    }
    if (folding_ == fold::product) value = T(1);
    if (folding_ == fold::minimum) value = extreme_of_nothing<T>(false);
    if (folding_ == fold::maximum || folding_ == fold::logsumexp)
        value = extreme_of_nothing<T>(true);
    walk all;
    for (const loop& l : nest_.free) all.axes.push_back({l.extent, 1, {l.stride[0]}});
    std::int64_t at = 0;
    cursor c(all, 1, &at, nest_.offset.data(), 0);
    for (std::int64_t i = 0; i < nest_.outputs; ++i, c.next()) {
        static_cast<S*>(bases[0])[at] = S(value);
    }
}

/// Asks for the lines of a tile that m.unit_at names, except of operands that stand still along p:
/// they are in the caches, unless there is no p. Part of its caller, as kernels::ask_for is.
template <class T, class S>
[[gnu::always_inline]] inline void tiled_map<T, S>::ask_for_tile(const task_memory& m,
                                                                 std::int64_t p,
                                                                 std::int64_t q) const {
    for (std::size_t k = 1; k < operands_; ++k) {
        const tile_strides& stride = layout_.strides[k];
        const S* const from = static_cast<const S*>(m.tile.bases[k]) + m.unit_at[k];
        if (stride.q == 1 && (stride.p != 0 || layout_.shape.p_extent == 1))
            ask_for_rows(from, stride.p, p, q);
        else if (stride.p == 1 && stride.q != 0) ask_for_rows(from, stride.q, q, p);
    }
}

template <class T, class S>
void tiled_map<T, S>::run_plain(void* const* bases, std::int64_t first, std::int64_t last) const {
    task_memory m(*this, bases);
    line_writer<T> writer(kernels_);
    const std::size_t axes = layout_.units.axes.size();
    cursor c(layout_.units, operands_, m.at, nest_.offset.data(), first);
    cursor coming(layout_.units, operands_, m.unit_at, nest_.offset.data(), first);
    for (std::int64_t i = 0; i < ahead_; ++i) coming.next();
    // A single thread goes on with the next task.
    const std::int64_t known = runtime::worker_count() == 1 ? units_ : last;
    code_.begin(m.tile, m.at);
    for (std::int64_t unit = first;;) {
        const std::int64_t p = c.size(axes - 2), q = c.size(axes - 1);
        if (ahead_ > 0 && unit + ahead_ < known) {
            ask_for_tile(m, coming.size(axes - 2), coming.size(axes - 1));
            coming.next();
        }
        if (past_) {
            put_past(m, writer, code_.run(m.tile, m.at, p, q, nullptr), p, q);
        } else if (writes_rows_) {
            if constexpr (is_real<T>)
                code_.run_to_rows(m.tile, m.at, p, q, reinterpret_cast<T*>(output(m)),
                                  code_.strides(0).p);
        } else {
            const tile_view<T> view = code_.run(m.tile, m.at, p, q, direct(m));
            if (!direct_output_) put(m, view.data, view.stride, p, q);
        }
        if (++unit == last) break;
        if (c.next() < layout_.first_tile_axis) code_.begin(m.tile, m.at);
    }
    if (past_) writer.finish();
}

template <class T, class S>
void tiled_map<T, S>::run_units(void* const* bases, std::int64_t first, std::int64_t last) const {
    task_memory m(*this, bases);
    if constexpr (is_real<T>) {
        if (abreast_ > 0) return sum_rows_abreast(m, first, last);
    }
    const bool columns = layout_.how == traversal::columns;
    cursor c(layout_.units, operands_, m.unit_at, nest_.offset.data(), first);
    for (std::int64_t unit = first; unit < last; ++unit, c.next()) {
        if (columns) {
            m.q = c.size(layout_.units.axes.size() - 1);
            run_columns(m);
        } else {
            run_row(m);
        }
    }
    if (past_) kernels_.end_streams();
}

template <class T, class S>
void tiled_map<T, S>::run_columns(task_memory& m) const {
    if constexpr (is_real<T>) {
        if (folding_ == fold::softmax) {
            if constexpr (!converts) {
                if (!layout_.streamed) return softmax_columns(m);
            }
            reduce_columns(m, 0, tiles_);
            finish_softmax_columns(m);
            return normalise_columns(m, 0, tiles_);
        }
    }
    reduce_columns(m, 0, tiles_);
    finish_columns(m);
}

template <class T, class S>
void tiled_map<T, S>::run_row(task_memory& m) const {
    if constexpr (is_real<T>) {
        if (folding_ == fold::softmax) return softmax_row(m);
    }
    finish_row(m, reduce_row(m, 0, tiles_));
}

/// Every unit's tiles in blocks: reduce them, join what they found in order of blocks, and for a
/// softmax go over the blocks again.
template <class T, class S>
void tiled_map<T, S>::run_split(void* const* bases, std::byte* partials) const {
    const bool columns = layout_.how == traversal::columns;
    const auto chunk = static_cast<std::size_t>(layout_.shape.q_chunk);
    const auto partial_of = [&](std::int64_t unit, std::int64_t b) {
        return partials + partial_ * static_cast<std::size_t>(unit * blocks_ + b);
    };
    const auto go_to = [&](task_memory& m, std::int64_t unit) {
        const cursor c(layout_.units, operands_, m.unit_at, nest_.offset.data(), unit);
        if (columns) m.q = c.size(layout_.units.axes.size() - 1);
    };
    const auto store = [&](const task_memory& m, std::byte* to) {
        T* numbers = reinterpret_cast<T*>(to);
        std::copy_n(m.column[total], m.q, numbers);
        std::copy_n(m.column[rest], m.q, numbers + chunk);
        if (!sums()) std::copy_n(m.column[extreme], m.q, numbers + 2 * chunk);
    };
    auto reduce = [&](std::int64_t task, int) {
        const std::int64_t unit = task / blocks_, b = task % blocks_;
        const std::int64_t first = b * tiles_ / blocks_, last = (b + 1) * tiles_ / blocks_;
        task_memory m(*this, bases);
        go_to(m, unit);
        if (columns) {
            reduce_columns(m, first, last);
            store(m, partial_of(unit, b));
        } else {
            *reinterpret_cast<row_sum*>(partial_of(unit, b)) = reduce_row(m, first, last);
        }
    };
    runtime::parallel_for(units_ * blocks_, reduce);

    // The first block's place takes the result that a softmax divides by.
    auto join = [&](std::int64_t unit, int) {
        task_memory m(*this, bases);
        go_to(m, unit);
        if (columns) {
            empty_columns(m);
            for (std::int64_t b = 0; b < blocks_; ++b) {
                join_columns(m, reinterpret_cast<const T*>(partial_of(unit, b)));
            }
            if (folding_ != fold::softmax) return finish_columns(m);
            if constexpr (is_real<T>) finish_softmax_columns(m);
            return store(m, partial_of(unit, 0));
        }
        row_sum t = empty_row();
        for (std::int64_t b = 0; b < blocks_; ++b) {
            join_row(t, *reinterpret_cast<const row_sum*>(partial_of(unit, b)));
        }
        if (folding_ != fold::softmax) return finish_row(m, t);
        *reinterpret_cast<row_sum*>(partial_of(unit, 0)) = t;
    };
    for (std::int64_t unit = 0; unit < units_; ++unit) join(unit, 0);
    if constexpr (is_real<T>) {
        if (folding_ == fold::softmax) normalise_split(bases, partials);
    }
}

/// The second half of a softmax in blocks.
template <class T, class S>
void tiled_map<T, S>::normalise_split(void* const* bases, std::byte* partials) const {
    const bool columns = layout_.how == traversal::columns;
    const auto chunk = static_cast<std::size_t>(layout_.shape.q_chunk);
    const auto partial_of = [&](std::int64_t unit) {
        return partials + partial_ * static_cast<std::size_t>(unit * blocks_);
    };
    auto normalise = [&](std::int64_t task, int) {
        const std::int64_t unit = task / blocks_, b = task % blocks_;
        const std::int64_t first = b * tiles_ / blocks_, last = (b + 1) * tiles_ / blocks_;
        task_memory m(*this, bases);
        const cursor c(layout_.units, operands_, m.unit_at, nest_.offset.data(), unit);
        if (columns) {
            m.q = c.size(layout_.units.axes.size() - 1);
            const T* numbers = reinterpret_cast<const T*>(partial_of(unit));
            std::copy_n(numbers, m.q, m.column[total]);
            std::copy_n(numbers + 2 * chunk, m.q, m.column[extreme]);
            kernels_.masked_shift(m.column[shift], m.column[extreme],
                                  static_cast<std::size_t>(m.q));
            if constexpr (is_real<T>) normalise_columns(m, first, last);
        } else if constexpr (is_real<T>) {
            normalise_row(m, first, last, *reinterpret_cast<const row_sum*>(partial_of(unit)));
        }
    };
    runtime::parallel_for(units_ * blocks_, normalise);
}

template <class T, class S>
void tiled_map<T, S>::run(void* const* bases) const {
    if (nest_.outputs == 0 || nest_.values == 0) return run_empty(bases);
    if (blocks_ > 1) {
        const auto aligned = [](std::vector<std::byte>& bytes) {
            const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
            return bytes.data() + (64 - address % 64) % 64;
        };
        if (lent_.test_and_set(std::memory_order_acquire)) {
            std::vector<std::byte> own(partials_.size());
            return run_split(bases, aligned(own));
        }
        run_split(bases, aligned(partials_));
        lent_.clear(std::memory_order_release);
        return;
    }
    auto task = [&](std::int64_t number, int) {
        const std::int64_t first = number * units_per_task_;
        const std::int64_t last = std::min(first + units_per_task_, units_);
        if (layout_.how == traversal::plain) run_plain(bases, first, last);
        else run_units(bases, first, last);
    };
    runtime::parallel_for((units_ + units_per_task_ - 1) / units_per_task_, task);
}

#define RICCI_INSTANTIATE(...) template class tiled_map<__VA_ARGS__>
RICCI_FOR_TILES(RICCI_INSTANTIATE);

}  // namespace ricci::elementwise
