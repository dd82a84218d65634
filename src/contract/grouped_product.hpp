// Products by groups: steps::grouped_product, prepared once. How many rows a group has is known
// when it runs.
#pragma once

#include <cstdint>

#include "src/contract/column_panels.hpp"
#include "src/contract/offsets.hpp"
#include "src/kernels/gemm/gemm.hpp"
#include "src/steps/grouped_product.hpp"

namespace ricci::contractions {

/// Computes with the micro-kernels of contractions. Tasks are made of the rows in their order, or
/// of groups: results are bitwise the same on any number of threads. Needs nothing but the workers'
/// own memory.
template <class T>
class grouped_product {
public:
    explicit grouped_product(const steps::grouped_product& what);

    /// C = alpha * product + C where it `adds`, without C otherwise.
    void run(const T* a, const T* b, T* c, T alpha, bool adds,
             const steps::grouped_rows<T>& rows) const;

private:
    struct operands;
    struct part;
    std::int64_t group_offset(std::int64_t group) const;
    void multiply_rows(const operands& of, std::int64_t first, std::int64_t end, part columns,
                       int worker) const;
    void multiply_segment(const operands& of, std::int64_t group, std::int64_t first,
                          std::int64_t end, part columns, int worker) const;
    void sum_group(const operands& of, std::int64_t group, part rows, part columns,
                   int worker) const;
    void clear(const operands& of, T* c, const std::int64_t* rows, std::int64_t count,
               part columns) const;

    /// A block of k, packed, with a panel of columns.
    void multiply_panel(const T* a, std::int64_t depth, const T* b, std::int64_t b_step,
                        std::int64_t rows, kernels::output_tile<T> to) const;
    kernels::output_tile<T> tile_at(const column_panel& which, T* c, T alpha, T beta) const;

    const kernels::kernel_table<T>& table_;
    bool sums_rows_;
    std::vector<std::int64_t> group_extents_, group_strides_;
    std::int64_t groups_;
    offset_vector a_rows_, c_rows_;        // along m
    offset_vector b_columns_, c_columns_;  // along n
    offset_vector a_depth_, b_depth_;      // along k
    std::int64_t b_step_;                  // of k in B, or 0
    column_panels panels_;
};

}  // namespace ricci::contractions
