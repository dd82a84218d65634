// How a contraction is cut into blocks that fit the caches.
#include "src/contract/blocking.hpp"

#include <algorithm>
#include <cstddef>

#include "src/base/arithmetic.hpp"
#include "src/contract/sharing.hpp"
#include "src/kernels/gemm/gemm.hpp"
#include "src/runtime/buffers.hpp"

namespace ricci::contractions {
namespace {

constexpr std::int64_t most_rows = 192;
// A single tile may have some more rows, so that no second one is needed.
constexpr std::int64_t most_rows_at_once = most_rows + 48;
static_assert(most_rows_at_once * kernels::row_pitch<double> * sizeof(double) <=
              runtime::worker_bytes / 2);

// Depth of a block of k. It is deep, since C is read and written once for every block; a panel of A
// stays in the first cache, and one of B comes from the second. Elements of 16 bytes are cut finer,
// to take up the same memory.
std::int64_t deepest_block(const problem_size& size) {
    constexpr std::int64_t unit = 16;
    const std::int64_t most =
        size.element_bytes > sizeof(double) ? size.most_depth / 2 : size.most_depth;
    const std::int64_t depth =
        size.caches.first / (size.mr * static_cast<std::int64_t>(size.element_bytes));
    return std::clamp(depth / unit * unit, unit, most);
}

// Rows of a tile. Its packed A stays in the second cache while B's panels pass through. Narrower
// elements get no more rows.
std::int64_t tile_rows(const problem_size& size) {
    constexpr auto row_bytes =
        static_cast<std::int64_t>(kernels::most_depth<double> * sizeof(double));
    const std::int64_t rows = size.caches.second * 3 / 4 / row_bytes;
    return std::clamp(rows / size.mr * size.mr, std::int64_t{6} * size.mr, most_rows);
}

// Rows of a single tile, at most: as many as stay in the second cache with a block's depth.
std::int64_t rows_at_once(const problem_size& size, std::int64_t depth) {
    const std::int64_t rows = size.caches.second * 3 / 4 / std::max<std::int64_t>(1, depth) /
                              static_cast<std::int64_t>(size.element_bytes);
    return std::max(tile_rows(size), std::min(rows, most_rows_at_once));
}

constexpr std::int64_t fewest_rows = 48;
constexpr std::int64_t fewest_panels = 4;
constexpr std::int64_t widest_chunk_bytes = 16384;  // of one row of packed B
// Bytes of all of packed B. Twice as much in elements of 16 bytes was seen to cost a tenth of the
// speed.
constexpr std::int64_t packed_bytes = std::int64_t{16} << 20;
constexpr std::int64_t packed_wide_bytes = std::int64_t{8} << 20;
// A B of at most so many bytes stays in the first cache.
constexpr std::int64_t near_bytes = std::int64_t{1} << 15;
constexpr std::int64_t tasks_wanted = 12;

// What the decisions rest on.
struct measures {
    std::int64_t bytes;    // of an element
    std::int64_t vectors;  // of a row of B
    std::int64_t depth;    // of a block of k
    std::int64_t wanted;   // tasks
    bool used_once;        // one tile of rows passes over B
};

// Whether each unit packs B for itself, a panel just before it is used: where B is small and there
// are enough batches to share out, and where one tile of rows passes over it, or where packing it
// for all units would only move it.
bool packs_in_place(const problem_size& size, const block_sizes& cut, const measures& m) {
    const std::int64_t own_bytes = m.vectors * size.lanes * size.k * m.bytes;
    if (size.b_in_place && own_bytes <= near_bytes) return true;
    if (own_bytes <= static_cast<std::int64_t>(runtime::worker_bytes / 2) &&
        (cut.serial || size.batch >= 4 * tasks_wanted) && !(size.complete_sums && cut.k_blocks > 1))
        return true;
    const bool few_tasks = size.batch * cut.panels < tasks_wanted && cut.k_blocks >= 4;
    return !few_tasks && (m.used_once || size.b_dense || (size.b_in_place && size.m <= size.mr));
}

void cut_in_place(const problem_size& size, const measures& m, block_sizes& cut) {
    cut.packed_columns = m.vectors * size.lanes;
    cut.packed_depth = size.k;
    cut.n_tiles = std::clamp<std::int64_t>(m.wanted / (cut.m_tiles * size.batch), 1,
                                           std::max<std::int64_t>(1, cut.panels / fewest_panels));
}

// How much of a B that is packed for all units is held at a time.
void choose_packed_part(const problem_size& size, const measures& m, block_sizes& cut) {
    const std::int64_t block_bytes =
        std::max<std::int64_t>(1, cut.packed_columns * m.depth * m.bytes);
    const std::int64_t most_packed =
        size.element_bytes > sizeof(double) ? packed_wide_bytes : packed_bytes;
    const std::int64_t blocks_held =
        std::clamp(most_packed / block_bytes, std::int64_t{1}, cut.k_blocks);
    cut.k_chunks = ceil_divide(cut.k_blocks, blocks_held);
    cut.packed_depth = std::min(size.k, ceil_divide(cut.k_blocks, cut.k_chunks) * m.depth);
    if (cut.k_chunks == 1) cut.packed_depth = size.k;
    cut.k_splits = std::min(cut.k_splits, cut.k_blocks / cut.k_chunks);
    const std::int64_t batch_bytes =
        std::max<std::int64_t>(1, cut.packed_columns * cut.packed_depth * m.bytes);
    cut.batch_chunk =
        cut.k_chunks > 1 ? 1 : std::clamp(most_packed / batch_bytes, std::int64_t{1}, size.batch);
    cut.sums_apart = cut.k_splits > 1 || (size.complete_sums && cut.k_blocks > 1);
    if (cut.sums_apart) cut.batch_chunk = 1;
}

void cut_for_all_units(const problem_size& size, const measures& m, block_sizes& cut) {
    // Rows are not cut further where k is by far the longest side. k is split instead: B is then
    // packed just before the one tile of rows that needs it passes over it.
    const bool deep = size.k > 4 * std::max(size.m, size.n) && cut.k_blocks >= 2 * m.wanted;
    const std::int64_t most_tiles =
        deep ? cut.m_tiles : std::max(cut.m_tiles, size.m / fewest_rows);
    cut.m_tiles = std::clamp(ceil_divide(m.wanted, size.batch), cut.m_tiles, most_tiles);
    cut.m_tiles = std::min(cut.m_tiles, ceil_divide(size.m, size.mr));

    const std::int64_t panel_columns = size.vectors * size.lanes;
    cut.n_chunks = ceil_divide(cut.panels * panel_columns * m.bytes, widest_chunk_bytes);
    const std::int64_t chunk_panels = ceil_divide(cut.panels, cut.n_chunks);
    // Each tile of columns packs A again, so columns are cut less where k is the longest side and
    // can be split.
    const std::int64_t widest = size.k > 4 * size.n ? 1024 : 256;
    cut.n_tiles = std::clamp<std::int64_t>(m.wanted / (cut.m_tiles * size.batch), 1,
                                           ceil_divide(chunk_panels * panel_columns, widest));
    cut.n_tiles = std::min(cut.n_tiles, cut.panels / cut.n_chunks);

    const std::int64_t tiles = size.batch * cut.m_tiles * cut.n_tiles * cut.n_chunks;
    cut.k_splits =
        std::clamp<std::int64_t>(m.wanted / tiles, 1, std::max<std::int64_t>(1, cut.k_blocks / 2));
    cut.packed_columns = chunk_panels * panel_columns;
    choose_packed_part(size, m, cut);
}

}  // namespace

block_sizes choose_blocks(const problem_size& size) {
    block_sizes cut;
    const double batch_flops = 2.0 * static_cast<double>(size.m) * static_cast<double>(size.n) *
                               static_cast<double>(std::max<std::int64_t>(1, size.k));
    const double flops = batch_flops * static_cast<double>(size.batch);
    cut.serial = flops < serial_flops;

    measures m{};
    m.bytes = static_cast<std::int64_t>(size.element_bytes);
    m.vectors = ceil_divide(size.n, size.lanes);
    cut.panels = ceil_divide(m.vectors, size.vectors);
    const std::int64_t k_units = ceil_divide(size.k, size.k_unit);
    cut.k_blocks = std::max<std::int64_t>(
        1, ceil_divide(k_units, std::max<std::int64_t>(1, deepest_block(size) / size.k_unit)));
    m.depth = std::min(size.k, ceil_divide(k_units, cut.k_blocks) * size.k_unit);
    m.wanted = std::clamp<std::int64_t>(static_cast<std::int64_t>(flops / (4 * task_flops)), 1,
                                        tasks_wanted);
    m.used_once = size.m <= rows_at_once(size, m.depth) &&
                  size.batch * cut.panels >= fewest_panels && !size.long_lines &&
                  !(size.complete_sums && cut.k_blocks > 1);

    cut.in_place = packs_in_place(size, cut, m);
    cut.m_tiles = m.used_once ? 1 : ceil_divide(size.m, tile_rows(size));
    if (cut.in_place) cut_in_place(size, m, cut);
    else cut_for_all_units(size, m, cut);
    const double unit_flops =
        batch_flops / static_cast<double>(cut.m_tiles * cut.n_tiles * cut.n_chunks);
    cut.units_per_task = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(task_flops / std::max(1.0, unit_flops)));
    return cut;
}

}  // namespace ricci::contractions
