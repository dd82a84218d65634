// A sum over ties as tiles of packed panels.
#include "src/contract/algebra/tie_sum.hpp"

#include <algorithm>

#include "src/base/arithmetic.hpp"
#include "src/contract/offsets.hpp"
#include "src/contract/sharing.hpp"
#include "src/kernels/algebra/ties.hpp"
#include "src/kernels/gemm/gemm.hpp"
#include "src/runtime/buffers.hpp"
#include "src/runtime/interruption.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::contractions {
namespace {

using steps::tie_sum;

// Of a worker's memory: half is for columns, a quarter each for rows and for their weights.
constexpr auto tie_column_bytes = static_cast<std::int64_t>(runtime::worker_bytes / 2);
constexpr auto tie_row_bytes = static_cast<std::int64_t>(runtime::worker_bytes / 4);
constexpr std::int64_t most_tie_rows = 8, most_tie_lanes = 16;

struct tie_range {
    std::int64_t first = 0, end = 0;
    std::int64_t size() const { return end - first; }
};

/// Where each iteration of the groups of loops is in one operand.
struct tie_walk {
    std::int64_t offset = 0;
    offset_vector batch, m, n, k;
};

tie_walk walk_of(const tie_sum& what, const steps::operand& o) {
    std::size_t loop = 0;
    const auto next = [&](std::size_t count) {
        loop_list loops;
        for (std::size_t l = 0; l < count; ++l, ++loop) {
            const std::int64_t stride = o.strides.empty() ? 0 : o.strides[loop];
            loops.push_back({what.extents[loop], stride, 0, 0});
        }
        return flatten(loops, &steps::contraction_loop::a);
    };
    tie_walk made;
    made.offset = o.offset;
    made.batch = next(what.batch);
    made.m = next(what.m);
    made.n = next(what.n);
    made.k = next(what.k);
    return made;
}

template <class T>
class tiled_tie_sum final : public tie_runner {
public:
    explicit tiled_tie_sum(const tie_sum& what)
        : table_(&kernels::tie_kernels<T>()),
          packing_(&kernels::gemm_kernels<T>()),
          row_(walk_of(what, what.row)),
          column_(walk_of(what, what.column)),
          kept_(walk_of(what, what.kept)),
          weight_(walk_of(what, what.weight)),
          out_(walk_of(what, what.out)),
          is_weighted_(what.is_weighted()),
          tiles_(&table_->tile[static_cast<int>(what.test)][is_weighted_ ? 1 : 0]),
          number_(static_cast<T>(what.number)),
          batch_(count(out_.batch)),
          m_(count(out_.m)),
          n_(count(out_.n)),
          k_(count(row_.k)) {
        for (tie_walk* w : {&row_, &weight_})
            if (m_ > 0 && w->m.run[0] == 1) find_stretch(w->k, most_row_stretch);
        find_stretch(column_.k, most_stretch);
        const auto size = static_cast<std::int64_t>(sizeof(T));
        k_blocks_ = ceil_divide(k_, kernels::most_depth<T>);
        row_block_ = tie_row_bytes / size / kernels::row_pitch<T> / table_->rows * table_->rows;
        column_chunk_ =
            tie_column_bytes / size / kernels::most_depth<T> / table_->lanes * table_->lanes;
        work_ = 3.0 * static_cast<double>(batch_ * m_) * static_cast<double>(n_ * k_);
    }

