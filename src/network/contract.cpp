// Networks are run: in one call, or prepared for many.
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/error.hpp>
#include <ricci/network.hpp>

#include "src/network/network_run.hpp"
#include "src/network/order_data.hpp"
#include "src/network/prepared_state.hpp"
#include "src/runtime/machine_memory.hpp"

namespace ricci {
namespace networks {
namespace {

bool is_narrow(element type) { return type == element::f16 || type == element::bf16; }

element type_of(const network_data& n) {
    if (n.operands.empty()) throw error("ricci: a network without tensors has no result.");
    return n.operands[0].type();
}

void check_can_run(const network_data& n, const order_data& order,
                   const contract_options& options) {
    check_is_of(order, n);
    if (n.without_memory > 0)
        for (std::size_t k = 0; k < n.operands.size(); ++k)
            if (n.operands[k].is_shape())
                throw error(fmt::format(
                    "ricci: tensor {} of the network is a shape, without elements: the network can "
                    "be ordered, not contracted.",
                    k));
    if (options.memory < 0)
        throw error(
            fmt::format("ricci: a network is contracted with a memory of {}, which means nothing.",
                        options.memory));
    if (options.algebra != algebra::sum_product)
        throw error("ricci: this algebra is not there yet.");
}

}  // namespace

prepared_state::prepared_state(const network_data& n, const order_data& order,
                               const contract_options& options, bool keeps)
    : type_(type_of(n)), progress_(options.progress) {
    check_can_run(n, order, options);
    const element computed = is_narrow(type_) ? element::f32 : type_;
    std::vector<std::size_t> extents;
    for (const std::int32_t i : n.kept) extents.push_back(n.extents[static_cast<std::size_t>(i)]);
    result_ = array(computed, extents);
    run_request asked;
    asked.type = computed;
    for (std::size_t k = 0; k < n.operands.size(); ++k) {
        operands_.push_back(is_narrow(type_) ? n.operands[k].converted(computed) : n.operands[k]);
        asked.axes.push_back(n.axes(k));
    }
    for (std::size_t k = 0; k < n.operands.size(); ++k)
        asked.operands.push_back({operands_[k].data(), operands_[k].strides(), n.conjugate[k]});
    asked.open = n.kept;
    asked.extents = n.extents;
    asked.products = order.products;
    asked.slices = order.slices;
    asked.result = result_.data();
    asked.keeps = keeps;
    constexpr double margin = 0.05;  // for the system and for other programs
    const double memory =
        options.memory > 0 ? options.memory : (1 - margin) * runtime::machine_memory();
    const double left =
        memory - bytes_of_operands(n) - static_cast<double>(result_.size() * size_of(computed));
    asked.memory = std::max(left, 0.0);
    run_.emplace(asked);
}

void prepared_state::bind(std::size_t operand, const array& value) {
    if (operand >= operands_.size())
        throw error(fmt::format("ricci: the network has {} tensors, and no tensor {}.",
                                operands_.size(), operand));
    array& bound = operands_[operand];
    const auto same = [](const auto& a, const auto& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    };
    if (value.type() != type_ || value.is_shape() || !same(value.extents(), bound.extents()))
        throw error(fmt::format(
            "ricci: tensor {} of the network was prepared with another shape or type.", operand));
    if (type_ == bound.type() && same(value.strides(), bound.strides())) bound = value;
    else if (bound.is_contiguous()) bound = value.converted(bound.type());
    else
        throw error(fmt::format("ricci: tensor {} of the network was prepared with other strides.",
                                operand));
    run_->bind(operand, bound.data());
}

void prepared_state::run() {
    if (!progress_) {
        run_->run();
        return;
    }
    const auto begun = std::chrono::steady_clock::now();
    const bool done = run_->run([&](double part) {
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
        return progress_(part, part > 0 ? seconds * (1 - part) / part : 0);
    });
    if (!done) throw error("ricci: the contraction of the network was stopped.");
}

array prepared_state::result() const {
    return result_.type() == type_ ? result_ : result_.converted(type_);
}

}  // namespace networks

array contract(const network& n, const contraction_order& order, const contract_options& options) {
    networks::prepared_state state(n.data(), order.data(), options, false);
    state.run();
    return state.result();
}

array contract(const network& n, const contract_options& options) {
    return contract(n, find_order(n, {.memory = options.memory}), options);
}

prepared_network::prepared_network(std::unique_ptr<networks::prepared_state> state)
    : state_(std::move(state)) {}
prepared_network::prepared_network(prepared_network&&) noexcept = default;
prepared_network& prepared_network::operator=(prepared_network&&) noexcept = default;
prepared_network::~prepared_network() = default;

void prepared_network::bind(std::size_t operand, detail::network_operand value) {
    state_->bind(operand, value.value());
}
void prepared_network::operator()() { state_->run(); }
array prepared_network::result() const { return state_->result(); }

prepared_network prepare(const network& n, const contraction_order& order,
                         const contract_options& options) {
    return prepared_network(
        std::make_unique<networks::prepared_state>(n.data(), order.data(), options, true));
}

}  // namespace ricci
