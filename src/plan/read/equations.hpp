// Equations made expressions: what an equation gives is the definition of its tensor, which those
// behind it may ask for.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <ricci/ir/program.hpp>
#include <ricci/ir/shapes.hpp>
#include "src/plan/forms/fold_forms.hpp"
#include "src/plan/forms/known_tensors.hpp"
#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// An equation as it is read, before any of it is in steps.
struct read_equation {
    ir::ref number = ir::none;
    access target;
    loop_list order;          // the loops of the target as written
    bool covers_all = false;  // the left side reaches every element of its tensor
    // One of these.
    expr value;
    std::optional<matrix_function> matrix;
    std::optional<place_of_extremum> place;
    expr_list guards;  // of a function of matrices: where one is 0, nobody wants it

    /// All that it reads is below these.
    expr_list values() const {
        if (place) return {place->value};
        if (matrix) return {matrix->matrix, matrix->right};
        return {value};
    }
    /// Calls visit(expr&) for each value of it.
    template <class F>
    void for_each_value(F visit) {
        if (value) visit(value);
        if (place) visit(place->value);
        if (!matrix) return;
        visit(matrix->matrix);
        if (matrix->right) visit(matrix->right);
    }
};

/// The loops of a value in the order in which it reads them.
loop_list axes_of(const graph&, expr value);

/// An equation that the text has not, of a tensor with these axes that is the plan's own; `around`:
/// which one needs it.
read_equation new_equation(program_plan&, ir::ref around, const loop_list& axes, element type);

/// All equations of a program, in their order: what one gives is the definition of its tensor. What
/// stands in one but is made by itself, as functions of matrices are, has an equation before it;
/// operands of these are expressions.
std::vector<read_equation> read_equations(const ir::program_view&, const ir::shape_table&,
                                          program_plan&, known_tensors&);

/// Leaves out what nothing reads any more, unless it `is_kept`.
void drop_unread(program_plan&, std::vector<read_equation>&,
                 const std::function<bool(slot_number)>& is_kept);

}  // namespace ricci::plan
