// What is known of numbers in memory before tiles are made of them: the least and the largest of
// any part of an operand that conditions compare, as of the first key that each row sees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/fused/conditions.hpp"
#include "src/fused/geometry.hpp"
#include "src/runtime/buffers.hpp"

namespace ricci::fused {

/// Operands that move along one of the two loops of a tile. Of each line of them along that loop, a
/// tree of parts, each twice as long as those below it, is found when a group runs.
template <class T>
class operand_bounds {
public:
    operand_bounds() = default;
    /// `operands`: those that are wanted, by number. Those that have too many lines are left out.
    operand_bounds(const geometry& g, std::span<const std::size_t> operands);

    bool empty() const { return lines_.empty(); }
    /// Of all trees.
    std::size_t bytes() const { return elements_ * sizeof(T); }
    void find(void* const* bases, T* trees) const;
    /// The numbers of [first, end) along the line of an operand that begins at element `at`.
    interval of(std::size_t operand, std::int64_t at, std::int64_t first, std::int64_t end,
                const T* trees) const;

private:
    struct lines {
        std::size_t operand = 0;
        std::int64_t extent = 0, stride = 0;
        std::int64_t leaves = 0;       // parts that have no parts
        std::vector<std::int64_t> at;  // where each line begins, in order
        std::size_t first_tree = 0;    // where its trees begin
        std::size_t tree() const { return 4 * static_cast<std::size_t>(leaves); }
    };

    void find(const lines& of, std::size_t number, void* const* bases, T* trees) const;

    std::vector<lines> lines_;
    std::size_t elements_ = 0;
    std::int64_t count_ = 0;  // of lines
};

/// What a run has found, in memory that is lent to it.
template <class T>
class found_bounds {
public:
    found_bounds(const operand_bounds<T>& of, void* const* bases) : memory_(of.bytes()) {
        if (!of.empty()) of.find(bases, reinterpret_cast<T*>(memory_.data()));
    }
    const T* trees() const { return reinterpret_cast<const T*>(memory_.data()); }

private:
    runtime::lent_memory memory_;
};

extern template class operand_bounds<float>;
extern template class operand_bounds<double>;

}  // namespace ricci::fused
