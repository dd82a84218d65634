// The choice of tiles: prices of the loops that could run along the vectors, then chunk sizes.

#include "src/map/layout.hpp"

#include <algorithm>
#include <limits>

#include "src/runtime/caches.hpp"

namespace ricci::elementwise {
namespace {

using steps::fold;
using steps::opcode;

// Of an operation after another in registers, of operands and a result that lie so: a tile takes no
// memory, and its start costs as much as many elements.
constexpr std::int64_t longest_line = 4096;
constexpr double price_of_short_line = 1;  // nanoseconds an element: tasks are made of tiles

constexpr std::size_t none = static_cast<std::size_t>(-1);
// Of rows that are added up where they lie: the accumulators fit the first cache.
constexpr std::int64_t summed_row_bytes = std::int64_t{12} << 10;
// Rows of as many bytes are summed several at a time; of a tile of them.
constexpr std::int64_t shortest_joined_row = 256, tile_of_rows_bytes = std::int64_t{256} << 10;
// Of a tile that is transposed: what of each line is written, and read.
constexpr std::int64_t row_bytes = 512, line_bytes = 256;
// Where operands and output are in memory: bytes that are asked for with a tile, of all operands
// together, and of one at least; and how far ahead of it. As measured on Zen 4 with one operand:
// with twice as many at once nearly all of the gain was lost, and half as far ahead a part of it.
constexpr std::int64_t asked_bytes = 2048, shortest_asked = 512, ahead_bytes = 8192;

struct choice {
    traversal how = traversal::plain;
    std::size_t q = none;  // number among the free or the folded loops
    double price = std::numeric_limits<double>::infinity();
};

class chooser {
public:
    chooser(const loop_nest& nest, fold folding, std::span<const node> program,
            std::size_t operands, std::int64_t most, std::int64_t most_summed,
            std::size_t element_bytes, bool real)
        : nest_(nest),
          folding_(folding),
          operands_(operands),
          most_(most),
          most_summed_(most_summed),
          element_bytes_(static_cast<std::int64_t>(element_bytes)),
          reads_(operands, 0.0),
          real_(real),
          price_(cost_of(program)),
          bare_(program.size() == 1 && is(program[0], opcode::load)),
          multiplies_(real && is(program.back(), opcode::multiply) &&
                      std::all_of(program.begin(), program.end() - 1,
                                  [](const node& n) { return is(n, opcode::load); })) {
        for (const node& n : program) {
            if (is(n, opcode::load)) reads_[static_cast<std::size_t>(n.operand)] = 1;
            if (is(n, opcode::position)) counts_.push_back(static_cast<std::size_t>(n.operand));
        }
    }

    map_layout run() {
        const choice best = choose();
        layout_.how = best.how;
        const bool along_folded = best.how == traversal::rows;
        std::vector<loop> free = nest_.free, folded = nest_.folded;
        const loop q = take(along_folded ? folded : free, best.q);
        loop p = empty();
        chunk_q(q);
        if (best.how == traversal::plain) {
            p = take(free, second_loop(free, q));
            if (transposes(p, q)) {
                layout_.shape.q_chunk =
                    std::min(q.extent, most_ >= 1024 ? row_bytes / element_bytes_ : 32);
            }
        } else {
            p = take(folded, folded.empty() ? none : folded.size() - 1);
            layout_.shape.reads_runs = sums_runs(p, q);
            if (layout_.shape.reads_runs) {
                const std::int64_t runs = summed_row_bytes / element_bytes_;
                layout_.shape.q_chunk = std::min(q.extent, runs);
            } else if (folds_short_runs(p, q)) {
                // Room for a cache line of every run.
                const std::int64_t line = 64 / element_bytes_;
                const std::int64_t fits = most_ / std::min(p.extent, line) / 16 * 16;
                layout_.shape.q_chunk =
                    std::min(layout_.shape.q_chunk, std::max<std::int64_t>(fits, 16));
            }
        }
        chunk_p(p, q);
        place(free, folded, p, q);
        return std::move(layout_);
    }

private:
    const loop_nest& nest_;
    fold folding_;
    std::size_t operands_;
    std::int64_t most_, most_summed_;
    std::int64_t element_bytes_;
    std::vector<double> reads_;
    std::vector<std::size_t> counts_;
    bool real_;        // float or double, computed in itself
    double price_;     // of an element
    bool bare_;        // the program is an operand
    bool multiplies_;  // or the product of two, summed without being stored
    map_layout layout_;

    loop empty() const {
        loop l;
        l.stride.assign(operands_, 0);
        return l;
    }

    loop take(std::vector<loop>& loops, std::size_t k) const {
        if (k == none) return empty();
        loop l = loops[k];
        loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(k));
        return l;
    }

    static double price_of_stride(std::int64_t stride) {
        if (stride == 0) return 0.05;
        return stride == 1 ? 1 : 4;
    }

