// Panels of rows: whether they are read where they lie, and packing.
#include "src/contract/left_panels.hpp"

#include <complex>
#include <utility>

#include "src/contract/element_types.hpp"
#include "src/runtime/cache_sizes.hpp"
#include "src/runtime/caches.hpp"

namespace ricci::contractions {
namespace {

// Rows of A that are contiguous along k are packed for at least so many panels of B.
constexpr std::int64_t panels_to_pack = 9;
// How many k of all rows are packed before going on, where rows are contiguous across.
constexpr std::int64_t rows_across = 8;
// An A of at most so many bytes is read in place along any step.
constexpr std::int64_t small_bytes = std::int64_t{1} << 15;
// A larger one only for so few columns, and where a line of memory holds a tile of rows at least.
constexpr std::int64_t most_columns = 128;
// Elements that are a multiple of this apart compete for the same places in the caches. The second
// cache still has room for a block of a limited depth, and for as many lines that have been
// prefetched. That is worth it where few panels of columns meet them, and a line serves two tiles;
// otherwise rows are packed.
constexpr std::int64_t aliased_bytes = 4096;
constexpr std::int64_t least_aliased_depth = 64, most_aliased_depth = 256;
constexpr std::int64_t aliased_panels = 2;

bool is_aliased(std::int64_t step_bytes) {
    return step_bytes != 0 && step_bytes % aliased_bytes == 0;
}

// That depth, for steps of so many bytes; less than the least one where there is no such room.
std::int64_t aliased_depth(std::int64_t step_bytes) {
    return std::min(runtime::caches().second / 2 / step_bytes, most_aliased_depth) / 16 * 16;
}

}  // namespace

template <class T, class Stored>
left_panels<T, Stored>::left_panels(flat_contraction& flat,
                                    const kernels::kernel_table<T, Stored>& table,
                                    const list_layout& list)
    : table_(&table),
      m_(flat.m),
      n_(flat.n),
      k_(flat.k),
      rows_(std::move(flat.a_rows)),
      depth_(std::move(flat.a_depth)),
      list_(list),
      row_step_(uniform_step(rows_, 0, m_)) {
    choose_tile(flat.n);
}

// A wider tile has fewer rows. It suits where it fills all columns; but not where rows are packed
// across, a full tile of them at a time.
template <class T, class Stored>
void left_panels<T, Stored>::choose_tile(std::int64_t n) {
    mr_ = table_->mr;
    vectors_ = table_->vectors;
    const int wide = vectors_ + 1;
    if (table_->wide_rows == 0 || ceil_divide(n, table_->lanes) != wide) return;
    const std::int64_t step = is_listed() ? 0 : uniform_step(depth_, 0, k_);
    if (is_contiguous_across() && (step == 0 || !steps_well(step))) return;
    mr_ = table_->wide_rows;
    vectors_ = wide;
}

template <class T, class Stored>
void left_panels<T, Stored>::find_stretches() {
    if (rows_.run[0] == 1) find_stretch(depth_, most_row_stretch);
}

// Whether A has lines along its rows' index, and none along k.
template <class T, class Stored>
bool left_panels<T, Stored>::is_contiguous_across() const {
    const auto has_lines = [&](const offset_vector& offsets) {
        return std::any_of(offsets.run.begin(), offsets.run.end(),
                           [&](std::int32_t run) { return run >= table_->mr; });
    };
    return has_lines(rows_) && !has_lines(depth_);
}

// Whether A may be read where it lies along a step of k other than one: it is small, or it is
// contiguous across and the caches have room for the lines that a block of k meets.
template <class T, class Stored>
bool left_panels<T, Stored>::steps_well(std::int64_t step) const {
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(Stored));
    if (m_ * k_ * bytes <= small_bytes) return true;
    const std::int64_t width = std::int64_t{table_->vectors} * table_->lanes;
    const std::int64_t tile = table_->mr * bytes;
    if (n_ > most_columns || tile > runtime::line_bytes || !is_contiguous_across()) return false;
    return !is_aliased(step * bytes) ||
           (n_ <= aliased_panels * width && 2 * tile <= runtime::line_bytes &&
            aliased_depth(step * bytes) >= least_aliased_depth);
}

template <class T, class Stored>
std::int64_t left_panels<T, Stored>::most_depth() const {
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(Stored));
    if (is_listed()) return kernels::most_depth<double>;
    const std::int64_t step = uniform_step(depth_, 0, k_);
    return is_aliased(step * bytes) && m_ * k_ * bytes > small_bytes && steps_well(step)
               ? aliased_depth(step * bytes)
               : kernels::most_depth<double>;
}

