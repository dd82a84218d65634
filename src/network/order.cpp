// The public class of orders: what it costs, and orders from elsewhere.
#include <algorithm>
#include <limits>
#include <string>

#include <fmt/core.h>

#include <ricci/error.hpp>
#include <ricci/network.hpp>

#include "src/base/counted_places.hpp"
#include "src/network/order_data.hpp"

namespace ricci {
namespace networks {
namespace {

using pair_list = std::vector<std::pair<std::size_t, std::size_t>>;

std::vector<ssa_pair> narrowed(const pair_list& pairs) {
    std::vector<ssa_pair> products;
    products.reserve(pairs.size());
    for (const auto& [a, b] : pairs)
        products.emplace_back(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
    return products;
}

std::vector<path::slice> checked_slices(const std::vector<sliced_index>& sliced,
                                        const network_data& n) {
    std::vector<path::slice> slices;
    std::vector<bool> seen(n.numbers.size(), false);
    for (const sliced_index& s : sliced) {
        const std::int32_t i = n.find(s.index);
        if (i < 0)
            throw error(fmt::format(
                "ricci: the order slices index {}, which no tensor of the network has.", s.index));
        const auto k = static_cast<std::size_t>(i);
        if (seen[k]) throw error(fmt::format("ricci: the order slices index {} twice.", s.index));
        if (s.parts < 2 || static_cast<std::uint64_t>(s.parts) > n.extents[k])
            throw error(fmt::format("ricci: the order cuts index {} of extent {} into {} parts.",
                                    s.index, n.extents[k], s.parts));
        seen[k] = true;
        // So many ranges of that width there are: 5 places in 4 parts are 2, 2 and 1.
        const auto extent = static_cast<std::int64_t>(n.extents[k]);
        const std::int64_t width = path::slice{i, s.parts}.width(extent);
        slices.push_back({i, ceil_divide(extent, width)});
    }
    return slices;
}

}  // namespace

std::string why_no_order(std::size_t operands, const pair_list& pairs) {
    if (operands == 0) return "it has no tensors";
    if (pairs.size() + 1 != operands)
        return fmt::format("{} tensors take {} products, and {} are given", operands, operands - 1,
                           pairs.size());
    constexpr std::size_t unused = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> used_by(operands + pairs.size(), unused);
    for (std::size_t k = 0; k < pairs.size(); ++k)
        for (const std::size_t entry : {pairs[k].first, pairs[k].second}) {
            if (entry >= operands + k)
                return fmt::format("product {} is of entry {}, and there are {} by then", k, entry,
                                   operands + k);
            if (used_by[entry] != unused)
                return fmt::format("product {} is of entry {}, which product {} used", k, entry,
                                   used_by[entry]);
            used_by[entry] = k;
        }
    return {};
}

contraction_order order_of(const network_data& n, std::shared_ptr<const path::hypergraph> shapes,
                           std::vector<ssa_pair> products, std::vector<path::slice> slices) {
    order_data order;
    order.score = score_of(*shapes, products, slices);
    order.shapes = std::move(shapes);
    order.network_hash = hash_of(n);
    order.products = std::move(products);
    for (const path::slice& s : slices)
        order.sliced.push_back({n.numbers[static_cast<std::size_t>(s.index)], s.parts});
    order.slices = std::move(slices);
    if (!n.operands.empty())
        order.element_bytes = static_cast<double>(size_of(n.operands[0].type()));
    order.operand_bytes = bytes_of_operands(n);
    return contraction_order(std::make_shared<const order_data>(std::move(order)));
}

contraction_order order_of_pairs(const network_data& n, const pair_list& pairs,
                                 const std::vector<sliced_index>& slices) {
    const std::string wrong = why_no_order(n.operands.size(), pairs);
    if (!wrong.empty())
        throw error(fmt::format("ricci: this is no order of the network: {}.", wrong));
    return order_of(n, std::make_shared<path::hypergraph>(hypergraph_of(n)), narrowed(pairs),
                    checked_slices(slices, n));
}

contraction_order resting_on(const network_data& n, const contraction_order& of_reduced,
                             std::vector<zero_fact> zeros) {
    order_data order = of_reduced.data();
    order.network_hash = hash_of(n);
    order.operand_bytes = bytes_of_operands(n);
    order.zeros = std::move(zeros);
    order.zero_indices.clear();
    const auto number = [&](std::int32_t i) {
        return i < 0 ? 0 : n.numbers[static_cast<std::size_t>(i)];
    };
    for (const zero_fact& fact : order.zeros)
        order.zero_indices.emplace_back(number(fact.index), number(fact.other));
    return contraction_order(std::make_shared<const order_data>(std::move(order)));
}

contraction_order with_memory(const contraction_order& o, double memory) {
    if (memory <= 0) return o;
    order_data order = o.data();
    order.memory = memory;
    return contraction_order(std::make_shared<const order_data>(std::move(order)));
}

void check_is_of(const order_data& order, const network_data& n) {
    if (order.operands() != n.operands.size())
        throw error(
            fmt::format("ricci: the order is of a network of {} tensors, and this one has {}.",
                        order.operands(), n.operands.size()));
    if (order.network_hash != hash_of(n))
        throw error("ricci: the order is of another network, whose indices or extents differ.");
}

}  // namespace networks

contraction_order::contraction_order(std::shared_ptr<const networks::order_data> data)
    : data_(std::move(data)) {}

double contraction_order::multiplications() const { return data_->score.multiplications.value(); }

double contraction_order::largest() const { return data_->score.largest_intermediate.value(); }

std::int64_t contraction_order::slices() const {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const double count = data_->score.slices.value();
    return count < 0x1p63 ? static_cast<std::int64_t>(count) : most;
}

const std::vector<sliced_index>& contraction_order::sliced() const { return data_->sliced; }

double contraction_order::peak_bytes() const {
    return data_->operand_bytes + data_->score.peak * data_->element_bytes;
}

std::vector<std::pair<std::size_t, std::size_t>> contraction_order::ssa() const {
    networks::pair_list pairs;
    pairs.reserve(data_->products.size());
    for (const auto& [a, b] : data_->products)
        pairs.emplace_back(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
    return pairs;
}

// The list of what is left is that of all entries, in their order, without those that were used.
std::vector<std::pair<std::size_t, std::size_t>> contraction_order::path() const {
    const std::size_t operands = data_->operands();
    counted_places left(operands + data_->products.size());
    for (std::size_t k = 0; k < operands; ++k) left.take(k);
    networks::pair_list path;
    path.reserve(data_->products.size());
    for (const auto& [a, b] : data_->products) {
        const auto [first, second] =
            std::minmax({static_cast<std::size_t>(a), static_cast<std::size_t>(b)});
        path.emplace_back(left.position(first), left.position(second));
        left.leave(first);
        left.leave(second);
        left.take(operands + path.size() - 1);
    }
    return path;
}

contraction_order contraction_order::from_ssa(
    const network& n, const std::vector<std::pair<std::size_t, std::size_t>>& pairs,
    const std::vector<sliced_index>& slices) {
    return networks::order_of_pairs(n.data(), pairs, slices);
}

contraction_order contraction_order::from_path(
    const network& n, const std::vector<std::pair<std::size_t, std::size_t>>& pairs,
    const std::vector<sliced_index>& slices) {
    const std::size_t operands = n.size();
    const auto refuse = [](const std::string& words) {
        throw error(fmt::format("ricci: this is no path through the network: {}.", words));
    };
    if (operands == 0) refuse("it has no tensors");
    if (pairs.size() + 1 != operands)
        refuse(fmt::format("{} tensors take {} steps, and {} are given", operands, operands - 1,
                           pairs.size()));
    counted_places left(operands + pairs.size());
    for (std::size_t k = 0; k < operands; ++k) left.take(k);
    networks::pair_list ssa;
    ssa.reserve(pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const auto [first, second] = pairs[k];
        if (first == second) refuse(fmt::format("step {} takes position {} twice", k, first));
        if (std::max(first, second) >= left.count())
            refuse(fmt::format("step {} takes position {}, and {} tensors are left", k,
                               std::max(first, second), left.count()));
        const std::size_t a = left.at(first), b = left.at(second);
        ssa.emplace_back(a, b);
        left.leave(a);
        left.leave(b);
        left.take(operands + k);
    }
    return networks::order_of_pairs(n.data(), ssa, slices);
}

}  // namespace ricci
