// An order for a network of tensors in a file.
#include "command/network_order.hpp"

#include <fmt/core.h>

#include <ricci/network_files.hpp>

namespace ricci::command {

void order_network(const network_order_arguments& given) {
    const network n = read_network(given.file, given.options);
    const contraction_order o = order_of(n, given.options, given.memory);
    if (!given.output.empty()) save_order(given.output, o);
    fmt::print("{}", given.json ? o.json() : o.words());
}

}  // namespace ricci::command
