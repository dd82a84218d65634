// What `ricci order` and `ricci run` take for a network of tensors in a file: the network, and the
// order that is read or sought.
#pragma once

#include <string>
#include <string_view>

#include <ricci/network.hpp>

namespace ricci::command {

class command_line;

/// As it is written; empty where it is not.
struct network_options {
    std::string evidence;  // of a .uai model
    std::string order;     // a file of an order, instead of seeking one
    std::string seconds, trials, seed;
    std::string objective, simplify;  // as the library's enumerators are called

    void add_to(command_line& line);
    /// Whether any of them is given.
    bool given() const;
};

/// Whether a word is the name of a network's file, and no text of an einsum.
bool is_network_file(std::string_view word);

network read_network(const std::string& file, const network_options& given);

/// The order that is read, or one that is sought: for a second, where nothing says how long.
/// `memory`: as "8G"; empty: what the machine has. Throws ricci::error.
contraction_order order_of(const network& n, const network_options& given,
                           const std::string& memory);

}  // namespace ricci::command
