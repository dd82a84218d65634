// What a network is made of: its tensors, and their indices numbered from 0 as they came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ricci/array.hpp>
#include <ricci/network.hpp>

#include "src/base/hashed_numbers.hpp"
#include "src/path/search.hpp"

namespace ricci::networks {

struct network_data {
    std::vector<array> operands;
    std::vector<bool> conjugate;
    // The axes of operand k have the indices members[first[k]] .. members[first[k + 1] - 1], in
    // their order; a diagonal has one index twice.
    std::vector<std::size_t> first{0};
    std::vector<std::int32_t> members;
    std::vector<std::int32_t> kept;  // in the order of the result's axes

    // Of each index:
    std::vector<std::int64_t> numbers;  // the caller's
    std::vector<std::size_t> extents;
    std::vector<std::int32_t> named_by;  // the operand that gave the extent
    hashed_numbers by_number;

    std::uint64_t shapes_hash = 0;   // of all operands' numbers and extents
    std::size_t without_memory = 0;  // operands that are shapes

    std::span<const std::int32_t> axes(std::size_t operand) const {
        return {members.data() + first[operand], first[operand + 1] - first[operand]};
    }
    /// The index with the caller's number; -1 where there is none.
    std::int32_t find(std::int64_t number) const;
    /// Appends a tensor, checked before anything changes. Throws ricci::error.
    void add(array operand, std::span<const std::int64_t> numbers_of_axes, bool conjugated);
    /// Throws ricci::error, and changes nothing then.
    void keep(std::span<const std::int64_t> numbers_kept);
};

/// Of all that an order depends on: which indices the operands have, their extents, and which are
/// kept, whatever their order.
std::uint64_t hash_of(const network_data& n);

/// What a search for orders reads: every index once in each operand, no extent below 1.
path::hypergraph hypergraph_of(const network_data& n);

/// Bytes of all tensors' elements, each as often as it is an operand.
double bytes_of_operands(const network_data& n);

}  // namespace ricci::networks
