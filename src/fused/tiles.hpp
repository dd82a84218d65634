// Making the tiles of a fused group: products, then operations, in the memory of one worker. Which
// tiles are made and what becomes of them is the loop order's affair.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/kernels/elementwise/elementwise.hpp"
#include "src/kernels/gemm/gemm.hpp"
#include "src/kernels/fused/fused.hpp"
#include "src/fused/geometry.hpp"
#include "src/fused/schedule.hpp"
#include "src/fused/operations.hpp"
#include "src/steps/fused.hpp"

namespace ricci::fused {

inline constexpr std::size_t most_operations = 32;
// Columns of a tile where rows are few: these wait for memory, the more so where another operand is
// next. Their consumers sum fewer at once.
inline constexpr std::int64_t narrow_columns = 512;
// Distances of fewer terms are not worth expanding.
inline constexpr std::int64_t least_expanded = 24;

constexpr std::int64_t rounded_up(std::int64_t n, std::int64_t unit) {
    return (n + unit - 1) / unit * unit;
}

/// Which products two groups over the same tiles have in common: what the first one makes is kept,
/// and the second one reuses it.
struct kept_products {
    std::vector<std::int32_t> place;  // of each product among those that are kept, -1: it is not
    bool reused = false;

    std::int64_t count() const {
        return static_cast<std::int64_t>(
            std::count_if(place.begin(), place.end(), [](std::int32_t p) { return p >= 0; }));
    }
};

/// What one worker knows while it works on a tile of rows.
template <class T>
struct tile_task {
    T* memory = nullptr;
    T* shared = nullptr;  // sums that several tiles of rows add to
    T* kept =
        nullptr;  // kept products of this tile of rows, one panel of all columns after another
    kernels::line_operand<T>* slots = nullptr;
    void** operation_bases = nullptr;
    std::int64_t* operation_at = nullptr;
    void* const* bases = nullptr;
    const double* numbers = nullptr;
    std::int64_t* origin = nullptr;  // elements of the operands for the current batch
    std::int64_t* at = nullptr;      // and for the other loops: at the start of both tile loops
    const operand_bounds<T>* bounds = nullptr;  // what is known of operands
    const T* trees = nullptr;
    bool last = false;
    std::int64_t row = 0;
    tile_width width;
    std::array<T*, 2 * most_operations> tile{};

    T* address(std::size_t offset) const { return memory + offset; }
    T* shared_address(std::size_t offset) const { return shared + offset; }
    const T* base(std::size_t operand) const { return static_cast<const T*>(bases[operand]); }
    operand_memory<T> operands() const { return {bases, at, bounds, trees}; }
};

template <class T>
class tiles {
public:
    using task = tile_task<T>;

    tiles(const steps::fused_group& what, const kernels::fused_table<T>& table,
          const kernels::kernel_table<T>& packing, kept_products kept = {});

    const geometry& shape() const { return geometry_; }
    const tile_sizes& sizes() const { return sizes_; }
    std::int64_t row_tiles() const { return row_tiles_; }
    std::int64_t products() const { return static_cast<std::int64_t>(products_.size()); }
    const kernels::fused_table<T>& table() const { return *table_; }
    const kernels::kernel_table<T>& packing() const { return *packing_; }
    const kernels::elementwise_table<T>& elementwise() const { return *elementwise_; }

    /// Room for more in a worker's memory; returns where it is.
    std::size_t take(std::size_t elements);
    /// The same in memory that tiles of rows share, for which the loop order provides.
    std::size_t take_shared(std::size_t elements);
    std::size_t shared_elements() const { return shared_elements_; }
    /// Bytes of a worker's memory that were taken, and of the pointers behind them.
    std::size_t bytes() const;
    /// Whether a task may take so many more elements.
    bool has_room(std::size_t elements) const;
    /// Throws std::length_error where that is more than a task may take.
    void check_room() const;

    /// Tiles of planes that the last loop of the batch reads again and again, in another order than
    /// they lie in memory, are copied once a task. For loop orders whose tasks have several
    /// batches.
    void keep_copies();
    bool keeps_copies() const { return keeps_copies_; }

    /// Elements of a panel: a product of a tile of rows with all columns.
    std::int64_t panel() const { return sizes_.full.width * geometry_.column.extent; }

    /// What a run finds of operands before it makes tiles.
    const operand_bounds<T>& bounds() const { return bounds_; }
    /// Does without: what counts is known beforehand then, or found by conditions on positions.
    void forget_bounds() { bounds_ = {}; }

