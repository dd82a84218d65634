// What becomes of tiles: sums over their columns, which a tile of rows has to itself, and sums over their
// rows, which a block of columns has to itself. Both are kept in a worker's memory until they are
// complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ricci/plan/steps.hpp>

#include "src/stream/tiles.hpp"

namespace ricci::stream {

/// C[batch, row, value]: sums over columns, [value][row].
template <class T>
class row_sink {
public:
    row_sink(const plan::stream_sink& sink, tiles<T>& made);

    /// Numbers that `add` and `finish` need for a moment, for all sinks.
    static std::size_t scratch(const std::vector<row_sink>& sinks, const tiles<T>& made);

    void clear(const tile_task<T>& t) const;
    void add(const tile_task<T>& t, const tile_range& range, T* scratch) const;
    /// C = number * sums (divided by the sum of weights) + beta * C the first time that these rows are
    /// finished, then C += number * sums.
    void finish(const tile_task<T>& t, double number, bool first, T* scratch) const;

private:
    void write(const tile_task<T>& t, T beta, const T* factors, T* scratch) const;

    const tiles<T>* tiles_;
    std::size_t tile_ = 0, output_ = 0;
    std::int32_t b_ = -1, weights_ = -1;
    inner_loops values_;
    T beta_ = 0;
    std::size_t sums_ = 0;  // in a worker's memory
};

/// C[batch, column, value]: sums over rows, [column][value].
template <class T>
class column_sink {
public:
    /// `columns`: of a block.
    column_sink(const plan::stream_sink& sink, tiles<T>& made, std::int64_t columns);

    void clear(const tile_task<T>& t) const;
    /// Packs B for the rows of the task.
    void pack(const tile_task<T>& t) const;
    /// Adds the tile of a range, which lies in the block that begins at column `block`.
    void add(const tile_task<T>& t, const tile_range& range, std::int64_t block) const;
    /// Writes C for the columns [block, end).
    void finish(const tile_task<T>& t, std::int64_t block, std::int64_t end, double number) const;

private:
    const tiles<T>* tiles_;
    std::size_t tile_ = 0, output_ = 0;
    std::int32_t b_ = -1;
    inner_loops values_;
    std::int64_t padded_ = 1;  // values, to whole vectors
    std::int64_t columns_ = 1;
    T beta_ = 0;
    std::size_t sums_ = 0, packed_ = 0;  // in a worker's memory
};

extern template class row_sink<float>;
extern template class row_sink<double>;
extern template class column_sink<float>;
extern template class column_sink<double>;

}  // namespace ricci::stream
