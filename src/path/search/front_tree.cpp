// Trees that go through the operands in a line: a front takes up one segment after the other.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "src/path/search/score.hpp"
#include "src/path/search/seeds.hpp"

namespace ricci::path {
namespace {

/// Where the segments of a line are cut: the cheapest by dynamic programming over their ends.
class segment_planner {
public:
    segment_planner(const core_network& network, const std::vector<std::int32_t>& order)
        : network_(network),
          order_(order),
          last_(place(network.indices()), -1),
          first_(place(network.indices()), std::numeric_limits<std::int32_t>::max()),
          stamp_(place(network.indices()), -1) {
        for (std::size_t k = 0; k < order.size(); ++k)
            for (const std::int32_t i : network.indices_of(order[k])) {
                last_[place(i)] = static_cast<std::int32_t>(k);
                first_[place(i)] = std::min(first_[place(i)], static_cast<std::int32_t>(k));
            }
        for (std::size_t i = 0; i < last_.size(); ++i)
            if (network.open[i] != 0) last_[i] = std::numeric_limits<std::int32_t>::max();
    }

    /// The places in the order at which segments begin.
    std::vector<std::int32_t> begins() {
        const auto n = static_cast<std::int32_t>(order_.size());
        front_weight_.assign(place(n) + 1, 0);
        for (std::int32_t k = 0; k < n; ++k) {
            double change = 0;
            for (const std::int32_t i : network_.indices_of(order_[place(k)])) {
                if (first_[place(i)] == k) change += network_.weight[place(i)];
                if (last_[place(i)] == k) change -= network_.weight[place(i)];
            }
            front_weight_[place(k) + 1] = front_weight_[place(k)] + change;
        }
        std::vector<double> best(place(n) + 1, std::numeric_limits<double>::infinity());
        std::vector<std::int32_t> from(place(n) + 1, 0);
        best[0] = -std::numeric_limits<double>::infinity();
        for (std::int32_t begin = 0; begin < n; ++begin) extend(begin, best, from);
        std::vector<std::int32_t> result;
        for (std::int32_t end = n; end > 0; end = from[place(end)])
            result.push_back(from[place(end)]);
        std::reverse(result.begin(), result.end());
        return result;
    }

private:
    static constexpr std::int32_t longest = 12;

    // All segments that begin here: the front's indices, and those that come with the segment.
    void extend(std::int32_t begin, std::vector<double>& best, std::vector<std::int32_t>& from) {
        const auto n = static_cast<std::int32_t>(order_.size());
        const double front = front_weight_[place(begin)];
        double fresh = 0;    // the segment's indices that the front has not
        double segment = 0;  // the segment's own
        double inside = best[place(begin)];
        std::vector<std::int32_t> living;
        for (std::int32_t k = begin; k < n && k < begin + longest; ++k) {
            for (const std::int32_t i : network_.indices_of(order_[place(k)])) {
                if (stamp_[place(i)] == begin) continue;
                stamp_[place(i)] = begin;
                living.push_back(i);
                segment += network_.weight[place(i)];
                if (first_[place(i)] >= begin) fresh += network_.weight[place(i)];
            }
            if (k > begin) inside = log2_add(inside, segment);
            // What ends inside the segment is summed there.
            std::erase_if(living, [&](std::int32_t i) {
                const bool done = last_[place(i)] <= k && first_[place(i)] >= begin;
                if (done) {
                    segment -= network_.weight[place(i)];
                    fresh -= network_.weight[place(i)];
                }
                return done;
            });
            const double joined = begin == 0 ? inside : log2_add(inside, front + fresh);
            if (joined < best[place(k) + 1] || k == begin) {
                if (joined < best[place(k) + 1] ||
                    best[place(k) + 1] == std::numeric_limits<double>::infinity()) {
                    best[place(k) + 1] = joined;
                    from[place(k) + 1] = begin;
                }
            }
        }
    }

