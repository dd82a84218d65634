// The memory between layers: what one gives and the next takes, and what is stored for the way
// back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <ricci/array.hpp>
#include <ricci/engine/executable.hpp>

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
    /// Bytes of a tensor that is row-major.
    std::ptrdiff_t bytes_of(const operand& row) const;
    /// Of all that was allocated.
    std::size_t bytes() const { return bytes_; }

private:
    element type_;
    bool real_;
    std::deque<array> blocks_;
    std::deque<std::vector<std::int64_t>> numbers_;  // extents and strides
    std::size_t bytes_ = 0;
};

}  // namespace ricci::engine
