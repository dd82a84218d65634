#include "src/network/scaled/scaled_operands.hpp"

#include <algorithm>
#include <utility>

#include "src/network/scaled/block_kernels.hpp"
#include "src/network/scaled/powers_of_two.hpp"

namespace ricci::networks {

scaled_operands::scaled_operands(const run_request& asked,
                                 std::span<const std::int32_t> block_indices)
    : type_(asked.type) {
    const std::vector<std::int64_t> extents(asked.extents.begin(), asked.extents.end());
    std::int64_t exponents = 0, most = 0;
    for (std::size_t k = 0; k < asked.operands.size(); ++k) {
        const auto& strides = asked.operands[k].strides;
        tensor t;
        t.walk = walk_of(block_indices, asked.axes[k], strides, extents, is_complex(type_));
        t.table = table_of(block_indices, asked.axes[k], extents);
        t.first_exponent = static_cast<std::size_t>(exponents);
        exponents += t.table.entries;
        most = std::max(most, t.table.entries);
        t.size = 1;
        for (std::size_t axis = 0; axis < strides.size(); ++axis) {
            const std::int64_t reach = strides[axis] * (extents[at(asked.axes[k][axis])] - 1);
            t.before += std::max<std::int64_t>(-reach, 0);
            t.size += std::abs(reach);
        }
        tensors_.push_back(std::move(t));
    }
    exponents_.resize(static_cast<std::size_t>(exponents));
    largest_.resize(static_cast<std::size_t>(most));
    powers_.resize(static_cast<std::size_t>(most));
    bytes_ = static_cast<double>(exponents_.size() * sizeof(std::int64_t) +
                                 largest_.size() * (sizeof(double) + sizeof(std::int64_t)));
}

// Whether a block is out of range.
bool scaled_operands::measure(const tensor& t, const void* data) {
    const kept_range range = range_of(type_);
    measure_blocks(t.walk, type_, data, largest_.data());
    bool outside = false;
    for (std::size_t b = 0; b < static_cast<std::size_t>(t.walk.blocks()); ++b) {
        powers_[b] = shift_into(range, range.operand_bottom, range.top, exponent_of(largest_[b]));
        outside = outside || powers_[b] != 0;
    }
    return outside;
}

std::size_t scaled_operands::bytes_of_copy(const tensor& t) const {
    return static_cast<std::size_t>(t.size) * size_of(type_);
}

void scaled_operands::make_room(tensor& t) {
    if (t.copy) return;
    t.copy = engine::allocate_workspace(bytes_of_copy(t));
    bytes_ += static_cast<double>(bytes_of_copy(t));
}

double scaled_operands::bytes_for(std::size_t operand, const void* data) {
    const tensor& t = tensors_[operand];
    return !t.copy && measure(t, data) ? static_cast<double>(bytes_of_copy(t)) : 0;
}

void scaled_operands::reserve(std::size_t operand, const void* data) {
    if (bytes_for(operand, data) > 0) make_room(tensors_[operand]);
}

const void* scaled_operands::take(std::size_t operand, const void* data) {
    tensor& t = tensors_[operand];
    const bool outside = measure(t, data);
    std::int64_t* const exponents = exponents_.data() + t.first_exponent;
    for (std::size_t b = 0; b < static_cast<std::size_t>(t.walk.blocks()); ++b)
        exponents[b] = largest_[b] == 0 ? no_exponent : -powers_[b];
    if (!outside) return data;
    make_room(t);
    auto* const copy = t.copy.get() + t.before * static_cast<std::int64_t>(size_of(type_));
    copy_blocks(t.walk, type_, data, copy, powers_.data());
    return copy;
}

}  // namespace ricci::networks
