// The columns of a product, cut into panels that are as wide as a micro-kernel's tile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/contract/offsets.hpp"
#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contractions {

/// Columns [first, first + columns) of B and C, padded to whole vectors where B is packed.
struct column_panel {
    std::int64_t first = 0;
    int columns = 0;
    int vectors = 0;
    // Which columns of C are adjacent: as in output_tile.
    unsigned adjacent = 0, halves = 0;
    std::uint8_t split[kernels::max_vectors] = {};
    bool lines = false;  // its columns of C are whole cache lines, if C begins with one
};

/// All panels, from left to right. They are one to `most_vectors` vectors wide, spread evenly, so
/// that no narrow one is left over.
class column_panels {
public:
    /// `element_bytes`: of C as it is stored.
    column_panels(const offset_vector& c_columns, int lanes, int most_vectors,
                  std::int64_t element_bytes);

    std::int64_t count() const { return static_cast<std::int64_t>(panels_.size()); }
    const column_panel& operator[](std::int64_t p) const {
        return panels_[static_cast<std::size_t>(p)];
    }
    auto begin() const { return panels_.begin(); }
    auto end() const { return panels_.end(); }

    /// Columns that exist, and those of panel p in packed B.
    std::int64_t columns() const { return columns_; }
    std::int64_t width(const column_panel& which) const { return which.vectors * lanes_; }
    /// The column of packed B at which panel p starts; for p = count(), where the last one ends.
    std::int64_t start(std::int64_t p) const { return p < count() ? (*this)[p].first : padded_; }
    /// The column at which panel p starts, or after the last panel the number of columns that
    /// exist.
    std::int64_t first_column(std::int64_t p) const { return p < count() ? start(p) : columns_; }

private:
    std::vector<column_panel> panels_;
    std::int64_t columns_ = 0, padded_ = 0;
    std::int64_t lanes_ = 1;
};

}  // namespace ricci::contractions
