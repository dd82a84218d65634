// The search as a whole: seeds, arms that race, what was simplified put back, slices at last.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ricci/error.hpp>

#include "src/path/search/arm.hpp"
#include "src/path/search/best_order.hpp"
#include "src/path/search/exact.hpp"
#include "src/path/search/search_clock.hpp"
#include "src/path/search/seed_portfolio.hpp"
#include "src/path/search/sliced_seeds.hpp"
#include "src/path/search/slicing.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::path {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();
constexpr double no_price = -std::numeric_limits<double>::infinity();  // log2 of no price

struct racing_arm {
    std::unique_ptr<search_arm> search;
    bool raw = false;
    bool at_once = false;  // within the limit from its first tree on
};

class order_search {
public:
    order_search(const hypergraph& network, const search_options& options)
        : network_(network),
          options_(options),
          clock_(options, network.operands()),
          raw_(unsimplified(network)),
          simple_(options.simplifies ? simplify_shapes(network) : raw_),
          found_(network, options, raw_.scalars) {
        moves_of_trial_ = std::clamp<std::int64_t>(4000 * std::int64_t{simple_.core.operands()},
                                                   20'000, 4'000'000);
        price_.minimize = options.minimize;
        price_.traffic_weight = options.traffic_weight;
        before_ = tree_score(raw_.core, raw_.within(simple_.before), price_);
        lanes_ = std::max(1, runtime::worker_count());
        if (options.threads > 0) lanes_ = std::min(lanes_, options.threads);
    }

    order_found run() {
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

private:
    // Above that one sweep takes longer than anybody waits.
    static constexpr std::int32_t most_annealed_operands = 400'000;
    // Sets of indices of all nodes at once, which slices are chosen by.
    static constexpr double most_sliced_bytes = 1e9;

    static bool can_anneal(const core_network& core) {
        return core.operands() <= most_annealed_operands;
    }
    // Of all networks or of none: arms with slices are not compared with others.
    bool can_slice() const {
        return limited() && tree_annealer::bytes_for(raw_.core) < most_sliced_bytes;
    }
    bool has_time() const {
        return !clock_.stopped() && (!clock_.timed() || clock_.seconds_left() > 0);
    }
    bool limited() const { return found_.is_limited(); }
    bool keeps_within_limit(const product_list& of_raw) const {
        const auto sizes = entry_sizes(raw_.core, of_raw);
        return *std::max_element(sizes.begin() + raw_.core.operands(), sizes.end()) <=
               std::log2(options_.largest);
    }

    template <class Body>
    void on_all_lanes(std::int64_t count, const Body& body) {
        const std::int64_t lanes = std::min<std::int64_t>(lanes_, count);
        auto lane = [&](std::int64_t l, int) {
            for (std::int64_t k = l; k < count; k += lanes)
                body(k, k / lanes, (count - l - 1) / lanes + 1);
        };
        runtime::parallel_for(lanes, lane);
    }

    void find_seeds();
    void consider_seeds();
    void cut_seeds(double first, bool takes_many);
    void search_shorter();
    void find_sliced_seeds();
    std::int64_t brief_moves(double log2_multiplications) const;
    // Slices of a tree are chosen by sets of all its nodes: where time is short, these are not even
    // written.
    keep_going time_to_slice(double until) {
        constexpr double bytes_a_second = 3e8;
        const double last = until - tree_annealer::bytes_for(raw_.core) / bytes_a_second;
        return [this, last] { return clock_.until(last); };
    }
    keep_going time_to_slice() { return time_to_slice(clock_.slices_end()); }
    void race();
    void start_arm(std::size_t k);
    void run_arms(double begin, double end, std::int64_t trials);
    void keep_fewer(std::size_t count);
    void put_back_and_cool();
    void keep_best_arm();
    const simplified_network& network_of(bool raw) const { return raw ? raw_ : simple_; }
    std::vector<char> of_whole(const core_network& core, const std::vector<char>& sliced) const;
    std::vector<char> whole_slices(const racing_arm& arm) const;
    bool is_done(search_arm& arm);

    const hypergraph& network_;
    const search_options& options_;
    search_clock clock_;
    simplified_network raw_, simple_;
    product_price price_;
    std::int64_t moves_of_trial_ = 0;
    double before_ = 0;  // log2 of the price of what simplification has made
    double bound_ = -1, intermediate_bound_ = -1;  // log2 of elements
    int lanes_ = 1;
    std::vector<scored_tree> seeds_;         // best ones first
    std::vector<sliced_seed> sliced_seeds_;  // the same, where slices are needed
    bool slices_first_ = false;              // the first arm starts from the best of these
    std::vector<racing_arm> arms_;
    product_list best_;  // of the whole network, as the search went on: within no limit yet
    best_order found_;
};

void order_search::find_seeds() {
    std::vector<const core_network*> cores{&simple_.core};
    if (!simple_.before.empty() && can_anneal(raw_.core)) cores.push_back(&raw_.core);
    auto makers = make_seed_makers(cores, options_.seed);
    if (options_.brief) makers.resize(std::min<std::size_t>(makers.size(), 2));  // the quick ones
    std::vector<scored_tree> made(makers.size());
    const double deadline = 0.15 * clock_.end();
    on_all_lanes(static_cast<std::int64_t>(makers.size()),
                 [&](std::int64_t k, std::int64_t, std::int64_t) {
                     const seed_maker& maker = makers[static_cast<std::size_t>(k)];
                     scored_tree& tree = made[static_cast<std::size_t>(k)];
                     const bool first = k == 0;  // some order has to stand
                     if (!first && !clock_.until(deadline)) return;
                     tree.products = maker.make([&] { return first || clock_.until(deadline); });
                     tree.raw = maker.core == &raw_.core;
                     tree.kind = maker.kind;
                     if (tree.products.empty()) return;
                     tree.score = tree_score(*maker.core, tree.products, price_);
                     if (!tree.raw) tree.score = log2_add(before_, tree.score);
                 });
    seeds_ = best_first(std::move(made));
    if (options_.brief) moves_of_trial_ = std::min(moves_of_trial_, brief_moves(seeds_[0].score));
}

// A move takes about as long as a thousand multiplications at a nominal rate.
std::int64_t order_search::brief_moves(double log2_multiplications) const {
    constexpr double fewest = 100'000, most = 1e9, multiplications_of_move = 1000;
    const double worth = std::exp2(std::min(log2_multiplications, 100.0)) / multiplications_of_move;
    return static_cast<std::int64_t>(std::min(most, fewest + worth));
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

// With a limit the first trees that are worth most are those that are cheap with slices.
void order_search::consider_seeds() {
    best_ = network_of(seeds_[0].raw).whole(seeds_[0].products);
    const double first = found_.consider(best_, {});
    if (!found_.is_sliced()) return;
    // A few slices more than none leave the cheapest tree without them about the cheapest.
    constexpr double few = 10;
    const core_network& core = network_of(seeds_[0].raw).core;
    const auto sizes = entry_sizes(core, seeds_[0].products);
    const double largest = *std::max_element(sizes.begin() + core.operands(), sizes.end());
    const bool takes_many = largest > std::log2(options_.largest) + few;
    cut_seeds(first, takes_many);
    if (!can_slice()) return;
    find_sliced_seeds();
    if (sliced_seeds_.empty()) return;
    const sliced_seed& best = sliced_seeds_[0];
    const simplified_network& network = network_of(best.raw);
    const double before = found_.objective();
    found_.consider(network.whole(best.products), of_whole(network.core, best.sliced));
    // Moves of slices walk through the products of an index, which are the more, the larger the
    // network is.
    const double settling_seconds = 1e-7 * core.operands() * core.operands();
    slices_first_ = takes_many && found_.objective() < before &&
                    (!clock_.timed() || clock_.seconds_left() > settling_seconds);
}

// What a search comes to with slices depends on what it starts from more than on how long it goes
// on: the one with less time is a part of the one with more, which so never is the worse one.
void order_search::search_shorter() {
    constexpr double part = 0.2, shortest = 0.15;
    search_options shorter = options_;
    shorter.seconds = part * options_.seconds;
    if (!clock_.timed() || !found_.is_sliced() || shorter.seconds < shortest || !has_time()) return;
    if (options_.progress)
        shorter.progress = [this](double, double) { return clock_.until(clock_.end()); };
    found_.consider(order_search(network_, shorter).run());
}

// Where many slices are needed, the tree that is cheapest with them comes second.
void order_search::cut_seeds(double first, bool takes_many) {
    const double until = 0.2 * clock_.end();
    std::size_t best = 0;
    double least = first;
    for (std::size_t k = 1; k < seeds_.size() && clock_.until(until); ++k) {
        const double reached =
            found_.consider(network_of(seeds_[k].raw).whole(seeds_[k].products), {});
        if (reached < least) least = reached, best = k;
    }
    if (takes_many && best > 1) std::swap(seeds_[1], seeds_[best]);
}

void order_search::find_sliced_seeds() {
    product_price price = price_;
    price.limit = std::log2(options_.largest);
    const auto makers = make_sliced_seed_makers(simple_.core, raw_.core, seeds_, price,
                                                options_.seed, options_.brief);
    std::vector<sliced_seed> made(makers.size());
    // The first one is worth more than what little time is left without it.
    const double first_deadline = 0.6 * clock_.end(), deadline = 0.3 * clock_.end();
    on_all_lanes(static_cast<std::int64_t>(makers.size()), [&](std::int64_t k, std::int64_t,
                                                               std::int64_t) {
        sliced_seed& seed = made[static_cast<std::size_t>(k)];
        seed =
            makers[static_cast<std::size_t>(k)](time_to_slice(k == 0 ? first_deadline : deadline));
        if (seed.raw) return;
        const double runs = log2_slices(simple_.core, seed.sliced);
        seed.score = log2_add(before_ + runs, seed.score);
    });
    sliced_seeds_ = cheapest_first(std::move(made));
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

// With slices by turns: from a tree that is cheap with them, and from one that is without.
void order_search::start_arm(std::size_t k) {
    auto& arm = arms_[k];
    const std::uint64_t stream = options_.seed * 64 + 32 + k;
    arm.at_once = !sliced_seeds_.empty() && k % 2 == (slices_first_ ? 0 : 1);
    const std::size_t number = sliced_seeds_.empty() ? k : k / 2;
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
    // With slices one of each kind: what one has reached says little of what the other will.
    keep_fewer(timed ? std::max(lanes, sliced_seeds_.empty() ? lanes : std::size_t{2}) : 2);
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

}  // namespace

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
