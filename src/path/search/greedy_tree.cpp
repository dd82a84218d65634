// Greedy trees: always the pair whose product grows least, from a heap whose entries are looked at
// again only when they come up.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "src/path/search/seeds.hpp"

namespace ricci::path {
namespace {

class greedy_builder {
public:
    greedy_builder(const core_network& network, const greedy_options& options,
                   random_stream& random)
        : network_(network), options_(options), random_(random), tree_(network) {
        const std::size_t most = 2 * place(network.operands());
        alive_.resize(most);
        seen_by_.assign(most, -1);
        std::fill_n(alive_.begin(), network.operands(), 1);
        for (std::int32_t i = 0; i < network.indices(); ++i) {
            const auto holders = network.holders_of(i);
            holders_.emplace_back(holders.begin(), holders.end());
        }
    }

    product_list run(const keep_going& go_on) {
        for (std::int32_t t = 0; t < network_.operands(); ++t) propose_all(t, true);
        std::int32_t left = network_.operands();
        std::size_t waiting = 0;  // indices below this propose no more pairs
        for (std::int64_t round = 0; left > 1; ++round) {
            if (round % 64 == 0 && !go_on()) return {};
            if (queue_.empty()) {
                if (!propose_crowded(waiting)) break;
                continue;
            }
            const auto [score, a, b] = queue_.top();
            queue_.pop();
            if (alive_[place(a)] == 0 || alive_[place(b)] == 0) continue;
            multiply(a, b);
            --left;
        }
        if (left > 1) {
            std::vector<std::int32_t> rest;
            for (std::size_t e = 0; e < alive_.size(); ++e)
                if (alive_[e] != 0) rest.push_back(static_cast<std::int32_t>(e));
            tree_.multiply_by_size(std::move(rest));
        }
        return tree_.take();
    }

private:
    // More operands than this share an index that proposes no pairs, which would be too many.
    static constexpr std::size_t most_holders = 16;

    std::vector<std::int32_t>& living_holders(std::int32_t index) {
        auto& list = holders_[place(index)];
        std::erase_if(list, [&](std::int32_t t) { return alive_[place(t)] == 0; });
        return list;
    }

    void propose_all(std::int32_t t, bool later_only) {
        for (const std::int32_t i : tree_.indices_of(t)) {
            const auto& list = living_holders(i);
            if (list.size() > most_holders) continue;
            for (const std::int32_t other : list) {
                if (other == t || (later_only && other < t) || seen_by_[place(other)] == t)
                    continue;
                seen_by_[place(other)] = t;
                propose(t, other);
            }
        }
    }

    void propose(std::int32_t a, std::int32_t b) {
        const auto &left = tree_.indices_of(a), &right = tree_.indices_of(b);
        double shared = 0, summed = 0;
        std::size_t x = 0, y = 0;
        while (x < left.size() && y < right.size()) {
            if (left[x] < right[y]) ++x;
            else if (right[y] < left[x]) ++y;
            else {
                const double w = network_.weight[place(left[x])];
                shared += w;
                if (tree_.holders(left[x]) == 2) summed += w;
                ++x, ++y;
            }
        }
        const double size_a = tree_.weight_of(a), size_b = tree_.weight_of(b);
        const double result = size_a + size_b - shared - summed;
        queue_.emplace(score(result, size_a, size_b), std::min(a, b), std::max(a, b));
    }

    // sign(s) log|s| of s = result - weight * (a + b), relative to the largest of the three, and
    // noise.
    double score(double result, double size_a, double size_b) {
        const double largest = std::max(result, std::max(size_a, size_b));
        const double s =
            std::exp2(result - largest) / options_.size_weight -
            options_.size_weight * (std::exp2(size_a - largest) + std::exp2(size_b - largest));
        // Scores of both signs are one ascending scale: what shrinks most, what grows least.
        const double magnitude = std::log(std::abs(s) + 1e-300) + largest * 0.6931471805599453;
        double score = s < 0 ? -std::max(magnitude, 1e-3) : std::max(magnitude, 1e-3);
        if (options_.temperature > 0) score -= options_.temperature * random_.gumbel();
        return score;
    }

    void multiply(std::int32_t a, std::int32_t b) {
        const std::int32_t made = tree_.multiply(a, b);
        alive_[place(a)] = alive_[place(b)] = 0;
        alive_[place(made)] = 1;
        for (const std::int32_t i : tree_.indices_of(made)) holders_[place(i)].push_back(made);
        propose_all(made, false);
    }

    // The operands of one index that too many share: neighbours in size propose themselves.
    bool propose_crowded(std::size_t& waiting) {
        if (crowded_.empty() && waiting == 0) {
            for (std::int32_t i = 0; i < network_.indices(); ++i)
                if (network_.holders_of(i).size() > most_holders) crowded_.push_back(i);
            std::sort(crowded_.begin(), crowded_.end(), [&](std::int32_t a, std::int32_t b) {
                const auto x = network_.holders_of(a).size(), y = network_.holders_of(b).size();
                return x != y ? x < y : a < b;
            });
        }
        for (; waiting < crowded_.size(); ++waiting) {
            auto list = living_holders(crowded_[waiting]);
            if (list.size() < 2) continue;
            std::sort(list.begin(), list.end(), [&](std::int32_t a, std::int32_t b) {
                const double x = tree_.weight_of(a), y = tree_.weight_of(b);
                return x != y ? x < y : a < b;
            });
            for (std::size_t k = 0; k + 1 < list.size(); ++k) propose(list[k], list[k + 1]);
            return true;
        }
        return false;
    }

    const core_network& network_;
    greedy_options options_;
    random_stream& random_;
    growing_tree tree_;
    std::vector<char> alive_;
    std::vector<std::int32_t> seen_by_, crowded_;
    std::vector<std::vector<std::int32_t>> holders_;
    using entry = std::tuple<double, std::int32_t, std::int32_t>;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> queue_;
};

}  // namespace

product_list greedy_tree(const core_network& network, const greedy_options& options,
                         random_stream& random, const keep_going& go_on) {
    return greedy_builder(network, options, random).run(go_on);
}

}  // namespace ricci::path