    void run(const tie_operands& given) const override {
        const auto workers = runtime::worker_count();
        std::int64_t row_parts = 1, column_parts = 1;
        if (work_ >= serial_flops && workers > 1 && batch_ > 0) {
            const std::int64_t wanted = ceil_divide(std::int64_t{3} * workers, batch_);
            row_parts = std::clamp<std::int64_t>(m_ / (4 * table_->rows), 1, wanted);
            column_parts = std::clamp<std::int64_t>(n_ / (4 * table_->lanes * table_->vectors), 1,
                                                    ceil_divide(wanted, row_parts));
        }
        const std::int64_t parts = row_parts * column_parts, units = batch_ * parts;
        auto body = [&](std::int64_t unit, int worker) {
            task t(*this, given, unit / parts, worker);
            const std::int64_t part = unit % parts;
            const tie_range rows = cut(m_, row_parts, part / column_parts, table_->rows);
            const tie_range columns = cut(n_, column_parts, part % column_parts, table_->lanes);
            for (std::int64_t j = columns.first; j < columns.end; j += column_chunk_)
                add_columns(t, rows, {j, std::min(columns.end, j + column_chunk_)});
        };
        distribute_units(units, units_in_task(units, work_), work_ < serial_flops, body);
    }

private:
    struct task {
        const T *row, *column, *kept, *weight;
        T* out;
        T *rows, *weights, *columns;  // packed
        task(const tiled_tie_sum& s, const tie_operands& given, std::int64_t batch, int worker) {
            const auto at = [&](const auto* base, const tie_walk& w) {
                return static_cast<const T*>(base) + w.offset +
                       w.batch.offset[static_cast<std::size_t>(batch)];
            };
            row = at(given.row, s.row_);
            column = at(given.column, s.column_);
            kept = at(given.kept, s.kept_);
            weight = s.is_weighted_ ? at(given.weight, s.weight_) : nullptr;
            out = static_cast<T*>(given.out) +
                  (at(given.out, s.out_) - static_cast<const T*>(given.out));
            std::byte* const memory = runtime::worker_memory(worker);
            columns = reinterpret_cast<T*>(memory);
            rows = reinterpret_cast<T*>(memory + tie_column_bytes);
            weights = reinterpret_cast<T*>(memory + tie_column_bytes + tie_row_bytes);
        }
    };

    static std::int64_t count(const offset_vector& group) {
        return static_cast<std::int64_t>(group.offset.size());
    }
    static tie_range cut(std::int64_t total, std::int64_t parts, std::int64_t which,
                         std::int64_t step) {
        return {part_start(total, parts, which, step), part_start(total, parts, which + 1, step)};
    }
    /// Columns of the panel that begins at column j of a chunk.
    std::int64_t panel_width(tie_range columns, std::int64_t j) const {
        return std::min<std::int64_t>(table_->vectors * table_->lanes, columns.end - j);
    }

    void add_columns(const task& t, tie_range rows, tie_range columns) const {
        if (k_ == 0) return clear(t, rows, columns);
        for (std::int64_t b = 0; b < k_blocks_; ++b) {
            const tie_range k = cut(k_, k_blocks_, b, 8);
            if (k.size() == 0) continue;
            pack_columns(t, k, columns);
            for (std::int64_t i = rows.first; i < rows.end; i += row_block_) {
                runtime::interruption::poll();
                const tie_range block{i, std::min(rows.end, i + row_block_)};
                pack_rows(t.row, row_, k, block, t.rows);
                if (is_weighted_) pack_rows(t.weight, weight_, k, block, t.weights);
                add_block(t, k, block, columns);
            }
        }
    }

    void clear(const task& t, tie_range rows, tie_range columns) const {
        for (std::int64_t i = rows.first; i < rows.end; ++i)
            for (std::int64_t j = columns.first; j < columns.end; ++j)
                t.out[out_.m.offset[at(i)] + out_.n.offset[at(j)]] = T{0};
    }

    void pack_columns(const task& t, tie_range k, tie_range columns) const {
        const std::int64_t lanes = table_->lanes;
        T* panel = t.columns;
        for (std::int64_t p = columns.first; p < columns.end;) {
            const std::int64_t width = panel_width(columns, p), step = round_up(width, lanes);
            for (std::int64_t j = 0; j < width; j += lanes)
                packing_->pack_columns(
                    pack_source(t.column, column_.n, p + j, std::min(lanes, width - j), column_.k,
                                k.first, k.size()),
                    panel + j, step);
            panel += step * k.size();
            p += width;
        }
    }

