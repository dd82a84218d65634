// Functions of a matrix, row by row in a list, by the schoolbook.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <utility>
#include <vector>

namespace ricci::testing {

template <class T>
struct dense_matrix {
    std::size_t n = 0;
    std::vector<T> elements;

    T& at(std::size_t row, std::size_t column) { return elements[row * n + column]; }
    T at(std::size_t row, std::size_t column) const { return elements[row * n + column]; }

    dense_matrix transposed() const {
        dense_matrix turned = *this;
        for (std::size_t r = 0; r < n; ++r)
            for (std::size_t c = 0; c < n; ++c) turned.at(c, r) = at(r, c);
        return turned;
    }
    /// Elimination with the largest pivots; the determinant, with the solution in `right`.
    T solve(std::vector<T>& right) const {
        dense_matrix m = *this;
        T determinant(1);
        for (std::size_t k = 0; k < n; ++k) {
            std::size_t best = k;
            for (std::size_t r = k + 1; r < n; ++r)
                if (std::abs(m.at(r, k)) > std::abs(m.at(best, k))) best = r;
            if (best != k) {
                for (std::size_t c = 0; c < n; ++c) std::swap(m.at(k, c), m.at(best, c));
                std::swap(right[k], right[best]);
                determinant = -determinant;
            }
            determinant *= m.at(k, k);
            for (std::size_t r = k + 1; r < n; ++r) {
                const T factor = m.at(r, k) / m.at(k, k);
                for (std::size_t c = k; c < n; ++c) m.at(r, c) -= factor * m.at(k, c);
                right[r] -= factor * right[k];
            }
        }
        for (std::size_t k = n; k-- > 0;) {
            for (std::size_t c = k + 1; c < n; ++c) right[k] -= m.at(k, c) * right[c];
            right[k] /= m.at(k, k);
        }
        return determinant;
    }
    T determinant() const {
        std::vector<T> nothing(n);
        const T found = n == 0 ? T(1) : solve(nothing);
        return found == found ? found : T(0);  // by a pivot of 0
    }
    T cofactor(std::size_t row, std::size_t column) const {
        dense_matrix minor{n - 1, {}};
        for (std::size_t r = 0; r < n; ++r)
            for (std::size_t c = 0; c < n; ++c)
                if (r != row && c != column) minor.elements.push_back(at(r, c));
        return (row + column) % 2 == 0 ? minor.determinant() : -minor.determinant();
    }
    /// L of L L^T, of what is on and below the diagonal.
    dense_matrix cholesky() const {
        dense_matrix l{n, std::vector<T>(n * n)};
        for (std::size_t c = 0; c < n; ++c)
            for (std::size_t r = c; r < n; ++r) {
                T rest = at(r, c);
                for (std::size_t k = 0; k < c; ++k) rest -= l.at(r, k) * l.at(c, k);
                l.at(r, c) = r == c ? static_cast<T>(std::sqrt(rest)) : rest / l.at(c, c);
            }
        return l;
    }
};

}  // namespace ricci::testing
