// The product of a block of rows of A with panels of B, which a micro-kernel reads where they lie or
// packed.
#include <algorithm>
#include <complex>
#include <cstdint>

#include "src/contract/blocked.hpp"
#include "src/contract/distribute.hpp"
#include "src/contract/element_types.hpp"
#include "src/runtime/buffers.hpp"
#include "src/runtime/cache_sizes.hpp"
#include "src/runtime/caches.hpp"

namespace ricci::contract {
namespace {

// Rows of A that are contiguous along k are packed for at least so many panels of B.
constexpr std::int64_t panels_to_pack = 9;
// How many k of all rows are packed before going on, where rows are contiguous across.
constexpr std::int64_t rows_across = 8;
// Elements of a panel of B that are packed on the stack rather than in a worker's memory.
constexpr std::size_t stack_elements = 2048;
// An A of so many bytes is read in place along any step.
constexpr std::int64_t small_bytes = std::int64_t{1} << 15;
// A larger one only for so few columns, and where a line of memory holds a tile of rows at least.
constexpr std::int64_t most_columns = 128;
// Elements that are a multiple of this apart compete for the same places in the caches. The second one has
// room for a block of so many k all the same, and as many again that have been asked for, which is worth it
// where so many panels meet them, and a line serves two tiles; otherwise the rows are packed.
constexpr std::int64_t aliased_bytes = 4096;
constexpr std::int64_t least_aliased_depth = 64, most_aliased_depth = 256;
constexpr std::int64_t aliased_panels = 2;

// That depth, for steps of so many bytes; less than the least one where there is no such room.
std::int64_t aliased_depth(std::int64_t step_bytes) {
    return std::min(runtime::caches().second / 2 / step_bytes, most_aliased_depth) / 16 * 16;
}

}  // namespace

// Whether A has lines along its rows' index, and none along k.
template <class T, class Stored>
bool blocked<T, Stored>::is_contiguous_across() const {
    const auto lines = [&](const offset_vector& offsets) {
        return std::any_of(offsets.run.begin(), offsets.run.end(),
                           [&](std::int32_t run) { return run >= table_->mr; });
    };
    return lines(a_rows_) && !lines(a_depth_);
}

// Whether A may be read where it lies along a step of k other than one: it is small, or contiguous across,
// and the caches have room for the lines that a block of k meets.
template <class T, class Stored>
bool blocked<T, Stored>::steps_well(std::int64_t step) const {
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(Stored));
    if (m_ * k_ * bytes <= small_bytes) return true;
    const std::int64_t width = std::int64_t{table_->vectors} * table_->lanes;
    const std::int64_t tile = table_->mr * bytes;
    if (n_ > most_columns || tile > runtime::line_bytes || !is_contiguous_across()) return false;
    return !is_aliased(step) || (n_ <= aliased_panels * width && 2 * tile <= runtime::line_bytes &&
                                 aliased_depth(step * bytes) >= least_aliased_depth);
}

template <class T, class Stored>
bool blocked<T, Stored>::is_aliased(std::int64_t step) const {
    return step != 0 && step * static_cast<std::int64_t>(sizeof(Stored)) % aliased_bytes == 0;
}

// The depth of a block of k, at most, for A to be read where it lies.
template <class T, class Stored>
std::int64_t blocked<T, Stored>::shallow_depth() const {
    const std::int64_t step = uniform_step(a_depth_, 0, k_);
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(Stored));
    return is_aliased(step) && m_ * k_ * bytes > small_bytes && steps_well(step)
               ? aliased_depth(step * bytes)
               : kernels::most_depth<double>;
}

// A is read in place where few panels pass over it.
template <class T, class Stored>
void blocked<T, Stored>::make_blocks() {
    const bool in_place = table_->gemm_in_place[0][0] != nullptr;
    packs_across_ =
        table_->pack_across != nullptr && cut_.panels < panels_to_pack && is_contiguous_across();
    a_row_step_ = uniform_step(a_rows_, 0, m_);
    for (std::int64_t number = 0; number < cut_.k_blocks; ++number) {
        k_block block;
        block.first = block_start(number);
        block.end = block_start(number + 1);
        const std::int64_t step = uniform_step(a_depth_, block.first, block.end);
        if (in_place && a_row_step_ != 0 && cut_.panels < panels_to_pack &&
            (step == 1 || steps_well(step)))
            block.a_step = step;
        block.b_step = uniform_step(b_depth_, block.first, block.end);
        blocks_.push_back(block);
        packs_a_ = packs_a_ || block.a_step == 0;
        for (const column_panel& which : panels_) {
            if (reads_in_place(block, which)) continue;
            largest_buffer_ =
                std::max(largest_buffer_, static_cast<std::size_t>((block.end - block.first) *
                                                                   which.vectors * table_->lanes));
        }
    }
}

template <class T, class Stored>
bool blocked<T, Stored>::fits_stack() const {
    return cut_.in_place && !packs_a_ && largest_buffer_ <= stack_elements;
}

// Whether a micro-kernel may load the panel's columns of B as vectors.
template <class T, class Stored>
bool blocked<T, Stored>::reads_in_place(const column_panel& which) const {
    return table_->gemm_in_place[0][0] != nullptr &&
           b_columns_.run[static_cast<std::size_t>(which.first)] >= which.columns &&
           which.columns == which.vectors * table_->lanes;
}

