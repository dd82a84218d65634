// Arrays with bytes of every kind in them, and whether two arrays are the same.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include <ricci/array.hpp>

namespace ricci::testing {

inline constexpr element all_elements[] = {element::f32, element::f64, element::bf16,
                                           element::f16, element::c64, element::c128,
                                           element::i32, element::i64, element::boolean};

/// A row-major array whose bytes count up, NaNs and infinities among them.
inline array counted(element type, const std::vector<std::size_t>& extents, unsigned first = 1) {
    array made(type, extents);
    auto* bytes = static_cast<unsigned char*>(made.data());
    for (std::size_t k = 0; k < made.size() * size_of(type); ++k) {
        const unsigned value = first + static_cast<unsigned>(k) * 37;
        bytes[k] = static_cast<unsigned char>(type == element::boolean ? value % 2 : value);
    }
    return made;
}

/// The bytes of the elements, row-major.
inline std::string bytes_of(const array& a) {
    const array dense = a.clone();
    if (dense.size() == 0) return {};
    return {static_cast<const char*>(dense.data()), dense.size() * size_of(dense.type())};
}

inline bool same(const array& a, const array& b) {
    return a.type() == b.type() &&
           std::vector(a.extents().begin(), a.extents().end()) ==
               std::vector(b.extents().begin(), b.extents().end()) &&
           bytes_of(a) == bytes_of(b);
}

/// The array with its axes in the opposite order, over the same memory.
inline array turned(array& a) {
    const std::vector<std::size_t> extents(a.extents().rbegin(), a.extents().rend());
    const std::vector<std::int64_t> strides(a.strides().rbegin(), a.strides().rend());
    return array::over(std::make_shared<array>(a), a.type(), a.data(), extents, strides);
}

}  // namespace ricci::testing
