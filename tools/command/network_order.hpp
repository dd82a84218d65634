// `ricci order FILE`: an order for a network of tensors in a file.
#pragma once

#include <string>

#include "command/network_options.hpp"

namespace ricci::command {

/// What is asked for, as it is written; empty where it is not.
struct network_order_arguments {
    std::string file;  // .uai, .cnf, .json
    network_options options;
    std::string memory;
    std::string output;  // where the order goes
    bool json = false;

    /// Whether anything but the file and `json` is given.
    bool has_options() const { return options.given() || !memory.empty() || !output.empty(); }
};

/// Finds or reads the order, prints what it costs, or it itself as JSON, and writes it. Throws
/// ricci::error.
void order_network(const network_order_arguments& given);

}  // namespace ricci::command
