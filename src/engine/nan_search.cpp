// Looking for results that are no numbers.
#include "src/engine/nan_search.hpp"

#include <utility>

#include <ricci/half.hpp>

#include "src/engine/strided_lines.hpp"

namespace ricci::engine {
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
bool search(const strided_elements& tensor, std::int64_t parts) {
    auto extents = tensor.extents;
    auto strides = tensor.strides;
    for (auto& s : strides) s *= parts;
    if (parts > 1) extents.push_back(parts), strides.push_back(1);
    const auto* const from = static_cast<const T*>(tensor.data);
    return any_line(std::move(extents), std::move(strides),
                    [&](std::int64_t offset, std::int64_t count, std::int64_t stride) {
                        return line_holds_nan(from + offset, count, stride);
                    });
}

}  // namespace

bool holds_nan(const strided_elements& tensor) {
    switch (tensor.type) {
        case element::f32:
            return search<float>(tensor, 1);
        case element::f64:
            return search<double>(tensor, 1);
        case element::c64:
            return search<float>(tensor, 2);
        case element::c128:
            return search<double>(tensor, 2);
        case element::bf16:
            return search<bf16>(tensor, 1);
        case element::f16:
            return search<f16>(tensor, 1);
        case element::i32:
        case element::i64:
        case element::boolean:
            break;
    }
    return false;
}

}  // namespace ricci::engine
