// Products of small matrices, of one batch or of many: nothing is packed, and what is beside the
// arithmetic is done once for a run of batches.
#pragma once

#include <cstdint>
#include <vector>

#include "src/contract/index_groups.hpp"
#include "src/contract/strategy.hpp"
#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contract {

/// Whether the matrices are small, every loop walks its operands in equal steps, along n B and C
/// from element to element, and there are kernels for that. Depends on the machine's caches.
template <class T>
bool suits_direct(const index_groups& groups, const kernels::kernel_table<T>& table);

/// Computes in T, as the operands are stored.
template <class T>
class direct final : public strategy {
public:
    /// `groups`: such as suits_direct() accepts. `table`: with kernels for it.
    direct(const index_groups& groups, const kernels::kernel_table<T>& table);
    void run(const void* a, const void* b, void* c, const engine::number& alpha,
             const engine::number& beta) const override;

private:
    using matrices = kernels::small_matrices<T>;

    // Columns side by side in registers.
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
    // One unit: a run of batches and a tile of rows.
    std::int64_t runs_ = 1, m_tiles_ = 1, units_ = 1, units_per_task_ = 1;
    bool serial_ = false;
    bool far_ = false;  // the matrices come from memory
};

}  // namespace ricci::contract