template <class T, class Stored>
bool blocked<T, Stored>::reads_in_place(const k_block& block, const column_panel& which) const {
    return !widens && block.b_step != 0 && reads_in_place(which);
}

// Every unit, which is a tile of C of one batch, reads B in place or packs it for itself.
template <class T, class Stored>
void blocked<T, Stored>::run_in_place(const operands& from) const {
    const std::int64_t units = batch_ * cut_.m_tiles * cut_.n_tiles;
    if (fits_stack() && (cut_.serial || units == 1)) {
        alignas(64) T packed_b[stack_elements];
        for (std::int64_t unit = 0; unit < units; ++unit) {
            multiply_in_place(from, unit, nullptr, packed_b);
        }
        return;
    }
    const std::int64_t per_task = cut_.units_per_task;
    auto body = [&](std::int64_t task, int worker) {
        T* const packed_a = reinterpret_cast<T*>(runtime::worker_memory(worker));
        T* const packed_b =
            reinterpret_cast<T*>(runtime::worker_memory(worker) + runtime::worker_bytes / 2);
        const std::int64_t end = std::min(units, (task + 1) * per_task);
        for (std::int64_t unit = task * per_task; unit < end; ++unit) {
            multiply_in_place(from, unit, packed_a, packed_b);
        }
    };
    distribute((units + per_task - 1) / per_task, cut_.serial, body);
}

template <class T, class Stored>
void blocked<T, Stored>::multiply_in_place(const operands& from, std::int64_t unit, T* packed_a,
                                           T* packed_b) const {
    const position at = locate(groups_.batch, unit / cut_.n_tiles / cut_.m_tiles);
    const std::int64_t m_tile = unit / cut_.n_tiles % cut_.m_tiles;
    const std::int64_t n_tile = unit % cut_.n_tiles;
    destination to = output(from, at.c, true);
    right_operand right;
    right.b = from.b + at.b;
    right.buffer = packed_b;
    for (const k_block& block : blocks_) {
        const std::int64_t m = part_start(m_, cut_.m_tiles, m_tile, mr_);
        const std::int64_t m_end = part_start(m_, cut_.m_tiles, m_tile + 1, mr_);
        if (block.a_step == 0) pack_a(from.a + at.a, m, m_end, block, packed_a);
        multiply_block({from.a + at.a, m, m_end, &block, packed_a},
                       part_start(cut_.panels, cut_.n_tiles, n_tile, 1),
                       part_start(cut_.panels, cut_.n_tiles, n_tile + 1, 1), right, to);
        to.beta = 1;
    }
    if (to.stream || to.fold) table_->end_streams();
}

// Packs the rows [m, m_end) of A for a block of k, panel after panel.
template <class T, class Stored>
void blocked<T, Stored>::pack_a(const Stored* a, std::int64_t m, std::int64_t m_end,
                                const k_block& block, T* to) const {
    const std::int64_t mr = panel_rows(m_end - m);
    constexpr auto line = static_cast<std::int64_t>(64 / sizeof(Stored));
    // Rows that are contiguous across are read whole, a few k at a time; those that follow are asked
    // for before.
    const std::int64_t step = packs_across_ ? rows_across : block.end - block.first;
    for (std::int64_t k = block.first; k < block.end; k += step) {
        const std::int64_t following = std::min(block.end, k + 2 * step);
        for (std::int64_t next = k + step; packs_across_ && next < following; ++next) {
            const Stored* const row = a + a_depth_.offset[static_cast<std::size_t>(next)];
            for (std::int64_t i = m; i < m_end; i += line)
                __builtin_prefetch(row + a_rows_.offset[static_cast<std::size_t>(i)]);
        }
        for (std::int64_t i = m; i < m_end; i += mr) {
            kernels::pack_source<Stored> from;
            from.origin = a;
            from.across = a_rows_.offset.data() + i;
            from.across_run = a_rows_.run.data() + i;
            from.along = a_depth_.offset.data() + k;
            from.along_run = a_depth_.run.data() + k;
            from.along_stretch = a_depth_.stretch;
            from.width = static_cast<int>(std::min(mr, m_end - i));
            from.depth = std::min(step, block.end - k);
            T* const panel = to + (i - m) * pitch_of(block);
            if (packs_across_) table_->pack_across(from, panel + (k - block.first) * from.width);
            else table_->pack_rows(from, panel);
        }
    }
}

#define RICCI_INSTANTIATE(...)                                                                     \
    template bool blocked<__VA_ARGS__>::is_contiguous_across() const;                              \
    template bool blocked<__VA_ARGS__>::steps_well(std::int64_t) const;                            \
    template bool blocked<__VA_ARGS__>::is_aliased(std::int64_t) const;                            \
    template std::int64_t blocked<__VA_ARGS__>::shallow_depth() const;                             \
    template void blocked<__VA_ARGS__>::make_blocks();                                             \
    template void blocked<__VA_ARGS__>::pack_a(const stored_type*, std::int64_t, std::int64_t,     \
                                               const k_block&, computed_type*) const;              \
    template bool blocked<__VA_ARGS__>::fits_stack() const;                                        \
    template bool blocked<__VA_ARGS__>::reads_in_place(const column_panel&) const;                 \
    template bool blocked<__VA_ARGS__>::reads_in_place(const k_block&, const column_panel&) const; \
    template void blocked<__VA_ARGS__>::run_in_place(const operands&) const
RICCI_FOR_CONTRACTED_TYPES(RICCI_INSTANTIATE);

}  // namespace ricci::contract
