// A product over (maximum, +) or (minimum, +) as tiles of packed panels.
#include "src/contract/algebra/packed_extrema.hpp"

#include <algorithm>

#include "src/base/arithmetic.hpp"
#include "src/contract/offsets.hpp"
#include "src/contract/sharing.hpp"
#include "src/runtime/buffers.hpp"
#include "src/runtime/interruption.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::contractions {
namespace {

// Rows of A that are packed at a time take so many bytes of the second cache at most, and columns
// of B so many of the third.
constexpr std::int64_t row_block_bytes = std::int64_t{3} << 18;
constexpr std::int64_t column_chunk_bytes = std::int64_t{1} << 23;
constexpr std::int64_t half_of_worker = static_cast<std::int64_t>(runtime::worker_bytes / 2);
// Products of fewer terms need no packing.
constexpr std::int64_t most_in_lines = 250000;
// Panels of a chunk, and of a block of rows, at most: what each holds is noted.
constexpr std::int64_t most_panels = 1024;

// A product of two such panels has a term that is NaN.
bool can_be_nan(unsigned a, unsigned b) {
    using namespace kernels;
    if (((a | b) & has_nan) != 0) return true;
    const auto opposite = [](unsigned x, unsigned y) {
        return (x & has_plus_infinity) != 0 && (y & has_minus_infinity) != 0;
    };
    return opposite(a, b) || opposite(b, a);
}

}  // namespace

bool suits_packed_extrema(const index_groups& groups, bool places) {
    const std::int64_t m = iterations(groups.m), n = iterations(groups.n);
    const std::int64_t k = iterations(groups.k);
    // Lines of folds are as fast while all of B is near, if it lies well; but not with places.
    const bool lies_well =
        !groups.n.empty() && groups.n.back().b == 1 && groups.n.back().c == 1 && !places;
    if (m < 12 || n < 12 || k < (lies_well ? 8 : 2)) return false;
    return m * n * k >= (lies_well ? most_in_lines : 8000);
}

/// Columns of B in one block of k, in panels of so many vectors.
template <class T>
struct packed_extrema<T>::packed_columns {
    T* data = nullptr;
    range columns;
    std::int64_t vectors = 0, panels = 0, depth = 0;  // vectors of all panels
    std::int64_t lanes = 1;
    std::uint8_t content[most_panels];

    std::int64_t vector_of(std::int64_t panel) const { return vectors * panel / panels; }
    std::int64_t first_column(std::int64_t panel) const {
        return std::min(columns.end, columns.first + vector_of(panel) * lanes);
    }
    T* panel(std::int64_t which) const { return data + vector_of(which) * lanes * depth; }
};

/// Rows of A in one block of k, in panels of as many rows as a tile has.
template <class T>
struct packed_extrema<T>::packed_rows {
    T* data = nullptr;
    range rows;
    std::uint8_t content[most_panels];
};

template <class T>
packed_extrema<T>::packed_extrema(const index_groups& groups,
                                  const kernels::extremum_table<T>& table)
    : table_(&table),
      packing_(&kernels::gemm_kernels<T>()),
      origin_(groups.origin),
      batches_(groups.batch),
      flat_(groups) {
    if (flat_.a_rows.run[0] == 1) find_stretch(flat_.a_depth, most_row_stretch);
    find_stretch(flat_.b_depth, most_stretch);
    k_blocks_ = ceil_divide(flat_.k, kernels::most_depth<T>);
    const auto size = static_cast<std::int64_t>(sizeof(T));
    const std::int64_t row_bytes = kernels::row_pitch<T> * size;
    row_block_ = row_block_bytes / row_bytes / table.rows * table.rows;
    const std::int64_t depth = round_up(ceil_divide(flat_.k, k_blocks_), 8);
    const std::int64_t widest =
        std::min(column_chunk_bytes / size / depth, most_panels * table.lanes);
    const std::int64_t chunks =
        ceil_divide(flat_.n, std::max<std::int64_t>(widest / table.lanes, 1) * table.lanes);
    column_chunk_ = round_up(ceil_divide(flat_.n, chunks), table.lanes);
    work_ =
        2.0 * static_cast<double>(flat_.batch * flat_.m) * static_cast<double>(flat_.n * flat_.k);
}

