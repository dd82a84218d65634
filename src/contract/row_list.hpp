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

/// An offset is 2^shift times a place in the list, plus what comes on top. Both are sums over loops,
/// so that such offsets are ordered, merged and added up as plain ones are; what differs by 1 is
/// adjacent in memory.
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
};

/// What is packed at once, with the offsets that a list gives; for as long as it lives.
template <class Stored>
class listed_source {
public:
    listed_source(const kernels::pack_source<Stored>& from, const list_layout& layout,
                  const operand_start<Stored>& start)
        : from_(from) {
        if (layout.how == listing::none) {
            from_.origin = start.plain();
            return;
        }
        from_.origin = start.base;
        const bool across = layout.how == listing::across;
        const std::int64_t* const offsets = across ? from.across : from.along;
        const std::int64_t count = across ? from.width : from.depth;
        for (std::int64_t i = 0; i < count; ++i)
            moved_[static_cast<std::size_t>(i)] =
                layout.resolve(start.list, start.offset + offsets[i]);
        (across ? from_.across : from_.along) = moved_.data();
    }
    listed_source(const listed_source&) = delete;
    listed_source& operator=(const listed_source&) = delete;

    const kernels::pack_source<Stored>& source() const { return from_; }

private:
    kernels::pack_source<Stored> from_;
    std::array<std::int64_t, kernels::most_depth<float>> moved_;  // filled as far as it is used
};

}  // namespace ricci::contractions
