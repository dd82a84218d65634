// Parts of a program as text, for messages and explanations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ricci/ir/program.hpp>

namespace ricci::plan {

/// The equation as LaTeX.
std::string words_of_equation(const ir::program_view&, ir::ref equation);
std::string words_of_name(const ir::program_view&, ir::ref name);
std::string words_of_index(const ir::program_view&, ir::ref index);
/// `h,(ia),0,2i+1`: the positions of an operand.
std::string words_of_positions(const ir::program_view&, ir::range positions);
std::string words_of_number(double value);
/// `8x64`
std::string words_of_extents(const std::vector<std::int64_t>& extents);

}  // namespace ricci::plan
