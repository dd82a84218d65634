// Small matrices of a batch with a matrix in each lane: what is contiguous within a matrix, or
// along the batch, is moved in vectors.
#include "src/linear/interleaving.hpp"

#include <algorithm>
#include <complex>
#include <type_traits>

#include "src/kernels/elementwise/elementwise.hpp"
#include "src/linear/numbers.hpp"

namespace ricci::linear {
namespace {

template <class T>
constexpr std::int64_t group = kernels::group_size<T>;
template <class T>
constexpr std::int64_t slot = group<T>* kernels::parts<T>;

/// Calls run(first number in a matrix, slot of it, slots from one to the next, how many) for runs
/// of numbers that are contiguous in a matrix; false where there are none.
template <class Matrices, class Run>
bool for_runs(const Matrices& what, Run run) {
    if (what.column == 1 && (what.row == what.columns || what.rows == 1)) {
        run(0, 0, 1, what.rows * what.columns);
    } else if (what.column == 1 && what.columns > 1) {
        for (std::int64_t i = 0; i < what.rows; ++i)
            run(i * what.row, i * what.columns, 1, what.columns);
    } else if (what.row == 1 && what.rows > 1) {
        for (std::int64_t j = 0; j < what.columns; ++j)
            run(j * what.column, j, what.columns, what.rows);
    } else {
        return false;
    }
    return true;
}

}  // namespace

template <class T>
void interleave(const matrices_of_group<T>& from, part_type<T>* to) {
    const std::int64_t numbers = from.rows * from.columns;
    if (from.lanes < group<T>) std::fill(to, to + numbers * slot<T>, part_type<T>{0});
    if constexpr (std::is_floating_point_v<T>) {
        const T* const first = from.origin + from.offset[0];
        if (from.step > 1 && for_runs(from, [&](std::int64_t at, std::int64_t place,
                                                std::int64_t places, std::int64_t count) {
                kernels::elementwise<T>().transpose(first + at, from.step, to + place * slot<T>,
                                                    places * slot<T>, from.lanes, count);
            }))
            return;
    }
    for (std::int64_t i = 0; i < from.rows; ++i) {
        for (std::int64_t j = 0; j < from.columns; ++j, to += slot<T>) {
            const T* const x = from.origin + i * from.row + j * from.column;
            for (std::int64_t l = 0; l < from.lanes; ++l) {
                const T value = x[from.offset[l]];
                to[l] = real_of(value);
                if constexpr (is_complex_number<T>) to[group<T> + l] = value.imag();
            }
        }
    }
}

template <class T>
void separate(const part_type<T>* from, const matrices_of_group<T, T*>& to) {
    if constexpr (std::is_floating_point_v<T>) {
        T* const first = to.origin + to.offset[0];
        if (to.step > 1 && for_runs(to, [&](std::int64_t at, std::int64_t place,
                                            std::int64_t places, std::int64_t count) {
                kernels::elementwise<T>().transpose(from + place * slot<T>, places * slot<T>,
                                                    first + at, to.step, count, to.lanes);
            }))
            return;
    }
    for (std::int64_t i = 0; i < to.rows; ++i) {
        for (std::int64_t j = 0; j < to.columns; ++j, from += slot<T>) {
            T* const x = to.origin + i * to.row + j * to.column;
            for (std::int64_t l = 0; l < to.lanes; ++l) {
                if constexpr (is_complex_number<T>)
                    x[to.offset[l]] = T(from[l], from[group<T> + l]);
                else x[to.offset[l]] = from[l];
            }
        }
    }
}

#define RICCI_INSTANTIATE(T)                                                       \
    template void interleave(const matrices_of_group<T>&, kernels::part_type<T>*); \
    template void separate(const kernels::part_type<T>*, const matrices_of_group<T, T*>&)
RICCI_FOR_FACTORED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::linear
