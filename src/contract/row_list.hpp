// Operands that are read through a list: which part of an offset is a place in the list, and which
// goes on from where that lies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contractions {

/// Along which side of its panels an operand moves through its list, the batch aside.
enum class listing : std::uint8_t { none, across, along };

/// An offset is 2^shift times a place in the list, plus what comes on top. Both are sums over
/// loops, so that such offsets are ordered, merged and added up as plain ones are; what differs by
/// 1 is adjacent in memory.
struct list_layout {
    listing how = listing::none;
    int shift = 0;

    /// Where the element lies.
    std::int64_t resolve(const std::int64_t* list, std::int64_t offset) const {
        const std::int64_t entry = (offset + (std::int64_t{1} << (shift - 1))) >> shift;
        return list[entry] + offset - entry * (std::int64_t{1} << shift);
    }
};

/// Those of A and of B.
struct operand_lists {
    list_layout a, b;
    bool any() const { return a.how != listing::none || b.how != listing::none; }
};

/// An operand where a batch of it begins: at base[offset], or through a list.
template <class Stored>
struct operand_start {
    const Stored* base = nullptr;
    std::int64_t offset = 0;
    const std::int64_t* list = nullptr;

    /// Of an operand without a list.
    const Stored* plain() const { return base + offset; }
    /// What offsets count from: those that a list gives contain this one.
    const Stored* origin(const list_layout& layout) const {
        return layout.how == listing::none ? plain() : base;
    }
};

/// Offsets of one side of what is packed at once: as they are, or where a list says.
template <class Stored>
class listed_offsets {
public:
    listed_offsets(const list_layout& layout, listing side, const operand_start<Stored>& start)
        : layout_(layout), start_(start), is_listed_(layout.how == side) {}

    const std::int64_t* of(const std::int64_t* offsets, std::int64_t count) {
        if (!is_listed_) return offsets;
        for (std::int64_t i = 0; i < count; ++i)
            resolved_[static_cast<std::size_t>(i)] =
                layout_.resolve(start_.list, start_.offset + offsets[i]);
        return resolved_.data();
    }

private:
    const list_layout& layout_;
    const operand_start<Stored>& start_;
    bool is_listed_;
    std::array<std::int64_t, kernels::most_depth<float>> resolved_;  // filled as far as it is used
};

}  // namespace ricci::contractions
