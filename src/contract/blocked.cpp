// A contraction as a blocked matrix product over packed panels, whatever the strides.
#include "src/contract/blocked.hpp"

#include <algorithm>
#include <utility>

#include "src/contract/buffers.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::contract {
namespace {

// What of B is packed by one task.
constexpr std::int64_t panels_per_pack = 24;
constexpr std::int64_t depth_per_pack = 64;
// Less than this is packed on the calling thread.
constexpr std::size_t serial_pack_elements = std::size_t{1} << 16;

// Runs all tasks on the calling thread when there is too little to share.
template <class Body>
void distribute(std::int64_t count, bool serial, Body&& body) {
    if (!serial) {
        runtime::parallel_for(count, body);
        return;
    }
    auto all = [&](std::int64_t, int worker) {
        for (std::int64_t task = 0; task < count; ++task) body(task, worker);
    };
    runtime::parallel_for(1, all);
}

}  // namespace

template <class T>
blocked<T>::blocked(index_groups groups, const kernels::kernel_table<T>& table)
    : groups_(std::move(groups)),
      table_(&table),
      batch_(iterations(groups_.batch)),
      m_(iterations(groups_.m)),
      n_(iterations(groups_.n)),
      k_(iterations(groups_.k)),
      a_rows_(flatten(groups_.m, &plan::contraction_loop::a)),
      c_rows_(flatten(groups_.m, &plan::contraction_loop::c)),
      b_columns_(flatten(groups_.n, &plan::contraction_loop::b)),
      c_columns_(flatten(groups_.n, &plan::contraction_loop::c)),
      a_depth_(flatten(groups_.k, &plan::contraction_loop::a)),
      b_depth_(flatten(groups_.k, &plan::contraction_loop::b)),
      cut_(choose_blocks({batch_, m_, n_, k_, table.lanes, table.mr, table.vectors, sizeof(T)})) {
    make_panels();
    packed_elements_ = static_cast<std::size_t>(cut_.packed_columns * cut_.packed_depth);
    if (cut_.k_splits > 1) {
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
    for (std::int64_t block = 0; block < cut_.k_blocks; ++block) {
        deepest_block_ = std::max(deepest_block_, block_start(block + 1) - block_start(block));
    }
    // Rows that are contiguous along n are read whole, others in blocks that are transposed.
    rows_per_pack_ = std::any_of(b_depth_.run.begin(), b_depth_.run.end(),
                                 [](std::int32_t run) { return run >= 16; })
                         ? 32
                         : 8;
    worker_memory(0);
    if (!cut_.in_worker) {
        lent_memory::reserve(sizeof(T) *
                             (packed_elements_ * static_cast<std::size_t>(cut_.batch_chunk) +
                              partial_elements_ * static_cast<std::size_t>(cut_.k_splits)));
    }
}

// Panels are one to `vectors` vectors wide, spread evenly, so that no narrow one is left over.
template <class T>
void blocked<T>::make_panels() {
    const std::int64_t lanes = table_->lanes;
    const std::int64_t vectors = (n_ + lanes - 1) / lanes;
    for (std::int64_t p = 0; p < cut_.panels; ++p) {
        const std::int64_t first = part_start(vectors, cut_.panels, p, 1);
        const std::int64_t last = part_start(vectors, cut_.panels, p + 1, 1);
        column_panel made;
        made.first = first * lanes;
        made.vectors = static_cast<int>(last - first);
        made.columns = static_cast<int>(std::min(n_, last * lanes) - made.first);
        for (std::int64_t v = first; v < last; ++v) {
            const std::int64_t needed = std::min(lanes, n_ - v * lanes);
            if (c_columns_.run[static_cast<std::size_t>(v * lanes)] >= needed) {
                made.adjacent |= 1u << (v - first);
            }
        }
        panels_.push_back(made);
    }
}

template <class T>
std::int64_t blocked<T>::block_start(std::int64_t block) const {
    return part_start(k_, cut_.k_blocks, block, 16);
}

// The column of packed B at which a panel starts, counted from the first panel of all.
template <class T>
std::int64_t blocked<T>::packed_column(std::int64_t panel) const {
    return panel < cut_.panels ? panels_[static_cast<std::size_t>(panel)].first
                               : (n_ + table_->lanes - 1) / table_->lanes * table_->lanes;
}

template <class T>
void blocked<T>::run(const void* a, const void* b, void* c, double alpha, double beta) const {
    if (batch_ == 0 || m_ == 0 || n_ == 0) return;
    operands from{static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(c),
                  static_cast<T>(alpha), static_cast<T>(beta)};
    if (groups_.swapped) std::swap(from.a, from.b);
    from.a += groups_.a_start;
    from.b += groups_.b_start;
    from.c += groups_.c_start;
    if (cut_.in_worker) {
        run_in_workers(from);
        return;
    }

    const std::size_t packed_size = packed_elements_ * static_cast<std::size_t>(cut_.batch_chunk);
    const std::size_t partial_size = partial_elements_ * static_cast<std::size_t>(cut_.k_splits);
    const lent_memory memory(sizeof(T) * (packed_size + partial_size));
    T* const packed = reinterpret_cast<T*>(memory.data());
    T* const partial = packed + packed_size;
    chunk part;
    for (part.batch = 0; part.batch < batch_; part.batch = part.batch_end) {
        part.batch_end = std::min(batch_, part.batch + cut_.batch_chunk);
        for (std::int64_t n = 0; n < cut_.n_chunks; ++n) {
            part.panel = part_start(cut_.panels, cut_.n_chunks, n, 1);
            part.panel_end = part_start(cut_.panels, cut_.n_chunks, n + 1, 1);
            for (std::int64_t k = 0; k < cut_.k_chunks; ++k) {
                part.block = part_start(cut_.k_blocks, cut_.k_chunks, k, 1);
                part.block_end = part_start(cut_.k_blocks, cut_.k_chunks, k + 1, 1);
                run_chunk(from, part, packed, partial);
            }
            if (cut_.k_splits > 1) {
                add_partial_sums(from, part.batch, part.panel, part.panel_end, partial);
            }
        }
    }
}

// Small matrices: a task packs B of one batch after the other and multiplies at once.
template <class T>
void blocked<T>::run_in_workers(const operands& from) const {
    const std::int64_t per_task = cut_.units_per_task;
    auto body = [&](std::int64_t task, int worker) {
        T* const packed_a = reinterpret_cast<T*>(worker_memory(worker));
        T* const packed_b = reinterpret_cast<T*>(worker_memory(worker) + worker_bytes / 2);
        const std::int64_t end = std::min(batch_, (task + 1) * per_task);
        for (std::int64_t batch = task * per_task; batch < end; ++batch) {
            const position at = locate(groups_.batch, batch);
            destination to{from.c + at.c,
                           c_rows_.offset.data(),
                           c_columns_.offset.data(),
                           0,
                           false,
                           from.alpha,
                           from.beta};
            if (k_ == 0) to.alpha = 0;
            for (std::int64_t block = 0; block < cut_.k_blocks; ++block) {
                const std::int64_t k = block_start(block);
                const std::int64_t k_end = block_start(block + 1);
                pack_panels(from.b + at.b, 0, cut_.panels, k, k_end, k, k_end, packed_b);
                for (std::int64_t tile = 0; tile < cut_.m_tiles; ++tile) {
                    multiply_block(from.a + at.a, part_start(m_, cut_.m_tiles, tile, table_->mr),
                                   part_start(m_, cut_.m_tiles, tile + 1, table_->mr), 0,
                                   cut_.panels, k, k_end, packed_b, packed_a, to);
                }
                to.beta = 1;
            }
        }
    };
    distribute((batch_ + per_task - 1) / per_task, cut_.serial, body);
}

// Packs the chunk's B, every panel by itself, then computes all tiles of C that need it.
template <class T>
void blocked<T>::run_chunk(const operands& from, const chunk& part, T* packed, T* partial) const {
    const std::int64_t batches = part.batch_end - part.batch;
    const std::int64_t blocks = part.block_end - part.block;
    const std::int64_t panels = part.panel_end - part.panel;
    const std::int64_t columns = packed_column(part.panel_end) - packed_column(part.panel);
    const std::int64_t groups = (panels + panels_per_pack - 1) / panels_per_pack;
    const std::int64_t slices =
        std::max<std::int64_t>(1, (deepest_block_ + depth_per_pack - 1) / depth_per_pack);
    auto pack = [&](std::int64_t task, int) {
        const std::int64_t first = part.panel + task % groups * panels_per_pack;
        const std::int64_t last = std::min(part.panel_end, first + panels_per_pack);
        const std::int64_t slice = task / groups % slices;
        const std::int64_t block = part.block + task / groups / slices % blocks;
        const std::int64_t batch = task / groups / slices / blocks;
        const std::int64_t k = block_start(block);
        const std::int64_t k_end = block_start(block + 1);
        T* const to = packed + batch * static_cast<std::int64_t>(packed_elements_) +
                      (k - block_start(part.block)) * columns +
                      (packed_column(first) - packed_column(part.panel)) * (k_end - k);
        pack_panels(from.b + locate(groups_.batch, part.batch + batch).b, first, last, k, k_end,
                    k + slice * depth_per_pack, std::min(k_end, k + (slice + 1) * depth_per_pack),
                    to);
    };
    const bool alone = packed_elements_ * static_cast<std::size_t>(batches) < serial_pack_elements;
    distribute(batches * blocks * slices * groups, cut_.serial || alone, pack);

    const std::int64_t units = batches * cut_.k_splits * cut_.m_tiles * cut_.n_tiles;
    const std::int64_t per_task = cut_.units_per_task;
    auto compute = [&](std::int64_t task, int worker) {
        const std::int64_t end = std::min(units, (task + 1) * per_task);
        for (std::int64_t unit = task * per_task; unit < end; ++unit) {
            compute_unit(from, part, unit, packed, partial, worker);
        }
    };
    distribute((units + per_task - 1) / per_task, cut_.serial, compute);
}

// Packs the slice [from_k, to_k) of panels whose block of k is [k, k_end): a few k of all panels at a
// time, so that a row of B that is contiguous along n is read in one piece.
template <class T>
void blocked<T>::pack_panels(const T* b, std::int64_t panel, std::int64_t panel_end, std::int64_t k,
                             std::int64_t k_end, std::int64_t from_k, std::int64_t to_k,
                             T* to) const {
    const std::int64_t start = packed_column(panel);
    for (std::int64_t k0 = from_k; k0 < to_k; k0 += rows_per_pack_) {
        for (std::int64_t p = panel; p < panel_end; ++p) {
            const column_panel& which = panels_[static_cast<std::size_t>(p)];
            const std::int64_t step = std::int64_t{which.vectors} * table_->lanes;
            T* const here = to + (which.first - start) * (k_end - k) + (k0 - k) * step;
            for (int v = 0; v < which.vectors; ++v) {
                const std::int64_t first = which.first + std::int64_t{v} * table_->lanes;
                kernels::pack_source<T> from;
                from.origin = b;
                from.across = b_columns_.offset.data() + first;
                from.across_run = b_columns_.run.data() + first;
                from.along = b_depth_.offset.data() + k0;
                from.along_run = b_depth_.run.data() + k0;
                from.width = static_cast<int>(std::min<std::int64_t>(table_->lanes, n_ - first));
                from.depth = std::min(rows_per_pack_, to_k - k0);
                table_->pack_columns(from, here + v * table_->lanes, step);
            }
        }
    }
}

// A unit is one tile of C (or of partial sums): its blocks of k are added in order.
template <class T>
void blocked<T>::compute_unit(const operands& from, const chunk& part, std::int64_t unit,
                              const T* packed, T* partial, int worker) const {
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

    destination to{from.c + at.c,
                   c_rows_.offset.data(),
                   c_columns_.offset.data(),
                   0,
                   false,
                   from.alpha,
                   part.block == 0 ? from.beta : T{1}};
    if (k_ == 0) to.alpha = 0;
    if (cut_.k_splits > 1) {
        to = {partial + split * static_cast<std::int64_t>(partial_elements_),
              partial_rows_.data(),
              partial_columns_.data(),
              ~0u,
              true,
              T{1},
              part.block == 0 ? T{0} : T{1}};
    }
    T* const packed_a = reinterpret_cast<T*>(worker_memory(worker));
    const std::int64_t block_first = part.block + part_start(blocks, cut_.k_splits, split, 1);
    const std::int64_t block_last = part.block + part_start(blocks, cut_.k_splits, split + 1, 1);
    for (std::int64_t block = block_first; block < block_last; ++block) {
        const std::int64_t k = block_start(block);
        const std::int64_t k_end = block_start(block + 1);
        const T* const packed_b = packed + batch * static_cast<std::int64_t>(packed_elements_) +
                                  (k - block_start(part.block)) * columns +
                                  (packed_column(panel) - packed_column(part.panel)) * (k_end - k);
        multiply_block(from.a + at.a, part_start(m_, cut_.m_tiles, m_tile, table_->mr),
                       part_start(m_, cut_.m_tiles, m_tile + 1, table_->mr), panel, panel_end, k,
                       k_end, packed_b, packed_a, to);
        to.beta = 1;
    }
}

// Packs rows [m, m_end) of A for this block of k and multiplies them with the packed panels.
template <class T>
void blocked<T>::multiply_block(const T* a, std::int64_t m, std::int64_t m_end,
                                std::int64_t first_panel, std::int64_t panel_end, std::int64_t k,
                                std::int64_t k_end, const T* packed_b, T* packed_a,
                                const destination& to) const {
    const std::int64_t depth = k_end - k;
    const std::int64_t mr = table_->mr;
    for (std::int64_t i = m; i < m_end; i += mr) {
        kernels::pack_source<T> from;
        from.origin = a;
        from.across = a_rows_.offset.data() + i;
        from.across_run = a_rows_.run.data() + i;
        from.along = a_depth_.offset.data() + k;
        from.along_run = a_depth_.run.data() + k;
        from.width = static_cast<int>(std::min(mr, m_end - i));
        from.depth = depth;
        table_->pack_rows(from, packed_a + (i - m) * depth);
    }
    kernels::output_tile<T> out;
    out.origin = to.origin;
    out.alpha = to.alpha;
    out.beta = to.beta;
    const std::int64_t column = packed_column(first_panel);
    for (std::int64_t p = first_panel; p < panel_end; ++p) {
        const column_panel& which = panels_[static_cast<std::size_t>(p)];
        const T* const right = packed_b + (which.first - column) * depth;
        out.columns = to.columns + which.first;
        out.column_count = which.columns;
        out.adjacent = which.adjacent | to.adjacency;
        const std::int64_t step = std::int64_t{which.vectors} * table_->lanes;
        // While the rows pass this panel, the next one is brought nearer, a share in each call.
        const std::int64_t row_panels = (m_end - m + mr - 1) / mr;
        const std::int64_t ahead = p + 1 < panel_end ? step * depth : 0;
        const std::int64_t ahead_step = p + 1 < panel_end ? step / row_panels : 0;
        out.next_step = ahead_step;
        for (std::int64_t i = m; i < m_end; i += mr) {
            const auto rows = static_cast<std::size_t>(std::min(mr, m_end - i));
            out.rows = to.rows + i;
            out.next = right + ahead + (i - m) / mr * depth * ahead_step;
            table_->gemm[rows - 1][static_cast<std::size_t>(which.vectors - 1)](
                depth, packed_a + (i - m) * depth, right, step, out);
        }
    }
}

// Adds the splits of k pairwise, always in the same order, and writes C.
template <class T>
void blocked<T>::add_partial_sums(const operands& from, std::int64_t batch, std::int64_t panel,
                                  std::int64_t panel_end, const T* partial) const {
    const position at = locate(groups_.batch, batch);
    const std::int64_t first = packed_column(panel);
    const std::int64_t end = std::min(n_, packed_column(panel_end));
    for (std::int64_t i = 0; i < m_; ++i) {
        T* const row = from.c + at.c + c_rows_.offset[static_cast<std::size_t>(i)];
        const T* const sums = partial + partial_rows_[static_cast<std::size_t>(i)];
        for (std::int64_t j = first; j < end; ++j) {
            T total = 0;
            for (std::int64_t s = 0; s < cut_.k_splits; ++s) {
                total += sums[s * static_cast<std::int64_t>(partial_elements_) + j - first];
            }
            T& c = row[c_columns_.offset[static_cast<std::size_t>(j)]];
            c = from.beta == 0 ? from.alpha * total : from.alpha * total + from.beta * c;
        }
    }
}

template class blocked<float>;
template class blocked<double>;

}  // namespace ricci::contract
