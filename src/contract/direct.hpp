// Products of small matrices, of one batch or of many: nothing is packed, and a kernel is called
// once for a run of batches.
#pragma once

#include <cstdint>
#include <vector>

#include "src/contract/index_groups.hpp"
#include "src/contract/strategy.hpp"
#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contractions {

/// Whether the matrices are small, each group walks each operand in equal steps, B and C are
/// contiguous along n, and there are kernels for that. Depends on the machine's caches.
template <class T>
bool suits_direct(const index_groups& groups, const kernels::kernel_table<T>& table);

/// Computes in T, as the operands are stored.
template <class T>
class direct final : public strategy {
public:
    /// `groups`: such as suits_direct() accepts with this table.
    direct(const index_groups& groups, const kernels::kernel_table<T>& table);
    void run(const void* a, const void* b, void* c, const engine::number& alpha,
             const engine::number& beta) const override;

private:
    using matrices = kernels::small_matrices<T>;

    // Columns that a kernel holds side by side in registers.
    struct column_panel {
        std::int64_t first = 0;
        int columns = 0, vectors = 0;
    };

    void compute_unit(const matrices& all, std::int64_t unit) const;

    const kernels::kernel_table<T>* table_;
    loop_list outer_;                  // batches, without the innermost loop
    steps::contraction_loop batches_;  // the innermost loop
    matrices steps_;                   // without addresses and numbers
    std::vector<column_panel> panels_;
    walk_origin origin_;
    std::int64_t m_ = 1;
    std::int64_t row_unit_ = 1;  // tiles of rows are multiples of this
    // A unit is a run of batches and a tile of rows.
    struct {
        std::int64_t runs = 1, m_tiles = 1, count = 1, per_task = 1;
        bool serial = false;
    } units_;
    bool far_ = false;  // the matrices come from memory
};

}  // namespace ricci::contractions
