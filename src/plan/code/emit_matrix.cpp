// Functions of matrices with their strides.
#include <algorithm>

#include "src/plan/code/emit.hpp"
#include "src/plan/words/words.hpp"

namespace ricci::plan {
namespace {

/// Additions and multiplications of one matrix, or of one right-hand side.
double flops_of_matrix(const matrix_part& what) {
    const auto n = static_cast<double>(what.size);
    switch (what.task) {
        case matrix_task::factor:
            if (what.kind == steps::factor_kind::lu) return 2 * n * n * n / 3;
            return what.kind == steps::factor_kind::cholesky ? n * n * n / 3 : 0;
        case matrix_task::solve:
            return what.of_triangle ? n * n : 2 * n * n;
        case matrix_task::inverse:
        case matrix_task::cofactors:
            return 4 * n * n * n / 3;
        default:
            return n;
    }
}

class matrix_emitter {
public:
    matrix_emitter(const program_plan& plan, const assign& a)
        : plan_(plan), values_(plan.values), a_(a) {
        step_.equation = a.equation;
        step_.hides = a.hides;
        step_.what = a.matrix;
        for (const loop l : a.matrix.batch) step_.batch.push_back(values_.extent(l));
    }

    matrix_step run() {
        const access& body = values_[a_.body].source;
        const bool makes_factors = a_.matrix.task == matrix_task::factor;
        if (makes_factors) {
            step_.factors = {a_.target.slot, a_.target.positions};
            step_.from = side(body, a_.matrix.row, a_.matrix.column);
        } else {
            step_.factors = {body.slot, body.positions};
            find_columns();
            place_result();
        }
        double matrices = values_.size(list_of(a_.matrix.batch));
        double sides = 1;
        for (const auto extent : step_.columns) sides *= static_cast<double>(extent);
        const bool solves = a_.matrix.task == matrix_task::solve;
        step_.flops = matrices * (solves ? sides : 1) * flops_of_matrix(a_.matrix);
        const auto n = static_cast<double>(a_.matrix.size);
        step_.bytes = matrices * (n * n + (solves ? 2 * n * sides : n * n)) *
                      static_cast<double>(size_of(plan_.type));
        return std::move(step_);
    }

private:
    static loop_list list_of(const std::vector<loop>& loops) {
        loop_list all(loops.begin(), loops.end());
        std::ranges::sort(all);
        return all;
    }
    /// Loops of the result that are neither the batch's nor the solution's rows.
    void find_columns() {
        auto own = list_of(a_.matrix.batch);
        add_loop(own, a_.matrix.column);
        columns_ = without(a_.loops, own);
        for (const loop l : columns_) step_.columns.push_back(values_.extent(l));
    }
    void place_result() {
        const matrix_part& m = a_.matrix;
        switch (m.task) {
            case matrix_task::solve:
                step_.from = side(values_[a_.right].source, m.row, loop::none, columns_);
                step_.to = side(a_.target, m.column, loop::none, columns_);
                return;
            case matrix_task::inverse:  // a solution for each column of the unit matrix
                step_.to = side(a_.target, m.column, loop::none, columns_);
                return;
            case matrix_task::cofactors:
                step_.from = side(values_[a_.right].source, m.row, m.column);
                [[fallthrough]];
            case matrix_task::triangle:
                step_.columns.clear();
                step_.to = side(a_.target, m.row, m.column);
                return;
            default:
                step_.columns.clear();
                step_.to = side(a_.target, loop::none, loop::none);
                return;
        }
    }
    matrix_step::side side(const access& at, loop row, loop column,
                           const loop_list& columns = {}) const {
        const place address = address_of(at, plan_.slot_of(at).strides);
        matrix_step::side made;
        made.use = {at.slot, at.positions};
        made.offset = address.offset;
        if (row) made.row = address.factor(row);
        if (column) made.column = address.factor(column);
        for (const loop l : a_.matrix.batch) made.batch.push_back(address.factor(l));
        for (const loop l : columns) made.columns.push_back(address.factor(l));
        return made;
    }

    const program_plan& plan_;
    const graph& values_;
    const assign& a_;
    loop_list columns_;
    matrix_step step_;
};

}  // namespace

matrix_step compile_matrix(const program_plan& plan, const assign& a) {
    return matrix_emitter(plan, a).run();
}

}  // namespace ricci::plan
