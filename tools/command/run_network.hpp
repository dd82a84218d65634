// `ricci run FILE` of a network of tensors in a file: what it is worth, or its most likely state.
#pragma once

#include <string>
#include <vector>

#include "command/network_options.hpp"
#include "command/run_options.hpp"

namespace ricci::command {

/// What is asked for, as it is written.
struct run_network_arguments {
    std::string file;  // .uai, .cnf, .json
    network_options options;
    run_options run;  // of which outputs may name one file
    bool most_likely = false;
};

/// Computes the network and prints it, however large or small it is, or saves it. With
/// `most_likely`: the places of all indices where the product of all tensors is greatest, and the
/// natural logarithm of that product. Throws ricci::error.
void run_network(const run_network_arguments& given);

}  // namespace ricci::command