    /// A task in a worker's memory. `trees`: what the run has found of operands.
    task start(std::byte* memory, void* const* bases, const double* numbers, const T* trees) const;
    /// Which tile of rows is next. `at` of the task has to be set.
    void choose_rows(task& t, std::int64_t row_tile) const;
    /// Packs the rows of all products.
    void pack_rows(const task& t) const;
    /// No scores have been seen.
    void forget_scores(const task& t) const;
    /// What is wanted of the weights of each row, once all columns have been seen.
    void write_sums(const task& t, T* scratch) const;

    /// Ranges of columns that are made one after another.
    struct cursor {
        std::int64_t column = 0, end = 0;
        std::size_t piece = 0, last = 0;  // where the schedule has them
    };
    /// The ranges from a column on, for the rows of a task.
    cursor ranges(const task& t, std::int64_t column, std::int64_t end) const;
    /// Makes all tiles of the next range that counts; false when there is none.
    bool make_next(task& t, cursor& c, tile_range& range) const;
    /// Makes all tiles of a range that another group found; false when nothing of it counts here.
    bool make_again(task& t, const tile_range& range) const;
    /// Whether nothing counts where all weights that are made again are 0.
    bool needs_weights() const;
    /// Whether exactly one range is known to be left.
    bool is_last(const cursor& c) const { return c.piece + 1 == c.last; }
    /// Whether anything counts that a cursor is still to come to.
    bool counts(const task& t, cursor c) const;
    /// Of the tiles of rows from one on, towards the first, how many have nothing in some columns:
    /// at least so many.
    std::int64_t empty_row_tiles(const task& t, std::int64_t row_tile, std::int64_t column,
                                 std::int64_t end) const;
    /// Once all consumers are there: finds the ranges of all tiles of rows beforehand where they
    /// are the same in every batch and run. `columns` is how far apart ranges start.
    void find_schedule(std::int64_t columns);
    bool has_schedule() const { return schedule_.exists(); }
    /// Whether the schedule is there and has the same ranges as that of others.
    bool has_ranges_of(const tiles& others) const {
        return has_schedule() && schedule_.has_ranges_of(others.schedule_);
    }
    /// Whether the schedule has nothing for a tile of rows from a column on up to the next start.
    bool is_empty(std::int64_t row_tile, std::int64_t column) const {
        const auto pieces = schedule_.pieces(row_tile, column);
        return pieces.first == pieces.last;
    }
    /// Columns are read again soon, by the next tile of rows, before they leave the caches.
    void keep_columns_near() { columns_far_ = false; }
    /// The same if what all columns have of the operands is small; `operations` are those of a
    /// number of a tile, each of which reads one.
    void place_columns(double work);
    /// How far behind an element of an operand one lies that a later tile will read; 0 where that
    /// is near anyway.
    std::int64_t ahead(std::size_t operand) const {
        return columns_far_ || passing_[operand] != 0
                   ? sizes_.columns * geometry_.column.strides[operand]
                   : 0;
    }
    /// No tile of rows has more ranges of columns than this.
    std::int64_t most_ranges() const;

    kernels::softmax_state<T> state_of(const task& t, std::size_t operation) const;

private:
    /// What weights of distances there is one for: a term alone, or also a row or a column.
    enum class weight_side : std::uint8_t { terms, rows, columns };
    struct product {
        std::size_t a = 0, b = 0;
        inner_loops contracted;
        bool is_distance = false;
        bool expanded = false;      // distances of a product and norms, see distance_tiles.cpp
        std::int32_t weights = -1;  // an operand
        weight_side weighs = weight_side::terms;
        std::size_t packed = 0;  // where A's rows are in a worker's memory, [contracted][width];
                                 // narrow: [row][contracted]
        bool in_blocks = false;  // of which some are there at a time
        // In a worker's memory as well: weights as one line, the same rows with weights, or the
        // weights of rows, and the rows' norms.
        std::size_t weight_line = 0, weighted = 0, norms = 0;
    };
    struct operation {
        prepared_operation<T> code;
        bool weights = false;
        bool recomputed = false;
        std::int32_t log_sum_exp = -1, maximum = -1, excess = -1, largest = -1;
        std::size_t state = 0;  // weights: maximum, sum, factor, in a worker's memory
        T nothing = 0;          // its values where nothing of it counts
        std::size_t kept = 0, kept_copies = 0;  // copies that stay, in a worker's memory
        std::size_t kept_count = 0;
    };

