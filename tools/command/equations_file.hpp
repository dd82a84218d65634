// The equations of a command: a file with nothing else, or the displays of a document, or standard
// input.
#pragma once

#include <string>

#include <ricci/program.hpp>

namespace ricci::command {

/// Reads a program. Throws ricci::error, in one sentence `file:line:column: ...`, where the file
/// cannot be read or its equations have a mistake.
program read_equations(const std::string& file);

}  // namespace ricci::command
