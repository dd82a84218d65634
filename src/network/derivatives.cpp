// Derivatives of networks, by one pass back: of sums of products, with exponents or without, and of
// log-sum-exps.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include <ricci/error.hpp>
#include <ricci/network.hpp>

#include "src/network/network_run.hpp"
#include "src/network/order_data.hpp"
#include "src/network/prepared_state.hpp"
#include "src/network/range_check.hpp"
#include "src/network/result_sums.hpp"

namespace ricci {
namespace networks {
namespace {

void check_derivatives(const network_data& n, const std::vector<std::size_t>& operands,
                       const contract_options& options) {
    for (const std::size_t k : operands) check_operand(k, n.operands.size());
    if (!n.kept.empty())
        throw error(
            fmt::format("ricci: the derivatives of a network are those of a number, and this one "
                        "keeps {} indices.",
                        n.kept.size()));
    if (options.algebra == algebra::max_sum || options.algebra == algebra::min_sum)
        throw error(
            "ricci: the derivatives of a network are those of a sum of products or of a "
            "log-sum-exp; of a maximum of sums argmax() gives the places.");
}

// Each operand once, with its derivative and the exponent of that.
struct found_derivatives {
    bound_network bound;
    std::vector<std::size_t> operands;
    std::vector<array> made;
    std::vector<double> exponents;

    std::size_t place_of(std::size_t operand) const {
        return static_cast<std::size_t>(
            std::lower_bound(operands.begin(), operands.end(), operand) - operands.begin());
    }
};

// In another algebra, what all other tensors come to beside each element.
found_derivatives find_derivatives(const network_data& n, const order_data& order,
                                   std::vector<std::size_t> operands,
                                   const contract_options& options) {
    std::sort(operands.begin(), operands.end());
    operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
    found_derivatives found{bound_network(n, order, options), std::move(operands), {}, {}};
    for (const std::size_t k : found.operands) {
        array& made = found.made.emplace_back(found.bound.result_of(n.axes(k)));
        // Nothing is written beside a diagonal.
        clear_sum(made.type(), found.bound.asked.algebra, made.data(),
                  made.size() * size_of(made.type()));
    }
    found.bound.asked.derivatives = found.operands;
    found.bound.asked.may_cut = true;
    network_run run(found.bound.asked);
    run_with_progress(run, options.progress);
    for (std::size_t k = 0; k < found.operands.size(); ++k)
        found.exponents.push_back(static_cast<double>(run.exponent10(k)));
    return found;
}

/// Calls visit(place in `rest`, element of `x`) for all elements; `rest` has no gaps.
template <class T, class Visit>
void each_element(const array& x, const Visit& visit) {
    std::vector<std::size_t> at(x.rank(), 0);
    const auto* element = static_cast<const T*>(x.data());
    for (std::size_t k = 0; k < x.size(); ++k) {
        visit(k, *element);
        for (std::size_t axis = x.rank(); axis-- > 0;) {
            element += x.strides()[axis];
            if (++at[axis] < x.extents()[axis]) break;
            element -= x.strides()[axis] * static_cast<std::int64_t>(x.extents()[axis]);
            at[axis] = 0;
        }
    }
}

// With x an element and r what is beside it, exp(x + r) over the sum of these of one tensor.
template <class T>
void make_weights(const array& x, array& rest) {
    T* const weights = static_cast<T*>(rest.data());
    T most = -std::numeric_limits<T>::infinity();
    each_element<T>(x, [&](std::size_t k, T element) {
        weights[k] += element;
        if (!(weights[k] <= most)) most = weights[k];
        if (std::isnan(weights[k])) weights[k] = std::numeric_limits<T>::quiet_NaN();
    });
    if (most == -std::numeric_limits<T>::infinity() && x.size() > 0)
        throw error(
            "ricci: the log-sum-exp of the network is -infinity, at which it has no derivatives.");
    double sum = 0;
    for (std::size_t k = 0; k < rest.size(); ++k)
        sum += static_cast<double>(weights[k] = std::exp(weights[k] - most));
    for (std::size_t k = 0; k < rest.size(); ++k)
        weights[k] = static_cast<T>(static_cast<double>(weights[k]) / sum);
}

}  // namespace
}  // namespace networks

std::vector<array> gradient(const network& n, const contraction_order& order,
                            const std::vector<std::size_t>& operands,
                            const contract_options& options) {
    if (options.scaled)
        throw error(
            "ricci: gradient() has no exponents to give beside its results: gradient_scaled() "
            "has.");
    networks::check_derivatives(n.data(), operands, options);
    if (operands.empty()) return {};
    auto found = networks::find_derivatives(n.data(), order.data(), operands, options);
    const bool logarithm = options.algebra == algebra::logsumexp_sum;
    for (std::size_t k = 0; k < found.operands.size(); ++k) {
        const array& x = found.bound.operands[found.operands[k]];
        if (!logarithm)
            networks::refuse_beyond_range(found.made[k], found.bound.operands, "gradient_scaled()");
        else if (found.bound.computed == element::f32)
            networks::make_weights<float>(x, found.made[k]);
        else networks::make_weights<double>(x, found.made[k]);
    }
    std::vector<array> result;
    for (const std::size_t k : operands) {
        result.push_back(found.made[found.place_of(k)].converted(found.bound.type));
        if (!logarithm)
            networks::refuse_beyond_range(result.back(), found.bound.operands, "gradient_scaled()");
    }
    return result;
}

std::vector<scaled> gradient_scaled(const network& n, const contraction_order& order,
                                    const std::vector<std::size_t>& operands,
                                    const contract_options& options) {
    contract_options wanted = options;
    wanted.scaled = true;
    networks::check_derivatives(n.data(), operands, wanted);
    if (operands.empty()) return {};
    const auto found = networks::find_derivatives(n.data(), order.data(), operands, wanted);
    std::vector<scaled> result;
    for (const std::size_t k : operands) {
        const std::size_t at = found.place_of(k);
        result.push_back(
            {found.made[at].converted(found.bound.given).clone(), found.exponents[at]});
    }
    return result;
}

}  // namespace ricci
