// A contraction as a blocked matrix product over packed panels, whatever the strides: index groups
// are flattened to offset vectors, and only packing and the write-back of C look at them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/contract/blocking.hpp"
#include "src/contract/index_groups.hpp"
#include "src/contract/offsets.hpp"
#include "src/contract/strategy.hpp"
#include "src/kernels/gemm.hpp"

namespace ricci::contract {

template <class T>
class blocked final : public strategy {
public:
    blocked(index_groups groups, const kernels::kernel_table<T>& table);
    void run(const void* a, const void* b, void* c, double alpha, double beta) const override;

private:
    // Columns [first, first + columns) of C and B, padded to `vectors` whole vectors when packed.
    struct column_panel {
        std::int64_t first = 0;
        int columns = 0;
        int vectors = 0;
        unsigned adjacent = 0;  // as in output_tile
    };
    // The blocks of B that are packed at the same time, and how many there are.
    struct chunk {
        std::int64_t batch = 0, batch_end = 0;
        std::int64_t panel = 0, panel_end = 0;
        std::int64_t block = 0, block_end = 0;
    };
    struct operands {
        const T* a = nullptr;
        const T* b = nullptr;
        T* c = nullptr;
        T alpha = 1;
        T beta = 0;
    };
    // Where a unit writes: C itself, or its partial sums.
    struct destination {
        T* origin = nullptr;
        const std::int64_t* rows = nullptr;
        const std::int64_t* columns = nullptr;
        unsigned adjacency = ~0u;  // partial sums are adjacent everywhere
        bool partial = false;
        T alpha = 1;
        T beta = 0;
    };

    void make_panels();
    std::int64_t block_start(std::int64_t block) const;
    std::int64_t packed_column(std::int64_t panel) const;
    void run_in_workers(const operands& from) const;
    void run_chunk(const operands& from, const chunk& part, T* packed, T* partial) const;
    void pack_panels(const T* b, std::int64_t panel, std::int64_t panel_end, std::int64_t k,
                     std::int64_t k_end, std::int64_t from_k, std::int64_t to_k, T* to) const;
    void compute_unit(const operands& from, const chunk& part, std::int64_t unit, const T* packed,
                      T* partial, int worker) const;
    void multiply_block(const T* a, std::int64_t m, std::int64_t m_end, std::int64_t panel,
                        std::int64_t panel_end, std::int64_t k, std::int64_t k_end,
                        const T* packed_b, T* packed_a, const destination& to) const;
    void add_partial_sums(const operands& from, std::int64_t batch, std::int64_t panel,
                          std::int64_t panel_end, const T* partial) const;

    index_groups groups_;
    const kernels::kernel_table<T>* table_;
    std::int64_t batch_ = 1, m_ = 1, n_ = 1, k_ = 1;
    offset_vector a_rows_, c_rows_, b_columns_, c_columns_, a_depth_, b_depth_;
    block_sizes cut_;
    std::vector<column_panel> panels_;
    std::int64_t deepest_block_ = 0;
    std::int64_t rows_per_pack_ = 8;    // how many k of all panels are packed before going on
    std::size_t packed_elements_ = 0;   // of one batch of a chunk
    std::size_t partial_elements_ = 0;  // of one k split
    std::vector<std::int64_t> partial_rows_, partial_columns_;
};

extern template class blocked<float>;
extern template class blocked<double>;

}  // namespace ricci::contract
