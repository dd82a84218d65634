// What is made of matrices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/plan/pool/loops.hpp"
#include "src/steps/linear.hpp"

namespace ricci::plan {

/// What is made of matrices, or of the factors of a batch of them.
enum class matrix_task : std::uint8_t {
    factor,   // the target: factors, a slot that nothing else reads
    solve,    // x of K x = `right`
    inverse,  // at (row, column): element (column, row) of the inverse
    determinant,
    log_determinant,  // of its absolute value
    sign,             // the determinant divided by its absolute value
    triangle,         // the lower triangular Cholesky factor, with zeros above
    cofactors,        // `right`: the matrices themselves
};
struct matrix_part {
    matrix_task task = matrix_task::factor;
    steps::factor_kind kind = steps::factor_kind::lu;
    std::int64_t size = 0;
    loop row, column;
    std::vector<loop> batch = {};  // in the order in which factors lie
    bool transposed = false;       // the factors are those of the transposed matrices
    bool of_triangle = false;      // the matrices are Cholesky factors themselves
    // By Cholesky where that succeeds, as the matrices are symmetric, and by LU where it does not:
    // which of the two is known when it runs.
    bool tries_cholesky = false;
    bool solves = false;     // factor: solutions rest on it, and a singular matrix has none
    std::string words = {};  // factor: where the matrices stand, for a message
};

/// In front of factors that are by Cholesky or by LU: which of the two.
inline constexpr std::size_t matrix_flag_bytes = 64;

}  // namespace ricci::plan
