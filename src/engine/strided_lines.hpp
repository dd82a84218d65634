// A pass over a tensor in lines, its unit stride inside.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ricci::engine {

/// Whether visit(offset, count, stride) is true for a line; ends with the first.
template <class Visit>
bool any_line(std::vector<std::int64_t> extents, std::vector<std::int64_t> strides, Visit visit) {
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
        if (visit(offset, count, stride)) return true;
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

}  // namespace ricci::engine