    const core_network& network_;
    const std::vector<std::int32_t>& order_;
    std::vector<std::int32_t> last_, first_, stamp_;
    std::vector<double> front_weight_;
};

}  // namespace

product_list front_tree(const core_network& network, const std::vector<std::int32_t>& order) {
    if (order.size() < 2) return {};
    growing_tree tree(network);
    const auto begins = segment_planner(network, order).begins();
    std::int32_t front = -1;
    for (std::size_t s = 0; s < begins.size(); ++s) {
        const std::size_t end = s + 1 < begins.size() ? place(begins[s + 1]) : order.size();
        std::int32_t segment = order[place(begins[s])];
        for (std::size_t k = place(begins[s]) + 1; k < end; ++k)
            segment = tree.multiply(segment, order[k]);
        front = front < 0 ? segment : tree.multiply(front, segment);
    }
    return tree.take();
}

std::vector<std::int32_t> order_by_indices(const core_network& network) {
    std::vector<double> mean(place(network.operands()));
    for (std::int32_t t = 0; t < network.operands(); ++t) {
        const auto own = network.indices_of(t);
        mean[place(t)] = std::accumulate(own.begin(), own.end(), 0.0) /
                         static_cast<double>(std::max<std::size_t>(own.size(), 1));
    }
    std::vector<std::int32_t> order(mean.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return mean[place(a)] != mean[place(b)] ? mean[place(a)] < mean[place(b)] : a < b;
    });
    return order;
}

std::vector<std::int32_t> order_by_layers(const core_network& network, std::int32_t start) {
    std::vector<std::int32_t> order;
    std::vector<char> seen(place(network.operands())), index_seen(place(network.indices()));
    const auto visit = [&](std::int32_t t) {
        if (seen[place(t)] != 0) return;
        seen[place(t)] = 1;
        order.push_back(t);
    };
    std::size_t next = 0;
    for (std::int32_t offset = 0; offset < network.operands(); ++offset) {
        visit((start + offset) % network.operands());
        for (; next < order.size(); ++next)
            for (const std::int32_t i : network.indices_of(order[next])) {
                if (index_seen[place(i)] != 0) continue;
                index_seen[place(i)] = 1;
                for (const std::int32_t other : network.holders_of(i)) visit(other);
            }
    }
    return order;
}

std::vector<std::int32_t> order_by_front(const core_network& network, std::int32_t start) {
    const std::int32_t n = network.operands();
    std::vector<std::int32_t> order, left(place(network.indices())), age(place(n), -1);
    std::vector<double> growth(place(n));
    std::vector<char> taken(place(n)), in_front(place(network.indices()));
    for (std::int32_t i = 0; i < network.indices(); ++i)
        left[place(i)] =
            static_cast<std::int32_t>(network.holders_of(i).size()) + network.open[place(i)];
    // How the front grows: new indices come, those that this operand is the last to have go.
    const auto change_of = [&](std::int32_t t) {
        double change = 0;
        for (const std::int32_t i : network.indices_of(t)) {
            if (in_front[place(i)] == 0) change += network.weight[place(i)];
            if (left[place(i)] == 1) change -= network.weight[place(i)];
        }
        return change;
    };
    using entry = std::tuple<double, std::int32_t, std::int32_t>;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> queue;
    std::int32_t clock = 0;
    const auto refresh = [&](std::int32_t t) {
        if (taken[place(t)] != 0) return;
        if (age[place(t)] < 0) age[place(t)] = clock++;
        const double change = change_of(t);
        growth[place(t)] = change;
        queue.emplace(change, age[place(t)], t);
    };
    // An index of very many operands does not tell which of them comes next.
    constexpr std::size_t most_holders = 256;
    for (std::int32_t offset = 0; static_cast<std::int32_t>(order.size()) < n; ++offset) {
        if (offset >= n) offset = 0;
        refresh((start + offset) % n);
        while (!queue.empty()) {
            const auto [change, since, t] = queue.top();
            queue.pop();
            if (taken[place(t)] != 0 || change != growth[place(t)]) continue;
            taken[place(t)] = 1;
            order.push_back(t);
            for (const std::int32_t i : network.indices_of(t)) {
                const bool fresh = in_front[place(i)] == 0;
                in_front[place(i)] = 1;
                --left[place(i)];
                if (!fresh && left[place(i)] != 1) continue;
                const auto holders = network.holders_of(i);
                if (holders.size() > most_holders && left[place(i)] != 1) continue;
                for (const std::int32_t other : holders) refresh(other);
            }
        }
    }
    return order;
}

}  // namespace ricci::path
