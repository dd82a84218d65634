// What trees of the core network cost, as the search compares them.
#include "src/path/search/score.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

namespace ricci::path {

double log2_add(double a, double b) {
    const double large = std::max(a, b), small = std::min(a, b);
    if (large - small > 60) return large;
    return large + std::log2(1 + std::exp2(small - large));
}

double product_price::operator()(double product, double left, double right, double result) const {
    const double price = power() * counted(minimize, product, left, right, result, log2_add,
                                           [&](double x) { return std::log2(traffic_weight) + x; });
    return price + penalty * std::max(0.0, result - limit);
}

namespace {

/// Calls `visit(product, size of left, size of right, size of result)`, all log2 of elements, for
/// every product, and gives the sizes of all operands and results.
template <class Visit>
std::vector<double> walk_products(const core_network& network, const product_list& products,
                                  const Visit& visit) {
    std::vector<std::int32_t> holders(network.weight.size());
    for (std::size_t i = 0; i < holders.size(); ++i)
        holders[i] = network.holder_first[i + 1] - network.holder_first[i] + network.open[i];
    std::vector<std::vector<std::int32_t>> sets;
    sets.reserve(place(network.operands()) + products.size());
    std::vector<double> size;
    for (std::int32_t t = 0; t < network.operands(); ++t) {
        const auto own = network.indices_of(t);
        sets.emplace_back(own.begin(), own.end());
        double sum = 0;
        for (const std::int32_t i : own) sum += network.weight[place(i)];
        size.push_back(sum);
    }
    std::vector<std::int32_t> both;
    for (const auto& [a, b] : products) {
        auto &left = sets[place(a)], &right = sets[place(b)];
        both.clear();
        double product = 0, result = 0;
        std::size_t x = 0, y = 0;
        while (x < left.size() || y < right.size()) {
            std::int32_t i = 0;
            bool shared = false;
            if (y == right.size() || (x < left.size() && left[x] < right[y])) i = left[x++];
            else if (x == left.size() || right[y] < left[x]) i = right[y++];
            else i = left[x++], ++y, shared = true;
            product += network.weight[place(i)];
            if (shared && --holders[place(i)] < 2) continue;
            both.push_back(i);
            result += network.weight[place(i)];
        }
        left = {}, right = {};
        sets.push_back(both);
        visit(product, size[place(a)], size[place(b)], result);
        size.push_back(result);
    }
    return size;
}

}  // namespace

std::vector<double> entry_sizes(const core_network& network, const product_list& products) {
    return walk_products(network, products, [](double, double, double, double) {});
}

double tree_score(const core_network& network, const product_list& products,
                  const product_price& price) {
    std::vector<double> prices;
    prices.reserve(products.size());
    double largest = -std::numeric_limits<double>::infinity();
    walk_products(network, products, [&](double product, double left, double right, double result) {
        prices.push_back(price(product, left, right, result));
        largest = std::max(largest, prices.back());
    });
    double sum = 0;
    for (const double p : prices) sum += std::exp2(p - largest);
    return prices.empty() ? largest : largest + std::log2(sum);
}

}  // namespace ricci::path
