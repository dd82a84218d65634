// `ricci order FILE`: an order for a network of tensors in a file.
#pragma once

#include <string>
#include <string_view>

namespace ricci::command {

/// What is asked for, as it is written; empty where it is not.
struct network_order_arguments {
    std::string file;      // .uai, .cnf, .json
    std::string evidence;  // of a .uai model
    std::string order;     // a file of an order, instead of seeking one
    std::string output;    // where the order goes
    std::string seconds, trials, memory, seed;
    std::string objective, simplify;  // as the library's enumerators are called
    bool json = false;

    /// Whether anything but the file is given.
    bool has_options() const;
};

/// Whether a word is the name of a network's file, and no text of an einsum.
bool is_network_file(std::string_view word);

/// Finds or reads the order, prints what it costs, or it itself as JSON, and writes it. Throws
/// ricci::error.
void order_network(const network_order_arguments& given);

}  // namespace ricci::command
