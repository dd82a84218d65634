// The search as a whole: arms that race, and what was simplified put back.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <ricci/error.hpp>

#include "src/path/search/exact.hpp"
#include "src/path/search/order_search.hpp"

namespace ricci::path {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();
constexpr double no_price = -std::numeric_limits<double>::infinity();  // log2 of no price

}  // namespace

order_found order_search::run() {
    const std::int32_t raw = raw_.core.operands();
    if (raw >= 2 && raw <= exact_search_operands) {
        const product_list products = exact_tree(raw_.core, price_);
        if (!limited() || keeps_within_limit(products)) {
            found_.consider(raw_.whole(products), {});
            return found_.take();
        }
    }
    const std::int32_t n = simple_.core.operands();
    if (n > 2) {
        find_seeds();
        consider_seeds();
        search_shorter();
        if (can_anneal(simple_.core) && has_time()) race();
    } else {
        best_ = simple_.whole(n == 2 ? product_list{{0, 1}} : product_list{});
        found_.consider(best_, {});
    }
    put_back_and_cool();
    return found_.take();
}

std::vector<char> order_search::of_whole(const core_network& core,
                                         const std::vector<char>& sliced) const {
    std::vector<char> whole(network_.extents.size());
    for (std::size_t i = 0; i < sliced.size(); ++i)
        if (sliced[i] != 0) whole[place(core.origin[i])] = 1;
    return whole;
}

std::vector<char> order_search::whole_slices(const racing_arm& arm) const {
    return of_whole(network_of(arm.raw).core, arm.search->ladder().sliced());
}

void order_search::keep_best_arm() {
    std::sort(arms_.begin(), arms_.end(), [](const auto& a, const auto& b) {
        return a.search->reached() < b.search->reached();
    });
    const racing_arm& arm = arms_.front();
    best_ = network_of(arm.raw).whole(arm.search->ladder().products());
    found_.consider(best_, whole_slices(arm));
}

// Whether an arm has met a bound: it is over then, and with a given time all others are, too.
bool order_search::is_done(search_arm& arm) {
    const double limit = limited() ? std::log2(options_.largest) : no_limit;
    if (options_.minimize == objective::multiplications) {
        // No result has more elements than there are multiplications.
        if (arm.score() <= limit) clock_.judge_price(arm.score());
        return clock_.stopped();
    }
    const double largest = arm.ladder().largest() - 1e-9;
    if (largest > limit) return false;
    const bool met =
        (options_.minimize == objective::largest_product && largest <= bound_) ||
        (options_.minimize == objective::largest_intermediate && largest <= intermediate_bound_);
    if (met && clock_.timed()) clock_.stop();
    return met;
}

void order_search::run_arms(double begin, double end, std::int64_t trials) {
    const auto count = static_cast<std::int64_t>(arms_.size());
    const std::int64_t flat_moves =
        clock_.timed() ? std::llround(std::max(0.0, end - begin) * 1e7) : moves_of_trial_ / 2;
    on_all_lanes(count, [&](std::int64_t k, std::int64_t place_in_lane, std::int64_t in_lane) {
        search_arm& arm = *arms_[static_cast<std::size_t>(k)].search;
        const double deadline = begin + (end - begin) * static_cast<double>(place_in_lane + 1) /
                                            static_cast<double>(in_lane);
        const std::int64_t own = trials / count + (k < trials % count ? 1 : 0);
        const std::int64_t last_move = arm.ladder().moves() + own * moves_of_trial_;
        arm.run(
            flat_moves / (clock_.timed() ? std::max<std::int64_t>(1, in_lane) : 1),
            [&] {
                return !is_done(arm) && clock_.until(deadline) &&
                       (clock_.timed() || arm.ladder().moves() < last_move);
            },
            time_to_slice());
    });
}

void order_search::keep_fewer(std::size_t count) {
    std::sort(arms_.begin(), arms_.end(), [](const auto& a, const auto& b) {
        return a.search->projected_score() < b.search->projected_score();
    });
    // The leader stays, whatever its slope.
    const auto leader = std::min_element(
        arms_.begin(), arms_.end(),
        [](const auto& a, const auto& b) { return a.search->reached() < b.search->reached(); });
    std::rotate(arms_.begin(), leader, leader + 1);
    // So does the best one that comes below the limit in the other way: it shows late what it
    // gains.
    const auto other = std::find_if(arms_.begin() + 1, arms_.end(), [&](const auto& arm) {
        return arm.at_once != arms_.front().at_once;
    });
    if (other != arms_.end()) std::rotate(arms_.begin() + 1, other, other + 1);
    if (arms_.size() > count) arms_.resize(count);
}

// With many slices by turns: from a tree that is cheap with them, and from one that is without.
void order_search::start_arm(std::size_t k) {
    auto& arm = arms_[k];
    const std::uint64_t stream = options_.seed * 64 + 32 + k;
    arm.at_once = takes_many_slices_ && !sliced_seeds_.empty() && k % 2 == (slices_first_ ? 0 : 1);
    const std::size_t number = takes_many_slices_ && !sliced_seeds_.empty() ? k / 2 : k;
    const scored_tree& seed = seeds_[number % seeds_.size()];
    const sliced_seed* const sliced =
        arm.at_once ? &sliced_seeds_[number % sliced_seeds_.size()] : nullptr;
    arm.raw = arm.at_once ? sliced->raw : seed.raw;
    arm.search = std::make_unique<search_arm>(network_of(arm.raw).core, price_,
                                              arm.raw ? no_price : before_, stream);
    const double limit = std::log2(options_.largest);
    if (arm.at_once) return arm.search->start_within(sliced->products, sliced->sliced, limit);
    arm.search->start(seed.products);
    if (!can_slice()) return;
    constexpr double moves_a_second = 1e7, part = 0.2;
    const double moves = clock_.timed() ? moves_a_second * std::max(0.0, clock_.seconds_left())
                                        : static_cast<double>(options_.trials * moves_of_trial_);
    arm.search->limit_to(limit, std::llround(part * moves));
}

