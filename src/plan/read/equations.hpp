// Equations made expressions: what an equation gives is the definition of its tensor, which those
// behind it may ask for.
#pragma once

#include <optional>

#include <ricci/ir/program.hpp>
#include <ricci/ir/shapes.hpp>
#include "src/plan/forms/lower.hpp"
#include "src/plan/schedule/plan.hpp"
#include "src/plan/trees/brackets.hpp"

namespace ricci::plan {

/// An equation as it is read, before any of it is in steps.
struct read_equation {
    ir::ref number = ir::none;
    access target;
    loop_list indices;        // of the target
    loop_list order;          // the same as written
    bool covers_all = false;  // the left side reaches every element of its tensor
    // One of these.
    expr value;
    std::optional<lowering::matrix_function> matrix;
    std::optional<lowering::place_of_extremum> place;

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

/// Reads the equations of a program, in their order.
class equation_reader {
public:
    equation_reader(const ir::program_view& program, const ir::shape_table& shapes,
                    program_plan& plan, known_tensors& known)
        : p_(program), conditions_(program), shapes_(shapes), plan_(plan), known_(known) {}

    read_equation read(ir::ref equation);

private:
    const ir::program_view& p_;
    const brackets conditions_;
    const ir::shape_table& shapes_;
    program_plan& plan_;
    known_tensors& known_;
};

}  // namespace ricci::plan
