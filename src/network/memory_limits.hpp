// How much memory an order, and a run, may take.
#pragma once

#include "src/network/network_data.hpp"

namespace ricci::networks {

/// Bytes for the tensors of a network and all beside them, where the caller gives `given`, or 0 for
/// a part of what is free beside the tensors. What an order is made for is less than what a run of
/// it may take: others may have taken some in between.
double memory_for_order(const network_data& n, double given);
/// `of_order`: what was given when the order was found, or 0, which holds for its runs where they
/// are given none; but for what kernels lend at the least. `needed`: what an order says that it
/// takes. Little is not compared with what is free, which takes longer to find out than a small
/// network to contract.
double memory_for_run(const network_data& n, double given, double of_order, double needed);

}  // namespace ricci::networks
