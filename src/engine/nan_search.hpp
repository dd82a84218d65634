// Looking for results that are no numbers.
#pragma once

#include <cstdint>
#include <vector>

#include <ricci/element.hpp>

namespace ricci::engine {

/// A tensor in memory. Strides count elements.
struct strided_elements {
    element type = element::f32;
    const void* data = nullptr;
    std::vector<std::int64_t> extents, strides;
};

/// Whether an element is a NaN, or a part of it is. False for whole numbers.
bool holds_nan(const strided_elements& tensor);

}  // namespace ricci::engine
