// What an order of a network is made of, and how it is made from what is given.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <ricci/network.hpp>

#include "src/network/index_places.hpp"
#include "src/network/network_data.hpp"
#include "src/network/score.hpp"
#include "src/path/search.hpp"

namespace ricci::networks {

struct order_data {
    std::shared_ptr<const path::hypergraph> shapes;  // of the network, or of what zeros leave of it
    std::uint64_t network_hash = 0;
    std::vector<ssa_pair> products;
    std::vector<path::slice> slices;
    std::vector<sliced_index> sliced;  // the same, by the caller's numbers
    std::vector<zero_fact> zeros;      // that it rests on, in the order in which they were found
    std::vector<std::pair<std::int64_t, std::int64_t>> zero_indices;  // the caller's numbers
    order_score score;
    double element_bytes = 8;
    double operand_bytes = 0;
    double memory = 0;  // bytes that it was found for; 0: no number was given

    std::size_t operands() const { return shapes->first.size() - 1; }
};

/// Why pairs are no order of so many operands, in words; empty where they are one: each entry is
/// used once, before it stands, and all but the last are.
std::string why_no_order(std::size_t operands,
                         const std::vector<std::pair<std::size_t, std::size_t>>& pairs);

/// An order of products that have been checked. `shapes` are those of the network.
contraction_order order_of(const network_data& n, std::shared_ptr<const path::hypergraph> shapes,
                           std::vector<ssa_pair> products, std::vector<path::slice> slices);

/// The same of pairs and slices from elsewhere. Throws ricci::error where they are none of this
/// network.
contraction_order order_of_pairs(const network_data& n,
                                 const std::vector<std::pair<std::size_t, std::size_t>>& pairs,
                                 const std::vector<sliced_index>& slices);

/// An order of what these zeros leave of a network, as an order of the network.
contraction_order resting_on(const network_data& n, const contraction_order& of_reduced,
                             std::vector<zero_fact> zeros);

/// An order whose runs keep within so many bytes where they are given no other number; 0: none.
contraction_order with_memory(const contraction_order& o, double memory);

/// An order for one run: it is sought for no longer than about what the run takes. The same on any
/// machine where memory is no matter. Throws ricci::error as find_order does.
contraction_order brief_order(const network_data& n, double memory);

/// Throws ricci::error where the order was made for another network.
void check_is_of(const order_data& order, const network_data& n);

}  // namespace ricci::networks
