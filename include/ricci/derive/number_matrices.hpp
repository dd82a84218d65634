// Functions of matrices in the numbers in which claims are tried.
#pragma once

#include <cstdint>

#include <ricci/detail/buffer.hpp>
#include <ricci/derive/number_functions.hpp>

namespace ricci::derive {

/// A square matrix, row by row, that is solved by elimination.
template <class Number>
struct matrix_of {
    detail::buffer<Number> elements;
    std::int32_t n = 0;

    constexpr Number& at(std::int32_t row, std::int32_t column) {
        return elements[row * n + column];
    }
    /// The row below `step` whose element is largest; -1 where none is known not to be 0.
    constexpr std::int32_t pivot(std::int32_t step) {
        std::int32_t best = -1;
        for (std::int32_t row = step; row < n; ++row) {
            const Number& x = at(row, step);
            if (!x.is_known || x.is_zero() || !(x.is_exact || x.size() > x.error)) continue;
            if (best < 0 || x.size() > at(best, step).size()) best = row;
        }
        return best;
    }
    constexpr bool is_column_of_zeros(std::int32_t step) {
        for (std::int32_t row = step; row < n; ++row)
            if (!at(row, step).is_zero()) return false;
        return true;
    }
    /// Leaves the upper triangle, and does to `right` what it does to the rows. The determinant;
    /// unknown where no pivot can be told from 0.
    constexpr Number eliminate(detail::buffer<Number>& right) {
        Number determinant = Number::whole(1);
        for (std::int32_t step = 0; step < n; ++step) {
            const std::int32_t best = pivot(step);
            if (best < 0) return is_column_of_zeros(step) ? Number::whole(0) : Number::unknown();
            if (best != step) {
                determinant = -determinant;
                for (std::int32_t k = 0; k < n; ++k) swap(at(best, k), at(step, k));
                if (!right.empty()) swap(right[best], right[step]);
            }
            determinant = determinant * at(step, step);
            for (std::int32_t row = step + 1; row < n; ++row) {
                const Number factor = at(row, step) / at(step, step);
                for (std::int32_t k = step; k < n; ++k)
                    at(row, k) = at(row, k) - factor * at(step, k);
                if (!right.empty()) right[row] = right[row] - factor * right[step];
            }
        }
        return determinant;
    }
    constexpr Number determinant() {
        detail::buffer<Number> nothing;
        return eliminate(nothing);
    }
    /// Element (row, column) of the inverse.
    constexpr Number inverse(std::int32_t row, std::int32_t column) {
        detail::buffer<Number> right;
        right.resize(n, Number::whole(0));
        right[column] = Number::whole(1);
        const Number all = eliminate(right);
        if (!all.is_known || all.is_zero()) return Number::unknown();
        for (std::int32_t k = n; k-- > row;) {
            for (std::int32_t c = k + 1; c < n; ++c) right[k] = right[k] - at(k, c) * right[c];
            right[k] = right[k] / at(k, k);
        }
        return right[row];
    }
    /// Element (row, column) of the lower triangular factor; reads the lower triangle.
    constexpr Number cholesky(std::int32_t row, std::int32_t column) {
        if (row < column) return Number::whole(0);
        for (std::int32_t k = 0; k <= column; ++k) {
            for (std::int32_t c = 0; c < k; ++c)
                for (std::int32_t r = k; r < n; ++r) at(r, k) = at(r, k) - at(r, c) * at(k, c);
            at(k, k) = value_of(ir::function::sqrt, at(k, k), Number::whole(0));
            for (std::int32_t r = k + 1; r < n; ++r) at(r, k) = at(r, k) / at(k, k);
        }
        return at(row, column);
    }

private:
    static constexpr void swap(Number& a, Number& b) {
        const Number kept = a;
        a = b;
        b = kept;
    }
};

}  // namespace ricci::derive
