// What each way of carrying out a contraction costs, estimated for a nominal core.
#pragma once

#include <cstdint>

#include "src/contract/index_groups.hpp"

namespace ricci::contractions {

/// Work of a core that, on every machine, takes so many cycles for a vector of products and moves
/// sixteen bytes in one: costs say which way is cheaper, not how long it takes.
struct cost {
    double vectors = 0;  // vectors of products, with those of padding
    double bytes = 0;    // moved: more often the more scattered elements lie
    double tiles = 0;    // calls of a micro-kernel

    double cycles() const { return vectors * 0.8 + bytes / 16 + tiles * 4; }
    cost operator+(const cost& other) const {
        return {vectors + other.vectors, bytes + other.bytes, tiles + other.tiles};
    }
};

/// The costs of one contraction. How often the bytes of an operand are moved depends on where its
/// elements lie next to each other: along the loops that are walked innermost, elsewhere, or along
/// the batch. The numbers are rounded from measured times; how good they are is what the layouts of
/// bench/contract.cpp show.
class costs {
public:
    costs(const index_groups& groups, int lanes, std::int64_t element_bytes);

    /// Operands are read once, and every product loads one of its factors; a line at a time, or one
    /// by one where no loop has its elements next to each other in all operands.
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
    /// Where the elements of an operand lie next to each other.
    enum class neighbours { innermost, inside, batch, nowhere };
    struct lie {
        neighbours along = neighbours::nowhere;
        double shortness = 1;  // more where few of them do
        bool in_k = false;
    };
    lie lie_of(std::int64_t steps::contraction_loop::*stride) const;
    static double distance_of(double bytes);
    bool has_line() const;
    double moves_of_packed_a() const;
    double moves_of_packed_b() const;
    double moves_of_c() const;
    cost tiles_of_columns(double bytes) const;

    const index_groups& groups_;
    double batch_, m_, n_, k_;
    double lanes_;
    double loads_;      // 2 where a tile has a single row or column, and loads every factor
    double a_, b_, c_;  // bytes of the operands, each element counted once
    lie lie_a_, lie_b_, lie_c_;
};

}  // namespace ricci::contractions
