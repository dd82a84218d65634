// The factors of an equation as a network for the search, and the order found as a path.
#include "src/path/path.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/path/search.hpp"
#include "src/path/search/exact.hpp"

namespace ricci::path {
namespace {

hypergraph numbered(const std::vector<std::span<const ir::ref>>& operands,
                    std::span<const ir::ref> result,
                    const std::function<std::int64_t(ir::ref)>& extent) {
    std::vector<ir::ref> all(result.begin(), result.end());
    for (const auto& o : operands) all.insert(all.end(), o.begin(), o.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    const auto append = [&](std::span<const ir::ref> list, std::vector<std::int32_t>& to) {
        for (const ir::ref i : list)
            to.push_back(static_cast<std::int32_t>(std::lower_bound(all.begin(), all.end(), i) -
                                                   all.begin()));
    };
    hypergraph network;
    for (const auto& o : operands) {
        append(o, network.members);
        network.first.push_back(static_cast<std::int32_t>(network.members.size()));
    }
    append(result, network.open);
    // Where an index has no values every order costs nothing; one that is good for longer ones will
    // do.
    for (const ir::ref i : all)
        network.extents.push_back(static_cast<double>(std::max<std::int64_t>(extent(i), 1)));
    return network;
}

product_list exact_products(const hypergraph& network) {
    small_network small;
    small.extents = network.extents;
    small.result = index_bits(network.extents.size());
    for (const std::int32_t i : network.open) small.result.insert(place(i));
    for (std::int32_t t = 0; t < network.operands(); ++t) {
        auto& set = small.operands.emplace_back(network.extents.size());
        for (auto k = network.first[place(t)]; k < network.first[place(t) + 1]; ++k)
            set.insert(place(network.members[place(k)]));
    }
    return exact_tree(small, {});
}

/// The products with what they cost, each from the sorted indices of both operands.
contraction_path costed(const hypergraph& network, const product_list& products) {
    std::vector<std::int32_t> holders(network.extents.size());
    for (const std::int32_t i : network.members) ++holders[place(i)];
    for (const std::int32_t i : network.open) ++holders[place(i)];
    std::vector<std::vector<std::int32_t>> sets;
    sets.reserve(place(network.operands()) + products.size());
    for (std::int32_t t = 0; t < network.operands(); ++t)
        sets.emplace_back(network.members.begin() + network.first[place(t)],
                          network.members.begin() + network.first[place(t) + 1]);
    contraction_path path;
    path.operands = network.operands();
    path.products.reserve(products.size());
    for (const auto& [a, b] : products) {
        path.products.push_back({a, b});
        auto &left = sets[place(a)], &right = sets[place(b)];
        std::vector<std::int32_t> kept;
        double product = 1, result = 1;
        auto x = left.begin(), y = right.begin();
        while (x != left.end() || y != right.end()) {
            const bool first = y == right.end() || (x != left.end() && *x <= *y);
            const bool second = x == left.end() || (y != right.end() && *y <= *x);
            const std::int32_t i = first ? *x : *y;
            const double extent = network.extents[place(i)];
            product *= extent;
            if (first && second) --holders[place(i)];
            // In the result of the last one, too: then the result of the network has it.
            if (holders[place(i)] > 1 || !(first && second)) {
                kept.push_back(i);
                result *= extent;
            }
            x += first ? 1 : 0, y += second ? 1 : 0;
        }
        path.multiplications += product;
        if (path.products.size() < products.size()) path.stored += result;
        left = {}, right = {};
        sets.push_back(std::move(kept));
    }
    return path;
}

}  // namespace

contraction_path find_path(const std::vector<std::span<const ir::ref>>& operands,
                           std::span<const ir::ref> result,
                           const std::function<std::int64_t(ir::ref)>& extent) {
    const hypergraph network = numbered(operands, result, extent);
    if (operands.size() <= exact_path_operands) return costed(network, exact_products(network));
    search_options options;
    options.trials = 1;
    options.brief = true;
    return costed(network, search_order(network, options).products);
}

}  // namespace ricci::path
