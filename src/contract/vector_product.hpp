// A contraction whose operands are each used about once, such as a dot product, a matrix-vector
// product or a Hadamard product: one loop is run by a vector kernel, the others around it, and
// nothing is packed.
#pragma once

#include <cstdint>

#include "src/contract/bound_operands.hpp"
#include "src/contract/index_groups.hpp"
#include "src/contract/offsets.hpp"
#include "src/contract/strategy.hpp"
#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contractions {

/// Whether there is one row or one column a batch, or products are too small to fill a tile and
/// batches can be run in vectors: packing would cost more than it saves.
bool suits_vector_product(const index_groups& groups);

/// Computes in T on operands stored as `Stored`.
template <class T, class Stored = T>
class vector_product final : public strategy {
public:
    vector_product(index_groups groups, const kernels::kernel_table<T, Stored>& table);
    void run(const void* a, const void* b, void* c, const engine::number& alpha,
             const engine::number& beta) const override;

private:
    using operands = bound_operands<T, Stored>;
    using line = kernels::strided<Stored>;
    void take_rows();
    void run_rows(const operands& from) const;
    void add_multiples(const operands& from, std::int64_t n, line x, line y, bool first,
                       Stored* c) const;
    void add_and_write(const operands& from, const position& at, std::int64_t first,
                       std::int64_t last, Stored* c) const;
    void run_sums(const operands& from) const;
    bool sums_rows() const;
    void run_dot_rows(const operands& from) const;
    T sum_of(const operands& from, std::int64_t index, std::int64_t part) const;

    const kernels::kernel_table<T, Stored>* table_;
    loop_list free_;    // loops that walk C, without the inner one
    loop_list summed_;  // loops that do not, without the inner one
    steps::contraction_loop inner_;
    steps::contraction_loop rows_;  // a summed loop that the kernel runs around the inner one
    walk_origin origin_;
    bool inner_is_summed_ = false;
    bool multiples_ = false;           // rows_ is such a loop
    std::int64_t outer_ = 1;           // iterations of free_
    std::int64_t sums_ = 1;            // iterations of summed_
    std::int64_t parts_ = 1;           // parts the inner loop is cut into
    std::int64_t units_per_task_ = 1;  // a unit is one iteration of free_ and one part
};

}  // namespace ricci::contractions
