// An order for a network: what is asked for in the words of the search, and memory in elements.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/core.h>

#include <ricci/error.hpp>
#include <ricci/network.hpp>

#include "src/network/memory_limits.hpp"
#include "src/network/order_data.hpp"
#include "src/network/reduced_network.hpp"
#include "src/network/zero_search.hpp"
#include "src/path/search.hpp"

namespace ricci {
namespace {

using namespace networks;

// What a search without a limit of time does: enough for a good order, and soon over.
constexpr std::int64_t usual_trials = 1;

path::objective minimized(objective o) {
    switch (o) {
        case objective::largest_product:
            return path::objective::largest_product;
        case objective::largest_intermediate:
            return path::objective::largest_intermediate;
        case objective::traffic:
            return path::objective::traffic;
        case objective::weighed:
            return path::objective::weighed;
        case objective::multiplications:
            return path::objective::multiplications;
    }
    throw error(fmt::format("ricci: there is no objective {}.", static_cast<int>(o)));
}

void check_options(const order_options& o) {
    const auto check = [](bool right, const char* what, double given) {
        if (!right)
            throw error(fmt::format("ricci: an order is sought with {} of {}, which means nothing.",
                                    what, given));
    };
    check(o.seconds >= 0 && std::isfinite(o.seconds), "seconds", o.seconds);
    check(o.trials >= 0, "trials", static_cast<double>(o.trials));
    check(o.memory >= 0, "a memory", o.memory);
    check(o.choices >= 0, "choices", static_cast<double>(o.choices));
}

// What running takes beside the operands: the intermediates that live at once, and a copy of one of
// them in another order.
double bytes_beside_operands(const order_data& order) {
    return (order.score.peak + order.score.largest_intermediate.value()) * order.element_bytes;
}

std::shared_ptr<path::hypergraph> shapes_of(const network_data& n, std::int64_t choices) {
    auto shapes = std::make_shared<path::hypergraph>(hypergraph_of(n));
    if (choices == 0) return shapes;
    shapes->sparse = shapes->open;
    shapes->choices = static_cast<double>(choices);
    return shapes;
}

// Searches until an order is found that keeps within memory.
class bounded_search {
public:
    bounded_search(const network_data& n, const order_options& options, bool brief = false)
        : network_(n),
          options_(options),
          brief_(brief),
          shapes_(shapes_of(n, options.choices)),
          begun_(std::chrono::steady_clock::now()) {
        if (options_.seconds == 0 && options_.trials == 0) options_.trials = usual_trials;
        const double memory = memory_for_order(n, options_.memory);
        left_ = memory - bytes_of_operands(n);
        element_bytes_ = static_cast<double>(size_of(n.operands[0].type()));
        check_result_fits(memory);
    }

    contraction_order find() {
        // Two intermediates of the largest size, a copy of one and some small ones: mostly enough.
        double largest = left_ / element_bytes_ / 3.25;
        constexpr int most_attempts = 8;
        std::optional<contraction_order> found;
        for (int attempt = 0; attempt < most_attempts; ++attempt) {
            found = search(std::max(largest, 1.0), attempt);
            const double needed = bytes_beside_operands(found->data());
            if (needed <= left_)
                return with_memory(with_less_traffic(std::move(*found), largest), options_.memory);
            if (largest <= 1) break;
            largest *= std::min(0.7, left_ / needed);
        }
        throw error(
            fmt::format("ricci: the memory does not suffice for any order of the network: "
                        "beside its tensors there are {:.3g} bytes, and the best order takes "
                        "{:.3g}.",
                        left_, bytes_beside_operands(found->data())));
    }

private:
    void check_result_fits(double memory) const {
        double result = element_bytes_;
        for (const std::int32_t i : network_.kept)
            result *= static_cast<double>(network_.extents[static_cast<std::size_t>(i)]);
        if (options_.choices > 0)
            result = std::min(result, element_bytes_ * static_cast<double>(options_.choices));
        if (left_ < 0 || result > left_)
            throw error(fmt::format(
                "ricci: the network's tensors take {:.3g} bytes and its result {:.3g}, and {}there "
                "is memory for {:.3g}.",
                bytes_of_operands(network_), result,
                options_.memory > 0 ? "" : "beside the tensors ",
                options_.memory > 0 ? memory : std::max(left_, 0.0)));
    }

