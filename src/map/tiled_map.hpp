// The execution of a prepared map: tasks over units of work, and what they share. The folds are in
// fold_rows.cpp and fold_columns.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/bodies/line_code.hpp"
#include "src/map/layout.hpp"
#include "src/tile/map_strategy.hpp"
#include "src/tile/tile.hpp"
#include "src/tile/totals.hpp"
#include "src/kernels/elementwise/elementwise.hpp"

namespace ricci::elementwise {

template <class T>
class line_writer;

/// Memory of one task, on its stack: tiles, accumulators, pointers. Fits the first cache. What
/// needs more is lent.
inline constexpr std::size_t scratch_bytes = std::size_t{40} << 10;

/// Rows that are summed together, at most: those of one run each, and those whose sums go on from
/// tile to tile.
inline constexpr std::int64_t most_runs_abreast = 4096, most_rows_abreast = 256;

/// Places of a long row that are read at once: memory delivers more from several than from one.
inline constexpr std::int64_t places_at_once = 4;

/// Operands of a sum of products, the output among them.
inline constexpr std::size_t most_operands_of_product = 3;

/// Accumulators of a unit of columns; each holds q_chunk numbers. Sums need the first three.
enum column_buffer : std::size_t { block, total, rest, extreme, shift, next_shift, buffers };
inline constexpr std::size_t buffers_of_sums = 3;

/// What a walk over the tiles of a unit is for.
enum class pass : std::uint8_t {
    fold,     // run the program and hand on its values
    keep,     // the same, and write them to the output
    revisit,  // the values have been written; an operand read in place is handed on again
};

/// The first pass of a softmax writes the program's values, unless they can be read again where
/// they are.
constexpr pass first_pass(bool in_place) { return in_place ? pass::fold : pass::keep; }

/// Computes in T on operands stored as S. Where the two differ, what a fold goes over again is
/// computed again, not read from the output, where it would have been rounded.
template <class T, class S = T>
class tiled_map final : public map_strategy {
public:
    using value_type = T;
    tiled_map(const steps::map& map, std::vector<node> program, loop_nest nest);
    void run(void* const* bases) const override;
    std::size_t lent_bytes() const override { return lent_bytes_; }

private:
    struct task_memory;
    using row_sum = row_total<T>;
    static constexpr bool converts = !std::is_same_v<T, S>;
    // Real numbers have a register machine.
    using code_type =
        typename std::conditional_t<is_real<T>, bodies::line_code<T, S>, tile_code<T>>;

    steps::fold folding_;
    loop_nest nest_;
    std::size_t operands_;
    map_layout layout_;
    code_type code_;
    const kernels::elementwise_table<T>& kernels_;
    bool direct_output_ = false;      // a tile of the output is one run of memory
    bool writes_rows_ = false;        // or rows of it, which the program's last step writes
    bool past_ = false;               // rows of the output are written past the caches
    std::int64_t ahead_ = 0;          // memory is asked for the tile that is so many ahead
    std::int64_t abreast_ = 0;        // rows are summed in groups of so many
    bool one_run_ = false;            // each of which is one tile without gaps
    bool long_ = false;               // or each from several places at once
    std::size_t factor_[2] = {0, 0};  // the operands of a sum of products; 0: it is none
    std::size_t stage_ = 0;           // elements of a tile that waits to be scattered
    std::int64_t units_ = 0, tiles_ = 1;
    std::int64_t units_per_task_ = 1;
    std::int64_t blocks_ = 1;     // a unit's tiles are cut into so many tasks
    std::size_t partial_ = 0;     // bytes that a block leaves behind
    std::size_t lent_bytes_ = 0;  // of a task, where its stack has no room for all values

    // Lent to one run at a time; a second one at the same moment makes its own.
    mutable std::vector<std::byte> partials_;
    mutable std::atomic_flag lent_ = ATOMIC_FLAG_INIT;

    bool sums() const { return folding_ == steps::fold::sum || folding_ == steps::fold::mean; }
    std::size_t column_buffers() const { return sums() ? buffers_of_sums : buffers; }
    std::size_t scratch_needed() const;
    bool writes_past() const;
    std::int64_t choose_ahead() const;
    void choose_sums();
    void find_factors(const std::vector<node>& program);
    void cut_into_tasks(double cost);

    void run_empty(void* const* bases) const;
    void run_plain(void* const* bases, std::int64_t first, std::int64_t last) const;
    void ask_for_tile(const task_memory& m, std::int64_t p, std::int64_t q) const;
    void run_units(void* const* bases, std::int64_t first, std::int64_t last) const;
    void run_columns(task_memory& m) const;
    void run_row(task_memory& m) const;
    void run_split(void* const* bases, std::byte* partials) const;
    void normalise_split(void* const* bases, std::byte* partials) const;

    template <class Body>
    void for_tiles(task_memory& m, std::int64_t first, std::int64_t last, pass what,
                   Body body) const;

    // Calls body(p, q) for every tile of the unit, without the program's values.
    template <class Body>
    void for_walk(task_memory& m, Body body) const;

    // rows
    row_sum empty_row() const;
    void join_row(row_sum& sum, const row_sum& more) const;
    row_sum sum_products(task_memory& m, std::int64_t first, std::int64_t last) const;
    std::int64_t add_quarters(row_sum& t, const task_memory& m, std::int64_t first,
                              std::int64_t last) const;
    row_sum reduce_row(task_memory& m, std::int64_t first, std::int64_t last) const;
    void finish_row(task_memory& m, const row_sum& sum) const;
    void put_sums(task_memory& m, const T* sums, std::int64_t count, std::int64_t stride) const;
    void sum_rows_abreast(task_memory& m, std::int64_t first, std::int64_t last) const;
    void softmax_short_row(task_memory& m) const;
    void softmax_row(task_memory& m) const;
    void normalise_row(task_memory& m, std::int64_t first, std::int64_t last,
                       const row_sum& sum) const;

    // columns; the accumulators are in the task's memory
    void empty_columns(task_memory& m) const;
    void join_columns(task_memory& m, const T* partial) const;
    void multiply_columns(task_memory& m, const T* row) const;
    void add_rows(task_memory& m, const tile_view<T>& view, std::size_t rows) const;
    void raise_columns(task_memory& m) const;
    void reduce_columns(task_memory& m, std::int64_t first, std::int64_t last) const;
    void finish_columns(task_memory& m) const;
    void softmax_columns(task_memory& m) const;
    void finish_softmax_columns(task_memory& m) const;
    void normalise_columns(task_memory& m, std::int64_t first, std::int64_t last) const;
    void flush_block(task_memory& m) const;

    S* output(const task_memory& m) const;
    T* direct(const task_memory& m) const;
    void put_past(task_memory& m, line_writer<T>& writer, const tile_view<T>& view, std::int64_t p,
                  std::int64_t q) const;
    void put(task_memory& m, const T* from, std::int64_t from_stride, std::int64_t p,
             std::int64_t q) const;
    const T* source_of(task_memory& m, const tile_view<T>& view, std::int64_t p, std::int64_t q,
                       std::int64_t& stride) const;
};

}  // namespace ricci::elementwise
