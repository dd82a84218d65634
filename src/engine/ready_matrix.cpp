#include "src/engine/ready_matrix.hpp"

#include <vector>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/engine/ready_steps.hpp"

namespace ricci::engine {
namespace {

using plan::matrix_task;

std::vector<steps::matrix_loop> loops_over(const std::vector<std::int64_t>& extents,
                                           const std::vector<std::int64_t>& strides) {
    std::vector<steps::matrix_loop> loops;
    for (std::size_t k = 0; k < extents.size(); ++k) loops.push_back({extents[k], strides[k]});
    return loops;
}

/// `y`: empty where the right-hand sides are not read.
std::vector<steps::side_loop> side_loops(const std::vector<std::int64_t>& extents,
                                         const std::vector<std::int64_t>& x,
                                         const std::vector<std::int64_t>& y) {
    std::vector<steps::side_loop> loops;
    for (std::size_t k = 0; k < extents.size(); ++k)
        loops.push_back({extents[k], x[k], y.empty() ? 0 : y[k]});
    return loops;
}

steps::determinant_part part_of(matrix_task task) {
    switch (task) {
        case matrix_task::log_determinant:
            return steps::determinant_part::logarithm;
        case matrix_task::sign:
            return steps::determinant_part::sign;
        default:
            return steps::determinant_part::value;
    }
}

}  // namespace

ready_matrix::prepared_task ready_matrix::prepare(element type, const planned& s,
                                                  steps::factor_kind kind) {
    const plan::matrix_part& m = s.what;
    switch (m.task) {
        case matrix_task::factor: {
            const auto batch = loops_over(s.batch, s.from.batch);
            return linear::prepared_factorization(
                steps::factorization{type, kind, m.size, s.from.row, s.from.column, batch, false});
        }
        case matrix_task::solve:
        case matrix_task::inverse: {
            const auto batch = side_loops(s.batch, s.to.batch, s.from.batch);
            const auto columns = side_loops(s.columns, s.to.columns, s.from.columns);
            steps::linear_solve solve;
            solve.type = type;
            solve.kind = kind;
            solve.size = m.size;
            solve.x_row = s.to.row;
            solve.y_row = s.from.row;
            solve.batch = batch;
            solve.columns = columns;
            solve.transposed = m.transposed;
            solve.of_triangle = m.of_triangle;
            solve.of_identity = m.task == matrix_task::inverse;
            return linear::prepared_solve(solve);
        }
        case matrix_task::triangle: {
            const auto batch = loops_over(s.batch, s.to.batch);
            return linear::prepared_reading(
                steps::lower_triangle{type, kind, m.size, s.to.row, s.to.column, batch});
        }
        case matrix_task::cofactors: {
            const auto batch = side_loops(s.batch, s.to.batch, s.from.batch);
            return linear::prepared_cofactors(steps::cofactors{type, kind, m.size, s.to.row,
                                                               s.to.column, s.from.row,
                                                               s.from.column, batch, m.transposed});
        }
        default: {
            const auto batch = loops_over(s.batch, s.to.batch);
            return linear::prepared_reading(
                steps::determinant{type, kind, m.size, part_of(m.task), batch});
        }
    }
}

ready_matrix::ready_matrix(const plan::program_plan& plan, const planned& s)
    : task_(prepare(plan.type_of(s.factors.slot), s, s.what.kind)),
      batch_(s.batch),
      words_(s.what.words),
      solves_(s.what.solves) {
    if (s.what.tries_cholesky)
        cholesky_ = prepare(plan.type_of(s.factors.slot), s, steps::factor_kind::cholesky);
}

void ready_matrix::bind(const plan_memory& memory, const planned& s) {
    factors_ = memory.base(s.factors.slot);
    if (s.from.use.slot) from_ = memory.element(s.from.use.slot, s.from.offset);
    if (s.to.use.slot) to_ = memory.element(s.to.use.slot, s.to.offset);
}

void ready_matrix::factor(const linear::prepared_factorization& by_lu) {
    std::byte* factors = factors_;
    if (cholesky_) {
        factors += plan::matrix_flag_bytes;
        const auto& first = std::get<linear::prepared_factorization>(*cholesky_);
        const bool done = !first.run(from_, factors);
        *factors_ = std::byte{done};
        if (done) return;
    }
    const auto failed = by_lu.run(from_, factors);
    if (!failed || (failed.reason == linear::failure_reason::singular && !solves_)) return;
    throw error(fmt::format("ricci: {} {}.", words_, failed.words(batch_)));
}

void ready_matrix::run() {
    if (const auto* const factors = std::get_if<linear::prepared_factorization>(&task_))
        return factor(*factors);
    const bool by_cholesky = cholesky_ && *factors_ != std::byte{0};
    const std::byte* const factors = factors_ + (cholesky_ ? plan::matrix_flag_bytes : 0);
    const prepared_task& how = by_cholesky ? *cholesky_ : task_;
    if (const auto* const solve = std::get_if<linear::prepared_solve>(&how))
        return solve->run(factors, from_, to_);
    if (const auto* const cofactors = std::get_if<linear::prepared_cofactors>(&how))
        return cofactors->run(factors, from_, to_);
    std::get<linear::prepared_reading>(how).run(factors, to_);
}

void ready_matrix::list_loans(runtime::loan_book& to) const {
    for (const prepared_task* const how : {&task_, cholesky_ ? &*cholesky_ : nullptr}) {
        if (how == nullptr) continue;
        if (const auto* const solve = std::get_if<linear::prepared_solve>(how))
            solve->list_loans(to);
        if (const auto* const cofactors = std::get_if<linear::prepared_cofactors>(how))
            cofactors->list_loans(to);
        if (const auto* const factors = std::get_if<linear::prepared_factorization>(how))
            factors->list_loans(to);
    }
}

}  // namespace ricci::engine