    /// Moving one element of every operand when vectors run along `l`.
    double price(const loop& l) const {
        double total = 0;
        for (std::size_t k = 0; k < operands_; ++k)
            total += reads_[k] * price_of_stride(l.stride[k]);
        for (const std::size_t k : counts_) total += l.stride[k] == 0 ? 0 : 0.5;
        return total;
    }

    /// Beginning and finishing a row along `l`; sums of rows that are read where they lie are
    /// finished in groups.
    double price_of_row(const loop& l) const { return sums_in_place(l) ? 19 : 120; }
    bool sums_in_place(const loop& l) const {
        return real_ && bare_ && is_sum() && writes_nothing(l);
    }
    bool is_sum() const { return folding_ == fold::sum || folding_ == fold::mean; }

    bool writes_elements() const { return folding_ == fold::none || folding_ == fold::softmax; }

    choice choose() const {
        choice best;
        const double elements = static_cast<double>(nest_.values);
        const bool plain = nest_.folded.empty() && folding_ != fold::softmax;
        const auto consider = [&](traversal how, std::size_t k, double price_here) {
            if (price_here < best.price) best = {how, k, price_here};
        };
        for (std::size_t k = 0; k < nest_.free.size(); ++k) {
            const loop& l = nest_.free[k];
            double total = price(l) + 16.0 / static_cast<double>(l.extent);
            if (writes_elements()) total += 1.5 * price_of_stride(l.stride[0]);
            // Later loops are the inner ones: they win ties.
            total -= 1e-6 * static_cast<double>(k);
            consider(plain ? traversal::plain : traversal::columns, k, plain ? total : total + 0.5);
        }
        for (std::size_t k = 0; k < nest_.folded.size(); ++k) {
            const loop& l = nest_.folded[k];
            double total =
                price(l) + 8.0 / static_cast<double>(l.extent) + price_of_row(l) / elements;
            if (writes_elements()) total += 1.5 * price_of_stride(l.stride[0]);
            consider(traversal::rows, k, total - 1e-6 * static_cast<double>(k));
        }
        if (best.q == none) best.how = plain ? traversal::plain : traversal::columns;
        return best;
    }

    /// Some operand jumps along q and has unit stride along p: both matter for its cache lines.
    bool transposes(const loop& p, const loop& q) const {
        for (std::size_t k = 0; k < operands_; ++k) {
            const bool touched = k == 0 || reads_[k] > 0;
            if (touched && p.extent > 1 && p.stride[k] == 1 && q.stride[k] > 1) return true;
        }
        return false;
    }

    /// Columns are the ends of runs that are folded: a tile of them is transposed as it is fetched.
    bool folds_short_runs(const loop& p, const loop& q) const {
        return layout_.how == traversal::columns && !writes_elements() && !online() &&
               transposes(p, q);
    }

    /// Their sums are added up where they lie.
    bool sums_runs(const loop& p, const loop& q) const {
        return real_ && bare_ && most_ >= 1024 && is_sum() && folds_short_runs(p, q);
    }

    std::size_t second_loop(const std::vector<loop>& free, const loop& q) const {
        for (std::size_t k = 0; k < free.size(); ++k) {
            if (transposes(free[k], q)) return k;
        }
        return free.empty() ? none : free.size() - 1;
    }

    /// Even chunks of whole cache lines.
    void chunk_q(const loop& q) {
        std::int64_t limit = most_;
        if (layout_.how == traversal::rows && most_ >= 1024 && (bare_ || multiplies_) &&
            writes_nothing(q))
            limit = most_summed_;
        if (layout_.how == traversal::plain && most_ >= 1024 && is_line(q)) limit = longest_line;
        const std::int64_t streams = most_ >= 1024 ? streams_along(q) : 0;
        if (streams > 0) limit = std::max(asked_bytes / streams, shortest_asked) / element_bytes_;
        if (layout_.how == traversal::columns) {
            if (most_ >= 1024 && sums_in_place(q)) limit = summed_row_bytes / element_bytes_;
            // Three passes over the rows of a softmax: a unit's share of them should stay in cache.
            const std::int64_t cached = (256 << 10) / element_bytes_ / nest_.values / 16 * 16;
            layout_.streamed = folding_ == fold::softmax && cached < 32;
            if (folding_ == fold::softmax && !layout_.streamed) limit = std::min(limit, cached);
            // Several rows in a tile share the cost of moving to a new maximum.
            if (online()) limit = std::max<std::int64_t>(most_ / 8, 16);
        }
        tile_shape& shape = layout_.shape;
        shape.q_extent = q.extent;
        const std::int64_t pieces = (q.extent + limit - 1) / limit;
        const std::int64_t even = (q.extent + pieces - 1) / pieces;
        shape.q_chunk = pieces == 1 ? q.extent : std::min((even + 15) / 16 * 16, limit);
        if (streams > 0) layout_.tiles_ahead = ahead_bytes / (shape.q_chunk * element_bytes_);
    }

