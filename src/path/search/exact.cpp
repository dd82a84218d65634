// The best tree of few operands, by dynamic programming over subsets.
#include "src/path/search/exact.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace ricci::path {
namespace {

class subset_trees {
public:
    subset_trees(const core_network& network, const product_price& price)
        : network_(network),
          price_(price),
          full_((std::uint32_t{1} << network.operands()) - 1),
          words_((network.weight.size() + 63) / 64),
          sets_(place(static_cast<std::int32_t>(full_) + 1) * words_),
          best_(full_ + std::size_t{1}),
          size_(best_.size()) {
        fill_sets();
    }

    product_list run() {
        for (std::uint32_t s = 1; s <= full_; ++s)
            if ((s & (s - 1)) != 0) solve(s);
        product_list products;
        emit(full_, products);
        return products;
    }

private:
    struct solution {
        // log2; next to nothing for single operands.
        double price = -1e9, multiplications = -1e9;
        std::uint32_t part = 0;  // one of the two operands of the last product
    };

    std::uint64_t* set_of(std::uint32_t s) { return sets_.data() + s * words_; }

    // What the product of a subset still has: its operands' indices that others or the result have.
    void fill_sets() {
        for (std::int32_t i = 0; i < network_.indices(); ++i) {
            std::uint32_t holders = 0;
            for (const std::int32_t t : network_.holders_of(i)) holders |= std::uint32_t{1} << t;
            const std::size_t word = place(i) / 64;
            for (std::uint32_t s = 1; s <= full_; ++s)
                if ((s & holders) != 0 && ((holders & ~s) != 0 || network_.open[place(i)] != 0)) {
                    set_of(s)[word] |= std::uint64_t{1} << (place(i) % 64);
                    size_[s] += network_.weight[place(i)];
                }
        }
    }

    double union_weight(std::uint32_t a, std::uint32_t b) {
        double weight = 0;
        for (std::size_t k = 0; k < words_; ++k)
            for (std::uint64_t w = set_of(a)[k] | set_of(b)[k]; w != 0; w &= w - 1)
                weight += network_.weight[k * 64 + static_cast<std::size_t>(std::countr_zero(w))];
        return weight;
    }

    void solve(std::uint32_t s) {
        const bool extremum = price_.power() > 1;
        solution best{std::numeric_limits<double>::infinity(),
                      std::numeric_limits<double>::infinity(), 0};
        const std::uint32_t lowest = s & (~s + 1);
        // Every split once: the part with the lowest operand comes first.
        for (std::uint32_t rest = (s - 1) & s; rest != 0; rest = (rest - 1) & s) {
            if ((rest & lowest) == 0) continue;
            const std::uint32_t other = s & ~rest;
            const double product = union_weight(rest, other);
            const double price = price_(product, size_[rest], size_[other], size_[s]);
            const auto sum = [](double a, double b, double c) {
                return log2_add(log2_add(a, b), c);
            };
            solution now;
            now.multiplications =
                sum(best_[rest].multiplications, best_[other].multiplications, product);
            now.price = extremum ? std::max({best_[rest].price, best_[other].price, price})
                                 : sum(best_[rest].price, best_[other].price, price);
            now.part = rest;
            if (now.price < best.price ||
                (now.price == best.price && now.multiplications < best.multiplications))
                best = now;
        }
        best_[s] = best;
    }

    std::int32_t emit(std::uint32_t s, product_list& products) {
        if ((s & (s - 1)) == 0) return std::countr_zero(s);
        const std::int32_t left = emit(best_[s].part, products);
        const std::int32_t right = emit(s & ~best_[s].part, products);
        products.emplace_back(left, right);
        return network_.operands() + static_cast<std::int32_t>(products.size()) - 1;
    }

    const core_network& network_;
    product_price price_;
    std::uint32_t full_;
    std::size_t words_;
    std::vector<std::uint64_t> sets_;
    std::vector<solution> best_;
    std::vector<double> size_;
};

}  // namespace

product_list exact_tree(const core_network& network, const product_price& price) {
    return subset_trees(network, price).run();
}

}  // namespace ricci::path