template <class T>
std::size_t packed_extrema<T>::column_bytes() const {
    const std::int64_t depth = round_up(ceil_divide(flat_.k, k_blocks_), 8);
    return static_cast<std::size_t>(depth * column_chunk_) * sizeof(T);
}

template <class T>
runtime::loan_list packed_extrema<T>::loans() const {
    if (static_cast<std::int64_t>(column_bytes()) <= half_of_worker) return {};
    return {{column_bytes(), flat_.batch * flat_.m}};
}

// Rows and columns may be cut as one likes: no extremum depends on it.
template <class T>
typename packed_extrema<T>::sharing packed_extrema<T>::share(std::int64_t workers) const {
    sharing parts;
    if (work_ < serial_flops || workers == 1) return parts;
    const std::int64_t wanted = ceil_divide(3 * workers, flat_.batch);
    parts.row_parts = std::clamp<std::int64_t>(flat_.m / (4 * table_->rows), 1, wanted);
    const std::int64_t least_columns = 4 * table_->lanes * table_->vectors;
    parts.column_parts =
        std::clamp<std::int64_t>(flat_.n / least_columns, 1, ceil_divide(wanted, parts.row_parts));
    return parts;
}

template <class T>
void packed_extrema<T>::run(const algebra_operands<T>& given) const {
    const algebra_operands<T> all = from_origin(origin_, given);
    const sharing parts = share(runtime::worker_count());
    const std::int64_t units = flat_.batch * parts.parts();
    auto body = [&](std::int64_t unit, int worker) { run_unit(all, parts, unit, worker); };
    distribute_units(units, units_in_task(units, work_), work_ < serial_flops, body);
}

template <class T>
void packed_extrema<T>::run_unit(const algebra_operands<T>& all, const sharing& parts,
                                 std::int64_t unit, int worker) const {
    const position at = locate(batches_, unit / parts.parts());
    algebra_operands<T> from = all;
    from.a += at.a;
    from.b += at.b;
    from.c += at.c;
    if (from.places != nullptr) from.places += at.c;
    const std::int64_t part = unit % parts.parts();
    const auto cut = [](std::int64_t total, std::int64_t count, std::int64_t which,
                        std::int64_t step) {
        return range{part_start(total, count, which, step),
                     part_start(total, count, which + 1, step)};
    };
    const range rows = cut(flat_.m, parts.row_parts, part / parts.column_parts, table_->rows);
    const range columns =
        cut(flat_.n, parts.column_parts, part % parts.column_parts, table_->lanes);
    for (std::int64_t j = columns.first; j < columns.end; j += column_chunk_)
        multiply(from, rows, {j, std::min(columns.end, j + column_chunk_)}, worker);
}

template <class T>
void packed_extrema<T>::multiply(const algebra_operands<T>& from, range rows, range columns,
                                 int worker) const {
    T* const memory = reinterpret_cast<T*>(runtime::worker_memory(worker));
    const bool lends = static_cast<std::int64_t>(column_bytes()) > half_of_worker;
    const runtime::lent_memory lent(lends ? column_bytes() : 0);
    packed_columns right;
    right.data = lends ? reinterpret_cast<T*>(lent.data())
                       : memory + half_of_worker / static_cast<std::int64_t>(sizeof(T));
    packed_rows left;
    left.data = memory;
    algebra_operands<T> block = from;
    for (std::int64_t b = 0; b < k_blocks_; ++b) {
        const range k = {part_start(flat_.k, k_blocks_, b, 8),
                         part_start(flat_.k, k_blocks_, b + 1, 8)};
        if (k.size() == 0) continue;
        block.first_place = from.first_place + static_cast<place>(k.first);
        pack(from.b, k, columns, right);
        for (std::int64_t i = rows.first; i < rows.end; i += row_block_) {
            runtime::interruption::poll();
            pack(from.a, k, {i, std::min(rows.end, i + row_block_)}, left);
            multiply_block(block, k, left, right);
        }
        block.joins = true;
    }
}

