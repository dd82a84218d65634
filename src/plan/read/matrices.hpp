// Functions of matrices that stand in expressions: tensors of their own, with equations before that
// in which they stand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "src/plan/forms/lower.hpp"
#include "src/plan/pool/definitions.hpp"
#include "src/plan/read/equations.hpp"

namespace ricci::plan {

class matrix_reader {
public:
    /// What is made is appended to `read`, which others append to, too.
    matrix_reader(program_plan& plan, definitions& defined, std::vector<read_equation>& read)
        : plan_(plan), values_(plan.values), defined_(defined), read_(read) {}

    /// The function with operands that are tensors. `guards`: where one of them is 0, nobody wants
    /// the function, and its matrix need not have an inverse.
    lowering::matrix_function with_tensors(lowering::matrix_function f, expr_span guards,
                                           ir::ref equation);
    /// The tensor of such a function, which depends on these loops.
    expr value_of(const lowering::matrix_function& f, const loop_list& indices, ir::ref equation);
    /// Once all equations are read: a matrix that nobody wants anywhere becomes the unit matrix.
    void hide();

private:
    /// A matrix that has a tensor.
    struct matrix_tensor {
        expr value;
        loop row, column;
        std::vector<ir::reduction> needs;  // what is made of it, wherever that is wanted
        access target;                     // its own, or that which it is read from as it is
        std::size_t equation = SIZE_MAX;   // in `read`, where it has one
        bool always = false;               // wanted whatever conditions say
        expr_list wanted;                  // else where
    };
    expr wanted_of(const lowering::matrix_function& f, expr_span guards);
    bool is_of_places(expr e) const;
    bool is_plain(expr e) const;
    std::optional<loop_map> same_names(expr value, expr other) const;
    bool is_known_before(expr condition, std::size_t equation) const;
    matrix_tensor* find(const lowering::matrix_function& f, expr wanted);
    void define(expr value, const loop_list& last, ir::ref equation);

    program_plan& plan_;
    graph& values_;
    definitions& defined_;
    std::vector<read_equation>& read_;
    std::vector<matrix_tensor> matrices_;
};

}  // namespace ricci::plan
