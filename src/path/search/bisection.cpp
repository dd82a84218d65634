// Two sides of a network: a cut that is refined by moves of single operands.
#include "src/path/search/bisection.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <queue>
#include <tuple>

namespace ricci::path {
namespace {

/// Sides of operands with what a move of each would gain, kept up to date move by move.
class moving_cut {
public:
    moving_cut(const weighed_network& graph, std::vector<char>& side, random_stream& random)
        : graph_(graph),
          side_(side),
          gain_(side.size()),
          moved_(side.size()),
          rank_(side.size()),
          held_(graph.network.weight.size()) {
        std::iota(rank_.begin(), rank_.end(), 0);
        for (std::size_t k = rank_.size(); k > 1; --k)
            std::swap(rank_[k - 1], rank_[random.below(static_cast<std::uint32_t>(k))]);
        for (std::int32_t i = 0; i < graph.network.indices(); ++i) {
            for (const std::int32_t t : graph.network.holders_of(i)) ++held_[place(i)][side_at(t)];
            if (held_[place(i)][0] > 0 && held_[place(i)][1] > 0)
                cut_ += graph.network.weight[place(i)];
        }
        for (std::size_t t = 0; t < side.size(); ++t)
            if (side[t] == 0) first_count_ += graph.count[t];
    }

    double cut() const { return cut_; }
    std::int64_t first_count() const { return first_count_; }

    /// Every operand may move again.
    void begin_pass() {
        std::fill(moved_.begin(), moved_.end(), 0);
        for (auto& queue : queues_) queue = {};
        for (std::int32_t t = 0; t < graph_.network.operands(); ++t) {
            gain_[place(t)] = gain_of(t);
            push(t);
        }
    }

    /// The best of those that have not moved yet and may, -1 where none is.
    template <class May>
    std::int32_t take_best(const May& may) {
        for (auto& queue : queues_)
            while (!queue.empty() && (is_stale(queue.top()) || !may(std::get<2>(queue.top()))))
                queue.pop();
        if (queues_[0].empty() && queues_[1].empty()) return -1;
        const bool first =
            queues_[1].empty() || (!queues_[0].empty() && queues_[0].top() > queues_[1].top());
        return std::get<2>(queues_[first ? 0 : 1].top());
    }

    void move(std::int32_t t) {
        const std::size_t from = side_at(t), to = 1 - from;
        moved_[place(t)] = 1;
        cut_ -= gain_[place(t)];
        first_count_ += from == 0 ? -graph_.count[place(t)] : graph_.count[place(t)];
        side_[place(t)] = static_cast<char>(to);
        for (const std::int32_t i : graph_.network.indices_of(t)) {
            auto& held = held_[place(i)];
            const double w = graph_.network.weight[place(i)];
            // What others would gain changes where one of the sides has, or had, one or none.
            if (held[to] == 0) change_all(i, w);
            else if (held[to] == 1) change_only(i, to, -w, t);
            --held[from], ++held[to];
            if (held[from] == 0) change_all(i, -w);
            else if (held[from] == 1) change_only(i, from, w, t);
        }
    }

    /// Takes back moves of this pass, whatever they have changed.
    void take_back(const std::vector<std::int32_t>& moves, std::size_t kept) {
        for (std::size_t k = moves.size(); k > kept; --k) {
            const std::int32_t t = moves[k - 1];
            const std::size_t from = side_at(t), to = 1 - from;
            first_count_ += from == 0 ? -graph_.count[place(t)] : graph_.count[place(t)];
            side_[place(t)] = static_cast<char>(to);
            for (const std::int32_t i : graph_.network.indices_of(t)) {
                auto& held = held_[place(i)];
                const bool was_cut = held[0] > 0 && held[1] > 0;
                --held[from], ++held[to];
                const bool is_cut = held[0] > 0 && held[1] > 0;
                if (was_cut != is_cut) cut_ += (is_cut ? 1 : -1) * graph_.network.weight[place(i)];
            }
        }
    }

private:
    using entry = std::tuple<double, std::int32_t, std::int32_t>;  // gain, rank, operand

    std::size_t side_at(std::int32_t t) const { return side_[place(t)] == 0 ? 0 : 1; }
    bool is_stale(const entry& e) const {
        const auto t = place(std::get<2>(e));
        return moved_[t] != 0 || std::get<0>(e) != gain_[t];
    }
    void push(std::int32_t t) { queues_[side_at(t)].emplace(gain_[place(t)], rank_[place(t)], t); }

