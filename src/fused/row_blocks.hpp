// Two groups carried out together, a block of rows at a time. What the first one gives for these
// rows is all that the second one needs, so that both can go over them before the next ones; and
// products that both have are made once and kept meanwhile.
//
// Of a block, the first group makes its tiles of rows one after another, each with all columns. The
// second one goes through the columns and makes them for all rows of the block; its sums over rows,
// for all columns, stay where they are from block to block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/fused/chain_operands.hpp"
#include "src/fused/row_sums.hpp"
#include "src/fused/consumers.hpp"
#include "src/fused/loop_order.hpp"
#include "src/fused/tiles.hpp"
#include "src/runtime/turns.hpp"

namespace ricci::fused {

template <class T>
class row_blocks final : public loop_order {
public:
    row_blocks(const steps::fused_chain& what, const kernels::fused_table<T>& table,
               const kernels::kernel_table<T>& packing);

    /// Whether the chain can be carried out this way, and gains by it.
    bool is_suitable() const { return suitable_; }

    /// bases: of all operands, those of the sums between those of the groups. numbers: all of the
    /// first group, then all of the second.
    void run(void* const* bases, const double* numbers) const override;
    runtime::loan_list loans() const override;
    std::string describe() const override;

private:
    static constexpr std::int64_t most_tiles_at_once = 4;
    /// Ranges of columns that the first group made for a tile of rows.
    struct made_ranges {
        struct piece {
            std::int64_t column = 0, column_end = 0;
        };
        piece* list = nullptr;
        std::int64_t count = 0, next = 0;
    };
    struct second_task {
        tile_task<T> tile;
        made_ranges made;
    };
    /// What a run has found of the operands of either group.
    struct group_trees {
        const T* first = nullptr;
        const T* second = nullptr;
    };
    using row_tasks = std::array<second_task, most_tiles_at_once>;

    row_blocks(const chain_operands& operands, const steps::fused_chain& what,
               const kernels::fused_table<T>& table, const kernels::kernel_table<T>& packing);
    bool choose_blocks();
    bool choose_ranges();
    void run_rows(const runtime::turn& mine, std::int64_t task, void* const* bases,
                  const double* numbers, const group_trees& trees) const;
    void choose_unit(const tiles<T>& made, tile_task<T>& t, std::int64_t batch,
                     std::int64_t unit) const;
    void make_first(tile_task<T>& t, made_ranges& made) const;
    bool make_next(second_task& t, typename tiles<T>::cursor& columns, tile_range& range) const;
    std::int64_t next_column(const row_tasks& tasks, std::int64_t count) const;
    void make_second(row_tasks& t, std::int64_t count) const;

    tiles<T> first_, second_;
    std::vector<numbered<row_consumer<T>>> first_consumers_, row_consumers_;
    std::vector<numbered<column_consumer<T>>> column_consumers_;
    std::vector<row_sum<T>> sums_;
    std::int64_t panels_ = 0;  // elements that are kept of a tile of rows
    std::size_t first_scratch_ = 0, second_scratch_ = 0;
    std::size_t first_bytes_ = 0, second_bytes_ = 0;  // of a tile of rows
    std::size_t lent_bytes_ = 0;                      // those, sums over rows, what is kept, ranges
    bool scheduled_ = false;                          // ranges are known beforehand
    std::int64_t batches_ = 1, units_ = 0, groups_ = 1, tiles_at_once_ = 1;
    bool suitable_ = false;
    // Groups of rows of a batch are tasks of their own: each of them adds its sums over rows when
    // the one before it has, so that the order of all sums is the same for any number of threads.
    mutable runtime::turns order_;
};

extern template class row_blocks<float>;
extern template class row_blocks<double>;

}  // namespace ricci::fused
