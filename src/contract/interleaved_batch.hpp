// A contraction whose operands are contiguous along a batch index: vectors run along the batches,
// and every lane multiplies matrices of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/contract/bound_operands.hpp"
#include "src/contract/flat_contraction.hpp"
#include "src/contract/index_groups.hpp"
#include "src/contract/offsets.hpp"
#include "src/contract/strategy.hpp"
#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contractions {

/// Whether at least two operands are contiguous along a batch index that fills most lanes.
/// `complete_sums`: no sum may be written before all of k has been added.
bool suits_interleaved_batch(const index_groups& groups, int lanes, bool complete_sums);

/// Computes in T on operands stored as `Stored`.
template <class T, class Stored = T>
class interleaved_batch final : public strategy {
public:
    /// `groups`: such as suits_interleaved_batch() accepts.
    interleaved_batch(index_groups groups, const kernels::kernel_table<T, Stored>& table);
    void run(const void* a, const void* b, void* c, const engine::number& alpha,
             const engine::number& beta) const override;
    std::string words() const override;

private:
    using operands = bound_operands<T, Stored>;
    using pack_function = typename kernels::kernel_table<T, Stored>::pack_lanes_function;
    void pack(const kernels::lane_source<Stored>& from, const std::int32_t* along_run,
              pack_function packed, T* to, int padded) const;
    void compute_unit(const operands& from, std::int64_t unit, int worker) const;
    void multiply_panel(const operands& at, std::int64_t m, std::int64_t m_end, std::int64_t n,
                        std::int64_t n_end, std::int64_t depth, int lanes, const T* packed_a,
                        const T* packed_b) const;

    index_groups groups_;  // without the loop of the lanes
    steps::contraction_loop lanes_;
    const kernels::kernel_table<T, Stored>* table_;
    flat_contraction flat_;
    // One unit: a vector of batches, a tile of rows and a tile of columns.
    std::int64_t vectors_ = 1, m_tiles_ = 1, n_tiles_ = 1, units_ = 1, units_per_task_ = 1;
    std::int64_t k_blocks_ = 1;
    bool serial_ = false;
};

}  // namespace ricci::contractions
