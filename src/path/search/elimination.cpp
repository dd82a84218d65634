// Trees from elimination orders of indices, on a quotient graph: what an elimination makes is one
// element with its indices, and no edge of a filled graph is ever stored.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "src/path/search/seeds.hpp"

namespace ricci::path {

growing_tree::growing_tree(const core_network& network) : network_(network) {
    sets_.reserve(2 * place(network.operands()));
    for (std::int32_t t = 0; t < network.operands(); ++t) {
        const auto own = network.indices_of(t);
        sets_.emplace_back(own.begin(), own.end());
        double size = 0;
        for (const std::int32_t i : own) size += network.weight[place(i)];
        size_.push_back(size);
    }
    for (std::int32_t i = 0; i < network.indices(); ++i)
        holders_.push_back(static_cast<std::int32_t>(network.holders_of(i).size()) +
                           network.open[place(i)]);
}

std::int32_t growing_tree::multiply(std::int32_t a, std::int32_t b) {
    const auto &left = sets_[place(a)], &right = sets_[place(b)];
    std::vector<std::int32_t> both;
    both.reserve(left.size() + right.size());
    double size = 0;
    const auto keep = [&](std::int32_t i) {
        both.push_back(i);
        size += network_.weight[place(i)];
    };
    std::size_t x = 0, y = 0;
    while (x < left.size() && y < right.size()) {
        if (left[x] < right[y]) keep(left[x++]);
        else if (right[y] < left[x]) keep(right[y++]);
        else {
            if (--holders_[place(left[x])] > 1) keep(left[x]);
            ++x, ++y;
        }
    }
    for (; x < left.size(); ++x) keep(left[x]);
    for (; y < right.size(); ++y) keep(right[y]);
    sets_[place(a)] = {}, sets_[place(b)] = {};
    sets_.push_back(std::move(both));
    size_.push_back(size);
    products_.emplace_back(a, b);
    return static_cast<std::int32_t>(sets_.size()) - 1;
}

void growing_tree::slice(std::int32_t index, const std::vector<std::int32_t>& entries) {
    for (const std::int32_t e : entries) {
        auto& set = sets_[place(e)];
        const auto own = std::lower_bound(set.begin(), set.end(), index);
        if (own == set.end() || *own != index) continue;
        set.erase(own);
        size_[place(e)] -= network_.weight[place(index)];
    }
}

std::int32_t growing_tree::multiply_by_size(std::vector<std::int32_t> entries) {
    using entry = std::pair<double, std::int32_t>;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> queue;
    for (const std::int32_t e : entries) queue.emplace(weight_of(e), e);
    while (queue.size() > 1) {
        const std::int32_t a = queue.top().second;
        queue.pop();
        const std::int32_t b = queue.top().second;
        queue.pop();
        const std::int32_t made = multiply(a, b);
        queue.emplace(weight_of(made), made);
    }
    return queue.top().second;
}

namespace {

class index_eliminator {
public:
    index_eliminator(const core_network& network, const elimination_options& options,
                     random_stream& random)
        : network_(network),
          options_(options),
          random_(random),
          tree_(network),
          elements_(place(network.indices())),
          alive_(2 * place(network.operands())),
          eliminated_(place(network.indices())),
          key_(place(network.indices())),
          stamp_(place(network.indices())),
          noise_(place(network.indices()), 1.0) {
        for (std::int32_t i = 0; i < network.indices(); ++i) {
            const auto holders = network.holders_of(i);
            elements_[place(i)].assign(holders.begin(), holders.end());
        }
        std::fill_n(alive_.begin(), network.operands(), 1);
    }

