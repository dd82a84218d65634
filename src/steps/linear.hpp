// The steps of matrices that are solved: factors of the matrices of a batch, solutions with them,
// determinants. Strides and offsets count elements; they may be zero or negative.
#pragma once

#include <cstdint>
#include <span>

#include <ricci/element.hpp>

namespace ricci::steps {

/// How a matrix is factored.
///   lu        P K = L U with partial pivoting
///   cholesky  K = L L*, of a K that equals its adjoint; only places i >= j are read
///   lower     K is lower triangular; only places i >= j are read
///   upper     K is upper triangular; only places i <= j are read
enum class factor_kind : std::uint8_t { lu, cholesky, lower, upper };

/// A loop over matrices of a batch.
struct matrix_loop {
    std::int64_t extent = 1;
    std::int64_t stride = 0;
};

/// Factors of square matrices: f32, f64, c64 or c128. Element (i, j) of a matrix is at
/// i * row + j * column.
struct factorization {
    element type = element::f64;
    factor_kind kind = factor_kind::lu;
    std::int64_t size = 0;  // rows, and columns
    std::int64_t row = 0, column = 1;
    std::span<const matrix_loop> batch = {};  // the slowest first
    bool unit_diagonal = false;               // of a triangle: it is taken for 1, and not read
};

/// A loop over solutions or right-hand sides: how far each moves.
struct side_loop {
    std::int64_t extent = 1;
    std::int64_t x = 0;
    std::int64_t y = 0;
};

/// X with K X = Y, or with another of K's kind in its place, where K has been factored.
/// `batch`: loops of the factored matrices, in their order and with their extents. `columns`:
/// loops over right-hand sides of the same matrix. No two iterations reach the same element of X,
/// and X overlaps Y nowhere.
struct linear_solve {
    element type = element::f64;
    factor_kind kind = factor_kind::lu;
    std::int64_t size = 0;
    std::int64_t x_row = 1, y_row = 1;
    std::span<const side_loop> batch = {};
    std::span<const side_loop> columns = {};
    bool transposed = false;   // the transpose of K
    bool conjugated = false;   // the conjugate of K; with `transposed`, its adjoint
    bool of_triangle = false;  // of a Cholesky factor: L in the place of K
    bool of_identity = false;  // Y is the unit matrix and not read; `columns` has `size` iterations
};

/// What is computed of a determinant; numbers of K's type, of which an absolute value and its
/// logarithm are real.
///   value      det K
///   logarithm  log |det K|, without overflow
///   sign       det K / |det K|
enum class determinant_part : std::uint8_t { value, logarithm, sign };

/// Of matrices that have been factored. `batch`: their loops, with strides of the result.
struct determinant {
    element type = element::f64;
    factor_kind kind = factor_kind::lu;
    std::int64_t size = 0;
    determinant_part part = determinant_part::value;
    std::span<const matrix_loop> batch = {};
};

/// det K times the transposed inverse of matrices that have been factored, whether they have one or
/// not; at least 2 x 2. Elements (i, j) of what is read and written are at i * row + j * column.
/// `batch`: loops of the factored matrices, x of the result and y of the matrices themselves.
struct cofactors {
    element type = element::f64;
    factor_kind kind = factor_kind::lu;
    std::int64_t size = 0;
    std::int64_t x_row = 0, x_column = 1, y_row = 0, y_column = 1;
    std::span<const side_loop> batch = {};
    bool transposed = false;  // the factors are those of the transposed matrices
};

/// Of matrices that have been factored by Cholesky, or are lower triangles: L, with zeros above its
/// diagonal. Element (i, j) of it is at i * row + j * column.
struct lower_triangle {
    element type = element::f64;
    factor_kind kind = factor_kind::cholesky;
    std::int64_t size = 0;
    std::int64_t row = 0, column = 1;
    std::span<const matrix_loop> batch = {};
};

}  // namespace ricci::steps
