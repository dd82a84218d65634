// The network that the search works on: operands and indices that can be walked both ways, without
// what costs nothing in any order.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "src/path/search.hpp"

namespace ricci::path {

/// The products of a tree in single static assignment, see order_found.
using product_list = std::vector<std::pair<std::int32_t, std::int32_t>>;

inline std::size_t place(std::int32_t number) { return static_cast<std::size_t>(number); }

/// Weights of indices are log2 of extents in whole multiples of this: sums of them are exact, in
/// any order and on any machine.
inline constexpr double weight_unit = 1.0 / 65536;

/// Index lists are sorted. Every index is open or in two operands or more.
struct core_network {
    std::vector<std::int32_t> first{0}, members;
    std::vector<std::int32_t> holder_first, holders;  // the operands of each index
    std::vector<double> weight;
    std::vector<char> open;
    std::vector<std::int32_t> origin;  // the number that each index has in the whole network

    std::int32_t operands() const { return static_cast<std::int32_t>(first.size()) - 1; }
    std::int32_t indices() const { return static_cast<std::int32_t>(weight.size()); }
    std::span<const std::int32_t> indices_of(std::int32_t operand) const {
        return {members.data() + first[place(operand)], members.data() + first[place(operand) + 1]};
    }
    std::span<const std::int32_t> holders_of(std::int32_t index) const {
        return {holders.data() + holder_first[place(index)],
                holders.data() + holder_first[place(index) + 1]};
    }
};

/// The network of these operands (index lists of any numbering below weight.size()), its indices
/// numbered anew: those that are left, in ascending order.
core_network make_core(const std::vector<std::vector<std::int32_t>>& operands,
                       const std::vector<double>& weight, const std::vector<char>& open);

/// log2 of extents, in multiples of weight_unit. Sparse indices weigh together what their choices
/// do.
std::vector<double> index_weights(const hypergraph& network);

/// A network without some of its products, which are made first.
struct simplified_network {
    core_network core;
    product_list before;                // of the whole network's operands
    std::vector<std::int32_t> entries;  // what each operand of the core is in that numbering
    std::vector<std::int32_t> scalars;  // entries without indices
    std::int32_t operands = 0;          // of the whole network

    /// The products of the whole network: those before, then the core's; none with scalars that
    /// are operands.
    product_list whole(const product_list& of_core) const;
    /// What is left of a whole network's products, or the first of them, where its operands without
    /// indices are left out. For networks of which nothing is multiplied before.
    product_list within(const product_list& of_whole) const;
};

/// Products of all operands, made of those of all that have indices: operands without indices are
/// multiplied by each other and into what is smallest.
product_list with_scalars(const hypergraph& network, const product_list& products,
                          const std::vector<std::int32_t>& scalars);

/// Without indices of extent 1 and those of one operand; nothing is multiplied.
simplified_network unsimplified(const hypergraph& network);

/// Multiplies, smallest operands first, what becomes no larger by it: no product has more indices
/// or elements than the larger of its operands.
simplified_network simplify_shapes(const hypergraph& network);

/// log2 of elements that some result of any order has at least, as far as that follows from the
/// same for products; -1 where it does not. Without slices.
double intermediate_bound_log2(const core_network& network, double product_bound);

}  // namespace ricci::path
