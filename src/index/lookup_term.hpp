// One term of a sum with lookups.
#pragma once

#include <cstdint>

namespace ricci::elementwise {

/// What the vectors of such a sum are.
enum class lookup_shape : std::uint8_t {
    rows,     // out[x] += number * row[x], or row[x] * row[x]
    dots,     // out += number * the sum over x of row[x] * row[x], or of row[x]
    numbers,  // out += number
};

/// One term: a number, and the rows that it is multiplied by.
template <class T>
struct lookup_term {
    T weight;
    const T* rows[2];
    bool counts;
};

}  // namespace ricci::elementwise