    // Every row of a tile exists: what is none is the first one again.
    void pack_rows(const T* from, const tie_walk& w, tie_range k, tie_range rows, T* to) const {
        for (std::int64_t i = rows.first; i < rows.end; i += table_->rows) {
            const std::int64_t width = std::min<std::int64_t>(table_->rows, rows.end - i);
            T* const panel = to + (i - rows.first) * kernels::row_pitch<T>;
            packing_->pack_rows(pack_source(from, w.m, i, width, w.k, k.first, k.size()), panel);
            for (std::int64_t x = width; x < table_->rows; ++x)
                std::copy_n(panel, k.size(), panel + x * kernels::row_pitch<T>);
        }
    }

    void add_block(const task& t, tie_range k, tie_range rows, tie_range columns) const {
        constexpr auto most =
            static_cast<std::size_t>(most_tie_rows * kernels::max_tie_vectors * most_tie_lanes);
        alignas(64) T kept[most];
        alignas(64) T sums[most];
        kernels::tie_panels<T> p;
        p.columns = t.columns;
        p.kept = kept;
        p.sums = sums;
        for (std::int64_t j = columns.first; j < columns.end;) {
            const std::int64_t count = panel_width(columns, j);
            const std::int64_t width = round_up(count, table_->lanes);
            const auto tile = (*tiles_)[width / table_->lanes - 1];
            p.column_step = width;
            for (std::int64_t i = rows.first; i < rows.end; i += table_->rows) {
                const std::int64_t packed = (i - rows.first) * kernels::row_pitch<T>;
                const std::int64_t height = std::min<std::int64_t>(table_->rows, rows.end - i);
                p.rows = t.rows + packed;
                p.weights = t.weights + packed;
                fetch(t, i, height, j, count, width, kept);
                std::fill_n(sums, table_->rows * width, T{0});
                tile(k.size(), p);
                write(t, i, height, j, count, width, sums, k.first == 0);
            }
            p.columns += width * k.size();
            j += count;
        }
    }

    // Lanes and rows that are none have zeros, and their sums go nowhere.
    void fetch(const task& t, std::int64_t i, std::int64_t height, std::int64_t j,
               std::int64_t count, std::int64_t width, T* to) const {
        std::fill_n(to, table_->rows * width, T{0});
        for (std::int64_t r = 0; r < height; ++r, to += width) {
            const T* const from = t.kept + kept_.m.offset[at(i + r)];
            for_each_run(kept_.n, j, count, [&](std::int64_t x, std::int64_t run) {
                std::copy_n(from + kept_.n.offset[at(j + x)], run, to + x);
            });
        }
    }
    void write(const task& t, std::int64_t i, std::int64_t height, std::int64_t j,
               std::int64_t count, std::int64_t width, const T* sums, bool first) const {
        for (std::int64_t r = 0; r < height; ++r, sums += width) {
            T* const row = t.out + out_.m.offset[at(i + r)];
            for_each_run(out_.n, j, count, [&](std::int64_t x, std::int64_t run) {
                T* const to = row + out_.n.offset[at(j + x)];
                for (std::int64_t l = 0; l < run; ++l)
                    to[l] = first ? number_ * sums[x + l] : to[l] + number_ * sums[x + l];
            });
        }
    }
    template <class Visit>
    static void for_each_run(const offset_vector& n, std::int64_t first, std::int64_t count,
                             Visit visit) {
        for (std::int64_t x = 0; x < count;) {
            const std::int64_t run = std::min<std::int64_t>(n.run[at(first + x)], count - x);
            visit(x, run);
            x += run;
        }
    }
    static std::size_t at(std::int64_t k) { return static_cast<std::size_t>(k); }

    const kernels::tie_table<T>* table_;
    const kernels::kernel_table<T>* packing_;
    tie_walk row_, column_, kept_, weight_, out_;
    bool is_weighted_;
    const typename kernels::tie_table<T>::tile_function (*tiles_)[kernels::max_tie_vectors];
    T number_;
    std::int64_t batch_, m_, n_, k_;
    std::int64_t k_blocks_ = 1, row_block_ = 1, column_chunk_ = 1;
    double work_ = 0;
};

}  // namespace

prepared_tie_sum::prepared_tie_sum(const tie_sum& what) {
    if (what.type == element::f32) how_ = std::make_unique<const tiled_tie_sum<float>>(what);
    else how_ = std::make_unique<const tiled_tie_sum<double>>(what);
}

}  // namespace ricci::contractions
