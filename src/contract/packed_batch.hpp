// A contraction of many matrices of which an operand is contiguous along a batch index. A cache
// line then holds elements of many batches, and would be read again for each of them. So the
// matrices of many batches are copied into a dense order at once, and multiplied like any others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/contract/blocked.hpp"
#include "src/contract/index_groups.hpp"
#include "src/contract/strategy.hpp"
#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contractions {

/// Whether A or B is contiguous along a batch index of at least `lanes` batches, and its matrices
/// are small.
bool suits_packed_batch(const index_groups& groups, int lanes, std::size_t element_bytes);

/// Elements of 4 or 8 bytes, computed in their own type, by kernels that can transpose.
template <class T>
class packed_batch final : public strategy {
public:
    /// `groups`: such as suits_packed_batch() accepts.
    packed_batch(index_groups groups, const kernels::kernel_table<T>& table);
    void run(const void* a, const void* b, void* c, const engine::number& alpha,
             const engine::number& beta) const override;
    runtime::loan_list loans() const override;
    std::string words() const override;

private:
    /// How an operand's matrices are put in order: copied line by line, along the last of its
    /// loops.
    struct order {
        bool needed() const { return pitch != 0; }

        std::vector<std::int64_t> lines;  // where each begins
        std::int64_t length = 1, step = 1;
        std::int64_t pitch = 0;  // from one matrix to the next
    };
    static order put_in_order(loop_list& outer, loop_list& inner,
                              std::int64_t steps::contraction_loop::*stride);
    std::size_t gathered_bytes() const;
    void gather(const order& how, const T* from, std::int64_t count, T* to) const;

    index_groups groups_;  // without the loop along which batches are gathered
    steps::contraction_loop batches_;
    const kernels::kernel_table<T>* table_;
    order a_, b_;
    std::int64_t at_once_ = 1;  // batches that are gathered together
    std::optional<blocked<T>> whole_, rest_;
};

extern template class packed_batch<float>;
extern template class packed_batch<double>;
extern template class packed_batch<std::uint32_t>;
extern template class packed_batch<std::uint64_t>;

}  // namespace ricci::contractions
