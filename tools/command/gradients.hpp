// The gradients that a command line asks for with --of and --by.
#pragma once

#include <string>
#include <vector>

#include <ricci/program.hpp>

namespace ricci::command {

/// The output that is differentiated, by its canonical name: `of`, or the only one where that is
/// empty. Throws ricci::error where there are several.
std::string differentiated_output(const program& p, const std::string& of);

/// The gradients by the inputs `by`, or by all tensors with axes where that is empty.
program gradients_of(const program& p, const std::string& of, const std::vector<std::string>& by,
                     bool with_value);

}  // namespace ricci::command
