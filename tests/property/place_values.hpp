// What a text of places means, by plain loops in long double over what was drawn: neither the
// parser nor anything behind it takes part. Compiled once, and optimised: differences ask for a value
// thousands of times.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "tests/property/place_programs.hpp"
#include "tests/unit/interpreter.hpp"

namespace ricci::testing {

using tensor_values = std::map<std::string, dense>;

/// The inputs of a program: numbers between -1 and 1, or whole ones where it wants those.
tensor_values inputs_of(const place_program& p);

/// The values of all tensors, the inputs too. Where `stored` says the tensors that lines define, later
/// ones read those.
tensor_values values_of_places(const place_program& p, const tensor_values& inputs,
                               const tensor_values& stored = {});

}  // namespace ricci::testing