    /// Operands and the result are lines where they lie, or numbers, and in the caches.
    bool is_line(const loop& q) const {
        const auto lies_so = [&](std::size_t k) { return q.stride[k] == 1 || q.stride[k] == 0; };
        for (std::size_t k = 1; k < operands_; ++k)
            if (reads_[k] > 0 && !lies_so(k)) return false;
        return real_ && counts_.empty() && q.stride[0] == 1 && price_ < price_of_short_line &&
               nest_.outputs * element_bytes_ < runtime::stream_bytes;
    }

    /// How many operands come from memory along q for an output that is too large for the caches,
    /// too.
    std::int64_t streams_along(const loop& q) const {
        if (!real_ || layout_.how != traversal::plain || q.stride[0] != 1 ||
            nest_.outputs * element_bytes_ < runtime::stream_bytes)
            return 0;
        // What is read at several places of one tensor comes from memory once.
        std::vector<std::int32_t> streams;
        for (std::size_t k = 1; k < operands_; ++k) {
            std::int64_t bytes = element_bytes_;
            for (const loop& l : nest_.free) bytes *= l.stride[k] != 0 ? l.extent : 1;
            if (reads_[k] > 0 && q.stride[k] == 1 && bytes >= runtime::stream_bytes &&
                std::find(streams.begin(), streams.end(), nest_.tensor[k]) == streams.end())
                streams.push_back(nest_.tensor[k]);
        }
        return static_cast<std::int64_t>(streams.size());
    }

    void chunk_p(const loop& p, const loop& q) {
        tile_shape& shape = layout_.shape;
        shape.p_extent = p.extent;
        const std::int64_t fits = std::max<std::int64_t>(most_ / shape.q_chunk, 1);
        const bool blocked = layout_.how == traversal::columns && online();
        const bool reads_rows = layout_.how == traversal::columns && bare_ && writes_nothing(q);
        // Several rows in a tile mean that loads are copied: worth it for short rows alone.
        const bool whole = shape.q_chunk == q.extent && q.extent < 128;
        if (reads_rows || shape.reads_runs) {
            // Of rows that kernels take several of at once, so many that the start of a tile is
            // little; no more, as they are summed without a correction.
            const std::int64_t row = shape.q_chunk * element_bytes_;
            const std::int64_t most =
                row >= shortest_joined_row
                    ? std::clamp<std::int64_t>(tile_of_rows_bytes / row, 128, 256)
                    : 64;
            shape.p_chunk = std::min(p.extent, most);
        } else if (folds_short_runs(p, q)) {
            shape.p_chunk = std::min(p.extent, fits);
        } else if (layout_.how == traversal::plain && transposes(p, q)) {
            // Both sides of a transposition want several cache lines of every row.
            shape.p_chunk = std::min({p.extent, 4 * fits, line_bytes / element_bytes_});
        } else if (blocked || whole) {
            shape.p_chunk = std::min(p.extent, fits);
        }
    }

    bool online() const {
        return (sums_exponentials(folding_) && folding_ != fold::softmax) || layout_.streamed;
    }

    /// Rows are read where they lie, so a tile takes no memory.
    bool writes_nothing(const loop& q) const {
        if (sums_exponentials(folding_)) return false;
        for (std::size_t k = 0; k < operands_; ++k) {
            if (reads_[k] > 0 && q.stride[k] != 1) return false;
        }
        return true;
    }

    void place(const std::vector<loop>& free, const std::vector<loop>& folded, const loop& p,
               const loop& q) {
        const auto add = [](walk& w, const loop& l, std::int64_t chunk) {
            w.axes.push_back({l.extent, chunk, l.stride});
        };
        const tile_shape& shape = layout_.shape;
        for (const loop& l : free) add(layout_.units, l, 1);
        walk& around = layout_.how == traversal::plain ? layout_.units : layout_.tiles;
        for (const loop& l : folded) add(layout_.tiles, l, 1);
        layout_.first_tile_axis = around.axes.size() + (shape.p_chunk == 1 ? 1 : 0);
        add(around, p, shape.p_chunk);
        add(layout_.how == traversal::columns ? layout_.units : around, q, shape.q_chunk);
        for (std::size_t k = 0; k < operands_; ++k) {
            layout_.strides.push_back({p.stride[k], q.stride[k]});
        }
    }
};

}  // namespace

map_layout choose_layout(const loop_nest& nest, fold folding, std::span<const node> program,
                         std::size_t operands, std::int64_t most, std::int64_t most_summed,
                         std::size_t element_bytes, bool real) {
    return chooser(nest, folding, program, operands, most, most_summed, element_bytes, real).run();
}

}  // namespace ricci::elementwise
