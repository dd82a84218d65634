// Substitution for a single right-hand side: along columns, a few at a time, or along rows.
#include "src/linear/substitution_of_one.hpp"

#include <algorithm>
#include <complex>

#include "src/kernels/gemm/gemm.hpp"
#include "src/kernels/gemm/gemm_complex.hpp"
#include "src/linear/numbers.hpp"

namespace ricci::linear {
namespace {

// Columns whose triangle is solved number by number; what is below gets all of them at once.
constexpr std::int64_t solved_columns = 8;

/// A triangle of contiguous lines, which are walked upwards or downwards: number p of line l is at
/// first[l * apart + p], and number i of the walk is number i or, downwards, size - 1 - i.
template <class T>
struct lines_of_triangle {
    lines_of_triangle(const triangle& which, const T* matrix, std::int64_t along,
                      std::int64_t across)
        : first(matrix + which.offset - (along == 1 ? 0 : which.size - 1)),
          apart(across),
          size(which.size),
          up(along == 1) {}
    std::int64_t place(std::int64_t i) const { return up ? i : size - 1 - i; }
    /// Where the numbers from i to `end` of the walk begin.
    std::int64_t lowest(std::int64_t i, std::int64_t end) const { return up ? i : size - end; }

    const T* first;
    std::int64_t apart, size;
    bool up;
};

// z -= x * y of numbers that are solved.
template <class T>
void substitute_columns(const kernels::linear_table<T>& table, const lines_of_triangle<T>& t,
                        bool unit, T* z) {
    for (std::int64_t begin = 0; begin < t.size; begin += solved_columns) {
        const std::int64_t end = std::min(t.size, begin + solved_columns);
        T solved[solved_columns];
        for (std::int64_t j = begin; j < end; ++j) {
            const T* const column = t.first + j * t.apart;
            T& x = z[t.place(j)];
            if (!unit) x /= column[t.place(j)];
            solved[j - begin] = x;
            for (std::int64_t i = j + 1; i < end; ++i) {
                const std::int64_t p = t.place(i);
                z[p] = subtract_product(z[p], column[p], x);
            }
        }
        const std::int64_t lowest = t.lowest(end, t.size);
        if (end < t.size)
            table.subtract_columns(t.size - end, end - begin, t.first + begin * t.apart + lowest,
                                   t.apart, solved, z + lowest);
    }
}

template <class T>
auto dot_of() {
    if constexpr (is_complex_number<T>) return kernels::complex_gemm_kernels<T>(false, false).dot;
    else return kernels::gemm_kernels<T>().dot;
}

template <class T>
void substitute_rows(const lines_of_triangle<T>& t, bool unit, T* z) {
    const auto dot = dot_of<T>();
    for (std::int64_t i = 0; i < t.size; ++i) {
        const T* const row = t.first + i * t.apart;
        T& x = z[t.place(i)];
        const std::int64_t lowest = t.lowest(0, i);
        if (i > 0) x -= dot(i, {row + lowest, 1}, {z + lowest, 1});
        if (!unit) x /= row[t.place(i)];
    }
}

template <class T>
void conjugate_all(std::int64_t count, T* z) {
    for (std::int64_t i = 0; i < count; ++i) z[i] = conjugated(z[i]);
}

}  // namespace

template <class T>
void substitute_one(const kernels::linear_table<T>& table, const triangle& which, const T* matrix,
                    T* side, std::int64_t step) {
    constexpr std::int64_t readable = 64 / sizeof(T);  // what kernels read behind a column
    T z[kernels::most_triangle_rows + readable];
    const bool by_columns = which.row == 1 || which.row == -1;
    const lines_of_triangle<T> lines =
        by_columns ? lines_of_triangle<T>(which, matrix, which.row, which.column)
                   : lines_of_triangle<T>(which, matrix, which.column, which.row);
    for (std::int64_t i = 0; i < which.size; ++i) z[lines.place(i)] = side[i * step];
    // conj(T) x = y where T conj(x) = conj(y).
    if (which.conjugated) conjugate_all(which.size, z);
    if (by_columns) substitute_columns(table, lines, which.unit, z);
    else substitute_rows(lines, which.unit, z);
    if (which.conjugated) conjugate_all(which.size, z);
    for (std::int64_t i = 0; i < which.size; ++i) side[i * step] = z[lines.place(i)];
}

#define RICCI_INSTANTIATE(T)                                                                     \
    template void substitute_one(const kernels::linear_table<T>&, const triangle&, const T*, T*, \
                                 std::int64_t)
RICCI_FOR_FACTORED_TYPES(RICCI_INSTANTIATE);
#undef RICCI_INSTANTIATE

}  // namespace ricci::linear
