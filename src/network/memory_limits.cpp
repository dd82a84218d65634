#include "src/network/memory_limits.hpp"

#include <algorithm>

#include "src/runtime/machine_memory.hpp"

namespace ricci::networks {
namespace {

constexpr double part_for_order = 0.8, part_for_run = 0.95;
constexpr double little = 0.005;  // of the machine's
constexpr double least_for_run = 64e6;

// What is not the network's: plans, kernels, stacks. Little memory is given for tensors alone.
double without_plans(double memory) {
    constexpr double most = 16e6, part = 0.05, counts_from = 64e6;
    return memory < counts_from ? memory : memory - std::min(part * memory, most);
}

}  // namespace

double memory_for_order(const network_data& n, double given) {
    return given > 0 ? without_plans(given)
                     : bytes_of_operands(n) + part_for_order * runtime::free_memory();
}

double memory_for_run(const network_data& n, double given, double of_order, double needed) {
    if (given > 0) return without_plans(given);
    if (of_order > 0) return without_plans(std::max(of_order, least_for_run));
    const double all = part_for_run * runtime::machine_memory();
    return needed < little * all ? all
                                 : bytes_of_operands(n) + part_for_run * runtime::free_memory();
}

}  // namespace ricci::networks
