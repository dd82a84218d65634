// The best tree of few operands, by dynamic programming over subsets.
#include "src/path/search/exact.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace ricci::path {
namespace {

constexpr double beyond_all = std::numeric_limits<double>::infinity();

class subset_trees {
public:
    subset_trees(const small_network& network, const product_price& price)
        : network_(network),
          price_(price),
          full_((std::size_t{1} << network.operands.size()) - 1),
          kept_(full_ + 1, index_bits(network.extents.size())),
          sizes_(full_ + 1),
          best_(full_ + 1) {
        fill_sets();
    }

    product_list run() {
        product_list products = greedy();
        if (network_.operands.size() < 3) return products;
        for (std::size_t s = 1; s <= full_; ++s)
            if (!std::has_single_bit(s)) solve(s);
        if (best_[full_].part == 0) return products;
        products.clear();
        emit(full_, products);
        return products;
    }

private:
    struct solution {
        double price = 0, second = 0;  // what decides among equal prices
        std::size_t part = 0;          // one of the two operands of the last product
    };

    // What the product of a subset still has: its operands' indices that others or the result have.
    void fill_sets() {
        std::vector<index_bits> inside(full_ + 1, index_bits(network_.extents.size()));
        for (std::size_t s = 1; s <= full_; ++s)
            inside[s] = inside[s & (s - 1)] |
                        network_.operands[static_cast<std::size_t>(std::countr_zero(s))];
        for (std::size_t s = 1; s <= full_; ++s) {
            kept_[s] = inside[s] & (network_.result | inside[full_ - s]);
            sizes_[s] = kept_[s].size(network_.extents);
        }
    }

    // The pair whose product shrinks the operands most, again and again: an order that stands, and
    // how many multiplications none that is dearer has to be looked at for.
    product_list greedy() {
        std::vector<std::pair<std::size_t, std::int32_t>> left;  // subset and entry
        for (std::size_t k = 0; k < network_.operands.size(); ++k)
            left.emplace_back(std::size_t{1} << k, static_cast<std::int32_t>(k));
        auto entry = static_cast<std::int32_t>(left.size());
        product_list products;
        double multiplications = 0;
        while (left.size() > 1) {
            std::size_t a = 0, b = 1;
            double least = beyond_all;
            for (std::size_t x = 0; x < left.size(); ++x)
                for (std::size_t y = x + 1; y < left.size(); ++y) {
                    const std::size_t s = left[x].first, t = left[y].first;
                    const double growth = sizes_[s | t] - sizes_[s] - sizes_[t];
                    if (growth < least) least = growth, a = x, b = y;
                }
            multiplications +=
                kept_[left[a].first].size_with(kept_[left[b].first], network_.extents);
            products.emplace_back(left[a].second, left[b].second);
            left[a] = {left[a].first | left[b].first, entry++};
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(b));
        }
        // It may be added up in another order.
        if (price_.minimize == objective::multiplications) most_ = multiplications * (1 + 1e-9);
        return products;
    }

    double price_of(double product, std::size_t left, std::size_t right) const {
        return counted(price_.minimize, product, sizes_[left], sizes_[right], sizes_[left | right],
                       std::plus<>(), [&](double x) { return price_.traffic_weight * x; });
    }

    void solve(std::size_t s) {
        const bool sum = price_.power() == 1, plain = price_.minimize == objective::multiplications;
        solution& best = best_[s];
        best.price = best.second = beyond_all;
        const std::size_t lowest = s & (~s + 1);
        // Every split once: the part with the lowest operand comes first.
        for (std::size_t part = (s - 1) & s; part != 0; part = (part - 1) & s) {
            if ((part & lowest) == 0) continue;
            const std::size_t other = s & ~part;
            const solution &left = best_[part], &right = best_[other];
            // The product takes as many as its larger operand and its result have elements.
            if (plain &&
                left.price + right.price + std::max({sizes_[part], sizes_[other], sizes_[s]}) >
                    std::min(most_, best.price))
                continue;
            const double product = kept_[part].size_with(kept_[other], network_.extents);
            const double price = price_of(product, part, other);
            solution now;
            now.price =
                sum ? left.price + right.price + price : std::max({left.price, right.price, price});
            now.second = left.second + right.second + (sum ? sizes_[s] : product);
            now.part = part;
            if (now.price < best.price || (now.price == best.price && now.second < best.second))
                best = now;
        }
    }

    std::int32_t emit(std::size_t s, product_list& products) const {
        if (std::has_single_bit(s)) return static_cast<std::int32_t>(std::countr_zero(s));
        const std::int32_t left = emit(best_[s].part, products);
        const std::int32_t right = emit(s & ~best_[s].part, products);
        products.emplace_back(left, right);
        return static_cast<std::int32_t>(network_.operands.size() + products.size()) - 1;
    }

    const small_network& network_;
    product_price price_;
    std::size_t full_;
    std::vector<index_bits> kept_;
    std::vector<double> sizes_;
    std::vector<solution> best_;
    double most_ = beyond_all;  // multiplications
};

}  // namespace

product_list exact_tree(const small_network& network, const product_price& price) {
    return subset_trees(network, price).run();
}

product_list exact_tree(const core_network& network, const product_price& price) {
    small_network small;
    small.result = index_bits(network.weight.size());
    for (std::size_t i = 0; i < network.weight.size(); ++i) {
        small.extents.push_back(std::exp2(network.weight[i]));
        if (network.open[i] != 0) small.result.insert(i);
    }
    for (std::int32_t t = 0; t < network.operands(); ++t) {
        auto& set = small.operands.emplace_back(network.weight.size());
        for (const std::int32_t i : network.indices_of(t)) set.insert(place(i));
    }
    return exact_tree(small, price);
}

}  // namespace ricci::path
