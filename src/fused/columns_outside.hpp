// A fused group carried out column block by column block: all rows go by, sums over rows stay in
// the cache, and each block adds its part to the sums over columns, one block after another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/fused/consumers.hpp"
#include "src/fused/loop_order.hpp"
#include "src/fused/tiles.hpp"
#include "src/runtime/turns.hpp"

namespace ricci::fused {

template <class T>
class columns_outside final : public loop_order {
public:
    columns_outside(const steps::fused_group& what, const kernels::fused_table<T>& table,
                    const kernels::kernel_table<T>& packing);
    void run(void* const* bases, const double* numbers) const override;
    runtime::loan_list loans() const override;
    std::string describe() const override;

private:
    void choose_blocks(const steps::fused_group& what);
    std::int64_t tasks() const;
    std::int64_t units() const;
    void run_block(tile_task<T>& t, runtime::turn& mine, std::int64_t batch,
                   std::int64_t block) const;
    bool skip_rows(runtime::turn& mine, bool in_turns, std::int64_t done) const;
    std::int64_t adds_before(std::int64_t block, std::int64_t row_tile) const;
    bool sum_at_once(tile_task<T>& t, std::int64_t batch) const;
    bool run_rows(tile_task<T>& t, std::int64_t batch, std::int64_t block, std::int64_t end,
                  std::int64_t unit, bool first_block) const;
    std::int64_t choose_block(tile_task<T>& t, std::int64_t batch, std::int64_t block) const;
    void add_planes(const tile_task<T>& t, std::int64_t batch, const tile_range& range,
                    std::int64_t block, std::int64_t unit) const;
    void clear_planes(const tile_task<T>& t) const;
    void finish_planes(tile_task<T>& t, std::int64_t batch, std::int64_t block) const;
    void add_nothing(const tile_task<T>& t, std::int64_t batch, std::int64_t column,
                     std::int64_t end) const;

    tiles<T> tiles_;
    std::vector<numbered<row_consumer<T>>> row_consumers_;
    std::vector<numbered<column_consumer<T>>> column_consumers_;
    std::vector<numbered<plane_consumer<T>>> plane_consumers_;
    std::vector<numbered<line_consumer<T>>> line_consumers_;
    std::size_t scratch_ = 0, shared_ = 0;
    // A task has to itself what its tiles are summed to: all of the batch that some consumer sums.
    std::int64_t batches_ = 1, batch_tasks_ = 1, blocks_ = 1, block_columns_ = 1;
    std::int64_t batches_per_task_ = 1;  // of batch_tasks_, where a batch has little to do
    bool split_ = false;                 // blocks of a batch are tasks of their own
    bool single_ = false;                // one block, one tile of rows
    bool gathers_ = false;               // some tiles are added up before they are written
    bool at_once_ = false;               // some sums over rows are written as they are made
    // Blocks of a batch that are tasks of their own take turns at each tile of rows: a block adds
    // to its sums when the one before it has, so that the order of all sums is the same for any
    // number of threads.
    mutable runtime::turns order_;
};

extern template class columns_outside<float>;
extern template class columns_outside<double>;

}  // namespace ricci::fused
