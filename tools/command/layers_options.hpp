// Equations that are one of several layers, and gradients of them: `ricci explain --layers`.
#pragma once

#include <string>
#include <vector>

#include <ricci/program.hpp>

namespace ricci::command {

class command_line;

struct layers_options {
    int count = 0;
    std::string from, to, of;
    std::vector<std::string> shared, by;
    bool recompute = false;

    void add_to(command_line& line);
};

/// So many layers of the equations, or these themselves, with the gradients that are asked for.
/// Throws ricci::error for an option that is nothing without another one.
program with_layers(program p, const layers_options& options);

}  // namespace ricci::command
