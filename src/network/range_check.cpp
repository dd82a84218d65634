#include "src/network/range_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/network/zero_search.hpp"

namespace ricci::networks {
namespace {

template <class T>
bool are_finite(const void* data, std::size_t count) {
    const auto* const numbers = static_cast<const T*>(data);
    return std::all_of(numbers, numbers + count, [](T x) { return std::isfinite(x); });
}

// Of an array without gaps; it takes no memory.
bool is_within_range(const array& a) {
    switch (a.type()) {
        case element::f32:
            return are_finite<float>(a.data(), a.size());
        case element::f64:
            return are_finite<double>(a.data(), a.size());
        case element::c64:
            return are_finite<float>(a.data(), 2 * a.size());
        case element::c128:
            return are_finite<double>(a.data(), 2 * a.size());
        default:
            return is_finite(a);
    }
}

}  // namespace

void refuse_beyond_range(const array& result, std::span<const array> tensors,
                         std::string_view instead) {
    if (is_within_range(result) || !std::all_of(tensors.begin(), tensors.end(), is_finite)) return;
    throw error(
        fmt::format("ricci: the network's result, or what is multiplied on the way, is beyond the "
                    "range of {}: {} gives numbers with an exponent beside them.",
                    name_of(result.type()), instead));
}

}  // namespace ricci::networks