template <class T, class Stored>
void left_panels<T, Stored>::meet(std::int64_t panels) {
    const bool few = panels < panels_to_pack;
    packs_across_ = few && table_->pack_across != nullptr && list_.how != listing::both &&
                    is_contiguous_across();
    reads_in_place_ =
        few && !is_listed() && table_->gemm_in_place[0][0] != nullptr && row_step_ != 0;
}

template <class T, class Stored>
std::int64_t left_panels<T, Stored>::step_in_place(std::int64_t first, std::int64_t end) const {
    if (!reads_in_place_) return 0;
    const std::int64_t step = uniform_step(depth_, first, end);
    return step == 1 || steps_well(step) ? step : 0;
}

template <class T, class Stored>
void left_panels<T, Stored>::pack(const operand_start<Stored>& a, std::int64_t m,
                                  std::int64_t m_end, const k_block& block, T* to) const {
    if (list_.how == listing::both) return pack_doubly_listed(a, m, m_end, block, to);
    const std::int64_t mr = panel_rows(m_end - m);
    // Rows that are contiguous across are read whole, a few k at a time; the next few are
    // prefetched.
    const std::int64_t step = packs_across_ ? rows_across : block.depth();
    const Stored* const origin = a.origin(list_);
    listed_offsets<Stored> along(list_, listing::along, a), across(list_, listing::across, a);
    for (std::int64_t k = block.first; k < block.end; k += step) {
        if (packs_across_)
            prefetch_across(a, m, m_end, k + step, std::min(block.end, k + 2 * step));
        const std::int64_t depth = std::min(step, block.end - k);
        const std::int64_t* const offsets = along.of(depth_.offset.data() + k, depth);
        for (std::int64_t i = m; i < m_end; i += mr) {
            const std::int64_t width = std::min(mr, m_end - i);
            auto from = pack_source(origin, rows_, i, width, depth_, k, depth);
            from.along = offsets;
            from.across = across.of(from.across, width);
            T* const panel = to + (i - m) * pitch(block);
            if (packs_across_) table_->pack_across(from, panel + (k - block.first) * width);
            else table_->pack_rows(from, panel);
        }
    }
}

// Rows of a panel that share a place in the list for each k are packed at once.
template <class T, class Stored>
void left_panels<T, Stored>::pack_doubly_listed(const operand_start<Stored>& a, std::int64_t m,
                                                std::int64_t m_end, const k_block& block,
                                                T* to) const {
    const std::int64_t mr = panel_rows(m_end - m), depth = block.depth();
    doubly_listed_offsets<Stored> listed(list_, a);
    for (std::int64_t panel = m; panel < m_end; panel += mr) {
        const std::int64_t end = std::min(m_end, panel + mr);
        for (std::int64_t i = panel, width = 0; i < end; i += width) {
            width = listed.sharing(rows_, i, end);
            const auto at = listed.of(rows_, i, width, depth_, block.first, depth);
            auto from = pack_source(a.base, rows_, i, width, depth_, block.first, depth);
            from.across = at.fixed;
            from.along = at.moving;
            table_->pack_rows(from, to + (i - m) * pitch(block));
        }
    }
}

// Asks for rows [m, m_end) of k in [first, end).
template <class T, class Stored>
void left_panels<T, Stored>::prefetch_across(const operand_start<Stored>& a, std::int64_t m,
                                             std::int64_t m_end, std::int64_t first,
                                             std::int64_t end) const {
    constexpr std::int64_t line = runtime::line_bytes / static_cast<std::int64_t>(sizeof(Stored));
    if (list_.how == listing::across) return;
    for (std::int64_t k = first; k < end; ++k) {
        const Stored* const from = list_.how == listing::none
                                       ? a.plain() + depth(k)
                                       : a.base + list_.resolve(a.list, a.offset + depth(k));
        for (std::int64_t i = m; i < m_end; i += line) __builtin_prefetch(from + row(i));
    }
}

template <class T, class Stored>
bool left_panels<T, Stored>::packs_like(const left_panels& other) const {
    return !is_listed() && !other.is_listed() && table_ == other.table_ && mr_ == other.mr_ &&
           m_ == other.m_ && k_ == other.k_ && rows_.offset == other.rows_.offset &&
           depth_.offset == other.depth_.offset;
}

#define RICCI_INSTANTIATE(...) template class left_panels<__VA_ARGS__>
RICCI_FOR_CONTRACTED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::contractions
