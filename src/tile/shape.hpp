// The loops of a tile, how its operands lie, and where its values are.
#pragma once

#include <cstdint>

namespace ricci::elementwise {

/// How far an operand moves along the two loops of a tile: q is the inner one.
struct tile_strides {
    std::int64_t p = 0;
    std::int64_t q = 0;
};

/// The loops of a tile. A tile holds up to p_chunk x q_chunk elements.
struct tile_shape {
    std::int64_t p_extent = 1, q_extent = 1;
    std::int64_t p_chunk = 1, q_chunk = 1;
    /// The program is an operand that is contiguous along p, and read where it lies.
    bool reads_runs = false;

    std::int64_t elements() const { return p_chunk * q_chunk; }

    /// Whether every tile of such an operand is one run of unit-stride memory.
    bool contiguous(tile_strides s) const {
        if (s.q != 1 && q_extent > 1) return false;
        return p_chunk == 1 || (q_chunk >= q_extent && s.p == q_extent);
    }
};

/// Rows of unit stride, `stride` apart.
template <class T>
struct tile_view {
    const T* data = nullptr;
    std::int64_t stride = 0;
};

}  // namespace ricci::elementwise
