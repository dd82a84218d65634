// Operands that are read through a list: which part of an offset is a place in the list, and which
// goes on from where that lies.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "src/contract/offsets.hpp"
#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contractions {

/// Along which sides of its panels an operand moves through its list, the batch aside.
enum class listing : std::uint8_t { none, across, along, both };

/// An offset is 2^shift times a place in the list, plus what comes on top. Both are sums over
/// loops, so that such offsets are ordered, merged and added up as plain ones are; what differs by
/// 1 is adjacent in memory.
struct list_layout {
    listing how = listing::none;
    int shift = 0;

    /// The place in the list.
    std::int64_t entry(std::int64_t offset) const {
        return (offset + (std::int64_t{1} << (shift - 1))) >> shift;
    }
    /// Where the element lies.
    std::int64_t resolve(const std::int64_t* list, std::int64_t offset) const {
        const std::int64_t number = entry(offset);
        return list[number] + offset - number * (std::int64_t{1} << shift);
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

/// Offsets of what is packed at once where an operand moves through its list along both sides.
/// There its elements lie where no sum of two offsets says; but those of iterations of one side
/// that share a place in the list do.
template <class Stored>
class doubly_listed_offsets {
public:
    doubly_listed_offsets(const list_layout& layout, const operand_start<Stored>& start)
        : layout_(layout), start_(start) {}

    /// How many iterations of [first, end) share the place in the list of the first one.
    std::int64_t sharing(const offset_vector& side, std::int64_t first, std::int64_t end) const {
        const std::int64_t number = layout_.entry(at(side, first));
        std::int64_t last = first + 1;
        while (last < end && layout_.entry(at(side, last)) == number) ++last;
        return last - first;
    }

    /// What is packed of such iterations of `fixed` and all of [first, first + count) of `moving`:
    /// offsets of both whose sums say where the elements lie.
    struct sides {
        const std::int64_t* fixed = nullptr;
        const std::int64_t* moving = nullptr;
    };
    sides of(const offset_vector& fixed, std::int64_t from, std::int64_t width,
             const offset_vector& moving, std::int64_t first, std::int64_t count) {
        const std::int64_t base = at(fixed, from);
        for (std::int64_t i = 0; i < width; ++i)
            fixed_[static_cast<std::size_t>(i)] = at(fixed, from + i) - base;
        const bool has_runs = moving.stretch == 1;
        for (std::int64_t i = 0; i < count;) {
            const std::int64_t element =
                layout_.resolve(start_.list, start_.offset + base + at(moving, first + i));
            // What is adjacent shares its place in the list.
            const std::int64_t run =
                has_runs ? std::min<std::int64_t>(count - i,
                                                  moving.run[static_cast<std::size_t>(first + i)])
                         : 1;
            for (std::int64_t j = 0; j < run; ++j)
                moving_[static_cast<std::size_t>(i + j)] = element + j;
            i += run;
        }
        return {fixed_.data(), moving_.data()};
    }

private:
    static std::int64_t at(const offset_vector& side, std::int64_t i) {
        return side.offset[static_cast<std::size_t>(i)];
    }

    const list_layout& layout_;
    const operand_start<Stored>& start_;
    // Filled as far as they are used.
    std::array<std::int64_t, kernels::most_depth<float>> fixed_, moving_;
};

}  // namespace ricci::contractions
