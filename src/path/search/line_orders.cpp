// Orders of operands along a line: as their indices are numbered, in layers, along the slowest
// mode, by the growth of a front.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "src/path/search/seeds.hpp"

namespace ricci::path {

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

namespace {

/// A line that is made from a start outwards, always by what enlarges the front least.
class front_grower {
public:
    front_grower(const core_network& network, const std::vector<std::int32_t>& positions,
                 double pull)
        : network_(network),
          positions_(positions),
          pull_(pull),
          left_(place(network.indices())),
          age_(place(network.operands()), -1),
          growth_(place(network.operands())),
          taken_(place(network.operands())),
          in_front_(place(network.indices())) {
        for (std::int32_t i = 0; i < network.indices(); ++i)
            left_[place(i)] =
                static_cast<std::int32_t>(network.holders_of(i).size()) + network.open[place(i)];
    }

    /// Parts that share nothing follow each other as they stand in `starts`.
    std::vector<std::int32_t> run(const std::vector<std::int32_t>& starts) {
        for (const std::int32_t start : starts) {
            refresh(start);
            while (!queue_.empty()) {
                const auto [change, since, t] = queue_.top();
                queue_.pop();
                if (taken_[place(t)] == 0 && change == growth_[place(t)]) take(t);
            }
        }
        return std::move(order_);
    }

private:
    // An index of very many operands does not tell which of them comes next.
    static constexpr std::size_t most_holders = 256;

    // How the front grows: new indices come, those that this operand is the last to have go.
    double change_of(std::int32_t t) const {
        double change = 0;
        for (const std::int32_t i : network_.indices_of(t)) {
            if (in_front_[place(i)] == 0) change += network_.weight[place(i)];
            if (left_[place(i)] == 1) change -= network_.weight[place(i)];
        }
        if (pull_ > 0) change += pull_ * positions_[place(t)];
        return change;
    }

    void refresh(std::int32_t t) {
        if (taken_[place(t)] != 0) return;
        if (age_[place(t)] < 0) age_[place(t)] = clock_++;
        growth_[place(t)] = change_of(t);
        queue_.emplace(growth_[place(t)], age_[place(t)], t);
    }

    void take(std::int32_t t) {
        taken_[place(t)] = 1;
        order_.push_back(t);
        for (const std::int32_t i : network_.indices_of(t)) {
            const bool fresh = in_front_[place(i)] == 0;
            in_front_[place(i)] = 1;
            const bool last = --left_[place(i)] == 1;
            if (!fresh && !last) continue;
            const auto holders = network_.holders_of(i);
            if (holders.size() > most_holders && !last) continue;
            for (const std::int32_t other : holders) refresh(other);
        }
    }

    const core_network& network_;
    const std::vector<std::int32_t>& positions_;
    double pull_;
    std::vector<std::int32_t> left_, age_, order_;
    std::vector<double> growth_;
    std::vector<char> taken_, in_front_;
    std::int32_t clock_ = 0;
    using entry = std::tuple<double, std::int32_t, std::int32_t>;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> queue_;
};

std::vector<std::int32_t> places_in(const std::vector<std::int32_t>& order) {
    std::vector<std::int32_t> places(order.size());
    for (std::size_t k = 0; k < order.size(); ++k)
        places[place(order[k])] = static_cast<std::int32_t>(k);
    return places;
}

}  // namespace

std::vector<std::int32_t> order_by_front(const core_network& network, std::int32_t start) {
    std::vector<std::int32_t> starts(place(network.operands()));
    std::iota(starts.begin(), starts.end(), 0);
    std::rotate(starts.begin(), starts.begin() + start, starts.end());
    return front_grower(network, {}, 0).run(starts);
}

std::vector<std::int32_t> order_by_front(const core_network& network,
                                         const std::vector<std::int32_t>& order, double pull) {
    const auto positions = places_in(order);
    return front_grower(network, positions, pull).run(order);
}

namespace {

/// Values of operands, each step the mean of the means of its indices' holders.
class neighbour_averages {
public:
    neighbour_averages(const core_network& network, const std::vector<std::int32_t>& order)
        : network_(network),
          value_(order.size()),
          mean_(place(network.indices())),
          weight_(order.size()) {
        for (std::size_t k = 0; k < order.size(); ++k)
            value_[place(order[k])] =
                static_cast<double>(k) / static_cast<double>(order.size()) - 0.5;
        for (std::int32_t t = 0; t < network.operands(); ++t)
            for (const std::int32_t i : network.indices_of(t))
                weight_[place(t)] += network.weight[place(i)];
        total_ = std::accumulate(weight_.begin(), weight_.end(), 0.0);
    }

    /// The constant mode, which dies out last, is taken away.
    void step() {
        for (std::int32_t i = 0; i < network_.indices(); ++i) {
            const auto holders = network_.holders_of(i);
            double sum = 0;
            for (const std::int32_t t : holders) sum += value_[place(t)];
            mean_[place(i)] = sum / static_cast<double>(holders.size());
        }
        double centre = 0, largest = 0;
        for (std::int32_t t = 0; t < network_.operands(); ++t) {
            double sum = 0;
            for (const std::int32_t i : network_.indices_of(t))
                sum += mean_[place(i)] * network_.weight[place(i)];
            if (weight_[place(t)] > 0) value_[place(t)] = sum / weight_[place(t)];
            centre += value_[place(t)] * weight_[place(t)];
        }
        if (total_ > 0) centre /= total_;
        for (double& v : value_) largest = std::max(largest, std::abs(v -= centre));
        if (largest > 0)
            for (double& v : value_) v /= largest;
    }

    std::vector<std::int32_t> order() const {
        std::vector<std::int32_t> order(value_.size());
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
            return value_[place(a)] != value_[place(b)] ? value_[place(a)] < value_[place(b)]
                                                        : a < b;
        });
        return order;
    }

private:
    const core_network& network_;
    std::vector<double> value_, mean_, weight_;
    double total_ = 0;
};

}  // namespace

std::vector<std::int32_t> smoothed_order(const core_network& network,
                                         const std::vector<std::int32_t>& order, int steps) {
    neighbour_averages averages(network, order);
    for (int k = 0; k < steps; ++k) averages.step();
    return averages.order();
}

std::vector<std::int32_t> order_by_averages(const core_network& network) {
    const auto far = order_by_layers(network, order_by_layers(network, 0).back());
    // The slowest mode is left when all others have died out, as far as there is time for it.
    constexpr double most_work = 1.5e7;
    const double steps = most_work / static_cast<double>(network.members.size() + 1);
    return smoothed_order(network, far, static_cast<int>(std::clamp(steps, 10.0, 2000.0)));
}

}  // namespace ricci::path
