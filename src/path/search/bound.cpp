// What no order's largest product is smaller than: the greatest of the least degrees met while a
// graph is contracted edge by edge.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "src/path/search/core_network.hpp"
#include "src/path/search/random.hpp"

namespace ricci::path {
namespace {

/// Indices are vertices, adjacent where an operand has both. The products of an order are the bags
/// of a tree decomposition, and so are those of its minors: some bag holds a vertex of a minor with
/// all its neighbours. Two vertices that become one weigh as the lighter of them.
class least_degrees {
public:
    explicit least_degrees(const core_network& network)
        : weight_(network.weight), neighbours_(weight_.size()), degree_(weight_.size()) {
        for (std::int32_t t = 0; t < network.operands(); ++t) join(network.indices_of(t));
        // The last product has all open indices.
        std::vector<std::int32_t> open;
        for (std::int32_t i = 0; i < network.indices(); ++i)
            if (network.open[place(i)] != 0) open.push_back(i);
        join(open);
        for (std::int32_t i = 0; i < network.indices(); ++i) {
            auto& list = neighbours_[place(i)];
            std::sort(list.begin(), list.end());
            list.erase(std::unique(list.begin(), list.end()), list.end());
            degree_[place(i)] = weight_[place(i)];
            for (const std::int32_t j : list) degree_[place(i)] += weight_[place(j)];
        }
    }

    /// The greatest least degree where equal vertices are taken as they are numbered, or in a
    /// random order. Work is counted over all calls.
    double largest(bool shuffled, random_stream& random, std::int64_t& work) {
        rank_.resize(weight_.size());
        std::iota(rank_.begin(), rank_.end(), 0);
        for (std::size_t k = shuffled ? rank_.size() : 0; k > 1; --k)
            std::swap(rank_[k - 1], rank_[random.below(static_cast<std::uint32_t>(k))]);
        for (std::size_t i = 0; i < weight_.size(); ++i)
            queue_.emplace(degree_[i], rank_[i], static_cast<std::int32_t>(i));
        double largest = 0;
        while (!queue_.empty() && work + work_ < most_work) {
            const auto [degree, rank, i] = queue_.top();
            queue_.pop();
            if (degree != degree_[place(i)]) continue;
            largest = std::max(largest, degree);
            contract(i);
        }
        work += work_;
        return largest;
    }

    // Steps after which what has been found so far has to do: any part of the graph gives a bound.
    static constexpr std::int64_t most_work = 60'000'000;

private:
    // The widest operand looked at as a whole.
    static constexpr std::size_t widest = 256;

    template <class Indices>
    void join(const Indices& indices) {
        const std::size_t count = std::min<std::size_t>(indices.size(), widest);
        for (std::size_t a = 0; a < count; ++a)
            for (std::size_t b = 0; b < count; ++b)
                if (a != b) neighbours_[place(indices[a])].push_back(indices[b]);
    }

    void contract(std::int32_t i) {
        auto own = std::move(neighbours_[place(i)]);
        neighbours_[place(i)] = {};
        degree_[place(i)] = -1;
        if (own.empty()) return;
        std::int32_t into = -1;
        std::size_t fewest = 0;
        for (const std::int32_t j : own) {
            const std::size_t common = common_with(own, neighbours_[place(j)]);
            if (into < 0 || common < fewest ||
                (common == fewest && rank_[place(j)] < rank_[place(into)]))
                into = j, fewest = common;
        }
        for (const std::int32_t j : own) {
            auto& theirs = neighbours_[place(j)];
            theirs.erase(std::lower_bound(theirs.begin(), theirs.end(), i));
            if (j == into) continue;
            const auto at = std::lower_bound(theirs.begin(), theirs.end(), into);
            if (at == theirs.end() || *at != into) theirs.insert(at, into);
        }
        std::erase(own, into);
        std::vector<std::int32_t> both;
        std::set_union(own.begin(), own.end(), neighbours_[place(into)].begin(),
                       neighbours_[place(into)].end(), std::back_inserter(both));
        neighbours_[place(into)] = std::move(both);
        const bool lighter = weight_[place(i)] < weight_[place(into)];
        weight_[place(into)] = std::min(weight_[place(into)], weight_[place(i)]);
        refresh(into);
        for (const std::int32_t j : own) refresh(j);
        if (lighter)
            for (const std::int32_t j : neighbours_[place(into)]) refresh(j);
    }

    std::size_t common_with(const std::vector<std::int32_t>& a,
                            const std::vector<std::int32_t>& b) {
        work_ += static_cast<std::int64_t>(a.size() + b.size());
        std::size_t common = 0, x = 0, y = 0;
        while (x < a.size() && y < b.size()) {
            if (a[x] < b[y]) ++x;
            else if (b[y] < a[x]) ++y;
            else ++common, ++x, ++y;
        }
        return common;
    }

    void refresh(std::int32_t i) {
        double degree = weight_[place(i)];
        for (const std::int32_t j : neighbours_[place(i)]) degree += weight_[place(j)];
        work_ += static_cast<std::int64_t>(neighbours_[place(i)].size());
        if (degree == degree_[place(i)]) return;
        degree_[place(i)] = degree;
        queue_.emplace(degree, rank_[place(i)], i);
    }

    std::vector<double> weight_;
    std::vector<std::vector<std::int32_t>> neighbours_;  // sorted
    std::vector<double> degree_;                         // with the vertex itself; -1: contracted
    std::int64_t work_ = 0;
    std::vector<std::int32_t> rank_;  // what is taken first of equals
    using entry = std::tuple<double, std::int32_t, std::int32_t>;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> queue_;
};

}  // namespace

double product_bound_log2(const hypergraph& network) {
    check_network(network);
    if (network.operands() < 2) return 0;
    // Sparse indices may count for nothing.
    hypergraph dense = network;
    for (const std::int32_t i : network.sparse) dense.extents[place(i)] = 1;
    dense.sparse.clear();
    const core_network core = unsimplified(dense).core;
    const least_degrees graph(core);
    random_stream random(0);
    double least = 0;
    std::int64_t work = 0;
    constexpr int attempts = 16;
    for (int k = 0; k < attempts && work < least_degrees::most_work; ++k) {
        least_degrees copy = graph;
        least = std::max(least, copy.largest(k > 0, random, work));
    }
    // Weights are rounded, and extents are whole numbers: nothing is claimed that rounding gave.
    const double rounded = std::round(least);
    least = std::abs(least - rounded) < 1e-9 ? rounded : least - 1e-3;
    return std::max(0.0, least);
}

// Three sets meet in a product, two operands and a result, and each of its indices is in two of
// them: where no operand of the network is larger, the largest is two thirds of the product.
double intermediate_bound_log2(const core_network& network, double product_bound) {
    double largest_operand = 0;
    for (std::int32_t t = 0; t < network.operands(); ++t) {
        double size = 0;
        for (const std::int32_t i : network.indices_of(t)) size += network.weight[place(i)];
        largest_operand = std::max(largest_operand, size);
    }
    const double bound = product_bound * 2 / 3 - 1e-9;
    // Powers of two have whole logarithms.
    const bool whole = std::all_of(network.weight.begin(), network.weight.end(),
                                   [](double w) { return w == std::floor(w); });
    const double least = whole ? std::ceil(bound) : bound;
    return largest_operand <= least ? least : -1;
}

}  // namespace ricci::path
