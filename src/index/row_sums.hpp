// Rows of a matrix in memory, of which several are added up in each row of a result.
#pragma once

#include <cstdint>
#include <span>

namespace ricci::elementwise {

struct row_sums {
    static constexpr std::uint32_t nowhere = ~std::uint32_t{0};  // a row that is not added

    std::int64_t count = 0, each = 1;       // rows of the result, and how many are added up in one
    const std::uint32_t* places = nullptr;  // of the matrix: `each` for a row of the result
    const std::int64_t* rows = nullptr;     // where those of the result are
    std::span<const std::int64_t> columns{};  // and its columns; the matrix has them side by side
};

/// out = the sums, or what is there and the sums, each in the order of the places.
template <class T>
void add_up(const row_sums& what, const T* matrix, T* out, bool adds);

}  // namespace ricci::elementwise
