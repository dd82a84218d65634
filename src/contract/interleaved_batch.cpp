// A contraction whose vectors run along the batches: packing, and the order of tiles.
#include "src/contract/interleaved_batch.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "src/base/arithmetic.hpp"
#include "src/contract/element_types.hpp"
#include "src/contract/sharing.hpp"
#include "src/runtime/buffers.hpp"

namespace ricci::contractions {
namespace {

// Bytes of a packed panel of B: it stays in the first cache while all rows pass over it, and packed
// A in the second.
constexpr std::int64_t panel_bytes = 24576;
constexpr std::int64_t half_bytes = static_cast<std::int64_t>(runtime::worker_bytes / 2);
constexpr std::int64_t most_interleaved_rows = 128;
// The longest sum over k that is completed before it is written.
constexpr std::int64_t most_complete = 512;
constexpr std::int64_t units_wanted = 16;

// Rows of a tile when `count` rows are spread evenly over tiles of at most `most`.
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

// The same loop, taken out of the batch.
steps::contraction_loop take_lane_loop(index_groups& groups) {
    int contiguous = 0;
    const auto which = static_cast<std::ptrdiff_t>(lane_loop(groups, contiguous));
    const steps::contraction_loop taken = groups.batch[static_cast<std::size_t>(which)];
    groups.batch.erase(groups.batch.begin() + which);
    return taken;
}

}  // namespace

bool suits_interleaved_batch(const index_groups& groups, int lanes, bool complete_sums) {
    int contiguous = 0;
    const std::size_t which = lane_loop(groups, contiguous);
    if (contiguous < 2 || (complete_sums && iterations(groups.k) > most_complete)) return false;
    // At least half of the lanes have to be used.
    const std::int64_t extent = groups.batch[which].extent;
    return 2 * extent > ceil_divide(extent, lanes) * lanes;
}

template <class T, class Stored>
interleaved_batch<T, Stored>::interleaved_batch(index_groups groups,
                                                const kernels::kernel_table<T, Stored>& table)
    : groups_(std::move(groups)), lanes_(take_lane_loop(groups_)), table_(&table), flat_(groups_) {
    const std::int64_t vector = table.lanes * static_cast<std::int64_t>(sizeof(T));
    vectors_ = ceil_divide(lanes_.extent, table.lanes);
    const std::int64_t deepest =
        widens<T, Stored> ? most_complete : panel_bytes / (vector * table.lane_columns);
    k_blocks_ = ceil_divide(flat_.k, std::max<std::int64_t>(8, deepest));
    const std::int64_t depth = ceil_divide(flat_.k, k_blocks_);
    const std::int64_t rows = std::clamp<std::int64_t>(
        half_bytes / (vector * depth) - table.lane_rows, 1, most_interleaved_rows);
    m_tiles_ = ceil_divide(flat_.m, rows);
    const std::int64_t batches = flat_.batch * vectors_;
    const std::int64_t panels = ceil_divide(flat_.n, table.lane_columns);
    const double flops = 2.0 * static_cast<double>(batches) * static_cast<double>(flat_.m) *
                         static_cast<double>(flat_.n) * static_cast<double>(flat_.k) * table.lanes;
    serial_ = flops < serial_flops;
    n_tiles_ = std::clamp<std::int64_t>(
        std::min(units_wanted, static_cast<std::int64_t>(flops / task_flops)) /
            (batches * m_tiles_),
        1, panels);
    units_ = batches * m_tiles_ * n_tiles_;
    units_per_task_ = units_in_task(units_, flops);
    runtime::worker_memory(0);
}

template <class T, class Stored>
void interleaved_batch<T, Stored>::run(const void* a, const void* b, void* c,
                                       const engine::number& alpha,
                                       const engine::number& beta) const {
    const operands from = bind<T, Stored>(groups_.origin, a, b, c, alpha, beta);
    distribute_units(units_, units_per_task_, serial_,
                     [&](std::int64_t unit, int worker) { compute_unit(from, unit, worker); });
}

template <class T, class Stored>
std::string interleaved_batch<T, Stored>::words() const {
    return fmt::format("lanes: a batch in each, {} at a time, tiles of {} x {}", table_->lanes,
                       table_->lane_rows, table_->lane_columns);
}

// Packs lines; those that are contiguous along k rather than along the batch are transposed.
template <class T, class Stored>
void interleaved_batch<T, Stored>::pack(const kernels::lane_source<Stored>& from,
                                        [[maybe_unused]] const std::int32_t* along_run,
                                        pack_function packed, T* to, int padded) const {
    if constexpr (!widens<T, Stored>) {
        const bool transposes = from.step != 1 && table_->transpose != nullptr && from.depth > 0 &&
                                *along_run >= from.depth;
        if (transposes) {
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

// Computes a unit. Neighbouring vectors of batches are neighbouring units: they share pages of
// memory.
template <class T, class Stored>
void interleaved_batch<T, Stored>::compute_unit(const operands& from, std::int64_t unit,
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
    const std::int64_t m = part_start(flat_.m, m_tiles_, m_tile, table_->lane_rows);
    const std::int64_t m_end = part_start(flat_.m, m_tiles_, m_tile + 1, table_->lane_rows);
    const std::int64_t n = part_start(flat_.n, n_tiles_, n_tile, table_->lane_columns);
    const std::int64_t n_end = part_start(flat_.n, n_tiles_, n_tile + 1, table_->lane_columns);

    T* const packed_a = reinterpret_cast<T*>(runtime::worker_memory(worker));
    T* const packed_b =
        reinterpret_cast<T*>(runtime::worker_memory(worker) + runtime::worker_bytes / 2);
    for (std::int64_t block = 0; block < k_blocks_; ++block) {
        const std::int64_t k = part_start(flat_.k, k_blocks_, block, 1);
        const std::int64_t depth = part_start(flat_.k, k_blocks_, block + 1, 1) - k;
        kernels::lane_source<Stored> source{
            here.a, nullptr, flat_.a_depth.offset.data() + k, 0, depth, lanes_.a, lanes};
        const std::int64_t rows = even_rows(m_end - m, table_->lane_rows);
        for (std::int64_t i = m; i < m_end; i += rows) {
            source.across = flat_.a_rows.offset.data() + i;
            source.width = static_cast<int>(std::min(rows, m_end - i));
            pack(source, flat_.a_depth.run.data() + k, table_->pack_lanes_a,
                 packed_a + (i - m) * depth * table_->lanes, source.width);
        }
        source.origin = here.b;
        source.along = flat_.b_depth.offset.data() + k;
        source.step = lanes_.b;
        for (std::int64_t j = n; j < n_end; j += table_->lane_columns) {
            const std::int64_t j_end = std::min(n_end, j + table_->lane_columns);
            source.across = flat_.b_columns.offset.data() + j;
            source.width = static_cast<int>(j_end - j);
            const bool narrow = source.width <= table_->narrow_lane_columns;
            const int padded = narrow ? table_->narrow_lane_columns : table_->lane_columns;
            if (padded > source.width)
                std::fill(packed_b, packed_b + padded * depth * table_->lanes, T{0});
            pack(source, flat_.b_depth.run.data() + k, table_->pack_lanes_b, packed_b, padded);
            multiply_panel(here, m, m_end, j, j_end, depth, lanes, packed_a, packed_b);
        }
        here.beta = T{1};
    }
}

// Multiplies all packed rows of A with one packed panel of B.
template <class T, class Stored>
void interleaved_batch<T, Stored>::multiply_panel(const operands& at, std::int64_t m,
                                                  std::int64_t m_end, std::int64_t n,
                                                  std::int64_t n_end, std::int64_t depth, int lanes,
                                                  const T* packed_a, const T* packed_b) const {
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
        if constexpr (widens<T, Stored>) {
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
                    Stored* const c = at.c + flat_.c_rows.offset[static_cast<std::size_t>(i + r)] +
                                      flat_.c_columns.offset[static_cast<std::size_t>(n + j)];
                    table_->write(lanes, at.alpha, sums + row_of[r] + column_of[j], at.beta, c,
                                  lanes_.c);
                }
            }
        } else {
            out.origin = at.c;
            out.rows = flat_.c_rows.offset.data() + i;
            out.columns = flat_.c_columns.offset.data() + n;
            out.step = lanes_.c;
            out.lanes = lanes;
            out.alpha = at.alpha;
            out.beta = at.beta;
            multiply(depth, left, packed_b, out);
        }
    }
}

#define RICCI_INSTANTIATE(...) template class interleaved_batch<__VA_ARGS__>
RICCI_FOR_CONTRACTED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::contractions
