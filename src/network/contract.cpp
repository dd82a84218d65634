// Networks are run: in one call, or prepared for many.
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/error.hpp>
#include <ricci/network.hpp>

#include "src/network/memory_limits.hpp"
#include "src/network/network_run.hpp"
#include "src/network/order_data.hpp"
#include "src/network/prepared_state.hpp"
#include "src/network/range_check.hpp"
#include "src/runtime/interruption.hpp"

namespace ricci {
namespace networks {
namespace {

bool is_narrow(element type) { return type == element::f16 || type == element::bf16; }

element type_of(const network_data& n) {
    if (n.operands.empty()) throw error("ricci: a network without tensors has no result.");
    return n.operands[0].type();
}

element computed_as(element type, bool scaled) {
    if (is_narrow(type)) return element::f32;
    return scaled && is_whole(type) ? element::f64 : type;
}

const char* name_of(algebra a) {
    switch (a) {
        case algebra::max_sum:
            return "maximum of sums";
        case algebra::min_sum:
            return "minimum of sums";
        case algebra::logsumexp_sum:
            return "log-sum-exp of sums";
        case algebra::sum_product:
            break;
    }
    return "sum of products";
}

std::optional<steps::sum_algebra> sum_of(algebra a) {
    switch (a) {
        case algebra::max_sum:
            return steps::sum_algebra::maximum;
        case algebra::min_sum:
            return steps::sum_algebra::minimum;
        case algebra::logsumexp_sum:
            return steps::sum_algebra::logsumexp;
        case algebra::sum_product:
            return {};
    }
    throw error(fmt::format("ricci: there is no algebra {}.", static_cast<int>(a)));
}

void check_has_memory(const network_data& n) {
    for (std::size_t k = 0; n.without_memory > 0 && k < n.operands.size(); ++k)
        if (n.operands[k].is_shape())
            throw error(
                fmt::format("ricci: tensor {} of the network is a shape, without elements: the "
                            "network can be ordered, not contracted.",
                            k));
}

void check_can_run(const network_data& n, const order_data& order,
                   const contract_options& options) {
    check_is_of(order, n);
    check_has_memory(n);
    if (!(options.memory >= 0))
        throw error(
            fmt::format("ricci: a network is contracted with a memory of {}, which means nothing.",
                        options.memory));
    if (!order.zeros.empty())
        throw error(
            "ricci: the order rests on zeros in the tensors' values: it is for sums of products, "
            "contracted or prepared.");
    const element type = n.operands[0].type();
    if (options.scaled && options.algebra != algebra::sum_product)
        throw error(
            fmt::format("ricci: a scaled result has an exponent beside sums of products; a {} has "
                        "none.",
                        name_of(options.algebra)));
    if (options.algebra != algebra::sum_product && (is_complex(type) || is_integer(type)))
        throw error(
            fmt::format("ricci: {} has no {}: networks are contracted in it in real numbers.",
                        name_of(type), name_of(options.algebra)));
}

// Of lists of two or three numbers, without a call.
template <class Number>
bool are_equal(std::span<const Number> x, std::span<const Number> y) {
    bool equal = x.size() == y.size();
    for (std::size_t k = 0; equal && k < x.size(); ++k) equal = x[k] == y[k];
    return equal;
}

// The lowest byte of what an array's elements take, and the one after the highest.
std::pair<const std::byte*, const std::byte*> reach_of(const array& a) {
    std::int64_t before = 0, after = 1;
    for (std::size_t axis = 0; axis < a.rank(); ++axis) {
        const auto steps = static_cast<std::int64_t>(a.extents()[axis]) - 1;
        (a.strides()[axis] < 0 ? before : after) += steps * a.strides()[axis];
    }
    const auto bytes = static_cast<std::int64_t>(size_of(a.type()));
    const auto* const first = static_cast<const std::byte*>(a.data());
    return {first + before * bytes, first + after * bytes};
}

// By what both reach, which takes no memory: bind() is called for every run. Elements of the result
// lie without gaps.
bool share_memory(const array& x, const array& y) {
    if (x.size() == 0 || y.size() == 0) return false;
    const auto of_x = reach_of(x), of_y = reach_of(y);
    const std::less<const std::byte*> before;
    return before(of_x.first, of_y.second) && before(of_y.first, of_x.second);
}

}  // namespace

void check_operand(std::size_t operand, std::size_t count) {
    if (operand >= count)
        throw error(
            fmt::format("ricci: the network has {} tensors, and no tensor {}.", count, operand));
}

bound_network::bound_network(const network_data& n, const order_data& order,
                             const contract_options& options)
    : type(type_of(n)),
      computed(computed_as(type, options.scaled)),
      given(is_narrow(type) ? type : computed) {
    check_can_run(n, order, options);
    for (std::size_t k = 0; k < n.operands.size(); ++k) {
        operands.push_back(type != computed ? n.operands[k].converted(computed) : n.operands[k]);
        asked.axes.push_back(n.axes(k));
    }
    for (std::size_t k = 0; k < n.operands.size(); ++k)
        asked.operands.push_back(
            {std::as_const(operands[k]).data(), operands[k].strides(), n.conjugate[k]});
    asked.type = computed;
    asked.open = n.kept;
    asked.extents = n.extents;
    asked.products = order.products;
    asked.slices = order.slices;
    asked.algebra = sum_of(options.algebra);
    asked.scaled = options.scaled;
    const double needed =
        order.operand_bytes + 2 * order.score.peak * static_cast<double>(size_of(computed));
    const double memory = memory_for_run(n, options.memory, order.memory, needed);
    const double copies = type != computed ? static_cast<double>(size_of(computed)) /
                                                 static_cast<double>(size_of(type))
                                           : 0;
    asked.memory = std::max(memory - (1 + copies) * bytes_of_operands(n), 0.0);
    // Other memory than that of the order is another order's matter.
    asked.may_cut = order.memory > 0 && (options.memory == 0 || options.memory >= order.memory);
}

array bound_network::result_of(std::span<const std::int32_t> axes) {
    std::vector<std::size_t> extents;
    for (const std::int32_t i : axes) extents.push_back(asked.extents[static_cast<std::size_t>(i)]);
    // In double: a result that does not fit may have more bytes than can be counted.
    double bytes = static_cast<double>(size_of(computed));
    for (const std::size_t e : extents) bytes *= static_cast<double>(e);
    if (bytes > asked.memory)
        throw error(
            fmt::format("ricci: a result of the network takes {:.3g} bytes, and beside its tensors "
                        "there is memory for {:.3g}.",
                        bytes, asked.memory));
    array made(computed, extents);
    asked.results.push_back(made.data());
    asked.memory -= bytes;
    return made;
}

// What is asked for refers to the network, which need not last; the tensors do.
prepared_state::prepared_state(const network_data& n, const order_data& order,
                               const contract_options& options, bool keeps)
    : progress_(options.progress) {
    if (options.algebra == algebra::sum_product && !options.scaled)
        beyond_ = keeps ? "{.scaled = true}" : "contract_scaled()";
    order_data of_left;
    if (!order.zeros.empty() && options.algebra == algebra::sum_product) {
        check_is_of(order, n);
        check_has_memory(n);
        left_.emplace(n, order.zeros);
        of_left = order;
        of_left.zeros.clear();
        of_left.network_hash = hash_of(left_->data());
    }
    const network_data& computed = left_ ? left_->data() : n;
    bound_network bound(computed, left_ ? of_left : order, options);
    bound.asked.keeps = keeps;
    type_ = bound.type, given_ = bound.given;
    result_ = bound.result_of(computed.kept);
    if (left_) {
        whole_ = left_->whole_result(result_.type());
        bound.asked.memory -= static_cast<double>(whole_.size() * size_of(whole_.type()));
    }
    run_.emplace(bound.asked);
    operands_ = std::move(bound.operands);
}

void prepared_state::check_shape(std::size_t operand, const array& value) const {
    const bool same = left_ ? left_->has_shape_of(operand, value)
                            : are_equal(value.extents(), operands_[operand].extents());
    if (value.type() != type_ || value.is_shape() || !same)
        throw error(fmt::format(
            "ricci: tensor {} of the network was prepared with another shape or type.", operand));
}

// A run would read elements that it has written.
void prepared_state::check_is_apart(std::size_t operand, const array& value) const {
    if (share_memory(value, whole_result()))
        throw error(fmt::format(
            "ricci: tensor {} of the network would be read from the memory of the result, which "
            "runs write to: bind a copy of it, result().clone().",
            operand));
}

void prepared_state::bind(std::size_t operand, const array& given) {
    check_operand(operand, operands_.size());
    check_shape(operand, given);
    check_is_apart(operand, given);
    if (left_) take(operand, left_->left_of(operand, given));
    else take(operand, given);
}

// What is computed with of a tensor that is bound. The one before is kept until the run has taken
// this one up, which it may refuse.
void prepared_state::take(std::size_t operand, const array& value) {
    array& bound = operands_[operand];
    const bool same_strides = are_equal(value.strides(), bound.strides());
    const auto bind_to = [&](const array& next) {
        run_->bind(operand, next.data());
        bound = next;
    };
    if (value.type() == bound.type() && same_strides) bind_to(value);
    else if (bound.is_contiguous()) bind_to(value.converted(bound.type()));
    else
        throw error(fmt::format("ricci: tensor {} of the network was prepared with other strides.",
                                operand));
}

namespace {

constexpr const char* was_stopped = "ricci: the contraction of the network was stopped.";

// What is done before the first step may take long as well: an order, memory, copies.
template <class Work>
auto prepare_with_progress(const detail::progress_function& progress, const Work& work) {
    if (!progress) return work();
    auto tell = [&] { return progress(0, 0); };
    using again = decltype(tell);
    try {
        const runtime::interruption asked(
            [](void* context) { return (*static_cast<again*>(context))(); }, &tell);
        return work();
    } catch (const runtime::interrupted&) {
        throw error(was_stopped);
    }
}

}  // namespace

namespace {

/// `run(tell)`: a run, which ends where tell(part) is false.
template <class Run>
void tell_of(const Run& run, const detail::progress_function& progress) {
    if (!progress) {
        run({});
        return;
    }
    const auto begun = std::chrono::steady_clock::now();
    double last = 0;
    const auto tell = [&](double part) {
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
        last = part;
        return progress(part, part > 0 ? seconds * (1 - part) / part : 0);
    };
    // a step may take long by itself: between its tasks what is known is told once more
    auto tell_again = [&] { return tell(last); };
    using again = decltype(tell_again);
    bool done = false;
    try {
        const runtime::interruption asked(
            [](void* context) { return (*static_cast<again*>(context))(); }, &tell_again);
        done = run(tell);
    } catch (const runtime::interrupted&) {
    }
    if (!done) throw error(was_stopped);
}

}  // namespace

void run_with_progress(network_run& run, const detail::progress_function& progress) {
    tell_of([&](const std::function<bool(double)>& tell) { return run.run(tell); }, progress);
}
void run_with_progress(network_run& run, std::int64_t first, std::int64_t end,
                       const detail::progress_function& progress) {
    tell_of(
        [&](const std::function<bool(double)>& tell) { return run.run_passes(first, end, tell); },
        progress);
}

void prepared_state::run() {
    has_run_ = false;
    run_with_progress(*run_, progress_);
    finish_run();
}
void prepared_state::run_passes(std::int64_t first, std::int64_t end) {
    has_run_ = false;
    run_with_progress(*run_, first, end, progress_);
    finish_run();
}

void prepared_state::finish_run() {
    if (beyond_ != nullptr) refuse_beyond_range(result_, operands_, beyond_);
    if (left_) left_->put(result_, whole_);
    has_run_ = true;
}

void prepared_state::check_has_run() const {
    if (!has_run_)
        throw error("ricci: the prepared network has no result: no run has come to its end.");
}

array prepared_state::result() const {
    check_has_run();
    const array& result = whole_result();
    if (result.type() == given_) return result;
    array given = result.converted(given_);
    if (beyond_ != nullptr) refuse_beyond_range(given, operands_, beyond_);
    return given;
}

double prepared_state::exponent10() const {
    check_has_run();
    return static_cast<double>(run_->exponent10());
}

}  // namespace networks

array contract(const network& n, const contraction_order& order, const contract_options& options) {
    if (options.scaled)
        throw error(
            "ricci: contract() has no exponent to give beside its result: contract_scaled() "
            "has.");
    const auto state = networks::prepare_with_progress(options.progress, [&] {
        return std::make_unique<networks::prepared_state>(n.data(), order.data(), options, false);
    });
    state->run();
    return state->result();
}

most_likely argmax(const network& n, const contraction_order& order) {
    if (!n.data().kept.empty())
        throw error(fmt::format(
            "ricci: the greatest sum of a network is a number, and this one keeps {} indices.",
            n.data().kept.size()));
    networks::bound_network bound(n.data(), order.data(), {.algebra = algebra::max_sum});
    array value = bound.result_of({});
    bound.asked.places = true;
    bound.asked.may_cut = true;
    const auto places = networks::network_run(bound.asked).best();
    most_likely found;
    found.value = *static_cast<const double*>(value.converted(element::f64).data());
    for (std::size_t i = 0; i < places.size(); ++i)
        found.places[n.data().numbers[i]] = std::max<std::int64_t>(places[i], 0);
    return found;
}

array contract(const network& n, const contract_options& options) {
    const contraction_order order = networks::prepare_with_progress(
        options.progress, [&] { return networks::brief_order(n.data(), options.memory); });
    return contract(n, order, options);
}

prepared_network::prepared_network(std::unique_ptr<networks::prepared_state> state)
    : state_(std::move(state)) {}
prepared_network::prepared_network(prepared_network&&) noexcept = default;
prepared_network& prepared_network::operator=(prepared_network&&) noexcept = default;
prepared_network::~prepared_network() = default;

void prepared_network::bind(std::size_t operand, detail::network_operand value) {
    state_->bind(operand, value.value());
}
void prepared_network::bind_array(std::size_t operand, const array& value) {
    state_->bind(operand, value);
}
void prepared_network::operator()() { state_->run(); }
array prepared_network::result() const { return state_->result(); }
double prepared_network::exponent10() const { return state_->exponent10(); }

prepared_network prepare(const network& n, const contraction_order& order,
                         const contract_options& options) {
    return prepared_network(
        std::make_unique<networks::prepared_state>(n.data(), order.data(), options, true));
}

}  // namespace ricci
