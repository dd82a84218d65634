// B as the micro-kernels meet it: panels of columns, read where they lie or packed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/contract/bound_operands.hpp"
#include "src/contract/column_grid.hpp"
#include "src/contract/column_panels.hpp"
#include "src/contract/flat_contraction.hpp"
#include "src/contract/k_block.hpp"
#include "src/contract/offsets.hpp"
#include "src/contract/row_list.hpp"
#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contractions {

/// Computes in T from columns stored as `Stored`.
template <class T, class Stored>
class right_panels {
public:
    /// Takes the columns and the depth of B out of `flat`. `vectors`: of a full panel.
    right_panels(flat_contraction& flat, const index_groups& groups, int vectors,
                 const kernels::kernel_table<T, Stored>& table, const list_layout& list = {});

    /// Where k is cut into multiples of `unit`: how many k of all panels are packed before going
    /// on.
    void pack_in_units(std::int64_t unit);
    void forget_grid() { grid_ = {}; }

    const column_panels& panels() const { return panels_; }
    std::int64_t stretch() const { return depth_.stretch; }
    /// Tiles of columns are transposed while they are packed.
    bool has_grid() const { return grid_.rows != 0; }

    /// Whether a micro-kernel may load the panel's columns as vectors where they lie; in a block of
    /// k, or if its steps are equal.
    bool reads_in_place(const column_panel& which) const;
    bool reads_in_place(const k_block& block, const column_panel& which) const {
        return !widens<T, Stored> && block.b_step != 0 && reads_in_place(which);
    }
    /// The step of k in [first, end) when it is always the same; 0 when steps differ.
    std::int64_t step(std::int64_t first, std::int64_t end) const {
        return uniform_step(depth_, first, end);
    }
    /// Where element (k, column) lies in B.
    std::int64_t at(std::int64_t k, std::int64_t column) const {
        return depth_.offset[static_cast<std::size_t>(k)] +
               columns_.offset[static_cast<std::size_t>(column)];
    }

    void pack(const operand_start<Stored>& b, const packed_part& part, T* to) const;

private:
    void pack_doubly_listed(const operand_start<Stored>& b, std::int64_t first, std::int64_t width,
                            std::int64_t k, std::int64_t depth, T* to, std::int64_t step) const;

    const kernels::kernel_table<T, Stored>* table_;
    column_panels panels_;
    offset_vector columns_, depth_;
    list_layout list_;
    column_grid grid_;
    std::int64_t rows_at_once_ = 8;  // how many k of all panels are packed before going on
};

}  // namespace ricci::contractions
