// A contraction whose vectors run along the batches: packing, and the order of tiles.
#include "src/contract/batch_lanes.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <string>
#include <utility>

#include "src/contract/blocking.hpp"
#include "src/contract/distribute.hpp"
#include "src/contract/element_types.hpp"
#include "src/runtime/buffers.hpp"

namespace ricci::contract {
namespace {

// A packed panel of B stays in the first cache while all rows pass over it, A in the second one.
constexpr std::int64_t panel_bytes = 24576;
constexpr std::int64_t half_bytes = static_cast<std::int64_t>(runtime::worker_bytes / 2);
constexpr std::int64_t most_rows = 128;
// The longest sum that is kept in registers as a whole.
constexpr std::int64_t most_complete = 512;
constexpr std::int64_t units_wanted = 16;

// Rows of a tile when `count` of them are spread evenly over tiles of at most `most`.
constexpr std::int64_t even_rows(std::int64_t count, std::int64_t most) {
    return ceil_divide(count, ceil_divide(count, most));
}

// The batch loop along which most of A, B and C are contiguous.
std::size_t lane_loop(const index_groups& groups, int& contiguous) {
    std::size_t best = 0;
    contiguous = 0;
    for (std::size_t k = 0; k < groups.batch.size(); ++k) {
        const steps::contraction_loop& loop = groups.batch[k];
        const int count = (loop.a == 1) + (loop.b == 1) + (loop.c == 1);
        if (count > contiguous) best = k, contiguous = count;
    }
    return best;
}

}  // namespace

bool worth_batch_lanes(const index_groups& groups, int lanes, bool complete_sums) {
    int contiguous = 0;
    const std::size_t which = lane_loop(groups, contiguous);
    if (contiguous < 2 || (complete_sums && iterations(groups.k) > most_complete)) return false;
    // Not where half of the lanes would idle.
    const std::int64_t extent = groups.batch[which].extent;
    return 2 * extent > ceil_divide(extent, lanes) * lanes;
}

template <class T, class Stored>
batch_lanes<T, Stored>::batch_lanes(index_groups groups,
                                    const kernels::kernel_table<T, Stored>& table)
    : groups_(std::move(groups)), table_(&table) {
    int contiguous = 0;
    const auto which = static_cast<std::ptrdiff_t>(lane_loop(groups_, contiguous));
    lanes_ = groups_.batch[static_cast<std::size_t>(which)];
    groups_.batch.erase(groups_.batch.begin() + which);
    m_ = iterations(groups_.m);
    n_ = iterations(groups_.n);
    k_ = iterations(groups_.k);
    a_rows_ = flatten(groups_.m, &steps::contraction_loop::a);
    c_rows_ = flatten(groups_.m, &steps::contraction_loop::c);
    b_columns_ = flatten(groups_.n, &steps::contraction_loop::b);
    c_columns_ = flatten(groups_.n, &steps::contraction_loop::c);
    a_depth_ = flatten(groups_.k, &steps::contraction_loop::a);
    b_depth_ = flatten(groups_.k, &steps::contraction_loop::b);

    const std::int64_t vector = table.lanes * static_cast<std::int64_t>(sizeof(T));
    vectors_ = ceil_divide(lanes_.extent, table.lanes);
    const std::int64_t deepest =
        widens ? most_complete : panel_bytes / (vector * table.lane_columns);
    k_blocks_ = std::max<std::int64_t>(1, ceil_divide(k_, std::max<std::int64_t>(8, deepest)));
    const std::int64_t depth = std::max<std::int64_t>(1, ceil_divide(k_, k_blocks_));
    const std::int64_t rows =
        std::clamp<std::int64_t>(half_bytes / (vector * depth) - table.lane_rows, 1, most_rows);
    m_tiles_ = ceil_divide(m_, rows);
    const std::int64_t batches = iterations(groups_.batch) * vectors_;
    const std::int64_t panels = ceil_divide(n_, table.lane_columns);
    const double flops = 2.0 * static_cast<double>(batches) * static_cast<double>(m_) *
                         static_cast<double>(n_) *
                         static_cast<double>(std::max<std::int64_t>(1, k_)) * table.lanes;
    serial_ = flops < serial_flops;
    n_tiles_ = std::clamp<std::int64_t>(
        std::min(units_wanted, static_cast<std::int64_t>(flops / task_flops)) /
            (batches * m_tiles_),
        1, panels);
    units_ = batches * m_tiles_ * n_tiles_;
    units_per_task_ = std::max<std::int64_t>(
        1,
        static_cast<std::int64_t>(task_flops * static_cast<double>(units_) / std::max(1.0, flops)));
    if (units_ > 0) runtime::worker_memory(0);
}

template <class T, class Stored>
void batch_lanes<T, Stored>::run(const void* a, const void* b, void* c, const engine::number& alpha,
                                 const engine::number& beta) const {
    operands from{static_cast<const Stored*>(a), static_cast<const Stored*>(b),
                  static_cast<Stored*>(c), alpha.as<T>(), beta.as<T>()};
    if (groups_.swapped) std::swap(from.a, from.b);
    from.a += groups_.a_start;
    from.b += groups_.b_start;
    from.c += groups_.c_start;
    auto body = [&](std::int64_t task, int worker) {
        const std::int64_t end = std::min(units_, (task + 1) * units_per_task_);
        for (std::int64_t unit = task * units_per_task_; unit < end; ++unit)
            compute_unit(from, unit, worker);
    };
    distribute(ceil_divide(units_, units_per_task_), serial_, body);
}

template <class T, class Stored>
std::string batch_lanes<T, Stored>::words() const {
    return "lanes: a batch in each, " + std::to_string(table_->lanes) + " at a time, tiles of " +
           std::to_string(table_->lane_rows) + " x " + std::to_string(table_->lane_columns);
}

// Lines that are contiguous along k instead are transposed.
template <class T, class Stored>
void batch_lanes<T, Stored>::pack(const kernels::lane_source<Stored>& from,
                                  [[maybe_unused]] const std::int32_t* along_run,
                                  pack_function packed, T* to, int padded) const {
    if constexpr (!widens) {
        const bool turned = from.step != 1 && table_->transpose != nullptr && from.depth > 0 &&
                            *along_run >= from.depth;
        if (turned) {
            const std::int64_t width = table_->lanes, step = padded * width;
            if (from.lanes < width) std::fill(to, to + step * from.depth, T{0});
            for (int x = 0; x < from.width; ++x) {
                table_->transpose(from.origin + from.across[x] + from.along[0], from.step,
                                  to + x * width, step, from.lanes, from.depth);
            }
            return;
        }
    }
    packed(from, to, padded);
}

// Neighbouring vectors of batches follow each other: they share pages.
template <class T, class Stored>
void batch_lanes<T, Stored>::compute_unit(const operands& from, std::int64_t unit,
                                          int worker) const {
    const std::int64_t first = unit % vectors_ * table_->lanes;
    const std::int64_t n_tile = unit / vectors_ % n_tiles_;
    const std::int64_t m_tile = unit / vectors_ / n_tiles_ % m_tiles_;
    const position at = locate(groups_.batch, unit / vectors_ / n_tiles_ / m_tiles_);
    const auto lanes =
        static_cast<int>(std::min<std::int64_t>(table_->lanes, lanes_.extent - first));
    operands here = from;
    here.a += at.a + first * lanes_.a;
    here.b += at.b + first * lanes_.b;
    here.c += at.c + first * lanes_.c;
    if (k_ == 0) here.alpha = T{0};
    const std::int64_t m = part_start(m_, m_tiles_, m_tile, table_->lane_rows);
    const std::int64_t m_end = part_start(m_, m_tiles_, m_tile + 1, table_->lane_rows);
    const std::int64_t n = part_start(n_, n_tiles_, n_tile, table_->lane_columns);
    const std::int64_t n_end = part_start(n_, n_tiles_, n_tile + 1, table_->lane_columns);

    T* const packed_a = reinterpret_cast<T*>(runtime::worker_memory(worker));
    T* const packed_b =
        reinterpret_cast<T*>(runtime::worker_memory(worker) + runtime::worker_bytes / 2);
    for (std::int64_t block = 0; block < k_blocks_; ++block) {
        const std::int64_t k = part_start(k_, k_blocks_, block, 1);
        const std::int64_t depth = part_start(k_, k_blocks_, block + 1, 1) - k;
        kernels::lane_source<Stored> source{here.a,   nullptr, a_depth_.offset.data() + k, 0, depth,
                                            lanes_.a, lanes};
        const std::int64_t rows = even_rows(m_end - m, table_->lane_rows);
        for (std::int64_t i = m; i < m_end; i += rows) {
            source.across = a_rows_.offset.data() + i;
            source.width = static_cast<int>(std::min(rows, m_end - i));
            pack(source, a_depth_.run.data() + k, table_->pack_lanes_a,
                 packed_a + (i - m) * depth * table_->lanes, source.width);
        }
        source.origin = here.b;
        source.along = b_depth_.offset.data() + k;
        source.step = lanes_.b;
        for (std::int64_t j = n; j < n_end; j += table_->lane_columns) {
            const std::int64_t j_end = std::min(n_end, j + table_->lane_columns);
            source.across = b_columns_.offset.data() + j;
            source.width = static_cast<int>(j_end - j);
            const bool narrow = source.width <= table_->narrow_lane_columns;
            const int padded = narrow ? table_->narrow_lane_columns : table_->lane_columns;
            if (padded > source.width)
                std::fill(packed_b, packed_b + padded * depth * table_->lanes, T{0});
            pack(source, b_depth_.run.data() + k, table_->pack_lanes_b, packed_b, padded);
            multiply_panel(here, m, m_end, j, j_end, depth, lanes, packed_a, packed_b);
        }
        here.beta = T{1};
    }
}

// All packed rows of A with one packed panel of B.
template <class T, class Stored>
void batch_lanes<T, Stored>::multiply_panel(const operands& at, std::int64_t m, std::int64_t m_end,
                                            std::int64_t n, std::int64_t n_end, std::int64_t depth,
                                            int lanes, const T* packed_a, const T* packed_b) const {
    const std::int64_t width = table_->lanes;
    const int columns = static_cast<int>(n_end - n);
    const int wide = columns > table_->narrow_lane_columns ? 1 : 0;
    kernels::lane_tile<T> out;
    out.column_count = columns;
    const std::int64_t most = even_rows(m_end - m, table_->lane_rows);
    for (std::int64_t i = m; i < m_end; i += most) {
        const auto rows = static_cast<int>(std::min(most, m_end - i));
        const auto multiply = table_->multiply_lanes[rows - 1][wide];
        const T* const left = packed_a + (i - m) * depth * width;
        if constexpr (widens) {
            // What is stored narrower is rounded once, from complete sums.
            constexpr int cells = kernels::max_lane_rows * 8;
            alignas(64) T sums[cells * 64];
            std::int64_t row_of[kernels::max_lane_rows], column_of[8];
            for (int r = 0; r < rows; ++r) row_of[r] = r * 8 * width;
            for (int j = 0; j < columns; ++j) column_of[j] = j * width;
            out.origin = sums;
            out.rows = row_of;
            out.columns = column_of;
            out.lanes = static_cast<int>(width);
            multiply(depth, left, packed_b, out);
            for (int r = 0; r < rows; ++r) {
                for (int j = 0; j < columns; ++j) {
                    Stored* const c = at.c + c_rows_.offset[static_cast<std::size_t>(i + r)] +
                                      c_columns_.offset[static_cast<std::size_t>(n + j)];
                    table_->write(lanes, at.alpha, sums + row_of[r] + column_of[j], at.beta, c,
                                  lanes_.c);
                }
            }
        } else {
            out.origin = at.c;
            out.rows = c_rows_.offset.data() + i;
            out.columns = c_columns_.offset.data() + n;
            out.step = lanes_.c;
            out.lanes = lanes;
            out.alpha = at.alpha;
            out.beta = at.beta;
            multiply(depth, left, packed_b, out);
        }
    }
}

#define RICCI_INSTANTIATE(...) template class batch_lanes<__VA_ARGS__>
RICCI_FOR_CONTRACTED_TYPES(RICCI_INSTANTIATE);

}  // namespace ricci::contract
