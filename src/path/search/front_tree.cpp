// Trees that go through the operands in a line: a front takes up one segment after the other.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
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

}  // namespace ricci::path
