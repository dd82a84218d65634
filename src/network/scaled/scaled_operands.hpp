// The tensors of a scaled network: read where they are, or from copies that a power of two has
// brought into range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ricci/element.hpp>

#include "src/engine/workspace_memory.hpp"
#include "src/network/run_request.hpp"
#include "src/network/scaled/block_indices.hpp"
#include "src/network/scaled/block_walk.hpp"

namespace ricci::networks {

class scaled_operands {
public:
    /// Of all operands of a request: their strides stay, their memory may change.
    scaled_operands(const run_request& asked, std::span<const std::int32_t> block_indices);

    /// Bytes of a copy that is read instead of this memory of the operand, and for which there is
    /// no room yet: 0 where none is.
    double bytes_for(std::size_t operand, const void* data);
    /// Makes that room.
    void reserve(std::size_t operand, const void* data);
    /// Looks at the operand's numbers. Returns where they are read: there, or in a copy, for which
    /// it allocates memory if there is none yet.
    const void* take(std::size_t operand, const void* data);

    /// Of each block over all extents what its numbers are multiplied by: 2^exponent.
    const std::int64_t* exponents(std::size_t operand) const {
        return exponents_.data() + tensors_[operand].first_exponent;
    }
    const block_table& table(std::size_t operand) const { return tensors_[operand].table; }

    /// Bytes that copies and exponents take.
    double bytes() const { return bytes_; }

private:
    struct tensor {
        block_walk walk;
        block_table table;
        std::size_t first_exponent = 0;
        std::int64_t before = 0, size = 0;  // elements: before the first one, and of all memory
        engine::workspace_memory copy;
    };
    bool measure(const tensor& t, const void* data);
    std::size_t bytes_of_copy(const tensor& t) const;
    void make_room(tensor& t);

    element type_;
    std::vector<tensor> tensors_;
    std::vector<std::int64_t> exponents_;
    std::vector<double> largest_;  // of blocks, and powers that take them into range
    std::vector<std::int64_t> powers_;
    double bytes_ = 0;
};

}  // namespace ricci::networks
