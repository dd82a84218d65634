// The cofactors of one matrix, whether it has an inverse or not, by elimination with complete
// pivoting: a matrix of rank n - 1 has its one small pivot in the end, and nothing divides by that.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "src/linear/factor_numbers.hpp"

namespace ricci::linear {

/// P A Q = L U of an n x n matrix A, n > 1, in memory of the caller's. With U = (U1 w; 0 s) the
/// adjugate of A is det(P) det(Q) det(U1) Q (s U1^{-1}, -U1^{-1} w; 0, 1) L^{-1} P. Both parts
/// beside det(U1) are no larger than pivots allow: s and w are no larger than the pivots above.
template <class T>
class cofactors_of_one {
    using wide = wide_number<T>;

public:
    static std::size_t bytes(std::int64_t n) {
        return static_cast<std::size_t>(2 * n * n) * sizeof(wide) +
               static_cast<std::size_t>(2 * n) * sizeof(std::int64_t);
    }
    cofactors_of_one(std::int64_t n, std::byte* memory)
        : n_(n),
          lu_(reinterpret_cast<wide*>(memory)),
          x_(lu_ + n * n),
          rows_(reinterpret_cast<std::int64_t*>(x_ + n * n)),
          columns_(rows_ + n) {}

    /// Elements (i, j) are at i * row + j * column of each.
    void run(const T* from, std::int64_t row, std::int64_t column, T* to, std::int64_t to_row,
             std::int64_t to_column) {
        const auto fill = [&](T value) {
            for (std::int64_t i = 0; i < n_; ++i)
                for (std::int64_t j = 0; j < n_; ++j) to[i * to_row + j * to_column] = value;
        };
        const double largest = take(from, row, column);
        if (!std::isfinite(largest)) return fill(std::numeric_limits<part_type<T>>::quiet_NaN());
        if (largest == 0 || !eliminate()) return fill(T{});
        solve_upper();
        solve_lower();
        for (std::int64_t i = 0; i < n_; ++i)
            for (std::int64_t j = 0; j < n_; ++j)
                to[rows_[i] * to_row + columns_[j] * to_column] =
                    pivots_.value_times(x(j, i), twos_ * (n_ - 1));
    }

private:
    wide& lu(std::int64_t i, std::int64_t j) { return lu_[i * n_ + j]; }
    wide& x(std::int64_t i, std::int64_t j) { return x_[i * n_ + j]; }

    /// A divided by a power of two, so that its largest element is near 1. Gives that element.
    double take(const T* from, std::int64_t row, std::int64_t column) {
        double largest = 0;
        for (std::int64_t i = 0; i < n_; ++i) {
            rows_[i] = columns_[i] = i;
            for (std::int64_t j = 0; j < n_; ++j) {
                const wide element(from[i * row + j * column]);
                lu(i, j) = element;
                const double size = magnitude(element);
                if (!(size <= largest)) largest = size;  // a NaN, too
                if (std::isnan(size)) return size;
            }
        }
        if (largest == 0 || !std::isfinite(largest)) return largest;
        std::frexp(largest, &twos_);
        for (std::int64_t k = 0; k < n_ * n_; ++k) lu_[k] = shifted(lu_[k], -twos_);
        return largest;
    }
    static wide shifted(wide value, int twos) {
        if constexpr (is_complex_number<T>)
            return {std::ldexp(value.real(), twos), std::ldexp(value.imag(), twos)};
        else return std::ldexp(value, twos);
    }

    /// False where fewer than n - 1 rows are independent: all cofactors are 0.
    bool eliminate() {
        for (std::int64_t k = 0; k + 1 < n_; ++k) {
            take_pivot(k);
            const wide pivot = lu(k, k);
            if (pivot == wide{}) return false;
            pivots_.multiply(pivot);
            for (std::int64_t i = k + 1; i < n_; ++i) {
                const wide factor = lu(i, k) / pivot;
                lu(i, k) = factor;
                for (std::int64_t j = k + 1; j < n_; ++j)
                    lu(i, j) = subtract_product(lu(i, j), factor, lu(k, j));
            }
        }
        return true;
    }
    void take_pivot(std::int64_t k) {
        std::int64_t row = k, column = k;
        double largest = 0;
        for (std::int64_t i = k; i < n_; ++i)
            for (std::int64_t j = k; j < n_; ++j)
                if (const double size = magnitude(lu(i, j)); size > largest)
                    largest = size, row = i, column = j;
        if (row != k) {
            std::swap_ranges(&lu(k, 0), &lu(k, 0) + n_, &lu(row, 0));
            std::swap(rows_[k], rows_[row]);
            pivots_.negate();
        }
        if (column == k) return;
        for (std::int64_t i = 0; i < n_; ++i) std::swap(lu(i, k), lu(i, column));
        std::swap(columns_[k], columns_[column]);
        pivots_.negate();
    }

    // U1 X = (s, -w), and a last row of zeros and 1.
    void solve_upper() {
        const std::int64_t last = n_ - 1;
        std::fill(x_, x_ + n_ * n_, wide{});
        x(last, last) = 1;
        for (std::int64_t i = 0; i < last; ++i) {
            x(i, i) = lu(last, last);
            x(i, last) = -lu(i, last);
        }
        for (std::int64_t i = last; i-- > 0;) {
            for (std::int64_t k = i + 1; k < last; ++k)
                for (std::int64_t j = k; j < n_; ++j)
                    x(i, j) = subtract_product(x(i, j), lu(i, k), x(k, j));
            for (std::int64_t j = i; j < n_; ++j) x(i, j) /= lu(i, i);
        }
    }
    // What L on the right makes of it.
    void solve_lower() {
        for (std::int64_t i = 0; i < n_; ++i)
            for (std::int64_t k = n_; k-- > 1;)
                for (std::int64_t j = 0; j < k; ++j)
                    x(i, j) = subtract_product(x(i, j), x(i, k), lu(k, j));
    }

    std::int64_t n_;
    wide *lu_, *x_;
    std::int64_t *rows_, *columns_;
    int twos_ = 0;
    long_product<T> pivots_;  // with the signs of P and Q
};

}  // namespace ricci::linear
