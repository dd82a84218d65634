// `ricci run --show A=page.html`: tensors of a run as heat maps, with the trace of a row.
#pragma once

#include <string>
#include <vector>

#include <ricci/program.hpp>

#include "command/run_options.hpp"
#include "command/show_options.hpp"

namespace ricci::command {

/// The operands of one run, where some of them were lists: h:1,2,4.
struct variant {
    std::string label;  // "h:2"; none where nothing was a list
    std::vector<std::string> operands;
};
/// Lists go along with each other. Throws ricci::error for lists of several lengths.
std::vector<variant> variants_of(const std::vector<std::string>& operands);

/// Runs the program once for each variant, saves outputs as run_and_save() does, and writes a page
/// for each word of `shown`, A=page.html.
void run_and_show(const program& p, const std::vector<variant>& variants,
                  const run_options& options, const std::vector<std::string>& shown,
                  const show_options& how);

}  // namespace ricci::command
