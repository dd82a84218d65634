// What each way of carrying out a contraction costs, estimated for a nominal core.
#pragma once

#include <cstdint>

#include "src/contract/index_groups.hpp"

namespace ricci::contract {

/// Work of a core that, on every machine, multiplies two vectors and moves sixteen bytes in a
/// cycle, and takes sixteen cycles to begin a tile: costs say which way is cheaper, not how long it
/// takes.
struct cost {
    double vectors = 0;  // vectors of products, with those of padding
    double bytes = 0;    // read and written, whole cache lines where elements lie scattered
    double tiles = 0;    // calls of a micro-kernel

    double cycles() const { return vectors / 2 + bytes / 16 + tiles * 16; }
};

/// The costs of one contraction. What is packed is moved three times: read, written and read again.
class costs {
public:
    costs(const index_groups& groups, int lanes, std::int64_t element_bytes);

    /// Operands are read once, and every product loads one of its factors.
    cost vector_product() const;
    /// Both operands are packed, a batch in each lane. Idle lanes are not counted: this is for
    /// batches that use most of them.
    cost interleaved_batch() const;
    /// Operands that lie scattered are copied first; then as a blocked product of what is in order.
    cost packed_batch() const;
    /// A is packed and B read as it lies; C is written, read back and written in its order.
    cost transposed_output() const;
    /// All operands are read where they lie, each a line of n or k at a time.
    cost direct() const;
    /// A is packed, and so is B, unless it can be read where it lies.
    cost blocked() const;

private:
    // Bytes of an operand that is walked once, a matrix after the other.
    double walked(double elements, std::int64_t steps::contraction_loop::*stride) const;
    cost tiles_of_columns(double bytes) const;

    const index_groups& groups_;
    double batch_, m_, n_, k_;
    double lanes_, element_bytes_;
    double loads_;          // 2 where a tile has a single row or column, and loads every factor
    double a_, b_, c_;      // bytes of the operands, each element counted once
    double times_b_moves_;  // how often a product moves B that packs what it has to
};

}  // namespace ricci::contract