    auto copies_of(const task& t, const operation& s) const {
        return reinterpret_cast<typename prepared_operation<T>::kept_copy*>(
            t.address(s.kept_copies));
    }
    void choose_sizes(const steps::fused_group& what);
    void find_passing();
    void add_product(const steps::tile_product&);
    void add_operations(const steps::fused_group& what);
    void find_conditions();
    std::int64_t tiles_of_batch() const;
    void assign_buffers(const steps::fused_group& what);
    void lay_out();
    bool look(const task& t, const tile_range& range, knowledge* known) const;
    bool skip_empty(const task& t, cursor& c, tile_range& range, knowledge* known) const;
    tile_range trimmed(const task& t, const tile_range& range) const;
    std::int64_t uniform_end(const task& t, const tile_range& range) const;
    bool choose(const task& t, cursor& c, tile_range& range, knowledge* known) const;
    void make(task& t, const tile_range& range, const knowledge* known) const;
    void use_kept(task& t, std::size_t number, const tile_range& range) const;
    bool is_reused(std::size_t number) const { return kept_.reused && kept_.place[number] >= 0; }
    bool is_narrow(const task& t, const product& p) const;
    bool reads_lines(const product& p) const;
    void copy_lines(const task& t, const product& p, const T* a) const;
    using product_kernels =
        void (*[kernels::max_fused_vectors])(const kernels::lane_product<T>& product);
    struct packed_part {  // of the numbers that a product sums
        std::size_t run = 0;
        std::int64_t first = 0, count = 0;
    };
    void pack(const task& t, const product& p, const packed_part& part, std::int64_t at) const;
    void multiply_runs(const task& t, const product& p, const product_kernels& multiply,
                       kernels::lane_product<T> x, const tile_range& range) const;
    static void choose_run(const product& p, std::size_t run, const T* first, T* maximum,
                           kernels::lane_product<T>& x);
    void multiply(const task& t, const product& p, const tile_range& range, T* out,
                  T* maximum) const;
    weight_side side_of_weights(std::int32_t operand) const;
    void lay_out_distances();
    bool is_expanded(const task& t, const product& p) const;
    void pack_weights(const task& t, const product& p) const;
    void pack_norms(const task& t, const product& p, const T* a) const;
    void make_directly(const task& t, const product& p, kernels::lane_product<T> x,
                       const tile_range& range) const;
    void expand(const task& t, const product& p, const tile_range& range, T* out) const;
    void replace_cancelled(const task& t, const product& p, std::int64_t column,
                           const kernels::distance_tile<T>& tile) const;
    void recompute(const task& t, const operation& s, T* tile, const T* scores,
                   const tile_range& range) const;
    void run_operation(task& t, std::size_t number, const tile_range& range, const knowledge& known,
                       bool maximum_found) const;

    geometry geometry_;
    const kernels::fused_table<T>* table_;
    const kernels::kernel_table<T>* packing_;
    const kernels::elementwise_table<T>* elementwise_;
    tile_sizes sizes_;
    std::int64_t row_tiles_ = 1;
    std::vector<product> products_;
    std::vector<operation> operations_;
    std::vector<std::size_t> consumed_tiles_;
    bool all_count_ = false;       // a fold takes 0 for a value as any other
    bool has_conditions_ = false;  // some tile may not count
    operand_bounds<T> bounds_;
    std::size_t buffers_ = 0;               // tiles in memory at the same time
    std::vector<std::size_t> tile_buffer_;  // of every tile
    std::size_t tile_at_ = 0, copied_at_ = 0, numbers_at_ = 0, maximum_at_ = 0;
    std::size_t norms_at_ = 0, direct_at_ = 0;  // of columns; of distances that are made again
    std::size_t elements_ = 0;                  // of T in a worker's memory, pointers behind them
    std::size_t shared_elements_ = 0;
    kept_products kept_;
    std::size_t slots_ = 0, pointers_ = 0;
    bool columns_far_ = true;
    bool keeps_copies_ = false;
    std::vector<char> passing_;  // operands of which the next batch soon reads other columns
    schedule schedule_;          // none: ranges are found as they come
};

extern template class tiles<float>;
extern template class tiles<double>;

}  // namespace ricci::fused
