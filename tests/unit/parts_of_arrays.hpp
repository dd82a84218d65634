// Parts of arrays along their first axis, cut out and compared.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include <ricci/ricci.hpp>

#include "tests/catch.hpp"

namespace ricci::testing {

/// Part number `part` of an array along its first axis, in memory of its own.
inline array part_of(const array& a, std::size_t part) {
    const std::vector<std::size_t> of_part(a.extents().begin() + 1, a.extents().end());
    array out(a.type(), of_part);
    const std::size_t bytes = out.size() * size_of(a.type());
    std::memcpy(out.data(), static_cast<const char*>(a.data()) + part * bytes, bytes);
    return out;
}

/// `part` and the elements of `whole` from `first` on are the same, but for rounding.
template <class T>
void compare_part(const array& whole, std::size_t first, const array& part,
                  const std::string& name) {
    INFO(name);
    REQUIRE(whole.size() >= first + part.size());
    REQUIRE((whole.is_contiguous() && part.is_contiguous()));
    const double tolerance = sizeof(T) == 4 ? 2e-5 : 1e-12;
    for (std::size_t k = 0; k < part.size(); ++k) {
        const double a = static_cast<double>(static_cast<const T*>(whole.data())[first + k]);
        const double b = static_cast<double>(static_cast<const T*>(part.data())[k]);
        if (std::abs(a - b) <= tolerance * (1 + std::abs(b))) continue;
        CAPTURE(k, a, b);
        FAIL("they differ");
    }
}

}  // namespace ricci::testing