    /// What is sliced on the way is flagged.
    product_list run(std::vector<char>& sliced, const keep_going& go_on) {
        for (std::int32_t i = 0; i < network_.indices(); ++i) {
            if (options_.noise > 0) noise_[place(i)] = 1 + options_.noise * random_.uniform();
            if (network_.open[place(i)] == 0) push(i);
        }
        for (std::int64_t round = 0; !queue_.empty(); ++round) {
            if (round % 16 == 0 && !go_on()) return {};
            const auto [key, i] = queue_.top();
            queue_.pop();
            if (eliminated_[place(i)] != 0 || key != key_[place(i)]) continue;
            const double now = key_of(i);
            if (now > key) {
                key_[place(i)] = now;
                queue_.emplace(now, i);
                continue;
            }
            if (is_too_large(i) && slice_one_beside(i, sliced)) continue;
            eliminate(i);
        }
        std::vector<std::int32_t> left;
        for (std::size_t e = 0; e < alive_.size(); ++e)
            if (alive_[e] != 0) left.push_back(static_cast<std::int32_t>(e));
        if (left.size() > 1) tree_.multiply_by_size(std::move(left));
        return tree_.take();
    }

private:
    // Neighbours of a wider element keep their keys until they are popped.
    static constexpr std::size_t widest_refreshed = 128;
    // Up to so many operands of a bucket each next one is chosen among all.
    static constexpr std::size_t most_chosen = 12;

    std::vector<std::int32_t>& living_elements(std::int32_t index) {
        auto& list = elements_[place(index)];
        std::erase_if(list, [&](std::int32_t e) { return alive_[place(e)] == 0; });
        return list;
    }

    // The indices of all elements that have this one, the index itself too.
    void gather_neighbourhood(std::int32_t index) {
        neighbourhood_.clear();
        ++stamp_now_;
        for (const std::int32_t e : living_elements(index))
            for (const std::int32_t i : tree_.indices_of(e))
                if (stamp_[place(i)] != stamp_now_) {
                    stamp_[place(i)] = stamp_now_;
                    neighbourhood_.push_back(i);
                }
    }

    double key_of(std::int32_t index) {
        gather_neighbourhood(index);
        double key = 0;
        if (options_.min_fill) {
            key = fill_of_neighbourhood();
        } else {
            for (const std::int32_t i : neighbourhood_) key += network_.weight[place(i)];
        }
        return key * noise_[place(index)];
    }

    // Pairs in the neighbourhood that no element has both of, and the neighbourhood's weight as a
    // tie-break.
    double fill_of_neighbourhood() {
        const std::vector<std::int32_t> own = neighbourhood_;
        const std::int64_t inside = stamp_now_;
        double missing = 0, weight = 0;
        for (const std::int32_t i : own) weight += network_.weight[place(i)];
        for (const std::int32_t i : own) {
            std::size_t seen = 0;
            ++fill_stamp_now_;
            fill_stamp_.resize(stamp_.size());
            for (const std::int32_t e : living_elements(i))
                for (const std::int32_t j : tree_.indices_of(e))
                    if (stamp_[place(j)] == inside && fill_stamp_[place(j)] != fill_stamp_now_) {
                        fill_stamp_[place(j)] = fill_stamp_now_;
                        ++seen;
                    }
            missing += static_cast<double>(own.size() - seen);
        }
        return missing + weight / 1024;
    }

    void push(std::int32_t index) {
        const double key = key_of(index);
        key_[place(index)] = key;
        queue_.emplace(key, index);
    }

    // Whether what the latest neighbourhood leaves of its index is.
    bool is_too_large(std::int32_t index) const {
        if (options_.limit == std::numeric_limits<double>::infinity()) return false;
        double size = -network_.weight[place(index)];
        for (const std::int32_t i : neighbourhood_) size += network_.weight[place(i)];
        return size > options_.limit;
    }

    // Of the neighbours of an index, all of whose results are too large, the one that would be the
    // last to be eliminated. False where it has none.
    bool slice_one_beside(std::int32_t index, std::vector<char>& sliced) {
        const std::vector<std::int32_t> neighbours = neighbourhood_;
        std::int32_t chosen = -1;
        double largest = -1;
        for (const std::int32_t i : neighbours) {
            if (i == index || network_.weight[place(i)] <= 0) continue;
            const double key = key_of(i);
            if (key > largest || (key == largest && i < chosen)) largest = key, chosen = i;
        }
        if (chosen < 0) return false;
        gather_neighbourhood(chosen);
        tree_.slice(chosen, living_elements(chosen));
        sliced[place(chosen)] = 1;
        eliminated_[place(chosen)] = 1;
        // As far as keys are below what they should be, they are made anew when they are popped.
        for (const std::int32_t i : neighbourhood_) {
            if (eliminated_[place(i)] != 0 || network_.open[place(i)] != 0) continue;
            key_[place(i)] -= noise_[place(i)] * network_.weight[place(chosen)];
            queue_.emplace(key_[place(i)], i);
        }
        return true;
    }

