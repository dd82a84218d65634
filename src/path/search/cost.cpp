// What a contraction order costs, by its definition: the products are gone through once, with the
// indices of every result at hand.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <ricci/error.hpp>

#include "src/path/search.hpp"
#include "src/path/search/score.hpp"

namespace ricci::path {
namespace {

std::size_t at(std::int32_t number) { return static_cast<std::size_t>(number); }

void require(bool holds, const std::string& otherwise) {
    if (!holds) throw error("contraction order: " + otherwise);
}

/// log2 of a sum of powers of two, beyond the range of double as well.
class log2_sum {
public:
    void add(double exponent) { terms_.push_back(exponent); }
    double value() const {
        const auto largest = std::max_element(terms_.begin(), terms_.end());
        if (largest == terms_.end()) return -std::numeric_limits<double>::infinity();
        double sum = 0;
        for (const double term : terms_) sum += std::exp2(term - *largest);
        return *largest + std::log2(sum);
    }

private:
    std::vector<double> terms_;
};

/// The evaluation of one order for given (perhaps sliced) extents.
class order_evaluation {
public:
    order_evaluation(const hypergraph& network, const std::vector<double>& extents)
        : log2_extents_(extents.size()),
          holders_(extents.size()),
          sparse_(extents.size()),
          log2_choices_(std::log2(network.choices)) {
        for (std::size_t i = 0; i < extents.size(); ++i) log2_extents_[i] = std::log2(extents[i]);
        for (const std::int32_t i : network.members) ++holders_[at(i)];
        // The result holds its indices to the end.
        for (const std::int32_t i : network.open) ++holders_[at(i)];
        for (const std::int32_t i : network.sparse) sparse_[at(i)] = true;
        for (std::int32_t t = 0; t < network.operands(); ++t) {
            indices_.emplace_back(network.members.begin() + network.first[at(t)],
                                  network.members.begin() + network.first[at(t) + 1]);
            auto& own = indices_.back();
            // Those of extent 1, as fixed ones are, count for nothing.
            std::erase_if(own, [&](std::int32_t i) {
                return holders_[at(i)] == 1 || log2_extents_[at(i)] == 0;
            });
            std::sort(own.begin(), own.end());
        }
    }

    void multiply(std::int32_t a, std::int32_t b) {
        auto &left = indices_[at(a)], &right = indices_[at(b)];
        both_.clear();
        std::set_union(left.begin(), left.end(), right.begin(), right.end(),
                       std::back_inserter(both_));
        const double product = log2_elements(both_);
        double moved = log2_elements(left);
        traffic_.add(moved);
        moved = log2_elements(right);
        traffic_.add(moved);
        for (const std::int32_t i : left)
            if (std::binary_search(right.begin(), right.end(), i)) --holders_[at(i)];
        std::erase_if(both_, [&](std::int32_t i) { return holders_[at(i)] == 1; });
        const double result = log2_elements(both_);
        traffic_.add(result);
        multiplications_.add(product);
        largest_product_ = std::max(largest_product_, product);
        largest_intermediate_ = std::max(largest_intermediate_, result);
        left = {}, right = {};
        indices_.push_back(both_);
    }

    order_cost cost(double log2_slices) const {
        order_cost cost;
        cost.log2_multiplications = multiplications_.value() + log2_slices;
        cost.log2_traffic = traffic_.value() + log2_slices;
        cost.log2_largest_product = largest_product_;
        cost.log2_largest_intermediate = largest_intermediate_;
        return cost;
    }

private:
    double log2_elements(const std::vector<std::int32_t>& indices) const {
        double elements = 0, sparse = 0;
        for (const std::int32_t i : indices)
            (sparse_[at(i)] ? sparse : elements) += log2_extents_[at(i)];
        return elements + std::min(sparse, log2_choices_);
    }

