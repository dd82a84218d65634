// Where zeros in tensors leave something of their indices: each place of an index is a place of
// another one, forwards or backwards, or one place alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ricci/array.hpp>

#include "src/network/network_data.hpp"

namespace ricci::networks {

/// What the zeros of one tensor say, whatever the others hold. Indices are roots, see index_places.
/// Without another index: only the places first + step * k of `index`, for k below count, hold
/// anything else. With one: everything else is where place(other) = first + step * place(index).
struct zero_fact {
    std::int32_t operand = -1;
    std::int32_t index = -1;
    std::int32_t other = -1;
    std::int64_t first = 0, step = 1, count = 1;

    bool operator==(const zero_fact&) const = default;
};

/// The place of an index as a place of its root: first + step * place(root), where the root has
/// `extent` places. A root of -1 leaves the place `first` alone.
struct place_of_root {
    std::int32_t root = -1;
    std::int64_t first = 0, step = 1, extent = 1;
};

/// The places of all indices of a network. At first each index is its own root.
class index_places {
public:
    explicit index_places(const network_data& n);

    place_of_root of(std::int32_t index) const;
    /// Of the indices of a tensor's axes.
    std::vector<place_of_root> of(std::span<const std::int32_t> axes) const;
    /// The indices with this root.
    std::span<const std::int32_t> of_root(std::int32_t root) const {
        return of_root_[static_cast<std::size_t>(root)];
    }
    void apply(const zero_fact& fact);

private:
    std::vector<place_of_root> places_;  // without their extents
    std::vector<std::int64_t> extents_;
    std::vector<std::vector<std::int32_t>> of_root_;
};

/// An axis of what is left of a tensor: strides of all axes with one root are added up.
struct reduced_axis {
    std::int32_t root = -1;
    std::int64_t extent = 1, stride = 0;
};
struct reduced_operand {
    std::int64_t offset = 0;  // elements
    std::vector<reduced_axis> axes;
};

/// What is left of a tensor whose axes have indices with these places.
reduced_operand reduced(const array& operand, std::span<const place_of_root> axes);
/// The same as an array over the tensor's memory, which it keeps.
array reduced_array(const array& operand, const reduced_operand& left);

}  // namespace ricci::networks
