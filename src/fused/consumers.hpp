// What becomes of tiles: sums over their columns, which a tile of rows has to itself, and sums over
// their rows, which a block of columns has to itself. Both are kept in a worker's memory until they
// are complete. Tiles that are results themselves are written at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/fused/fold_numbers.hpp"
#include "src/fused/tile_lookups.hpp"
#include "src/fused/tiles.hpp"
#include "src/steps/fused.hpp"

namespace ricci::fused {

/// A consumer, and which of the group's numbers its results are multiplied by.
template <class Consumer>
struct numbered {
    Consumer consumer;
    std::int64_t number;
};

/// Where the results of a fold that is no sum go, from number `from` of a loop on. -1: no operand.
template <class T>
fold_numbers<T, std::int32_t> results_of(const tile_task<T>& t, const tile_loop& along,
                                         std::int64_t from, std::size_t value, std::int32_t count,
                                         std::int32_t place) {
    fold_numbers<T, std::int32_t> n;
    const auto find = [&]<class Number>(std::size_t operand, Number*& first, std::int64_t& step) {
        step = along.strides[operand];
        first = static_cast<Number*>(t.bases[operand]) + t.at[operand] + from * step;
    };
    find(value, n.values, n.value_step);
    if (count >= 0) find(static_cast<std::size_t>(count), n.counts, n.count_step);
    if (place >= 0) find(static_cast<std::size_t>(place), n.places, n.place_step);
    return n;
}

/// C[batch, row, value]: sums over columns, [value][row] or, of few rows, [row][value]. Of other
/// folds, which have one value: [row], and behind them how many values equal a maximum or minimum,
/// and where its first one stands.
template <class T>
class row_consumer {
public:
    row_consumer(const steps::tile_consumer& consumer, tiles<T>& made);

    /// Numbers that `add` and `finish` need for a moment, for all consumers.
    static std::size_t scratch(const std::vector<row_consumer>& consumers, const tiles<T>& made);

    void clear(const tile_task<T>& t) const;
    /// `first`: there are no sums yet, which need not have been cleared then.
    void add(const tile_task<T>& t, const tile_range& range, bool first, T* scratch) const;
    /// C = number * sums (divided by the sum of weights) + beta * C the first time that these rows
    /// are finished, then C += number * sums.
    void finish(const tile_task<T>& t, double number, bool first, T* scratch) const;

    /// Clears, adds the only range that there is, and finishes.
    void sum(const tile_task<T>& t, const tile_range& range, double number, T* scratch) const;

    /// The sums of a task, and how many it has; no task has more than `most_sums`.
    const T* sums(const tile_task<T>& t) const { return t.address(sums_); }
    std::int64_t sums_of(const tile_task<T>& t) const;
    std::int64_t most_sums() const;
    /// Adds the sums of other columns of the same rows. Those of weights are multiplied by the
    /// factor that the operation has.
    void add_sums(const tile_task<T>& t, const T* from) const;

private:
    bool is_narrow(const tile_task<T>& t) const;
    bool folds() const { return by_ != steps::monoid::sum; }
    void fold(const tile_task<T>& t, const tile_range& range, T* scratch) const;
    using fold_states = fold_numbers<T, kernels::lane_place<T>>;
    fold_states states_at(T* first, std::int64_t width) const;
    void write_fold(const tile_task<T>& t, bool first) const;
    kernels::lane_product<T> product(const tile_task<T>& t, const tile_range& range) const;
    void add_narrow(kernels::lane_product<T> x) const;
    void add_landing(const tile_task<T>& t, const tile_range& range, const T* factor) const;
    void find_factors(const tile_task<T>& t, double number, T* factors) const;
    void write(const tile_task<T>& t, T beta, const T* factors, T* scratch) const;

    const tiles<T>* tiles_;
    std::size_t tile_ = 0, output_ = 0;
    std::int32_t b_ = -1, weights_ = -1;
    steps::monoid by_ = steps::monoid::sum;
    std::int32_t count_ = -1, place_ = -1;  // operands
    std::int64_t carried_ = 1;              // numbers of a fold for each row
    inner_loops values_;
    std::int64_t padded_ = 1;  // values, to whole vectors
    landing_values landing_;
    T beta_ = 0;
    std::size_t sums_ = 0;  // in a worker's memory
    std::size_t part_ = 0;  // of what lands: the sums of a range
};

/// C[batch, column, value]: sums over rows, [column][value]. Other folds keep a vector of lanes for
/// each column, [column][lane], which are folded at the end; behind all columns how many values
/// equal each, and where the first one stands.
template <class T>
class column_consumer {
public:
    /// `columns`: of a block. `alone`: there is one tile of rows, so that its sums are complete.
    column_consumer(const steps::tile_consumer& consumer, tiles<T>& made, std::int64_t columns,
                    bool alone = false);

    /// Clears the sums of the columns [0, columns) of a block.
    void clear(const tile_task<T>& t, std::int64_t columns) const;
    /// Packs B for the rows of the task, unless it can be read in place.
    void pack(const tile_task<T>& t) const;
    /// Adds the tile of a range, which lies in the block that begins at column `block`.
    void add(const tile_task<T>& t, const tile_range& range, std::int64_t block) const;
    /// C = number * sums + beta * C for the columns [block, end) the first time that these columns
    /// are finished, then C += number * sums.
    void finish(const tile_task<T>& t, std::int64_t block, std::int64_t end, double number,
                bool first) const;
    /// Clears, packs, adds the only range that there is, and finishes the columns [0, end); of what
    /// is written at once, those of the range.
    void sum(const tile_task<T>& t, const tile_range& range, std::int64_t end, double number,
             T* scratch) const;