    std::vector<double> log2_extents_;
    std::vector<std::int32_t> holders_;  // how many of what is left have an index
    std::vector<bool> sparse_;
    double log2_choices_;
    std::vector<std::vector<std::int32_t>> indices_;
    std::vector<std::int32_t> both_;
    log2_sum multiplications_, traffic_;
    double largest_product_ = 0, largest_intermediate_ = 0;
};

void check_order(const hypergraph& network, const order_found& order) {
    const std::int32_t n = network.operands();
    require(static_cast<std::int64_t>(order.products.size()) == std::max(n - 1, 0),
            std::to_string(order.products.size()) + " products for a network of " +
                std::to_string(n) + " operands, which needs " + std::to_string(std::max(n - 1, 0)));
    std::vector<bool> used(at(n) + order.products.size());
    for (std::size_t k = 0; k < order.products.size(); ++k) {
        const auto [left, right] = order.products[k];
        for (const std::int32_t operand : {left, right}) {
            require(operand >= 0 && at(operand) < at(n) + k,
                    "product " + std::to_string(k) + " uses " + std::to_string(operand) +
                        ", which is not there by then");
            require(!used[at(operand)], "product " + std::to_string(k) + " uses " +
                                            std::to_string(operand) + ", which is used already");
            used[at(operand)] = true;
        }
    }
    std::vector<bool> sliced(network.extents.size());
    for (const auto& s : order.slices) {
        require(s.index >= 0 && s.index < network.indices(),
                "slices index " + std::to_string(s.index) + ", which the network has not");
        require(s.parts > 1 && static_cast<double>(s.parts) <= network.extents[at(s.index)],
                "cuts index " + std::to_string(s.index) + " into " + std::to_string(s.parts) +
                    " parts, which is not 2 to its extent");
        require(!sliced[at(s.index)], "slices index " + std::to_string(s.index) + " twice");
        sliced[at(s.index)] = true;
    }
}

}  // namespace

namespace {

order_cost evaluated(const hypergraph& network, const order_found& order,
                     const std::vector<double>& extents, double log2_slices) {
    order_evaluation evaluation(network, extents);
    for (const auto& [left, right] : order.products) evaluation.multiply(left, right);
    return evaluation.cost(log2_slices);
}

order_cost with_slices(const hypergraph& network, const order_found& order) {
    auto extents = network.extents;
    double log2_slices = 0;
    for (const auto& s : order.slices) {
        const auto parts = static_cast<double>(s.parts);
        extents[at(s.index)] = std::ceil(extents[at(s.index)] / parts);
        log2_slices += std::log2(parts);
    }
    order_cost cost = evaluated(network, order, extents, log2_slices);
    cost.slices = std::exp2(log2_slices);
    return cost;
}

}  // namespace

order_cost cost_of(const hypergraph& network, const order_found& order) {
    check_network(network);
    check_order(network, order);
    order_cost cost = with_slices(network, order);
    if (order.slices.empty() || order.products.empty()) return cost;
    const double whole = evaluated(network, order, network.extents, 0).log2_multiplications;
    cost.overhead = std::exp2(cost.log2_multiplications - whole);
    return cost;
}

double log2_objective_of(const hypergraph& network, const order_found& order, objective minimize,
                         double traffic_weight) {
    return log2_objective(with_slices(network, order), minimize, traffic_weight);
}

double log2_objective(const order_cost& cost, objective minimize, double traffic_weight) {
    switch (minimize) {
        case objective::largest_product:
            return cost.log2_largest_product;
        case objective::largest_intermediate:
            return cost.log2_largest_intermediate;
        case objective::traffic:
            return cost.log2_traffic;
        case objective::weighed:
            return log2_add(cost.log2_multiplications,
                            std::log2(traffic_weight) + cost.log2_traffic);
        case objective::multiplications:
            break;
    }
    return cost.log2_multiplications;
}

void check_network(const hypergraph& network) {
    const auto need = [](bool holds, const std::string& otherwise) {
        if (!holds) throw error("network: " + otherwise);
    };
    need(!network.first.empty() && network.first.front() == 0 &&
             network.first.back() == static_cast<std::int64_t>(network.members.size()) &&
             std::is_sorted(network.first.begin(), network.first.end()),
         "the operands' places in the list of members are not ascending from 0 to its end");
    need(network.operands() < std::numeric_limits<std::int32_t>::max() / 2, "too many operands");
    for (std::size_t i = 0; i < network.extents.size(); ++i)
        need(network.extents[i] >= 1 && std::isfinite(network.extents[i]) &&
                 network.extents[i] == std::floor(network.extents[i]),
             "the extent of index " + std::to_string(i) + " is not a whole number of at least 1");
    std::vector<std::int32_t> seen_by(network.extents.size(), -1);
    const auto look = [&](std::int32_t i, std::int32_t by, const std::string& who) {
        need(i >= 0 && i < network.indices(), who + " has index " + std::to_string(i) + " of " +
                                                  std::to_string(network.indices()) + " indices");
        need(seen_by[at(i)] != by, who + " has index " + std::to_string(i) + " twice");
        seen_by[at(i)] = by;
    };
    for (std::int32_t t = 0; t < network.operands(); ++t)
        for (std::int32_t k = network.first[at(t)]; k < network.first[at(t) + 1]; ++k) {
            const std::int32_t i = network.members[at(k)];
            if (i < 0 || i >= network.indices() || seen_by[at(i)] == t)
                look(i, t, "operand " + std::to_string(t));
            seen_by[at(i)] = t;
        }
    for (const std::int32_t i : network.open) {
        need(i >= 0 && i < network.indices() && seen_by[at(i)] != -1,
             "open index " + std::to_string(i) + " is in no operand");
        look(i, network.operands(), "the result");
    }
    for (const std::int32_t i : network.sparse) {
        need(i >= 0 && i < network.indices() && seen_by[at(i)] == network.operands(),
             "sparse index " + std::to_string(i) + " is not open, or sparse twice");
        seen_by[at(i)] = -1;
    }
    need(network.choices >= 1, "fewer than one choice of the sparse indices");
}

}  // namespace ricci::path