    double gain_of(std::int32_t t) const {
        double gain = 0;
        const std::size_t own = side_at(t);
        for (const std::int32_t i : graph_.network.indices_of(t)) {
            const auto& held = held_[place(i)];
            if (held[own] == 1 && held[1 - own] > 0) gain += graph_.network.weight[place(i)];
            if (held[own] > 1 && held[1 - own] == 0) gain -= graph_.network.weight[place(i)];
        }
        return gain;
    }

    void change(std::int32_t t, double by) {
        if (moved_[place(t)] != 0) return;
        gain_[place(t)] += by;
        push(t);
    }
    void change_all(std::int32_t index, double by) {
        for (const std::int32_t t : graph_.network.holders_of(index)) change(t, by);
    }
    void change_only(std::int32_t index, std::size_t side, double by, std::int32_t but) {
        for (const std::int32_t t : graph_.network.holders_of(index))
            if (t != but && side_at(t) == side) return change(t, by);
    }

    const weighed_network& graph_;
    std::vector<char>& side_;
    std::vector<double> gain_;
    std::vector<char> moved_;
    std::vector<std::int32_t> rank_;                 // what is taken first of equals
    std::vector<std::array<std::int32_t, 2>> held_;  // by operands of each side, of every index
    std::array<std::priority_queue<entry>, 2> queues_;
    double cut_ = 0;
    std::int64_t first_count_ = 0;
};

std::int64_t beyond(const side_bounds& bounds, std::int64_t count) {
    return std::max<std::int64_t>({0, bounds.least - count, count - bounds.most});
}

}  // namespace

double refine_cut(const weighed_network& graph, const side_bounds& bounds, std::vector<char>& side,
                  random_stream& random) {
    // After so many moves without gain a pass has found what it will find.
    const std::size_t patience = 50 + side.size() / 16;
    constexpr int most_passes = 8;
    moving_cut cut(graph, side, random);
    for (int pass = 0; pass < most_passes; ++pass) {
        cut.begin_pass();
        const double cut_before = cut.cut();
        const std::int64_t beyond_before = beyond(bounds, cut.first_count());
        auto best = std::pair(beyond_before, cut_before);
        std::vector<std::int32_t> moves;
        std::size_t kept = 0;
        while (moves.size() < kept + patience) {
            const std::int64_t now = beyond(bounds, cut.first_count());
            const std::int32_t t = cut.take_best([&](std::int32_t v) {
                const std::int64_t own = graph.count[place(v)];
                const std::int64_t then =
                    beyond(bounds, cut.first_count() + (side[place(v)] == 0 ? -own : own));
                return then == 0 || then < now;
            });
            if (t < 0) break;
            cut.move(t);
            moves.push_back(t);
            const auto state = std::pair(beyond(bounds, cut.first_count()), cut.cut());
            if (state < best) best = state, kept = moves.size();
        }
        cut.take_back(moves, kept);
        if (kept == 0) break;
    }
    return cut.cut();
}

std::vector<char> grown_side(const weighed_network& graph, std::int64_t target,
                             random_stream& random) {
    const core_network& network = graph.network;
    std::vector<char> side(place(network.operands()), 1);
    moving_cut cut(graph, side, random);
    cut.begin_pass();
    std::vector<char> near(side.size());
    // Where nothing is next to the side, it goes on from anywhere.
    const auto anywhere = [&] {
        const std::size_t start = random.below(static_cast<std::uint32_t>(side.size()));
        for (std::size_t k = 0; k < side.size(); ++k) {
            const std::size_t t = (start + k) % side.size();
            if (side[t] != 0) return static_cast<std::int32_t>(t);
        }
        return std::int32_t{-1};
    };
    while (cut.first_count() < target) {
        std::int32_t t = cut.take_best(
            [&](std::int32_t v) { return near[place(v)] != 0 && side[place(v)] != 0; });
        if (t < 0) t = anywhere();
        if (t < 0) break;
        cut.move(t);
        constexpr std::size_t most_holders = 64;
        for (const std::int32_t i : network.indices_of(t)) {
            const auto holders = network.holders_of(i);
            if (holders.size() > most_holders) continue;
            for (const std::int32_t other : holders) near[place(other)] = 1;
        }
    }
    return side;
}

}  // namespace ricci::path
