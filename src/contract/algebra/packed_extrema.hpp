// A product over (maximum, +) or (minimum, +) as tiles of packed panels, with the places of the
// extrema or without: for operands that are used many times.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/contract/algebra/algebra_strategy.hpp"
#include "src/contract/flat_contraction.hpp"
#include "src/contract/index_groups.hpp"
#include "src/kernels/algebra/extrema.hpp"
#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contractions {

/// Whether the operands are used so often that packing them pays.
bool suits_packed_extrema(const index_groups& groups, bool places);

template <class T>
class packed_extrema final : public algebra_strategy<T> {
public:
    packed_extrema(const index_groups& groups, const kernels::extremum_table<T>& table);
    void run(const algebra_operands<T>& given) const override;
    runtime::loan_list loans() const override;
    const char* name() const override { return "packed extrema"; }

private:
    struct range {
        std::int64_t first = 0, end = 0;
        std::int64_t size() const { return end - first; }
    };
    struct packed_columns;
    struct packed_rows;
    std::size_t column_bytes() const;
    // How rows and columns are shared out among the threads.
    struct sharing {
        std::int64_t row_parts = 1, column_parts = 1;
        std::int64_t parts() const { return row_parts * column_parts; }
    };
    sharing share(std::int64_t workers) const;
    void run_unit(const algebra_operands<T>& all, const sharing& parts, std::int64_t unit,
                  int worker) const;
    void multiply(const algebra_operands<T>& from, range rows, range columns, int worker) const;
    void pack(const T* b, range k, range columns, packed_columns& to) const;
    void pack(const T* a, range k, range rows, packed_rows& to) const;
    void multiply_block(const algebra_operands<T>& from, range k, const packed_rows& left,
                        const packed_columns& right) const;

    const kernels::extremum_table<T>* table_;
    const kernels::kernel_table<T>* packing_;
    walk_origin origin_;
    loop_list batches_;
    flat_contraction flat_;
    std::int64_t k_blocks_, row_block_, column_chunk_;
    double work_;
};

}  // namespace ricci::contractions
