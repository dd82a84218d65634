// Matrices of the tests of factors and solutions: random ones in memory of any strides, and what
// they are multiplied with, in long double.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include <ricci/element.hpp>

#include "src/kernels/linear/linear.hpp"
#include "src/linear/factorization.hpp"
#include "src/runtime/loans.hpp"
#include "tests/catch.hpp"

namespace ricci::testing {

template <class T>
inline constexpr bool is_complex_type = kernels::parts<T> == 2;
template <class T>
using exact = std::conditional_t<is_complex_type<T>, std::complex<long double>, long double>;

template <class T>
exact<T> exact_of(T x) {
    if constexpr (is_complex_type<T>) return {x.real(), x.imag()};
    else return x;
}
template <class T>
exact<T> conjugate_of(exact<T> x) {
    if constexpr (is_complex_type<T>) return std::conj(x);
    else return x;
}
template <class T>
long double epsilon_of() {
    return std::numeric_limits<kernels::part_type<T>>::epsilon();
}

template <class T>
T random_number(std::mt19937& random) {
    std::uniform_real_distribution<double> in(-1, 1);
    using part = kernels::part_type<T>;
    if constexpr (is_complex_type<T>) {
        const auto re = static_cast<part>(in(random));
        return {re, static_cast<part>(in(random))};
    } else {
        return static_cast<T>(in(random));
    }
}

/// `count` matrices of rows x columns in one piece of memory.
template <class T>
struct matrices {
    std::int64_t count = 1, rows = 0, columns = 0;
    std::int64_t step = 0, row = 0, column = 0, offset = 0;
    std::vector<T> memory;

