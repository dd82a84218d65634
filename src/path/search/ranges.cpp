// Slices of a finished order: enough of them, and no more parts than needed.
#include "src/path/search/ranges.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include <ricci/error.hpp>

#include "src/path/search/core_network.hpp"

namespace ricci::path {
namespace {

/// The indices of every result of a product that may be too large.
class large_results {
public:
    large_results(const hypergraph& network, const product_list& products, double log2_limit)
        : network_(network), log2_limit_(log2_limit) {
        std::vector<std::int32_t> holders(network.extents.size());
        for (const std::int32_t i : network.members) ++holders[place(i)];
        for (const std::int32_t i : network.open) ++holders[place(i)];
        sparse_.resize(network.extents.size());
        for (const std::int32_t i : network.sparse) sparse_[place(i)] = 1;
        std::vector<std::vector<std::int32_t>> sets;
        sets.reserve(place(network.operands()) + products.size());
        for (std::int32_t t = 0; t < network.operands(); ++t) {
            auto& own = sets.emplace_back(network.members.begin() + network.first[place(t)],
                                          network.members.begin() + network.first[place(t) + 1]);
            std::erase_if(own, [&](std::int32_t i) { return holders[place(i)] == 1; });
            std::sort(own.begin(), own.end());
        }
        std::vector<double> log2_extents;
        for (const double extent : network.extents) log2_extents.push_back(std::log2(extent));
        for (const auto& [a, b] : products) {
            auto &left = sets[place(a)], &right = sets[place(b)];
            std::vector<std::int32_t> both;
            std::set_union(left.begin(), left.end(), right.begin(), right.end(),
                           std::back_inserter(both));
            for (const std::int32_t i : left)
                if (std::binary_search(right.begin(), right.end(), i)) --holders[place(i)];
            std::erase_if(both, [&](std::int32_t i) { return holders[place(i)] == 1; });
            left = {}, right = {};
            if (log2_elements(both, log2_extents) > log2_limit) large_.push_back(both);
            sets.push_back(std::move(both));
        }
    }

    /// By how much (log2) the largest of them is beyond the limit where extents are these; they are
    /// those left at most.
    double excess(const std::vector<double>& log2_extents) const {
        double excess = 0;
        for (const auto& set : large_)
            excess = std::max(excess, log2_elements(set, log2_extents) - log2_limit_);
        return excess < 1e-9 ? 0 : excess;
    }

    /// The index that most of those have that are still too large, the largest extent among equals;
    /// -1: none.
    std::int32_t most_common(const std::vector<double>& log2_extents) const {
        std::vector<std::int32_t> count(log2_extents.size());
        for (const auto& set : large_)
            if (log2_elements(set, log2_extents) > log2_limit_ + 1e-9)
                for (const std::int32_t i : set) count[place(i)] += log2_extents[place(i)] > 0;
        std::int32_t best = -1;
        for (std::size_t i = 0; i < count.size(); ++i)
            if (count[i] > 0 &&
                (best < 0 || count[i] > count[place(best)] ||
                 (count[i] == count[place(best)] && log2_extents[i] > log2_extents[place(best)])))
                best = static_cast<std::int32_t>(i);
        return best;
    }

private:
    double log2_elements(const std::vector<std::int32_t>& set,
                         const std::vector<double>& log2_extents) const {
        double dense = 0, sparse = 0;
        for (const std::int32_t i : set)
            (sparse_[place(i)] != 0 ? sparse : dense) += log2_extents[place(i)];
        return dense + std::min(sparse, std::log2(network_.choices));
    }

    const hypergraph& network_;
    double log2_limit_;
    std::vector<char> sparse_;
    std::vector<std::vector<std::int32_t>> large_;
};

}  // namespace

void cut_to_limit(const hypergraph& network, double largest, const std::vector<char>& fixed,
                  order_found& order) {
    const large_results results(network, order.products, std::log2(largest));
    std::vector<double> log2_extents;
    for (const double extent : network.extents) log2_extents.push_back(std::log2(extent));
    if (results.excess(log2_extents) == 0) return;
    std::vector<std::int32_t> cut;
    for (std::size_t i = 0; i < fixed.size(); ++i) {
        if (fixed[i] == 0 || network.extents[i] < 2) continue;
        cut.push_back(static_cast<std::int32_t>(i));
        log2_extents[i] = 0;
    }
    while (results.excess(log2_extents) > 0) {
        const std::int32_t next = results.most_common(log2_extents);
        if (next < 0)
            throw error("order search: no slices bring the largest intermediate within " +
                        std::to_string(largest) + " elements");
        cut.push_back(next);
        log2_extents[place(next)] = 0;
    }
    // Those chosen last were the least worth: they are whole again where that does, or in fewer
    // parts.
    for (auto i = cut.rbegin(); i != cut.rend(); ++i) {
        const auto extent = static_cast<std::int64_t>(network.extents[place(*i)]);
        const auto fits = [&](std::int64_t parts) {
            const std::int64_t width = slice{*i, parts}.width(extent);
            log2_extents[place(*i)] = std::log2(static_cast<double>(width));
            return results.excess(log2_extents) == 0;
        };
        std::int64_t least = 1, most = extent;
        while (least < most) {
            const std::int64_t middle = least + (most - least) / 2;
            if (fits(middle)) most = middle;
            else least = middle + 1;
        }
        fits(most);
        if (most > 1) order.slices.push_back({*i, most});
    }
}

}  // namespace ricci::path
