// An einsum string and its operands on a command line, as a program and operands with names.
#pragma once

#include <string>
#include <vector>

#include <ricci/program.hpp>

namespace ricci::command {

/// Refuses a word that is empty.
void check_shape(const std::string& word);
/// "operand 1=a.npy" for "a.npy".
std::vector<std::string> named_operands(const std::vector<std::string>& words);
/// The contraction of a string for operands of these ranks, of which files and shapes are looked
/// at. Throws ricci::error where the string cannot be read, or a file.
program program_of_einsum(const std::string& text, const std::vector<std::string>& operands);

}  // namespace ricci::command
