// Functions of matrices: factors, which are made once for all that needs them, and what is computed
// from them.
#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/linear/factorization.hpp"
#include "src/plan/forms/lower.hpp"

namespace ricci::plan {
namespace {

bool is_factored_type(element type) {
    return is_real(type) || type == element::c64 || type == element::c128;
}

}  // namespace

// The expression in memory, with an axis for each of these loops.
expr lowering::with_axes(expr e, const loop_list& axes) {
    const expr here = stored(e);
    if (without(axes, graph_[here].indices).empty()) return here;
    return graph_.load(computed(united(graph_[e].indices, axes), e));
}

loop_list lowering::matrix_loops(const matrix_function& f) const {
    loop_list both;
    if (graph_.extent(f.row) != 1) both = {std::min(f.row, f.column), std::max(f.row, f.column)};
    return both;
}

matrix_factors lowering::factorised(const matrix_function& f, steps::factor_kind kind) {
    const auto both = matrix_loops(f);
    const expr matrix = with_axes(f.matrix, both);
    const matrices_at wanted{matrix, f.row, f.column};
    if (kind == steps::factor_kind::lu)
        if (const auto known = known_.factors.find(graph_, wanted)) return *known;
    matrix_factors made{wanted, {}, kind, graph_.extent(f.row), {}, false, false, false};
    made.tries_cholesky =
        kind == steps::factor_kind::lu && f.symmetric && !is_complex(type_) && made.size > 1;
    const loop_list batch = without(graph_[matrix].indices, both);
    made.batch.assign(batch.begin(), batch.end());
    const auto count = static_cast<std::int64_t>(graph_.size(batch));
    std::size_t bytes = linear::factor_bytes(type_, kind, made.size, count);
    if (made.tries_cholesky)
        bytes = matrix_flag_bytes +
                std::max(bytes, linear::factor_bytes(type_, steps::factor_kind::cholesky, made.size,
                                                     count));
    const std::size_t each = size_of(type_);
    made.slot = plan_.add(workspace_slot(
        plan_, {static_cast<std::int64_t>((bytes + each - 1) / each)}, {ir::none}, type_));
    assign factor = begun(assignment_kind::matrix, factors_at(made));
    factor.over = united(batch, both);
    factor.body = matrix;
    factor.matrix = {matrix_task::factor, kind, made.size, f.row, f.column, made.batch};
    factor.matrix.words = f.words;
    factor.matrix.tries_cholesky = made.tries_cholesky;
    put(std::move(factor));
    known_.factors.add(made);
    return made;
}

access lowering::factors_at(const matrix_factors& f) const {
    access at;
    at.slot = f.slot;
    at.at.emplace_back();
    at.positions = {0, -1};
    return at;
}

void lowering::emit_matrix(const matrix_function& f, matrix_task task, const access& target) {
    const bool cholesky = task == matrix_task::triangle;
    matrix_factors from =
        factorised(f, cholesky ? steps::factor_kind::cholesky : steps::factor_kind::lu);
    const bool solves = task == matrix_task::solve || task == matrix_task::inverse;
    if (from.of_triangle && !solves) {  // a determinant of a triangle reads its own factors
        from = factorised(f, steps::factor_kind::lower);
    }
    assign made = begun(assignment_kind::matrix, target);
    made.body = graph_.load(factors_at(from));
    made.matrix = {task, from.kind, from.size, f.row, f.column, from.batch};
    made.matrix.transposed = from.transposed;
    made.matrix.of_triangle = from.of_triangle;
    made.matrix.tries_cholesky = from.tries_cholesky;
    if (task == matrix_task::solve) {
        made.right = with_axes(f.right, graph_.extent(f.row) == 1 ? loop_list{} : loop_list{f.row});
        if (graph_.extent(f.row) != 1) made.over = {f.row};
    }
    if (task == matrix_task::cofactors) made.right = with_axes(f.matrix, matrix_loops(f));
    put(std::move(made));
    if (!cholesky) return;
    // What is solved with the triangle has its factors here.
    from.of = {graph_.load(target), f.row, f.column};
    from.of_triangle = true;
    known_.factors.add(from);
}

void lowering::matrix_into(const matrix_function& f, const access& target) {
    if (!is_factored_type(type_))
        throw error(
            fmt::format("ricci: functions of matrices are computed in float, double and "
                        "complex numbers, and not in {}.",
                        name_of(type_)));
    const loop_list indices = loops_of(target);
    if (graph_.size(indices) == 0) return;
    const auto number = [&](double value) { emit_map(target, graph_.constant(value)); };
    const bool empty = graph_.extent(f.row) == 0;
    switch (f.what) {
        case ir::reduction::solve:
            return emit_matrix(f, matrix_task::solve, target);
        case ir::reduction::inverse:
            return emit_matrix(f, matrix_task::inverse, target);
        case ir::reduction::cholesky:
            return emit_matrix(f, matrix_task::triangle, target);
        case ir::reduction::determinant:
            return empty ? number(1) : emit_matrix(f, matrix_task::determinant, target);
        case ir::reduction::log_determinant:
            return empty ? number(0) : emit_matrix(f, matrix_task::log_determinant, target);
        case ir::reduction::cofactors:
            return graph_.extent(f.row) == 1 ? number(1)
                                             : emit_matrix(f, matrix_task::cofactors, target);
        default:
            break;
    }
    if (empty) return number(0);
    const access logarithm = temporary(indices), sign = temporary(indices);
    emit_matrix(f, matrix_task::log_determinant, logarithm);
    emit_matrix(f, matrix_task::sign, sign);
    // NaN of a negative sign, 0 of a positive one.
    const expr of_sign = graph_.apply(opcode::log, graph_.load(sign));
    emit_map(target, graph_.add({graph_.load(logarithm), of_sign}));
}

// Those that use factors come after those that make them.
void mark_solved_factors(program_plan& plan) {
    std::set<slot_number> solved;  // slots of factors
    for (auto s = plan.steps.rbegin(); s != plan.steps.rend(); ++s) {
        auto* const a = std::get_if<assign>(&s->what);
        if (a == nullptr || a->kind != assignment_kind::matrix) continue;
        const matrix_task task = a->matrix.task;
        if (task == matrix_task::solve || task == matrix_task::inverse)
            solved.insert(plan.values[a->body].source.slot);
        else if (task == matrix_task::factor) a->matrix.solves = solved.contains(a->target.slot);
    }
}

expr lowering::matrix_value(const matrix_function& f, const loop_list& indices) {
    const access result = temporary(indices);
    matrix_into(f, result);
    return graph_.load(result);
}

}  // namespace ricci::plan
