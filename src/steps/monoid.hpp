// What a fold carries: of each monoid its identity, how two states become one, and whether the
// order in which they do so is seen in the result. Kernels, executors and verifiers read this one
// table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "src/steps/map.hpp"

namespace ricci::steps {

enum class monoid : std::uint8_t {
    sum,
    product,
    maximum,
    minimum,
    exponentials,  // the largest value, and the sum of exp(value - that)
};
inline constexpr std::size_t monoid_count = 5;

struct monoid_entry {
    monoid what;
    const char* word;
    double identity;  // of exponentials: of the largest value
    bool rounds;      // the order of what is joined is seen in the last bits
    bool scales;      // a number times the state is the state of all values times the number, and
                      // what is there may be added to: a fold can be a factor of a contraction
};

inline constexpr std::array<monoid_entry, monoid_count> monoid_table = {{
    {monoid::sum, "sum", 0, true, true},
    {monoid::product, "product", 1, true, false},
    {monoid::maximum, "maximum", -std::numeric_limits<double>::infinity(), false, false},
    {monoid::minimum, "minimum", std::numeric_limits<double>::infinity(), false, false},
    {monoid::exponentials, "exponentials", -std::numeric_limits<double>::infinity(), true, false},
}};

constexpr const monoid_entry& entry_of(monoid m) {
    return monoid_table[static_cast<std::size_t>(m)];
}
constexpr bool is_extremum(monoid m) { return m == monoid::maximum || m == monoid::minimum; }

/// What a fold carries from value to value; nothing where it folds nothing. A mean is a sum with
/// another number in front.
constexpr std::optional<monoid> monoid_of(fold f) {
    switch (f) {
        case fold::none:
            return {};
        case fold::sum:
        case fold::mean:
            return monoid::sum;
        case fold::product:
            return monoid::product;
        case fold::maximum:
            return monoid::maximum;
        case fold::minimum:
            return monoid::minimum;
        case fold::logsumexp:
        case fold::softmax:
        case fold::excess:
            break;
    }
    return monoid::exponentials;
}

/// Two states of one number as one. NaN stays.
template <class T>
constexpr T joined(monoid m, T a, T b) {
    switch (m) {
        case monoid::sum:
        case monoid::exponentials:
            return a + b;
        case monoid::product:
            return a * b;
        case monoid::maximum:
            return a != a || a > b ? a : b;
        case monoid::minimum:
            return a != a || a < b ? a : b;
    }
    return a;
}

/// Of two values of a maximum or minimum that stand at two places, whether the second one is where
/// the extremum of both stands: NaN is beyond all numbers, and of equals it is the first.
template <class T>
constexpr bool stands_for_both(monoid m, T a, std::int64_t place_a, T b, std::int64_t place_b) {
    const bool no_a = a != a, no_b = b != b;
    if (no_a || no_b) return no_a && no_b ? place_b < place_a : no_b;
    return a == b ? place_b < place_a : joined(m, a, b) == b;
}

}  // namespace ricci::steps
