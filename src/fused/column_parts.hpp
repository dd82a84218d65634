// Columns of a tile of rows in parts, each a task of its own: where there are few tiles of rows and
// many columns, as when one query is compared with a long past. What the parts give is merged in
// their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/fused/consumers.hpp"
#include "src/fused/tiles.hpp"
#include "src/steps/fused.hpp"

namespace ricci::fused {

/// Some iterations of the column loops around the tiles, and some columns of each.
struct column_part {
    std::int64_t other = 0, other_end = 0;
    std::int64_t column = 0, column_end = 0;
};

template <class T>
class column_parts {
public:
    column_parts() = default;
    /// Cuts the columns unless the tasks are enough without: `units` is how many tiles of rows
    /// there are in all, `work` how many operations a tile has for each column. The cut does not
    /// depend on the number of threads.
    column_parts(const steps::fused_group& what, tiles<T>& made,
                 const std::vector<row_consumer<T>>& consumers, std::int64_t units, double work);

    /// 1: they are not cut.
    std::int64_t count() const { return runs_ * other_parts_; }
    /// How far apart ranges of columns start.
    std::int64_t columns() const { return columns_; }
    column_part part(std::int64_t number) const;
    /// ", columns in parts of 2048", or nothing.
    std::string describe() const;

    /// Numbers that are kept of a part, a multiple of a line of memory.
    std::int64_t kept() const { return kept_; }
    /// Keeps the largest scores, the sums of weights and the sums of all consumers.
    void keep(const tile_task<T>& t, const std::vector<row_consumer<T>>& consumers, T* to) const;
    /// What all parts have kept, one after another, becomes that of the task, which has seen
    /// nothing.
    void merge(const tile_task<T>& t, const std::vector<row_consumer<T>>& consumers,
               const T* kept) const;

private:
    const tiles<T>* tiles_ = nullptr;
    std::int64_t extent_ = 0, columns_ = 1, runs_ = 1;                // of the columns of a tile
    std::int64_t others_ = 1, others_of_part_ = 1, other_parts_ = 1;  // of the loops around them
    std::vector<std::size_t> weights_;  // operations whose largest scores and sums are kept
    std::int64_t kept_ = 0;
    std::size_t state_ = 0;  // in a worker's memory: of a part, while it is merged
};

extern template class column_parts<float>;
extern template class column_parts<double>;

}  // namespace ricci::fused
