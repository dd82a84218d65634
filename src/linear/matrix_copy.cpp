// Copies of a matrix, a tile at a time: what lies in rows is transposed in registers.
#include "src/linear/matrix_copy.hpp"

#include <algorithm>
#include <complex>
#include <type_traits>

#include "src/base/arithmetic.hpp"
#include "src/contract/sharing.hpp"
#include "src/kernels/elementwise/elementwise.hpp"
#include "src/linear/numbers.hpp"

namespace ricci::linear {
namespace {

constexpr std::int64_t tile = 64;
// Fewer elements are copied on the calling thread.
constexpr std::int64_t few_elements = std::int64_t{1} << 16;

// to[j * to_step + i] = from[i * from_step + j].
template <class T>
void transpose_tile(const T* from, std::int64_t from_step, T* to, std::int64_t to_step,
                    std::int64_t rows, std::int64_t columns) {
    if constexpr (sizeof(T) <= 8) {
        // The bits of a pair of floats are moved as those of a double.
        using moved = std::conditional_t<sizeof(T) == 4, float, double>;
        kernels::elementwise<moved>().transpose(reinterpret_cast<const moved*>(from), from_step,
                                                reinterpret_cast<moved*>(to), to_step, rows,
                                                columns);
    } else {
        for (std::int64_t j = 0; j < columns; ++j)
            for (std::int64_t i = 0; i < rows; ++i) to[j * to_step + i] = from[i * from_step + j];
    }
}

}  // namespace

template <class T>
void copy_to_columns(std::int64_t size, const T* from, std::int64_t row, std::int64_t column, T* to,
                     std::int64_t leading, copied_half half) {
    const auto copy_tile = [&](std::int64_t i, std::int64_t j) {
        const std::int64_t rows = std::min(tile, size - i), columns = std::min(tile, size - j);
        const T* const source = from + i * row + j * column;
        T* const target = to + i + j * leading;
        if (column == 1 && row != 1) {
            transpose_tile(source, row, target, leading, rows, columns);
            return;
        }
        for (std::int64_t b = 0; b < columns; ++b) {
            const T* const x = source + b * column;
            T* const y = target + b * leading;
            if (row == 1) std::copy(x, x + rows, y);
            else
                for (std::int64_t a = 0; a < rows; ++a) y[a] = x[a * row];
        }
    };
    const std::int64_t tiles = ceil_divide(size, tile);
    auto copy_columns = [&](std::int64_t number, int) {
        const std::int64_t first = half == copied_half::lower ? number : 0;
        const std::int64_t last = half == copied_half::upper ? number + 1 : tiles;
        for (std::int64_t i = first; i < last; ++i) copy_tile(i * tile, number * tile);
    };
    contractions::distribute(tiles, size * size < few_elements, copy_columns);
}

#define RICCI_INSTANTIATE(T)                                                              \
    template void copy_to_columns(std::int64_t, const T*, std::int64_t, std::int64_t, T*, \
                                  std::int64_t, copied_half)
RICCI_FOR_FACTORED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::linear