template <class T>
void packed_extrema<T>::pack(const T* b, range k, range columns, packed_columns& to) const {
    const std::int64_t lanes = table_->lanes;
    to.columns = columns;
    to.lanes = lanes;
    to.depth = k.size();
    to.vectors = ceil_divide(columns.size(), lanes);
    to.panels = ceil_divide(to.vectors, table_->vectors);
    for (std::int64_t p = 0; p < to.panels; ++p) {
        const std::int64_t step = (to.vector_of(p + 1) - to.vector_of(p)) * lanes;
        const std::int64_t end = to.first_column(p + 1);
        T* const panel = to.panel(p);
        for (std::int64_t j = to.first_column(p), v = 0; j < end; j += lanes, ++v)
            packing_->pack_columns(pack_source(b, flat_.b_columns, j, std::min(lanes, end - j),
                                               flat_.b_depth, k.first, k.size()),
                                   panel + v * lanes, step);
        to.content[p] = static_cast<std::uint8_t>(table_->content(step * k.size(), panel));
    }
}

template <class T>
void packed_extrema<T>::pack(const T* a, range k, range rows, packed_rows& to) const {
    to.rows = rows;
    for (std::int64_t i = rows.first, p = 0; i < rows.end; i += table_->rows, ++p) {
        const std::int64_t width = std::min<std::int64_t>(table_->rows, rows.end - i);
        T* const panel = to.data + (i - rows.first) * kernels::row_pitch<T>;
        packing_->pack_rows(
            pack_source(a, flat_.a_rows, i, width, flat_.a_depth, k.first, k.size()), panel);
        unsigned found = 0;
        for (std::int64_t x = 0; x < width; ++x)
            found |= table_->content(k.size(), panel + x * kernels::row_pitch<T>);
        to.content[p] = static_cast<std::uint8_t>(found);
    }
}

template <class T>
void packed_extrema<T>::multiply_block(const algebra_operands<T>& from, range k,
                                       const packed_rows& left, const packed_columns& right) const {
    kernels::extremum_tile<T> out;
    out.c = from.c;
    out.joins = from.joins;
    out.places = from.places;
    out.first_place = from.first_place;
    const auto& tiles = from.places == nullptr ? table_->tile : table_->tile_places;
    for (std::int64_t p = 0; p < right.panels; ++p) {
        const std::int64_t first = right.first_column(p);
        const std::int64_t vectors = right.vector_of(p + 1) - right.vector_of(p);
        const std::int64_t step = vectors * table_->lanes;
        out.columns = flat_.c_columns.offset.data() + first;
        out.column_runs = flat_.c_columns.run.data() + first;
        out.column_count = static_cast<int>(right.first_column(p + 1) - first);
        for (std::int64_t i = left.rows.first, x = 0; i < left.rows.end; i += table_->rows, ++x) {
            const std::int64_t width = std::min<std::int64_t>(table_->rows, left.rows.end - i);
            const T* const a = left.data + (i - left.rows.first) * kernels::row_pitch<T>;
            out.rows = flat_.c_rows.offset.data() + i;
            if (can_be_nan(left.content[x], right.content[p]))
                table_->careful_tile(static_cast<int>(width), k.size(), a, right.panel(p), step,
                                     out);
            else tiles[width - 1][vectors - 1](k.size(), a, right.panel(p), step, out);
        }
    }
}

template class packed_extrema<float>;
template class packed_extrema<double>;

}  // namespace ricci::contractions