    /// layout: 0 rows, 1 columns, 2 rows apart, 3 matrices innermost, 4 backwards, 5 neither
    /// contiguous.
    matrices(std::int64_t number, std::int64_t m, std::int64_t n, int layout)
        : count(number), rows(m), columns(n) {
        if (layout == 0) set(m * n, n, 1);
        if (layout == 1) set(m * n, 1, m);
        if (layout == 2) set(m * (n + 3), n + 3, 1);
        if (layout == 3) set(1, n * number, number);
        if (layout == 4) set(-m * n, -n, -1);
        if (layout == 5) set(2 * m * n, 2, 2 * m);
        const auto lowest = [](std::int64_t extent, std::int64_t stride) {
            return extent > 0 ? (extent - 1) * stride : 0;
        };
        offset = 0;
        std::int64_t highest = 0;
        for (const auto& [extent, stride] :
             {std::pair{count, step}, {rows, row}, {columns, column}})
            (stride < 0 ? offset : highest) +=
                stride < 0 ? -lowest(extent, stride) : lowest(extent, stride);
        memory.resize(static_cast<std::size_t>(offset + highest + 1), T{7});
    }
    void set(std::int64_t s, std::int64_t r, std::int64_t c) {
        step = s;
        row = r;
        column = c;
    }
    T* data() { return memory.data() + offset; }
    const T* data() const { return memory.data() + offset; }
    T& at(std::int64_t b, std::int64_t i, std::int64_t j) {
        return data()[b * step + i * row + j * column];
    }
    T at(std::int64_t b, std::int64_t i, std::int64_t j) const {
        return data()[b * step + i * row + j * column];
    }
    void randomise(std::mt19937& random) {
        for (std::int64_t b = 0; b < count; ++b)
            for (std::int64_t i = 0; i < rows; ++i)
                for (std::int64_t j = 0; j < columns; ++j) at(b, i, j) = random_number<T>(random);
    }
};

/// Positive definite matrices, or triangles with a good diagonal, or any.
template <class T>
void randomise(matrices<T>& k, steps::factor_kind kind, std::mt19937& random) {
    using steps::factor_kind;
    k.randomise(random);
    if (kind == factor_kind::lu) return;
    const std::int64_t n = k.rows;
    for (std::int64_t b = 0; b < k.count; ++b) {
        if (kind == factor_kind::cholesky) {
            // With a diagonal added, few columns make it as positive as all of them.
            const std::int64_t terms = std::min<std::int64_t>(n, 32);
            std::vector<exact<T>> a(static_cast<std::size_t>(n * n));
            for (std::int64_t i = 0; i < n; ++i)
                for (std::int64_t j = 0; j <= i; ++j) {
                    exact<T> sum{i == j ? 0.1L : 0.0L};
                    for (std::int64_t t = 0; t < terms; ++t)
                        sum += exact_of(k.at(b, i, t)) * conjugate_of<T>(exact_of(k.at(b, j, t)));
                    a[static_cast<std::size_t>(i * n + j)] = sum;
                }
            for (std::int64_t i = 0; i < n; ++i)
                for (std::int64_t j = 0; j <= i; ++j) {
                    const auto x = static_cast<T>(a[static_cast<std::size_t>(i * n + j)]);
                    k.at(b, i, j) = x;
                    k.at(b, j, i) = static_cast<T>(conjugate_of<T>(exact_of(x)));
                }
        } else {
            for (std::int64_t i = 0; i < n; ++i) {
                for (std::int64_t j = 0; j < n; ++j) k.at(b, i, j) *= T{0.5};
                k.at(b, i, i) += T{2};
            }
        }
    }
}

/// The matrix that is solved with: K, its transpose, its conjugate; the half that counts.
template <class T>
exact<T> number_of(const matrices<T>& k, const steps::linear_solve& what, std::int64_t b,
                   std::int64_t i, std::int64_t j) {
    using steps::factor_kind;
    if (what.transposed) std::swap(i, j);
    exact<T> x{};
    if ((what.kind != factor_kind::lower || i >= j) && (what.kind != factor_kind::upper || i <= j))
        x = exact_of(k.at(b, i, j));
    return what.conjugated ? conjugate_of<T>(x) : x;
}

/// The largest |K x - y| over n eps (|K| |x| + |y|), in the norm of the largest number and, of K,
/// the largest sum of a row; over all matrices and right-hand sides.
template <class T>
long double residual(const matrices<T>& k, const steps::linear_solve& what, const matrices<T>& x,
                     const matrices<T>& y) {
    const std::int64_t n = k.rows;
    long double worst = 0;
    for (std::int64_t b = 0; b < k.count; ++b)
        for (std::int64_t r = 0; r < x.columns; ++r) {
            long double largest_x = 0, norm = 0, error = 0, largest_y = 0;
            for (std::int64_t i = 0; i < n; ++i) {
                largest_x = std::max(largest_x, std::abs(exact_of(x.at(b, i, r))));
                largest_y = std::max(largest_y, std::abs(exact_of(y.at(b, i, r))));
            }
            for (std::int64_t i = 0; i < n; ++i) {
                exact<T> sum = -exact_of(y.at(b, i, r));
                long double row = 0;
                for (std::int64_t j = 0; j < n; ++j) {
                    const exact<T> a = number_of(k, what, b, i, j);
                    sum += a * exact_of(x.at(b, j, r));
                    row += std::abs(a);
                }
                const long double here = std::abs(sum);
                if (!(here <= error)) error = here;
                norm = std::max(norm, row);
            }
            const long double bound = epsilon_of<T>() * (norm * largest_x + largest_y);
            const long double here = error == 0 ? 0 : error / bound;
            if (!(here <= worst)) worst = here;
        }
    return worst / static_cast<long double>(std::max<std::int64_t>(n, 1));
}

/// Memory for factors.
class factor_memory {
public:
    explicit factor_memory(std::size_t bytes)
        : bytes_(bytes), data_(static_cast<std::byte*>(::operator new(bytes + 1, alignment))) {
        std::fill(data_, data_ + bytes, std::byte{0xff});  // NaNs
    }
    factor_memory(const factor_memory&) = delete;
    factor_memory& operator=(const factor_memory&) = delete;
    ~factor_memory() { ::operator delete(data_, alignment); }
    std::byte* data() const { return data_; }
    std::size_t size() const { return bytes_; }

private:
    static constexpr std::align_val_t alignment{64};
    std::size_t bytes_;
    std::byte* data_;
};

/// Matrices with their factors.
template <class T>
struct factored {
    factored(const matrices<T>& k, steps::factor_kind how)
        : kind(how),
          loop{k.count, k.step},
          memory(linear::factor_bytes(element_v<T>, how, k.rows, k.count)),
          size(k.rows),
          count(k.count) {
        const linear::prepared_factorization prepared(
            {element_v<T>, kind, k.rows, k.row, k.column, {&loop, 1}});
        runtime::loan_book book;
        prepared.list_loans(book);
        const runtime::held_memory held(book);
        failed = prepared.run(k.data(), memory.data());
    }

    void solve(const steps::linear_solve& options, const matrices<T>& y, matrices<T>& x) const {
        steps::linear_solve what = options;
        const steps::side_loop batch{count, x.step, y.step};
        const steps::side_loop columns{x.columns, x.column, y.column};
        what.type = element_v<T>;
        what.kind = kind;
        what.size = size;
        what.x_row = x.row;
        what.y_row = y.row;
        what.batch = {&batch, 1};
        what.columns = {&columns, 1};
        const linear::prepared_solve prepared(what);
        runtime::loan_book book;
        prepared.list_loans(book);
        const runtime::held_memory held(book);
        prepared.run(memory.data(), y.data(), x.data());
    }

    matrices<T> lower(int layout) const {
        matrices<T> l(count, size, size, layout);
        const steps::matrix_loop batch{count, l.step};
        linear::prepared_reading(
            steps::lower_triangle{element_v<T>, kind, size, l.row, l.column, {&batch, 1}})
            .run(memory.data(), l.data());
        return l;
    }

    std::vector<T> determinants(steps::determinant_part part) const {
        std::vector<T> all(static_cast<std::size_t>(count));
        const steps::matrix_loop batch{count, 1};
        linear::prepared_reading(steps::determinant{element_v<T>, kind, size, part, {&batch, 1}})
            .run(memory.data(), all.data());
        return all;
    }

    steps::factor_kind kind;
    steps::matrix_loop loop;
    factor_memory memory;
    std::int64_t size, count;
    linear::failure failed;
};

}  // namespace ricci::testing
