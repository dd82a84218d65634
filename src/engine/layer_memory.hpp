// The memory between layers: what one gives and the next takes, and what is stored for the way
// back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <ricci/array.hpp>
#include <ricci/engine/executable.hpp>

#include "src/plan/schedule/step_loop.hpp"

namespace ricci::engine {

class layer_memory {
public:
    /// `real`: false to count bytes alone, without memory.
    layer_memory(element type, bool real) : type_(type), real_(real) {}
    layer_memory(const layer_memory&) = delete;
    layer_memory& operator=(const layer_memory&) = delete;

    /// A tensor of these extents, row-major; the caller gives it an address. Refers to this.
    operand in_row(const std::vector<std::int64_t>& extents);
    /// Memory for `count` such tensors, one after another; nullptr where it is only counted.
    std::byte* allocate(const operand& one, std::int64_t count);
    /// Where a pass finds what it gives in two such places by turns, or what the one before or
    /// behind it gave, which is the other: `other` is 0 or 1.
    plan::moving_slot by_turns(const operand& one, std::byte* places, std::int64_t other) const;
    /// Where a pass finds its own of such tensors for all passes, or that of the one before it.
    plan::moving_slot in_line(const operand& one, std::byte* tensors, std::int64_t before) const;
    /// Of all that was allocated.
    std::size_t bytes() const { return bytes_; }

private:
    std::int64_t bytes_of(const operand& row) const;

    element type_;
    bool real_;
    std::deque<array> blocks_;
    std::deque<std::vector<std::int64_t>> numbers_;  // extents and strides
    std::size_t bytes_ = 0;
};

}  // namespace ricci::engine
