// Slices of a finished order: enough of them, and no more parts than needed.
#include "src/path/search/ranges.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <string>
#include <tuple>
#include <utility>

#include <ricci/error.hpp>

#include "src/path/search/core_network.hpp"

namespace ricci::path {
namespace {

/// The indices of every result of a product that is too large without slices, and its size with
/// them: what one index changes is found from that index alone.
class large_results {
public:
    large_results(const hypergraph& network, const product_list& products, double log2_limit)
        : log2_limit_(log2_limit), log2_choices_(std::log2(network.choices)) {
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
        for (const double extent : network.extents) log2_extent_.push_back(std::log2(extent));
        for (const auto& [a, b] : products) {
            auto &left = sets[place(a)], &right = sets[place(b)];
            std::vector<std::int32_t> both;
            both.reserve(left.size() + right.size());
            auto x = left.begin(), y = right.begin();
            while (x != left.end() && y != right.end()) {
                if (*x < *y) both.push_back(*x++);
                else if (*y < *x) both.push_back(*y++);
                else {
                    if (--holders[place(*x)] > 1) both.push_back(*x);
                    ++x, ++y;
                }
            }
            both.insert(both.end(), x, left.end());
            both.insert(both.end(), y, right.end());
            left = {}, right = {};
            add(both);
            sets.push_back(std::move(both));
        }
        list_sets_of_indices();
    }

    bool all_within_limit() const { return too_large_ == 0; }

    /// An index has so many places (log2) from now on.
    void set_log2_extent(std::int32_t index, double log2_extent) {
        const double change = log2_extent - std::exchange(log2_extent_[place(index)], log2_extent);
        for (const std::size_t set : sets_of_[place(index)]) {
            const bool before = is_too_large(set);
            (sparse_[place(index)] != 0 ? large_[set].sparse : large_[set].dense) += change;
            const bool after = is_too_large(set);
            if (before != after) count(set, after ? 1 : -1);
        }
    }

    /// The most places (log2) of an index that keep all of those within the limit that have it.
    double log2_room(std::int32_t index) const {
        double room = std::numeric_limits<double>::infinity();
        for (const std::size_t set : sets_of_[place(index)]) {
            const result& r = large_[set];
            const double own = log2_extent_[place(index)];
            if (sparse_[place(index)] == 0) room = std::min(room, log2_limit_ - (size_of(r) - own));
            else if (r.dense + log2_choices_ > log2_limit_ + tolerance)
                room = std::min(room, log2_limit_ - r.dense - (r.sparse - own));
        }
        return room + tolerance;
    }

    /// The index that most of those have that are still too large, the largest extent among equals;
    /// -1: none.
    std::int32_t most_common() {
        while (!common_.empty()) {
            const candidate top = common_.top();
            const candidate now = candidate_of(top.index);
            if (now.count > 0 && now.log2_extent > 0 && !(now < top)) return top.index;
            common_.pop();
            if (now.count > 0 && now.log2_extent > 0) common_.push(now);
        }
        return -1;
    }

private:
    static constexpr double tolerance = 1e-9;

    struct result {
        std::vector<std::int32_t> indices;
        double dense = 0, sparse = 0;  // log2 of elements; choices bound what is sparse
    };
    // Ordered by what is worth slicing first: counts only fall while indices are fixed.
    struct candidate {
        std::int64_t count = 0;
        double log2_extent = 0;
        std::int32_t index = -1;
        bool operator<(const candidate& other) const {
            return std::tie(count, log2_extent, other.index) <
                   std::tie(other.count, other.log2_extent, index);
        }
    };

    void add(const std::vector<std::int32_t>& indices) {
        result r;
        for (const std::int32_t i : indices)
            (sparse_[place(i)] != 0 ? r.sparse : r.dense) += log2_extent_[place(i)];
        if (size_of(r) <= log2_limit_ + tolerance) return;
        r.indices = indices;
        large_.push_back(std::move(r));
    }

    void list_sets_of_indices() {
        sets_of_.resize(log2_extent_.size());
        count_.resize(log2_extent_.size());
        for (std::size_t set = 0; set < large_.size(); ++set) {
            for (const std::int32_t i : large_[set].indices) sets_of_[place(i)].push_back(set);
            count(set, 1);
        }
        for (std::size_t i = 0; i < count_.size(); ++i)
            if (count_[i] > 0) common_.push(candidate_of(static_cast<std::int32_t>(i)));
    }

    void count(std::size_t set, int change) {
        too_large_ += change;
        for (const std::int32_t i : large_[set].indices) count_[place(i)] += change;
    }
    candidate candidate_of(std::int32_t i) const {
        return {count_[place(i)], log2_extent_[place(i)], i};
    }
    double size_of(const result& r) const { return r.dense + std::min(r.sparse, log2_choices_); }
    bool is_too_large(std::size_t set) const {
        return size_of(large_[set]) > log2_limit_ + tolerance;
    }

    double log2_limit_, log2_choices_;
    std::vector<char> sparse_;
    std::vector<double> log2_extent_;
    std::vector<result> large_;
    std::vector<std::vector<std::size_t>> sets_of_;  // of each index
    std::int64_t too_large_ = 0;                     // sets
    std::vector<std::int64_t> count_;                // of each index: sets that are too large
    std::priority_queue<candidate> common_;
};

}  // namespace

void cut_to_limit(const hypergraph& network, double largest, const std::vector<char>& fixed,
                  order_found& order) {
    large_results results(network, order.products, std::log2(largest));
    if (results.all_within_limit()) return;
    std::vector<std::int32_t> cut;
    for (std::size_t i = 0; i < fixed.size(); ++i) {
        if (fixed[i] == 0 || network.extents[i] < 2) continue;
        cut.push_back(static_cast<std::int32_t>(i));
        results.set_log2_extent(cut.back(), 0);
    }
    while (!results.all_within_limit()) {
        const std::int32_t next = results.most_common();
        if (next < 0)
            throw error("order search: no slices bring the largest intermediate within " +
                        std::to_string(largest) + " elements");
        cut.push_back(next);
        results.set_log2_extent(next, 0);
    }
    // Those chosen last were the least worth: they are whole again where that does, or in fewer
    // parts.
    for (auto i = cut.rbegin(); i != cut.rend(); ++i) {
        const auto extent = static_cast<std::int64_t>(network.extents[place(*i)]);
        const double room = results.log2_room(*i);
        const auto log2_width = [&](std::int64_t parts) {
            return std::log2(static_cast<double>(slice{*i, parts}.width(extent)));
        };
        std::int64_t least = 1, most = extent;
        while (least < most) {
            const std::int64_t middle = least + (most - least) / 2;
            if (log2_width(middle) <= room) most = middle;
            else least = middle + 1;
        }
        results.set_log2_extent(*i, log2_width(most));
        if (most > 1) order.slices.push_back({*i, most});
    }
}

order_found sliced_within(const hypergraph& network, const order_found& order, double largest) {
    std::vector<char> sliced(network.extents.size());
    for (const slice& s : order.slices) sliced[place(s.index)] = 1;
    order_found cut;
    cut.products = order.products;
    cut_to_limit(network, largest, sliced, cut);
    return cut;
}

}  // namespace ricci::path