    /// Whether the sums of a range are written where they go, without being kept.
    bool is_at_once() const { return at_once_; }
    /// Then, once B is packed: C = number * the sums of a range; and 0 in columns of no range.
    void write(const tile_task<T>& t, const tile_range& range, double number) const;
    void write_nothing(const tile_task<T>& t, std::int64_t column, std::int64_t end) const;

private:
    void add_to(const tile_task<T>& t, const tile_range& range, T* c, std::int64_t c_row,
                kernels::product_mode mode) const;
    void write_values_of(const tile_task<T>& t, std::int64_t column, std::int64_t end,
                         const T* sums, std::int64_t step, T factor, T beta) const;
    T* result(const tile_task<T>& t, std::int64_t column) const;
    bool folds() const { return by_ != steps::monoid::sum; }
    void fold(const tile_task<T>& t, const tile_range& range, std::int64_t block) const;
    void add_landing(const tile_task<T>& t, const tile_range& range, T* sums) const;
    using fold_states = fold_numbers<T, kernels::lane_place<T>>;
    fold_states states_from(const tile_task<T>& t, std::int64_t column) const;
    void fold_values(const tile_task<T>& t, const tile_range& range, const fold_states& s) const;
    void fold_places(const tile_task<T>& t, const tile_range& range, const fold_states& s) const;
    void count_ties(const tile_task<T>& t, const tile_range& range, const fold_states& s) const;
    void write_folds(const tile_task<T>& t, std::int64_t block, std::int64_t end, bool first) const;

    const tiles<T>* tiles_;
    std::size_t tile_ = 0, output_ = 0;
    std::int32_t b_ = -1;
    steps::monoid by_ = steps::monoid::sum;
    std::int32_t count_ = -1, place_ = -1;  // operands
    std::int64_t carried_ = 1;              // numbers of a fold for each lane
    inner_loops values_;
    std::int64_t columns_ = 0;  // of a block
    std::int64_t padded_ = 1;   // values, to whole vectors
    bool in_place_ = false;     // B is read where it lies
    landing_values landing_;
    T beta_ = 0;
    bool at_once_ = false;
    std::size_t sums_ = 0;    // in memory that tiles of rows share
    std::size_t packed_ = 0;  // in a worker's memory
};

/// C[batch, row, column]: the tiles, summed over loops of the batch.
template <class T>
class plane_consumer {
public:
    /// `columns`: of a block; `units`: tiles of rows that a block goes through.
    plane_consumer(const steps::tile_consumer& consumer, tiles<T>& made, std::int64_t columns,
                   std::int64_t units);

    /// Numbers that `add` needs for a moment.
    static std::size_t scratch(const tiles<T>& made);

    /// Whether the iteration of the batch loops is the first that reaches its part of C.
    bool is_first(std::int64_t batch) const;
    /// C = number * tile + beta * C where it is reached for the first time, then C += number *
    /// tile.
    void add(const tile_task<T>& t, const tile_range& range, double number, bool first,
             T* scratch) const;
    /// The same where the tile is 0.
    void add_nothing(const tile_task<T>& t, const tile_range& range, bool first) const;

    /// Whether tiles of a block are added up as they lie, and written once the loops of the batch
    /// that are summed are done.
    bool gathers() const { return gathers_; }
    /// Once all else has its memory: does so where there is room for it.
    void gather_if_room(tiles<T>& made);
    void clear(const tile_task<T>& t) const;
    /// Adds the tile of a range, of tile of rows `unit` and in the block that begins at a column.
    void gather(const tile_task<T>& t, const tile_range& range, std::int64_t block,
                std::int64_t unit) const;
    /// C = number * sums + beta * C for the rows of the task and the columns [block, end).
    void finish(tile_task<T>& t, std::int64_t block, std::int64_t end, std::int64_t unit,
                double number, T* scratch) const;

private:
    T* gathered(const tile_task<T>& t, std::int64_t unit) const;

    const tiles<T>* tiles_;
    std::size_t tile_ = 0, output_ = 0;
    T beta_ = 0;
    std::int64_t columns_ = 0, units_ = 0;
    bool gathers_ = false;
    std::size_t sums_ = 0;  // in a worker's memory: [unit][column][lane]
};

/// C[where lines of rows and columns lead] += the tiles of a block of columns.
template <class T>
class line_consumer {
public:
    /// `columns`: of a block.
    line_consumer(const steps::tile_consumer& consumer, tiles<T>& made, std::int64_t columns);

    void clear(const tile_task<T>& t) const;
    void add(const tile_task<T>& t, const tile_range& range, std::int64_t block) const;
    /// Adds what all rows and the columns from `block` on gave.
    void finish(const tile_task<T>& t, std::int64_t block, double number) const;

private:
    const tiles<T>* tiles_;
    std::size_t tile_ = 0, output_ = 0;
    std::int64_t unit_ = 1, least_ = 0, reach_ = 1;  // of C, in units; where its first number goes
    tile_stride step_;                               // in units
    std::size_t sums_ = 0;                           // in a worker's memory
};

extern template class row_consumer<float>;
extern template class row_consumer<double>;
extern template class column_consumer<float>;
extern template class column_consumer<double>;
extern template class plane_consumer<float>;
extern template class plane_consumer<double>;
extern template class line_consumer<float>;
extern template class line_consumer<double>;

}  // namespace ricci::fused
