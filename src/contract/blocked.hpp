// A contraction as a blocked matrix product, whatever the strides: index groups are flattened to
// offset vectors, and only packing and the write-back of C look at them. Operands that a
// micro-kernel can walk where they lie are not packed for little work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "src/contract/block_pass.hpp"
#include "src/contract/blocking.hpp"
#include "src/contract/bound_operands.hpp"
#include "src/contract/flat_contraction.hpp"
#include "src/contract/index_groups.hpp"
#include "src/contract/k_block.hpp"
#include "src/contract/packed_rows.hpp"
#include "src/contract/partial_sums.hpp"
#include "src/contract/sharing.hpp"
#include "src/contract/strategy.hpp"
#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contractions {

/// All rows of A, packed already for this contraction and others; none where every tile packs its
/// own.
template <class T, class Stored>
struct rows_in_common {
    const packed_rows<T, Stored>* rows = nullptr;
    const T* packed = nullptr;
};

/// Computes in T on operands stored as `Stored`.
template <class T, class Stored = T>
class blocked final : public strategy {
public:
    using operands = bound_operands<T, Stored>;

    /// `groups`: of which none is empty. `alone`: it stays on the caller's thread, as a part of a
    /// task. `lists`: of the operands as given.
    blocked(index_groups groups, const kernels::kernel_table<T, Stored>& table, bool alone = false,
            const operand_lists& lists = {});
    void run(const void* a, const void* b, void* c, const engine::number& alpha,
             const engine::number& beta) const override {
        run_bound({a, b, c, alpha, beta});
    }
    void run_bound(const bound_contraction& of) const override;
    runtime::loan_list loans() const override;
    std::unique_ptr<const joined_strategy> join(std::span<const joinable> all) const override;

    /// Whether its rows are those of the operand given as B.
    bool is_swapped() const { return groups_.origin.swapped; }
    /// Whether rows are packed, and for all tiles of columns alike.
    bool packs_rows() const;
    /// All rows, as they would be packed at once.
    const packed_rows<T, Stored>& rows() const { return rows_; }
    operands bound(const bound_contraction& given) const;
    /// Elements of memory that run_with_rows() is lent.
    std::size_t borrowed() const { return packed_size() + sums_.size(); }
    void run_with_rows(const operands& from, const rows_in_common<T, Stored>& rows,
                       T* borrowed) const;

private:
    // What is packed of B at the same time.
    struct chunk {
        std::int64_t batch = 0, batch_end = 0;
        std::int64_t panel = 0, panel_end = 0;
        std::int64_t block = 0, block_end = 0;
    };

    blocked(flat_contraction flat, index_groups&& groups,
            const kernels::kernel_table<T, Stored>& table, bool alone, const operand_lists& lists);
    block_sizes choose_sizes(const flat_contraction& flat, bool alone);
    std::vector<k_block> make_blocks(std::int64_t k);
    bool needs_no_memory() const;
    bool uses_b_once() const;

    std::size_t packed_size() const {
        return packed_elements_ * static_cast<std::size_t>(cut_.batch_chunk);
    }
    const column_panels& panels() const { return operands_.right.panels(); }
    const k_block& block(std::int64_t number) const {
        return blocks_[static_cast<std::size_t>(number)];
    }
    std::int64_t first_row(std::int64_t m_tile) const {
        return part_start(operands_.left.count(), cut_.m_tiles, m_tile, operands_.left.tile_rows());
    }

    operand_start<Stored> start_of_a(const operands& from, const position& batch) const {
        return {from.a, first_a_ + batch.a, from.a_list};
    }
    operand_start<Stored> start_of_b(const operands& from, const position& batch) const {
        return {from.b, first_b_ + batch.b, from.b_list};
    }
    destination<T, Stored> output(const operands& from, std::int64_t c, bool first) const;
    void run_in_place(const operands& from) const;
    void compute_in_place(const operands& from, std::int64_t unit, T* packed_a, T* packed_b) const;
    void pack_chunk(const operands& from, const chunk& part, T* packed) const;
    void compute_chunk(const operands& from, const chunk& part, const T* packed,
                       const rows_in_common<T, Stored>& rows, T* sums) const;
    void compute_unit(const operands& from, const chunk& part, std::int64_t unit, const T* packed,
                      const rows_in_common<T, Stored>& rows, T* sums, int worker) const;

    index_groups groups_;
    std::int64_t first_a_ = 0, first_b_ = 0;  // of operands with a list, the offset of the origin
    std::int64_t batch_ = 1;
    std::int64_t k_unit_ = 16;
    panel_operands<T, Stored> operands_;
    block_sizes cut_;
    std::vector<k_block> blocks_;
    packed_rows<T, Stored> rows_;
    partial_sums<T, Stored> sums_;
    bool packs_own_b_ = false;  // every unit packs what it needs of B, which no other one needs
    std::size_t packed_elements_ = 0;  // of B, of one batch of a chunk
};

}  // namespace ricci::contractions
