// C as the micro-kernels meet it, and which lines of a large one are written past the caches.
#pragma once

#include <cstdint>
#include <vector>

#include "src/contract/bound_operands.hpp"
#include "src/contract/column_panels.hpp"
#include "src/contract/flat_contraction.hpp"
#include "src/contract/folded_rows.hpp"
#include "src/contract/offsets.hpp"
#include "src/kernels/gemm/gemm.hpp"
#include "src/runtime/caches.hpp"

namespace ricci::contractions {

/// Panels whose columns make whole lines together, at most.
inline constexpr std::int64_t most_panels_of_lines = 8;

/// Written as `Stored`, from sums in T.
template <class T, class Stored>
class result_lines {
public:
    /// Takes the rows and the columns of C out of `flat`.
    result_lines(flat_contraction& flat, const kernels::kernel_table<T, Stored>& table);

    /// Finds rows of C that are whole cache lines, or tiles of several rows that are, for panels of
    /// `mr` rows. Each element is to be written just once, and only a large C is looked at.
    void find_lines(const loop_list& batch, const column_panels& panels, std::int64_t mr);

    const std::int64_t* rows() const { return rows_.offset.data(); }
    const std::int64_t* columns() const { return columns_.offset.data(); }
    std::int64_t row(std::int64_t i) const { return rows_.offset[static_cast<std::size_t>(i)]; }
    std::int64_t column(std::int64_t j) const {
        return columns_.offset[static_cast<std::size_t>(j)];
    }

    /// C does not stay in the caches.
    bool is_far() const { return far_; }
    /// Rows of a tile may be written past the caches, if C begins a line and is not added to.
    bool streams_rows() const { return streams_; }
    /// Tiles of several rows may be, on the same terms.
    bool streams_tiles() const { return folded_.step != 0; }
    const folded_rows& folded() const { return folded_; }
    /// How many panels from p on hold whole runs of such tiles; 0: none do.
    std::int64_t panels_of_lines(std::int64_t p) const {
        return panels_of_lines_[static_cast<std::size_t>(p)];
    }

    /// Rounds a row of complete sums into C, run by run.
    void write_row(const column_panel& which, const T* sums, T alpha, T beta, Stored* row) const;

private:
    bool is_large(const loop_list& batch) const;
    std::int64_t panels_to_line_end(const column_panels& panels, std::int64_t p) const;

    static constexpr std::int64_t line =
        runtime::line_bytes / static_cast<std::int64_t>(sizeof(Stored));

    const kernels::kernel_table<T, Stored>* table_;
    std::int64_t elements_, depth_;
    offset_vector rows_, columns_;
    bool far_ = false;
    bool streams_ = false;
    folded_rows folded_;
    std::vector<std::int64_t> panels_of_lines_;
};

}  // namespace ricci::contractions
