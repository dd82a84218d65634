// Rows of a matrix in memory, of which several are added up in each row of a result.
#include "src/index/row_sums.hpp"

#include <algorithm>
#include <cstddef>

#include "src/base/arithmetic.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::elementwise {
namespace {

constexpr std::int64_t sums_of_a_task = 1 << 15;
constexpr std::int64_t columns_at_once = 256;

// Some columns of a row.
template <class T>
void add_up_part(const row_sums& what, const T* matrix, std::int64_t row, std::int64_t first,
                 std::int64_t count, T* out, bool adds) {
    const auto width = static_cast<std::int64_t>(what.columns.size());
    T sums[columns_at_once];
    const auto place = [&](std::int64_t j) -> T& {
        return out[what.rows[row] + what.columns[static_cast<std::size_t>(first + j)]];
    };
    for (std::int64_t j = 0; j < count; ++j) sums[j] = adds ? place(j) : T(0);
    for (std::int64_t k = 0; k < what.each; ++k) {
        const std::uint32_t at = what.places[row * what.each + k];
        if (at == row_sums::nowhere) continue;
        const T* const from = matrix + std::int64_t{at} * width + first;
        for (std::int64_t j = 0; j < count; ++j) sums[j] += from[j];
    }
    for (std::int64_t j = 0; j < count; ++j) place(j) = sums[j];
}

}  // namespace

template <class T>
void add_up(const row_sums& what, const T* matrix, T* out, bool adds) {
    const auto width = static_cast<std::int64_t>(what.columns.size());
    const std::int64_t rows =
        std::max<std::int64_t>(1, sums_of_a_task / std::max<std::int64_t>(1, width * what.each));
    auto task = [&](std::int64_t number, int) {
        const std::int64_t end = std::min(what.count, (number + 1) * rows);
        for (std::int64_t row = number * rows; row < end; ++row)
            for (std::int64_t first = 0; first < width; first += columns_at_once)
                add_up_part(what, matrix, row, first, std::min(columns_at_once, width - first), out,
                            adds);
    };
    runtime::parallel_for(ceil_divide(what.count, rows), task);
}

template void add_up(const row_sums&, const float*, float*, bool);
template void add_up(const row_sums&, const double*, double*, bool);

}  // namespace ricci::elementwise
