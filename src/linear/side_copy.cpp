// Copies of right-hand sides, some columns at a time, along whatever is contiguous.
#include "src/linear/side_copy.hpp"

#include <algorithm>
#include <complex>

#include "src/base/arithmetic.hpp"
#include "src/contract/sharing.hpp"
#include "src/linear/numbers.hpp"

namespace ricci::linear {
namespace {

constexpr std::int64_t copied_columns = 64;
constexpr std::int64_t few_side_elements = std::int64_t{1} << 15;

std::int64_t source_row(const std::int32_t* order, std::int64_t i) {
    return order != nullptr ? order[i] : i;
}

template <class T>
void copy_columns(const side_copy<T>& what, std::int64_t first, std::int64_t count) {
    const std::int64_t* const from = what.from_columns->offset.data() + first;
    const std::int64_t* const to = what.to_columns->offset.data() + first;
    const auto place = static_cast<std::size_t>(first);
    const bool adjacent =
        what.from_columns->run[place] >= count && what.to_columns->run[place] >= count;
    const auto row_of = [&](std::int64_t i) {
        return what.from + source_row(what.order, i) * what.from_row;
    };
    if (adjacent) {
        for (std::int64_t i = 0; i < what.rows; ++i) {
            const T* const x = row_of(i) + from[0];
            std::copy(x, x + count, what.to + i * what.to_row + to[0]);
        }
    } else if (what.to_row == 1 || what.from_row == 1) {
        for (std::int64_t j = 0; j < count; ++j)
            for (std::int64_t i = 0; i < what.rows; ++i)
                what.to[i * what.to_row + to[j]] = row_of(i)[from[j]];
    } else {
        for (std::int64_t i = 0; i < what.rows; ++i)
            for (std::int64_t j = 0; j < count; ++j)
                what.to[i * what.to_row + to[j]] = row_of(i)[from[j]];
    }
}

template <class T, class Columns>
void for_columns(const side_copy<T>& what, Columns columns) {
    const auto count = static_cast<std::int64_t>(what.to_columns->offset.size());
    auto task = [&](std::int64_t number, int) {
        const std::int64_t first = number * copied_columns;
        columns(first, std::min(copied_columns, count - first));
    };
    contractions::distribute(ceil_divide(count, copied_columns),
                             count * what.rows < few_side_elements, task);
}

}  // namespace

template <class T>
void copy_sides(const side_copy<T>& what) {
    for_columns(what,
                [&](std::int64_t first, std::int64_t count) { copy_columns(what, first, count); });
}

template <class T>
void write_identity(const side_copy<T>& what) {
    for_columns(what, [&](std::int64_t first, std::int64_t count) {
        const std::int64_t* const to = what.to_columns->offset.data();
        for (std::int64_t i = 0; i < what.rows; ++i) {
            T* const row = what.to + i * what.to_row;
            for (std::int64_t j = first; j < first + count; ++j) row[to[j]] = T{0};
            const std::int64_t one = source_row(what.order, i);
            if (one >= first && one < first + count) row[to[one]] = T{1};
        }
    });
}

#define RICCI_INSTANTIATE(T)                       \
    template void copy_sides(const side_copy<T>&); \
    template void write_identity(const side_copy<T>&)
RICCI_FOR_FACTORED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::linear
