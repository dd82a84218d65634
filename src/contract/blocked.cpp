// A contraction as a blocked matrix product: its blocks, and the packing of B for all workers.
#include "src/contract/blocked.hpp"

#include <algorithm>
#include <complex>
#include <numeric>
#include <utility>

#include "src/contract/distribute.hpp"
#include "src/contract/element_types.hpp"
#include "src/runtime/buffers.hpp"
#include "src/runtime/cache_sizes.hpp"
#include "src/runtime/caches.hpp"

namespace ricci::contract {
namespace {

// What of B is packed by one task.
constexpr std::int64_t panels_per_pack = 24;
constexpr std::int64_t depth_per_pack = 64;
// A C of more bytes than this is asked for before it is written.
constexpr std::int64_t far_bytes = std::int64_t{1} << 20;
using runtime::line_bytes;
// Lines of B of so many bytes are packed many at a time: they stay in the first cache meanwhile.
constexpr std::int64_t short_line_bytes = 512;
// Less than this is packed on the calling thread.
constexpr std::size_t serial_pack_elements = std::size_t{1} << 16;
// Rows of partial sums that one task adds, and how many sums are not worth sharing out.
constexpr std::int64_t rows_per_task = 16;
constexpr std::int64_t serial_sums = std::int64_t{1} << 16;

}  // namespace

template <class T, class Stored>
blocked<T, Stored>::blocked(index_groups groups, const kernels::kernel_table<T, Stored>& table,
                            bool alone)
    : groups_(std::move(groups)),
      table_(&table),
      batch_(iterations(groups_.batch)),
      m_(iterations(groups_.m)),
      n_(iterations(groups_.n)),
      k_(iterations(groups_.k)),
      a_rows_(flatten(groups_.m, &steps::contraction_loop::a)),
      c_rows_(flatten(groups_.m, &steps::contraction_loop::c)),
      b_columns_(flatten(groups_.n, &steps::contraction_loop::b)),
      c_columns_(flatten(groups_.n, &steps::contraction_loop::c)),
      a_depth_(flatten(groups_.k, &steps::contraction_loop::a)),
      b_depth_(flatten(groups_.k, &steps::contraction_loop::b)) {
    if (empty()) return;
    choose_tile();
    make_panels();
    problem_size size{batch_, m_, n_, k_, table.lanes, mr_, vectors_, sizeof(T), widens};
    const std::int64_t b_step = uniform_step(b_depth_, 0, k_);
    const auto in_place = [&](const column_panel& p) { return reads_in_place(p); };
    const auto dense = [&](const column_panel& p) { return p.columns == b_step; };
    size.b_in_place = b_step != 0 && std::all_of(panels_.begin(), panels_.end(), in_place);
    size.b_dense = size.b_in_place && std::all_of(panels_.begin(), panels_.end(), dense);
    if (table.transpose != nullptr) {
        find_stretch(b_depth_, most_stretch);
        if (b_depth_.stretch == 1 && a_rows_.run[0] == 1) find_stretch(a_depth_, most_row_stretch);
    }
    k_unit_ = block_unit(std::max(a_depth_.stretch, b_depth_.stretch));
    size.k_unit = k_unit_;
    size.most_depth = shallow_depth();
    size.long_lines = find_grid();
    cut_ = choose_blocks(size);
    cut_.serial = cut_.serial || alone;
    if (cut_.in_place) grid_ = {};
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
    a_far_ = batch_ * m_ * k_ * bytes > runtime::caches().second;
    b_far_ = batch_ * k_ * n_ * bytes > runtime::caches().second;
    make_blocks();
    packed_elements_ = static_cast<std::size_t>(cut_.packed_columns * cut_.packed_depth);
    if (cut_.sums_apart) {
        partial_elements_ = static_cast<std::size_t>(m_ * cut_.packed_columns);
        for (std::int64_t i = 0; i < m_; ++i) partial_rows_.push_back(i * cut_.packed_columns);
        // Column j of the partial sums is column j of the chunk.
        for (std::int64_t n = 0; n < cut_.n_chunks; ++n) {
            const std::int64_t first = packed_column(part_start(cut_.panels, cut_.n_chunks, n, 1));
            const std::int64_t end =
                packed_column(part_start(cut_.panels, cut_.n_chunks, n + 1, 1));
            for (std::int64_t j = first; j < end; ++j) partial_columns_.push_back(j - first);
        }
    }
    if constexpr (widens) {
        tile_columns_.resize(largest_tile / kernels::max_rows);
        std::iota(tile_columns_.begin(), tile_columns_.end(), std::int64_t{0});
        for (int i = 0; i < kernels::max_rows; ++i) {
            tile_rows_.push_back(i * static_cast<std::int64_t>(tile_columns_.size()));
        }
    }
    for (std::int64_t block = 0; block < cut_.k_blocks; ++block) {
        deepest_block_ = std::max(deepest_block_, block_start(block + 1) - block_start(block));
    }
    // Rows that are contiguous along n are read whole, others in blocks that are transposed.
    rows_per_pack_ = std::any_of(b_depth_.run.begin(), b_depth_.run.end(),
                                 [](std::int32_t run) { return run >= 16; })
                         ? 32
                         : 8;
    if (n_ * static_cast<std::int64_t>(sizeof(Stored)) <= short_line_bytes) rows_per_pack_ = 32;
    if (b_depth_.stretch > 1) rows_per_pack_ = k_unit_;
    packs_own_b_ = uses_b_once();
    if (packs_own_b_) packed_elements_ = 0;
    far_ = batch_ * m_ * n_ * static_cast<std::int64_t>(sizeof(T)) > far_bytes;
    find_lines();
    if (!fits_stack()) runtime::worker_memory(0);
    if (!cut_.in_place) {
        runtime::lent_memory::reserve(sizeof(T) * borrowed());
    }
}

// A wider tile has fewer rows: it suits where it fills all columns, and rows are not packed across, in
// pieces of that many.
template <class T, class Stored>
void blocked<T, Stored>::choose_tile() {
    mr_ = table_->mr;
    vectors_ = table_->vectors;
    const int wide = vectors_ + 1;
    const std::int64_t vectors = (n_ + table_->lanes - 1) / table_->lanes;
    if (table_->wide_rows == 0 || vectors != wide) return;
    const std::int64_t step = uniform_step(a_depth_, 0, k_);
    if (is_contiguous_across() && (step == 0 || !steps_well(step))) return;
    mr_ = table_->wide_rows;
    vectors_ = wide;
}

// Panels are one to `vectors` vectors wide, spread evenly, so that no narrow one is left over.
template <class T, class Stored>
void blocked<T, Stored>::make_panels() {
    const std::int64_t lanes = table_->lanes;
    const std::int64_t vectors = (n_ + lanes - 1) / lanes;
    const std::int64_t panels = (vectors + vectors_ - 1) / vectors_;
    for (std::int64_t p = 0; p < panels; ++p) {
        const std::int64_t first = part_start(vectors, panels, p, 1);
        const std::int64_t last = part_start(vectors, panels, p + 1, 1);
        column_panel made;
        made.first = first * lanes;
        made.vectors = static_cast<int>(last - first);
        made.columns = static_cast<int>(std::min(n_, last * lanes) - made.first);
        for (std::int64_t v = first; v < last; ++v) {
            const std::int64_t needed = std::min(lanes, n_ - v * lanes);
            const std::int64_t run = c_columns_.run[static_cast<std::size_t>(v * lanes)];
            if (run >= needed) {
                made.adjacent |= 1u << (v - first);
            } else if (run + c_columns_.run[static_cast<std::size_t>(v * lanes + run)] >= needed) {
                made.halves |= 1u << (v - first);
                made.split[v - first] = static_cast<std::uint8_t>(run);
            }
        }
        const auto bytes = static_cast<std::int64_t>(sizeof(Stored));
        made.lines =
            c_columns_.run[static_cast<std::size_t>(made.first)] >= made.columns &&
            made.columns == made.vectors * lanes && made.columns * bytes % line_bytes == 0 &&
            c_columns_.offset[static_cast<std::size_t>(made.first)] * bytes % line_bytes == 0;
        panels_.push_back(made);
    }
}

// Whether one tile of rows passes over B, of which the part that a unit needs for a block of k finds
// room in a worker's memory.
template <class T, class Stored>
bool blocked<T, Stored>::uses_b_once() const {
    if (cut_.in_place || cut_.m_tiles > 1 || grid_.rows != 0) return false;
    std::int64_t most = 0;
    for (std::int64_t n = 0; n < cut_.n_chunks; ++n) {
        const std::int64_t first = part_start(cut_.panels, cut_.n_chunks, n, 1);
        const std::int64_t panels = part_start(cut_.panels, cut_.n_chunks, n + 1, 1) - first;
        for (std::int64_t tile = 0; tile < cut_.n_tiles; ++tile) {
            const std::int64_t begin = first + part_start(panels, cut_.n_tiles, tile, 1);
            const std::int64_t end = first + part_start(panels, cut_.n_tiles, tile + 1, 1);
            most = std::max(most, packed_column(end) - packed_column(begin));
        }
    }
    return most * deepest_block_ * static_cast<std::int64_t>(sizeof(T)) <=
           static_cast<std::int64_t>(runtime::worker_bytes / 2);
}

template <class T, class Stored>
std::int64_t blocked<T, Stored>::block_start(std::int64_t block) const {
    return part_start(k_, cut_.k_blocks, block, k_unit_);
}

// The column of packed B at which a panel starts, counted from the first panel of all.
template <class T, class Stored>
std::int64_t blocked<T, Stored>::packed_column(std::int64_t panel) const {
    return panel < cut_.panels ? panels_[static_cast<std::size_t>(panel)].first
                               : (n_ + table_->lanes - 1) / table_->lanes * table_->lanes;
}

template <class T, class Stored>
typename blocked<T, Stored>::operands blocked<T, Stored>::bind(
    const bound_contraction& given) const {
    operands from{static_cast<const Stored*>(given.a), static_cast<const Stored*>(given.b),
                  static_cast<Stored*>(given.c), given.alpha.as<T>(), given.beta.as<T>()};
    if (groups_.swapped) std::swap(from.a, from.b);
    from.a += groups_.a_start;
    from.b += groups_.b_start;
    from.c += groups_.c_start;
    return from;
}

// C from its element `c` on, for its first block of k or a later one.
template <class T, class Stored>
typename blocked<T, Stored>::destination blocked<T, Stored>::output(const operands& from,
                                                                    std::int64_t c,
                                                                    bool first) const {
    return {from.c + c,
            nullptr,
            c_rows_.offset.data(),
            c_columns_.offset.data(),
            0,
            false,
            k_ == 0 ? T{0} : from.alpha,
            first ? from.beta : T{1},
            streams_ && begins_line(from),
            folded_.step != 0 && begins_line(from)};
}

template <class T, class Stored>
void blocked<T, Stored>::run(const void* a, const void* b, void* c, const engine::number& alpha,
                             const engine::number& beta) const {
    if (empty()) return;
    const operands from = bind({a, b, c, alpha, beta});
    if (cut_.in_place) {
        run_in_place(from);
        return;
    }
    const runtime::lent_memory memory(sizeof(T) * borrowed());
    run_packing(from, nullptr, reinterpret_cast<T*>(memory.data()));
}

// `rows`: where all of A is packed already; nullptr: every tile packs its own.
template <class T, class Stored>
void blocked<T, Stored>::run_packing(const operands& from, const T* rows, T* packed) const {
    T* const partial = packed + packed_size();
    chunk part;
    for (part.batch = 0; part.batch < batch_; part.batch = part.batch_end) {
        part.batch_end = std::min(batch_, part.batch + cut_.batch_chunk);
        for (std::int64_t n = 0; n < cut_.n_chunks; ++n) {
            part.panel = part_start(cut_.panels, cut_.n_chunks, n, 1);
            part.panel_end = part_start(cut_.panels, cut_.n_chunks, n + 1, 1);
            for (std::int64_t k = 0; k < cut_.k_chunks; ++k) {
                part.block = part_start(cut_.k_blocks, cut_.k_chunks, k, 1);
                part.block_end = part_start(cut_.k_blocks, cut_.k_chunks, k + 1, 1);
                run_chunk(from, part, rows, packed, partial);
            }
            if (cut_.sums_apart) {
                add_partial_sums(from, part.batch, part.panel, part.panel_end, partial);
            }
        }
    }
}

// Packs the chunk's B, every panel by itself, then computes all tiles of C that need it.
template <class T, class Stored>
void blocked<T, Stored>::run_chunk(const operands& from, const chunk& part, const T* rows,
                                   T* packed, T* partial) const {
    const std::int64_t batches = part.batch_end - part.batch;
    const std::int64_t blocks = part.block_end - part.block;
    const std::int64_t panels = part.panel_end - part.panel;
    const std::int64_t columns = packed_column(part.panel_end) - packed_column(part.panel);
    // Tiles that are transposed are packed whole, for fewer k at a time.
    const std::int64_t panels_at_once = grid_.rows != 0 ? 4 * panels_per_pack : panels_per_pack;
    const std::int64_t depth_at_once =
        grid_.rows != 0 ? depth_per_pack / 4 : std::max(depth_per_pack, k_unit_);
    const std::int64_t groups = (panels + panels_at_once - 1) / panels_at_once;
    const std::int64_t slices =
        std::max<std::int64_t>(1, (deepest_block_ + depth_at_once - 1) / depth_at_once);
    auto pack = [&](std::int64_t task, int) {
        const std::int64_t first = part.panel + task % groups * panels_at_once;
        const std::int64_t last = std::min(part.panel_end, first + panels_at_once);
        const std::int64_t slice = task / groups % slices;
        const std::int64_t block = part.block + task / groups / slices % blocks;
        const std::int64_t batch = task / groups / slices / blocks;
        const std::int64_t k = block_start(block);
        const std::int64_t k_end = block_start(block + 1);
        T* const to = packed + batch * static_cast<std::int64_t>(packed_elements_) +
                      (k - block_start(part.block)) * columns +
                      (packed_column(first) - packed_column(part.panel)) * (k_end - k);
        const Stored* const b = from.b + locate(groups_.batch, part.batch + batch).b;
        const std::int64_t from_k = std::min(k_end, k + slice * depth_at_once);
        const std::int64_t to_k = std::min(k_end, k + (slice + 1) * depth_at_once);
        if (grid_.rows != 0) {
            pack_grid(b, first, last, k, k_end, from_k, to_k, to);
        } else {
            pack_panels(b, first, last, k, k_end, from_k, to_k, to);
        }
    };
    const bool alone = packed_elements_ * static_cast<std::size_t>(batches) < serial_pack_elements;
    if (!packs_own_b_) distribute(batches * blocks * slices * groups, cut_.serial || alone, pack);

    const std::int64_t units = batches * cut_.k_splits * cut_.m_tiles * cut_.n_tiles;
    const std::int64_t per_task = cut_.units_per_task;
    auto compute = [&](std::int64_t task, int worker) {
        const std::int64_t end = std::min(units, (task + 1) * per_task);
        for (std::int64_t unit = task * per_task; unit < end; ++unit) {
            compute_unit(from, part, unit, packed, rows, partial, worker);
        }
    };
    distribute((units + per_task - 1) / per_task, cut_.serial, compute);
}

// Packs the slice [from_k, to_k) of panels whose block of k is [k, k_end): a few k of all panels at a
// time, so that a row of B that is contiguous along n is read in one piece.
template <class T, class Stored>
void blocked<T, Stored>::pack_panels(const Stored* b, std::int64_t panel, std::int64_t panel_end,
                                     std::int64_t k, std::int64_t k_end, std::int64_t from_k,
                                     std::int64_t to_k, T* to) const {
    const std::int64_t start = packed_column(panel);
    for (std::int64_t k0 = from_k; k0 < to_k; k0 += rows_per_pack_) {
        for (std::int64_t p = panel; p < panel_end; ++p) {
            const column_panel& which = panels_[static_cast<std::size_t>(p)];
            const std::int64_t step = std::int64_t{which.vectors} * table_->lanes;
            T* const here = to + (which.first - start) * (k_end - k) + (k0 - k) * step;
            for (int v = 0; v < which.vectors; ++v) {
                const std::int64_t first = which.first + std::int64_t{v} * table_->lanes;
                kernels::pack_source<Stored> from;
                from.origin = b;
                from.across = b_columns_.offset.data() + first;
                from.across_run = b_columns_.run.data() + first;
                from.along = b_depth_.offset.data() + k0;
                from.along_run = b_depth_.run.data() + k0;
                from.along_stretch = b_depth_.stretch;
                from.width = static_cast<int>(std::min<std::int64_t>(table_->lanes, n_ - first));
                from.depth = std::min(rows_per_pack_, to_k - k0);
                table_->pack_columns(from, here + v * table_->lanes, step);
            }
        }
    }
}

// A unit is one tile of C (or of partial sums): its blocks of k are added in order.
template <class T, class Stored>
void blocked<T, Stored>::compute_unit(const operands& from, const chunk& part, std::int64_t unit,
                                      const T* packed, const T* rows, T* partial,
                                      int worker) const {
    const std::int64_t n_tile = unit % cut_.n_tiles;
    const std::int64_t m_tile = unit / cut_.n_tiles % cut_.m_tiles;
    const std::int64_t split = unit / cut_.n_tiles / cut_.m_tiles % cut_.k_splits;
    const std::int64_t batch = unit / cut_.n_tiles / cut_.m_tiles / cut_.k_splits;
    const position at = locate(groups_.batch, part.batch + batch);
    const std::int64_t panels = part.panel_end - part.panel;
    const std::int64_t panel = part.panel + part_start(panels, cut_.n_tiles, n_tile, 1);
    const std::int64_t panel_end = part.panel + part_start(panels, cut_.n_tiles, n_tile + 1, 1);
    const std::int64_t columns = packed_column(part.panel_end) - packed_column(part.panel);
    const std::int64_t blocks = part.block_end - part.block;

    destination to = output(from, at.c, part.block == 0);
    if (cut_.sums_apart) {
        to = {nullptr,
              partial + split * static_cast<std::int64_t>(partial_elements_),
              partial_rows_.data(),
              partial_columns_.data(),
              ~0u,
              true,
              T{1},
              part.block == 0 ? T{0} : T{1},
              false,
              false};
    }
    T* const packed_a = reinterpret_cast<T*>(runtime::worker_memory(worker));
    const std::int64_t block_first = part.block + part_start(blocks, cut_.k_splits, split, 1);
    const std::int64_t block_last = part.block + part_start(blocks, cut_.k_splits, split + 1, 1);
    for (std::int64_t number = block_first; number < block_last; ++number) {
        const k_block& block = blocks_[static_cast<std::size_t>(number)];
        right_operand right;
        if (packs_own_b_) {
            T* const own =
                reinterpret_cast<T*>(runtime::worker_memory(worker) + runtime::worker_bytes / 2);
            pack_panels(from.b + at.b, panel, panel_end, block.first, block.end, block.first,
                        block.end, own);
            right.packed = own;
        } else {
            right.packed =
                packed + batch * static_cast<std::int64_t>(packed_elements_) +
                (block.first - block_start(part.block)) * columns +
                (packed_column(panel) - packed_column(part.panel)) * (block.end - block.first);
        }
        const std::int64_t m = part_start(m_, cut_.m_tiles, m_tile, mr_);
        const std::int64_t m_end = part_start(m_, cut_.m_tiles, m_tile + 1, mr_);
        if (rows == nullptr && block.a_step == 0) pack_a(from.a + at.a, m, m_end, block, packed_a);
        const T* const left =
            rows == nullptr ? packed_a
                            : rows + (part.batch + batch) * packed_rows() + packed_row(number, m);
        multiply_block({from.a + at.a, m, m_end, &block, left}, panel, panel_end, right, to);
        to.beta = 1;
    }
    if (to.stream || to.fold) table_->end_streams();
}

template <class T, class Stored>
std::int64_t blocked<T, Stored>::packed_row(std::int64_t block, std::int64_t m) const {
    const std::int64_t rows = (m_ + mr_ - 1) / mr_ * mr_;
    std::int64_t at = 0;
    for (std::int64_t k = 0; k < block; ++k)
        at += rows * pitch_of(blocks_[static_cast<std::size_t>(k)]);
    return m == 0 ? at : at + m * pitch_of(blocks_[static_cast<std::size_t>(block)]);
}

// Rounds a row of complete sums into C, run by run.
template <class T, class Stored>
void blocked<T, Stored>::write_row(const column_panel& which, const T* sums, T alpha, T beta,
                                   Stored* row) const {
    const auto first = static_cast<std::size_t>(which.first);
    for (int j = 0; j < which.columns;) {
        const std::size_t at = first + static_cast<std::size_t>(j);
        const int run = std::min<int>(c_columns_.run[at], which.columns - j);
        table_->write(run, alpha, sums + j, beta, row + c_columns_.offset[at], 1);
        j += run;
    }
}

// Adds the splits of k, always in the same order, and writes C.
template <class T, class Stored>
void blocked<T, Stored>::add_partial_sums(const operands& from, std::int64_t batch,
                                          std::int64_t panel, std::int64_t panel_end,
                                          T* partial) const {
    const position at = locate(groups_.batch, batch);
    const std::int64_t first = packed_column(panel);
    const std::int64_t columns = std::min(n_, packed_column(panel_end)) - first;
    const auto add_row = [&](std::int64_t i) {
        T* const sums = partial + partial_rows_[static_cast<std::size_t>(i)];
        for (std::int64_t s = 1; s < cut_.k_splits; ++s) {
            const T* const more = sums + s * static_cast<std::int64_t>(partial_elements_);
            for (std::int64_t j = 0; j < columns; ++j) sums[j] += more[j];
        }
        Stored* const row = from.c + at.c + c_rows_.offset[static_cast<std::size_t>(i)];
        if constexpr (widens) {
            for (std::int64_t p = panel; p < panel_end; ++p) {
                const column_panel& which = panels_[static_cast<std::size_t>(p)];
                write_row(which, sums + which.first - first, from.alpha, from.beta, row);
            }
        } else {
            for (std::int64_t j = 0; j < columns; ++j) {
                T& c = row[c_columns_.offset[static_cast<std::size_t>(first + j)]];
                c = from.beta == T{0} ? from.alpha * sums[j] : from.alpha * sums[j] + from.beta * c;
            }
        }
    };
    auto body = [&](std::int64_t task, int) {
        const std::int64_t end = std::min(m_, (task + 1) * rows_per_task);
        for (std::int64_t i = task * rows_per_task; i < end; ++i) add_row(i);
    };
    const bool few = columns * m_ * cut_.k_splits < serial_sums;
    distribute((m_ + rows_per_task - 1) / rows_per_task, cut_.serial || few, body);
}

#define RICCI_INSTANTIATE(...) template class blocked<__VA_ARGS__>
RICCI_FOR_CONTRACTED_TYPES(RICCI_INSTANTIATE);

}  // namespace ricci::contract
