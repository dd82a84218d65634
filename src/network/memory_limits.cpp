#include "src/network/memory_limits.hpp"

#include "src/runtime/machine_memory.hpp"

namespace ricci::networks {
namespace {

constexpr double part_for_order = 0.8, part_for_run = 0.95;
constexpr double little = 0.005;  // of the machine's

}  // namespace

double memory_for_order(const network_data& n, double given) {
    return given > 0 ? given : bytes_of_operands(n) + part_for_order * runtime::free_memory();
}

double memory_for_run(const network_data& n, double given, double needed) {
    if (given > 0) return given;
    const double all = part_for_run * runtime::machine_memory();
    return needed < little * all ? all
                                 : bytes_of_operands(n) + part_for_run * runtime::free_memory();
}

}  // namespace ricci::networks
