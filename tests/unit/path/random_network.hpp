// Random hypergraphs, and trees of theirs evaluated over sets of operands.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <iterator>
#include <set>
#include <vector>

#include "src/path/search.hpp"

namespace ricci::testing {

/// A network that grows operand by operand.
class network_maker {
public:
    std::int32_t index(double extent = 2) {
        network_.extents.push_back(extent);
        return network_.indices() - 1;
    }
    void operand(const std::vector<std::int32_t>& indices) {
        network_.members.insert(network_.members.end(), indices.begin(), indices.end());
        network_.first.push_back(static_cast<std::int32_t>(network_.members.size()));
    }
    void open(std::int32_t index) { network_.open.push_back(index); }
    path::hypergraph take() { return std::move(network_); }

private:
    path::hypergraph network_;
};

struct network_sizes {
    std::int32_t operands = 5, indices = 7, most_rank = 4, most_extent = 4, open = 1;
};

/// Scalars, indices of one operand, of many, of extent 1 and parts that share nothing all occur.
inline path::hypergraph random_network(const network_sizes& sizes, unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::int32_t n) {
        return static_cast<std::int32_t>(random() % static_cast<unsigned>(n));
    };
    path::hypergraph network;
    for (std::int32_t i = 0; i < sizes.indices; ++i)
        network.extents.push_back(1 + below(sizes.most_extent));
    std::set<std::int32_t> used;
    for (std::int32_t t = 0; t < sizes.operands; ++t) {
        std::set<std::int32_t> own;
        for (std::int32_t k = below(sizes.most_rank + 1); k > 0; --k)
            own.insert(below(sizes.indices));
        network.members.insert(network.members.end(), own.rbegin(), own.rend());
        network.first.push_back(static_cast<std::int32_t>(network.members.size()));
        used.insert(own.begin(), own.end());
    }
    for (const std::int32_t i : used)
        if (below(sizes.indices) < sizes.open) network.open.push_back(i);
    return network;
}

/// The costs of one tree, linear.
struct linear_cost {
    double multiplications = 0, product = 1, intermediate = 1, traffic = 0;
};

/// Evaluates trees of a network of few operands by sets: an index is left in a part if something
/// inside and something outside have it, the result counting as outside.
class set_evaluation {
public:
    explicit set_evaluation(const path::hypergraph& network) : network_(network) {
        for (std::int32_t t = 0; t < network.operands(); ++t)
            has_.emplace_back(
                network.members.begin() + network.first[static_cast<std::size_t>(t)],
                network.members.begin() + network.first[static_cast<std::size_t>(t) + 1]);
    }

    std::set<std::int32_t> left_of(unsigned part) const {
        std::set<std::int32_t> inside, outside(network_.open.begin(), network_.open.end()), left;
        for (std::size_t t = 0; t < has_.size(); ++t)
            ((part >> t & 1) != 0 ? inside : outside).insert(has_[t].begin(), has_[t].end());
        std::set_intersection(inside.begin(), inside.end(), outside.begin(), outside.end(),
                              std::inserter(left, left.end()));
        return left;
    }
    double elements(const std::set<std::int32_t>& indices) const {
        double dense = 1, sparse = 1;
        for (const std::int32_t i : indices) {
            const bool is_sparse =
                std::count(network_.sparse.begin(), network_.sparse.end(), i) > 0;
            (is_sparse ? sparse : dense) *= network_.extents[static_cast<std::size_t>(i)];
        }
        return dense * std::min(sparse, network_.choices);
    }
    /// What multiplying two parts costs.
    linear_cost product(unsigned a, unsigned b) const {
        const auto left = left_of(a), right = left_of(b);
        auto both = left;
        both.insert(right.begin(), right.end());
        const double result = elements(left_of(a | b));
        return {elements(both), elements(both), result, elements(left) + elements(right) + result};
    }
    linear_cost of(const std::vector<std::pair<std::int32_t, std::int32_t>>& products) const {
        std::vector<unsigned> part;
        for (std::size_t t = 0; t < has_.size(); ++t) part.push_back(1u << t);
        linear_cost cost;
        for (const auto& [a, b] : products) {
            const unsigned left = part[static_cast<std::size_t>(a)],
                           right = part[static_cast<std::size_t>(b)];
            add(cost, product(left, right));
            part.push_back(left | right);
        }
        return cost;
    }
    static void add(linear_cost& cost, const linear_cost& other) {
        cost.multiplications += other.multiplications;
        cost.traffic += other.traffic;
        cost.product = std::max(cost.product, other.product);
        cost.intermediate = std::max(cost.intermediate, other.intermediate);
    }

    /// The least that any tree costs, of each kind on its own; without sparse indices, of up to 64.
    linear_cost least() const {
        const std::size_t count = std::size_t{1} << has_.size();
        std::vector<std::uint64_t> left(count);
        for (std::size_t s = 1; s < count; ++s)
            for (const std::int32_t i : left_of(static_cast<unsigned>(s)))
                left[s] |= std::uint64_t{1} << i;
        constexpr double infinite = std::numeric_limits<double>::infinity();
        std::vector<linear_cost> best(count, {infinite, infinite, infinite, infinite});
        for (std::size_t t = 0; t < has_.size(); ++t) best[std::size_t{1} << t] = {};
        for (std::size_t s = 1; s < count; ++s) {
            auto& to = best[s];
            const double result = elements(left[s]);
            for (std::size_t a = (s - 1) & s; a > (s & ~a); a = (a - 1) & s) {
                const linear_cost &x = best[a], &y = best[s & ~a];
                const double product = elements(left[a] | left[s & ~a]);
                const double traffic = elements(left[a]) + elements(left[s & ~a]) + result;
                to.multiplications =
                    std::min(to.multiplications, x.multiplications + y.multiplications + product);
                to.traffic = std::min(to.traffic, x.traffic + y.traffic + traffic);
                to.product = std::min(to.product, std::max({x.product, y.product, product}));
                to.intermediate =
                    std::min(to.intermediate, std::max({x.intermediate, y.intermediate, result}));
            }
        }
        return best[count - 1];
    }

private:
    double elements(std::uint64_t indices) const {
        double elements = 1;
        for (; indices != 0; indices &= indices - 1)
            elements *= network_.extents[static_cast<std::size_t>(std::countr_zero(indices))];
        return elements;
    }

    const path::hypergraph& network_;
    std::vector<std::set<std::int32_t>> has_;
};

}  // namespace ricci::testing
