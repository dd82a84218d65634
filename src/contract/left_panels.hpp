// A as the micro-kernels meet it: panels of rows, read where they lie or packed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/base/arithmetic.hpp"
#include "src/contract/flat_contraction.hpp"
#include "src/contract/k_block.hpp"
#include "src/contract/offsets.hpp"
#include "src/contract/row_list.hpp"
#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contractions {

/// Computes in T from rows stored as `Stored`.
template <class T, class Stored>
class left_panels {
public:
    /// Takes the rows and the depth of A out of `flat`, and chooses the micro-kernels' tile.
    left_panels(flat_contraction& flat, const kernels::kernel_table<T, Stored>& table,
                const list_layout& list = {});

    /// Makes packing transpose stretches of A, where it is contiguous along neither k nor its rows.
    void find_stretches();
    /// How many k a block may hold, at most, for A to be read where it lies.
    std::int64_t most_depth() const;
    /// Settles how A is packed when so many panels of B pass over its rows, and where it is not.
    void meet(std::int64_t panels);
    /// The step of A in k of [first, end) when it is read there where it lies; 0: it is packed.
    std::int64_t step_in_place(std::int64_t first, std::int64_t end) const;

    /// Packs the rows [m, m_end) for a block of k, panel after panel.
    void pack(const operand_start<Stored>& a, std::int64_t m, std::int64_t m_end,
              const k_block& block, T* to) const;

    /// Rows of a full tile, and the vectors across it.
    std::int64_t tile_rows() const { return mr_; }
    int tile_vectors() const { return vectors_; }
    std::int64_t count() const { return m_; }
    std::int64_t stretch() const { return depth_.stretch; }
    std::int64_t row(std::int64_t i) const { return rows_.offset[static_cast<std::size_t>(i)]; }
    std::int64_t depth(std::int64_t k) const { return depth_.offset[static_cast<std::size_t>(k)]; }
    /// The distance between neighbouring rows, when it is always the same; otherwise 0.
    std::int64_t row_step() const { return row_step_; }
    /// Packed panels hold column after column: A is contiguous across its rows.
    bool packs_across() const { return packs_across_; }

    /// Elements from one packed row to the next.
    std::int64_t pitch(const k_block& block) const {
        return table_->panel_pitch != 0 ? table_->panel_pitch : block.depth();
    }
    /// Rows of a panel, in a tile of `count`: spread evenly, so that no thin panel is left over.
    /// Where a panel's layout is the table's own affair panels are cut the same wherever a tile
    /// begins.
    std::int64_t panel_rows(std::int64_t count) const {
        if (table_->panel_pitch == 0 || count == 0) return mr_;
        return ceil_divide(count, ceil_divide(count, mr_));
    }
    /// Whether both are packed the same in the same blocks of k.
    bool packs_like(const left_panels& other) const;

private:
    void choose_tile(std::int64_t n);
    void prefetch_across(const operand_start<Stored>& a, std::int64_t m, std::int64_t m_end,
                         std::int64_t first, std::int64_t end) const;
    void pack_doubly_listed(const operand_start<Stored>& a, std::int64_t m, std::int64_t m_end,
                            const k_block& block, T* to) const;
    bool is_contiguous_across() const;
    bool steps_well(std::int64_t step) const;
    bool is_listed() const { return list_.how != listing::none; }

    const kernels::kernel_table<T, Stored>* table_;
    std::int64_t m_, n_, k_;
    offset_vector rows_, depth_;
    list_layout list_;
    std::int64_t mr_ = 1;
    int vectors_ = 1;
    std::int64_t row_step_ = 0;
    bool reads_in_place_ = false;
    bool packs_across_ = false;
};

}  // namespace ricci::contractions
