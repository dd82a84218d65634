// The front end as functions of strings, compiled once: most tests derive and plan at run time, and
// each would compile the parser and the derivations for itself.
#pragma once

#include <string>
#include <vector>

#include <ricci/ir/mistake.hpp>
#include <ricci/ir/program.hpp>

namespace ricci::testing {

/// A program, or what is wrong with what it was to be made from.
struct outcome {
    ir::program program;
    ir::mistake mistake;
};

outcome read_equations(const std::string& text);
/// As "..."_eq: with the equations for the derivatives that the text reads, and its claims proved.
outcome read_program(const std::string& text);

/// The derivatives of a loss through `of`, by each of `wrt`; `with_value` keeps `of` an output.
outcome gradient_of(const ir::program_view& program, const std::string& of,
                    const std::vector<std::string>& wrt, bool with_value = false,
                    const std::string& loss = "L");
/// The directional derivatives of the program's outputs along one of its inputs.
outcome tangent_of(const ir::program_view& program, const std::string& by);

/// The derivative of the tensor `of` by `by`.
outcome jacobian_of(const ir::program_view& program, const std::string& of, const std::string& by);

/// Whether each equation of `claims` follows from `program`; `refuted` is the first that does not.
bool proves(const ir::program& program, const ir::program& claims, ir::equation* refuted);
/// The first equation in which two programs differ, by the normal form, or nothing.
std::string difference_of(const ir::program& a, const ir::program& b);
std::string latex_of(const ir::program_view& program, const ir::equation& equation);

/// The program, or std::logic_error with the words of the mistake.
ir::program program_of(outcome&& made);

}  // namespace ricci::testing
