// A contraction with few rows whose large operand B is contiguous along another index than C. The
// smaller C is transposed, block by block, rather than B.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "src/contract/blocked.hpp"
#include "src/contract/index_groups.hpp"
#include "src/contract/offsets.hpp"
#include "src/contract/strategy.hpp"
#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contractions {

/// Whether B and C are contiguous along different loops of n, and B is much larger than the caches
/// and than C.
template <class T>
bool suits_transposed_output(const index_groups& groups, const kernels::kernel_table<T>& table);

/// Elements of 4 or 8 bytes, computed in their own type.
template <class T>
class transposed_output final : public strategy {
public:
    /// `groups`: such as suits_transposed_output() accepts.
    transposed_output(index_groups groups, const kernels::kernel_table<T>& table);
    void run(const void* a, const void* b, void* c, const engine::number& alpha,
             const engine::number& beta) const override;
    runtime::loan_list loans() const override;
    std::string words() const override;

private:
    std::size_t block_bytes() const;
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
    // A row of a block. C is contiguous along `across`, and `next` goes on where that ends; B is
    // contiguous along `along`. Element (next, across, along) lies at next * next_step +
    // across * across_step + along.
    struct block_row {
        steps::contraction_loop next, across, along;
        std::int64_t next_step = 0, across_step = 0;
        std::int64_t elements() const { return next.extent * across.extent * along.extent; }
    };
    block_row row_;
    offset_vector c_rows_;
    bool alone_ = false;  // there are enough blocks for every thread to have its own
    bool lines_ = false;  // C is large, and a block of it whole cache lines, if C begins with one
    std::optional<blocked<T>> product_;
};

extern template class transposed_output<float>;
extern template class transposed_output<double>;
extern template class transposed_output<std::uint32_t>;
extern template class transposed_output<std::uint64_t>;

}  // namespace ricci::contractions
