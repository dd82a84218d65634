// A contraction with few rows whose large operand is contiguous along another of its indices than
// C: rather than the operand, the smaller C is transposed, block by block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "src/contract/blocked.hpp"
#include "src/contract/index_groups.hpp"
#include "src/contract/offsets.hpp"
#include "src/contract/strategy.hpp"
#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contract {

/// Whether B is far larger than the caches, contiguous along a loop of n other than C is, and so
/// much larger than C that it is C which had better be transposed.
template <class T>
bool suits_transposed_output(const index_groups& groups, const kernels::kernel_table<T>& table);

/// Elements of 4 or 8 bytes, computed in their own type, of kernels that can transpose.
template <class T>
class transposed_output final : public strategy {
public:
    /// `groups`: such as suits_transposed_output() accepts.
    transposed_output(index_groups groups, const kernels::kernel_table<T>& table);
    void run(const void* a, const void* b, void* c, const engine::number& alpha,
             const engine::number& beta) const override;
    std::string words() const override;

private:
    void run_block(const T* rows, const T* columns, T* c, T* block, const engine::number& alpha,
                   const engine::number& beta, bool stream) const;
    void write(const T* block, T* c, bool stream) const;
    void write_row(const T* row, T* c) const;
    void stream_row(const T* row, T* c) const;
    void read(const T* c, T* block) const;
    bool consists_of_lines() const;

    const kernels::kernel_table<T>* table_;
    walk_origin origin_;
    loop_list outer_;  // walked around a block
    // Of a block: C is contiguous along `across_`, and goes on along `next_`; B is along `along_`.
    steps::contraction_loop next_, across_, along_;
    offset_vector c_rows_;
    // Where an element of the block's row lies: next * next_step_ + across * across_step_ + along.
    std::int64_t next_step_ = 0, across_step_ = 0, pitch_ = 0;
    bool alone_ = false;  // there are enough blocks for every thread to have its own
    bool lines_ = false;  // C is large, and a block of it whole cache lines, if C begins with one
    std::optional<blocked<T>> product_;
};

extern template class transposed_output<float>;
extern template class transposed_output<double>;
extern template class transposed_output<std::uint32_t>;
extern template class transposed_output<std::uint64_t>;

}  // namespace ricci::contract