void order_search::race() {
    const core_network& core = simple_.core;
    const auto lanes = static_cast<std::size_t>(lanes_);
    const bool timed = clock_.timed();
    std::size_t count = 4;
    if (timed) {
        // Every arm has time for a ladder or two.
        const double ladder_seconds = 3e-5 * core.operands();
        const double share = 0.2 * std::max(0.0, clock_.seconds_left()) * lanes_;
        count = static_cast<std::size_t>(std::clamp(share / ladder_seconds, 1.0, 4.0));
        count = (std::max(count, lanes) + lanes - 1) / lanes * lanes;
    }
    if (options_.minimize == objective::largest_product ||
        options_.minimize == objective::largest_intermediate) {
        bound_ = product_bound_log2(network_);
        intermediate_bound_ = intermediate_bound_log2(raw_.core, bound_);
    }
    arms_.resize(count);
    on_all_lanes(static_cast<std::int64_t>(count), [&](std::int64_t k, std::int64_t, std::int64_t) {
        start_arm(static_cast<std::size_t>(k));
    });
    const double left = std::max(0.0, clock_.seconds_left());
    const double start = clock_.elapsed();
    const double share = simple_.before.empty() || !can_anneal(raw_.core) ? 1.0 : 0.75;
    const auto until = [&](double part) { return start + left * share * part; };
    const std::int64_t trials = std::max<std::int64_t>(options_.trials, 1);
    const auto first_trials = std::min<std::int64_t>(trials, static_cast<std::int64_t>(count));
    const std::int64_t second_trials = (trials - first_trials) / 3;
    if (count > lanes || !timed) {
        run_arms(clock_.elapsed(), until(0.2), first_trials);
        keep_fewer(timed ? (count / 2 + lanes - 1) / lanes * lanes : 2);
    }
    run_arms(clock_.elapsed(), until(0.45), second_trials);
    // With many slices one of each kind: what one has reached says little of what the other will.
    if (timed) keep_fewer(takes_many_slices_ ? std::max<std::size_t>(lanes, 2) : lanes);
    else keep_fewer(2);
    constexpr double ladders_share = 0.96;
    run_arms(clock_.elapsed(), until(ladders_share), trials - first_trials - second_trials);
    on_all_lanes(static_cast<std::int64_t>(arms_.size()),
                 [&](std::int64_t k, std::int64_t, std::int64_t) {
                     search_arm& arm = *arms_[static_cast<std::size_t>(k)].search;
                     arm.reach_limit(time_to_slice());
                     if (options_.brief) return;
                     arm.polish([&] { return clock_.until(until(1)); });
                     arm.reach_limit(time_to_slice());
                 });
    keep_best_arm();
}

// What was simplified need not have been multiplied first: the whole tree is annealed where it is.
void order_search::put_back_and_cool() {
    const core_network& core = raw_.core;
    if (simple_.before.empty() || core.operands() < 3 || !can_anneal(core) || !has_time()) return;
    const auto lanes = static_cast<std::size_t>(clock_.timed() ? lanes_ : 2);
    std::vector<product_list> starts;
    std::vector<std::vector<char>> slices;
    for (std::size_t k = 0; k < lanes; ++k) {
        slices.emplace_back(core.weight.size());
        starts.push_back(best_);
        if (arms_.empty()) continue;
        const racing_arm& arm = arms_[std::min(k, arms_.size() - 1)];
        starts.back() = network_of(arm.raw).whole(arm.search->ladder().products());
        const auto whole = whole_slices(arm);
        for (std::size_t i = 0; i < core.weight.size(); ++i)
            slices.back()[i] = whole[place(core.origin[i])];
    }
    arms_.clear();
    arms_.resize(lanes);
    on_all_lanes(static_cast<std::int64_t>(lanes), [&](std::int64_t k, std::int64_t, std::int64_t) {
        const auto own = static_cast<std::size_t>(k);
        auto& arm = arms_[own].search;
        arms_[own].raw = true;
        arm = std::make_unique<search_arm>(core, price_, no_price, options_.seed * 64 + 48 + own);
        const product_list products = raw_.within(starts[own]);
        if (can_slice()) {
            arm->start_within(products, slices[own], std::log2(options_.largest));
            arm->reach_limit(time_to_slice());
        } else {
            arm->start(products);
        }
        const double deadline = clock_.end();
        const double left = clock_.seconds_left();
        const std::int64_t moves =
            clock_.timed() ? std::llround(std::max(0.0, left) * 3e6) : moves_of_trial_ / 3;
        arm->run_cold(moves, [&] {
            return !is_done(*arm) && clock_.until(deadline) &&
                   (clock_.timed() || arm->ladder().moves() < moves_of_trial_);
        });
        arm->reach_limit(time_to_slice());
    });
    keep_best_arm();
}

order_found search_order(const hypergraph& network, const search_options& options) {
    check_network(network);
    if (!(options.seconds >= 0) || options.trials < 0 || options.threads < 0)
        throw error("order search: seconds, trials and threads may not be negative");
    if (!(options.largest >= 1))
        throw error("order search: no intermediate has fewer elements than one");
    if (!(options.traffic_weight >= 0))
        throw error("order search: the weight of traffic may not be negative");
    if (network.operands() < 2) return {};
    return order_search(network, options).run();
}

}  // namespace ricci::path