    void eliminate(std::int32_t index) {
        eliminated_[place(index)] = 1;
        auto bucket = living_elements(index);
        if (bucket.size() < 2) return;
        for (const std::int32_t e : bucket) alive_[place(e)] = 0;
        const std::int32_t made = multiply_bucket(std::move(bucket));
        alive_[place(made)] = 1;
        const auto neighbours = tree_.indices_of(made);
        for (const std::int32_t i : neighbours) elements_[place(i)].push_back(made);
        if (neighbours.size() > widest_refreshed) return;
        for (const std::int32_t i : neighbours)
            if (network_.open[place(i)] == 0) push(i);
    }

    std::int32_t multiply_bucket(std::vector<std::int32_t> bucket) {
        if (bucket.size() > most_chosen) multiply_in_rounds(bucket);
        while (bucket.size() > 1) {
            std::size_t a = 0, b = 1;
            double least = -1;
            for (std::size_t x = 0; x < bucket.size(); ++x)
                for (std::size_t y = x + 1; y < bucket.size(); ++y) {
                    const double size = union_weight(bucket[x], bucket[y]);
                    if (least < 0 || size < least) least = size, a = x, b = y;
                }
            bucket[a] = tree_.multiply(bucket[a], bucket[b]);
            bucket.erase(bucket.begin() + static_cast<std::ptrdiff_t>(b));
        }
        return bucket[0];
    }

    // Operands in a fixed order, two neighbours at a time: buckets of like neighbourhoods get like
    // trees, whose halves can be joined.
    void multiply_in_rounds(std::vector<std::int32_t>& bucket) {
        while (bucket.size() > 2) {
            std::sort(bucket.begin(), bucket.end(), [&](std::int32_t a, std::int32_t b) {
                const auto &x = tree_.indices_of(a), &y = tree_.indices_of(b);
                if (x.size() != y.size()) return x.size() < y.size();
                if (x != y) return x < y;
                return a < b;
            });
            std::vector<std::int32_t> next;
            for (std::size_t k = 0; k + 1 < bucket.size(); k += 2)
                next.push_back(tree_.multiply(bucket[k], bucket[k + 1]));
            if (bucket.size() % 2 == 1) next.push_back(bucket.back());
            bucket = std::move(next);
        }
    }

    double union_weight(std::int32_t a, std::int32_t b) {
        ++stamp_now_;
        double weight = tree_.weight_of(a);
        for (const std::int32_t i : tree_.indices_of(a)) stamp_[place(i)] = stamp_now_;
        for (const std::int32_t i : tree_.indices_of(b))
            if (stamp_[place(i)] != stamp_now_) weight += network_.weight[place(i)];
        return weight;
    }

    const core_network& network_;
    elimination_options options_;
    random_stream& random_;
    growing_tree tree_;
    std::vector<std::vector<std::int32_t>> elements_;  // of each index; some are used up
    std::vector<char> alive_, eliminated_;
    std::vector<double> key_;
    std::vector<std::int64_t> stamp_, fill_stamp_;
    std::vector<double> noise_;
    std::int64_t stamp_now_ = 0, fill_stamp_now_ = 0;
    std::vector<std::int32_t> neighbourhood_;
    using entry = std::pair<double, std::int32_t>;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> queue_;
};

}  // namespace

product_list elimination_tree(const core_network& network, const elimination_options& options,
                              random_stream& random, const keep_going& go_on) {
    std::vector<char> none(network.weight.size());
    return index_eliminator(network, options, random).run(none, go_on);
}

sliced_tree sliced_elimination_tree(const core_network& network, const elimination_options& options,
                                    random_stream& random, const keep_going& go_on) {
    sliced_tree made;
    made.sliced.resize(network.weight.size());
    made.products = index_eliminator(network, options, random).run(made.sliced, go_on);
    return made;
}

}  // namespace ricci::path
