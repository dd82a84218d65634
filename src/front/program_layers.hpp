// Programs of the run-time face that are carried out layer by layer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/text/program_body.hpp"

namespace ricci::detail {

program gradient_of_layers(const layers_of_program& layers, std::string_view of,
                           const std::vector<std::string>& by, bool with_value);
program tangent_of_layers(const layers_of_program& layers, const std::vector<std::string>& by);

/// Throws ricci::error with these words where the program has layers.
void refuse_layers(const program& p, const char* words);

}  // namespace ricci::detail
