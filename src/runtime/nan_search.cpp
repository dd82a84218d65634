// Looking for results that are no numbers: one pass over a tensor, its longest unit stride inside.
#include "src/runtime/nan_search.hpp"

#include <algorithm>
#include <cstddef>

#include <ricci/half.hpp>

namespace ricci::runtime {
namespace {

// `parts` numbers for each element, one after another.
template <class T>
bool line_holds_nan(const T* from, std::int64_t count, std::int64_t stride) {
    int found = 0;
    if (stride == 1) {
        for (std::int64_t k = 0; k < count; ++k) found |= from[k] != from[k] ? 1 : 0;
    } else {
        for (std::int64_t k = 0; k < count; ++k) {
            const T x = from[k * stride];
            found |= x != x ? 1 : 0;
        }
    }
    return found != 0;
}

template <class T>
bool search(const T* from, std::vector<std::int64_t> extents, std::vector<std::int64_t> strides) {
    if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return false;
    std::size_t inner = 0;
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
        if (strides[axis] == 1) inner = axis;
    std::int64_t count = 1, stride = 1;
    if (!extents.empty()) {
        count = extents[inner], stride = strides[inner];
        extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(inner));
        strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(inner));
    }
    std::vector<std::int64_t> at(extents.size(), 0);
    for (std::int64_t offset = 0;;) {
        if (line_holds_nan(from + offset, count, stride)) return true;
        std::size_t axis = at.size();
        for (; axis > 0; --axis) {
            offset += strides[axis - 1];
            if (++at[axis - 1] < extents[axis - 1]) break;
            offset -= strides[axis - 1] * extents[axis - 1];
            at[axis - 1] = 0;
        }
        if (axis == 0) return false;
    }
}

template <class T>
bool search(const strided_elements& tensor, std::int64_t parts) {
    auto extents = tensor.extents;
    auto strides = tensor.strides;
    for (auto& s : strides) s *= parts;
    if (parts > 1) extents.push_back(parts), strides.push_back(1);
    return search(static_cast<const T*>(tensor.data), std::move(extents), std::move(strides));
}

}  // namespace

bool holds_nan(const strided_elements& tensor) {
    switch (tensor.type) {
        case element::f32:
            return search<float>(tensor, 1);
        case element::f64:
            return search<double>(tensor, 1);
        case element::c32:
            return search<float>(tensor, 2);
        case element::c64:
            return search<double>(tensor, 2);
        case element::b16:
            return search<bf16>(tensor, 1);
        case element::h16:
            return search<f16>(tensor, 1);
        case element::i32:
        case element::i64:
            break;
    }
    return false;
}

}  // namespace ricci::runtime
