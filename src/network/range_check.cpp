#include "src/network/range_check.hpp"

#include <algorithm>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/base/finite.hpp"
#include "src/network/zero_search.hpp"

namespace ricci::networks {

void refuse_beyond_range(const array& result, std::span<const array> tensors,
                         std::string_view instead) {
    if (detail::are_finite(result.type(), result.data(), result.size()) ||
        !std::all_of(tensors.begin(), tensors.end(), is_finite))
        return;
    throw error(
        fmt::format("ricci: the network's result, or what is multiplied on the way, is beyond the "
                    "range of {}: {} gives numbers with an exponent beside them.",
                    name_of(result.type()), instead));
}

}  // namespace ricci::networks
