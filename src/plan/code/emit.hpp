// The last pass: assignments become loops with strides, and programs of instructions.
#pragma once

#include <vector>

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Makes `plan.compiled` of `plan.steps`.
void emit(program_plan& plan);

compiled_step compile(const program_plan&, const assign&);
fused_step compile(const program_plan&, const fused&);
chained_step compile(const program_plan&, const chained&);

/// The factor of an assignment: of constants and single elements.
scalar compile_number(const program_plan&, expr number);

/// A function of matrices.
matrix_step compile_matrix(const program_plan&, const assign&);

/// Operations on numbers that an assignment takes; a multiplication and an addition count as two.
double flops_of(const program_plan&, const assign&);

}  // namespace ricci::plan