    double seconds_used() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
    }

    bool tell(double part, double left) {
        part_ = part;
        told_ = seconds_used();
        if (!options_.progress(part, left)) stopped_ = true;
        return !stopped_;
    }
    // What is not a search itself asks here.
    bool goes_on() {
        constexpr double between_questions = 0.02;
        if (stopped_) return false;
        return !options_.progress || seconds_used() < told_ + between_questions || tell(part_, 0);
    }

    // Of orders of nearly the same price the one that runs faster.
    contraction_order with_less_traffic(contraction_order found, double largest) {
        if (brief_ || stopped_ || options_.objective != objective::multiplications) return found;
        const bool timed = options_.trials == 0;
        const path::order_found other = path::with_less_traffic(
            *shapes_, latest_, std::max(largest, 1.0),
            [&] { return goes_on() && (!timed || seconds_used() < options_.seconds); });
        contraction_order made = order_of(network_, shapes_, other.products, other.slices);
        return bytes_beside_operands(made.data()) <= left_ ? made : found;
    }

    // The first attempt mostly is the last; where a bound is given it leaves some time for others.
    contraction_order search(double largest, int attempt) {
        path::search_options how;
        const double first_part = options_.memory > 0 ? 0.85 : 0.98;
        // Half of what is left each time: all together keep within the time that is given.
        how.seconds = attempt == 0 ? first_part * options_.seconds
                                   : 0.5 * std::max(0.0, options_.seconds - seconds_used());
        how.trials = options_.trials;
        how.brief = brief_;
        how.largest = largest;
        how.seed = options_.seed;
        how.minimize = minimized(options_.objective);
        how.simplifies = options_.simplify != simplify::none;
        if (options_.progress)
            how.progress = [this](double part, double left) { return tell(part, left); };
        latest_ = attempt > 0 ? best_within(how) : path::search_order(*shapes_, how);
        return order_of(network_, shapes_, latest_.products, latest_.slices);
    }

    // The order of the attempt before with more slices, or another one that is better; when time is
    // over no other is sought.
    path::order_found best_within(const path::search_options& how) const {
        path::order_found cut = path::sliced_within(*shapes_, latest_, how.largest);
        if (stopped_ || (how.trials == 0 && how.seconds <= 0)) return cut;
        path::order_found other = path::search_order(*shapes_, how);
        const auto score = [&](const path::order_found& order) {
            return path::log2_objective(path::cost_of(*shapes_, order), how.minimize,
                                        how.traffic_weight);
        };
        return score(other) <= score(cut) ? other : cut;
    }

    const network_data& network_;
    order_options options_;
    bool brief_;
    std::shared_ptr<const path::hypergraph> shapes_;
    std::chrono::steady_clock::time_point begun_;
    path::order_found latest_;    // of the attempt before
    double left_ = 0;             // bytes beside the operands
    double part_ = 0, told_ = 0;  // what the caller was told last, and when
    bool stopped_ = false;        // by the caller
    double element_bytes_ = 8;
};

contraction_order find_by_values(const network_data& n, const order_options& options) {
    if (n.without_memory > 0)
        throw error(
            "ricci: the values of a network's tensors are asked for, and some are shapes, without "
            "any.");
    std::vector<zero_fact> zeros = find_zeros(n);
    if (zeros.empty()) return bounded_search(n, options).find();
    const reduced_network left(n, zeros);
    return resting_on(n, bounded_search(left.data(), options).find(), std::move(zeros));
}

}  // namespace

contraction_order networks::brief_order(const network_data& n, double memory) {
    order_options options;
    options.memory = memory;
    check_options(options);
    if (n.operands.empty()) throw error("ricci: a network without tensors has no result.");
    return bounded_search(n, options, true).find();
}

contraction_order find_order(const network& n, const order_options& options) {
    check_options(options);
    if (n.size() == 0) throw error("ricci: a network without tensors has no order.");
    if (options.simplify == simplify::values) return find_by_values(n.data(), options);
    return bounded_search(n.data(), options).find();
}

}  // namespace ricci
