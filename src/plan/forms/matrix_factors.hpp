// Which matrices of a plan have been factored, and where their factors are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/plan/pool/expression.hpp"
#include "src/steps/linear.hpp"

namespace ricci::plan {

/// Matrices of a batch that lie in memory: a load, and the loops of its rows and columns.
struct matrices_at {
    expr where;
    loop row, column;
};

/// Factors of a batch of matrices: a slot that no other kind of step reads.
struct matrix_factors {
    matrices_at of;
    slot_number slot;
    steps::factor_kind kind = steps::factor_kind::lu;
    std::int64_t size = 0;
    std::vector<loop> batch;   // of the matrices, in the order in which their factors lie
    bool transposed = false;   // the factors are those of the transposed matrices
    bool of_triangle = false;  // the matrices are the Cholesky factors themselves
    bool tries_cholesky = false;

    /// Whether they were made of one half of the matrices, and say nothing of the other.
    bool is_of_half() const { return kind != steps::factor_kind::lu && !of_triangle; }
};

/// The factors of a plan, which all its equations share.
class factor_table {
public:
    void add(matrix_factors made) { known_.push_back(std::move(made)); }
    /// Those of the same elements, with the loops of `wanted`, that are good for solutions.
    std::optional<matrix_factors> find(const graph& values, const matrices_at& wanted) const;

private:
    std::vector<matrix_factors> known_;
};

struct program_plan;

/// Notes on which factors of a whole plan solutions rest: a singular matrix is a mistake there, and
/// elsewhere one whose determinant is 0.
void mark_solved_factors(program_plan& plan);

}  // namespace ricci::plan
