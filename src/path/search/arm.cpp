// One line of the search: a first tree, ladders, and new starts where ladders gain nothing more.
#include "src/path/search/arm.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "src/path/search/partition.hpp"

namespace ricci::path {
namespace {

// Up to so many products are annealed as one window.
constexpr std::uint32_t most_in_one = 8192;
constexpr int cold_sweeps = 200;
// Operands of parts that are made anew: each more takes three times as long.
constexpr std::size_t leaves_rebuilt = 8, leaves_rebuilt_last = 9;
// How often a new start is of the kind that has come furthest.
constexpr double likelihood_of_best = 0.6;

}  // namespace

search_arm::search_arm(const core_network& network, const product_price& price, double before,
                       std::uint64_t seed)
    : network_(network), ladder_(network, price, seed), before_(before), strict_(seed % 2 == 1) {}

void search_arm::start(const product_list& products) {
    ladder_.start(products);
    projected_ = reached();
}

void search_arm::start_within(const product_list& products, const std::vector<char>& sliced,
                              double log2_elements) {
    target_ = limit_ = log2_elements;
    ladder_.start_within(products, sliced, log2_elements);
    projected_ = reached();
}

search_arm::start_kind search_arm::next_kind() {
    if (starts_ < kinds) return static_cast<start_kind>(starts_);
    auto& random = ladder_.random();
    if (random.uniform() > likelihood_of_best) return static_cast<start_kind>(random.below(kinds));
    const auto best = std::min_element(best_of_kind_.begin(), best_of_kind_.end());
    return static_cast<start_kind>(best - best_of_kind_.begin());
}

product_list search_arm::random_tree(start_kind kind, const keep_going& go_on) {
    auto& random = ladder_.random();
    switch (kind) {
        case start_kind::elimination: {
            constexpr std::int32_t most_for_fill = 1500;
            const bool fill = network_.indices() <= most_for_fill && random.below(3) == 0;
            return elimination_tree(network_, {0.3 * random.uniform(), fill}, random, go_on);
        }
        case start_kind::line: {
            std::vector<std::int32_t> order(place(network_.operands()));
            std::iota(order.begin(), order.end(), 0);
            const std::uint32_t base = random.below(3);
            if (base == 1) order = order_by_indices(network_);
            if (base == 2) {
                const auto start = random.below(static_cast<std::uint32_t>(network_.operands()));
                order = order_by_layers(network_, static_cast<std::int32_t>(start));
            }
            const int steps = static_cast<int>(random.below(32));
            const double pull = 0.003 * std::exp(3 * random.uniform());
            return front_tree(
                network_, order_by_front(network_, smoothed_order(network_, order, steps), pull));
        }
        case start_kind::partition: {
            const auto parts = static_cast<std::int32_t>(2 + random.below(4));
            const double imbalance = 0.1 * std::exp(2.2 * random.uniform());
            return partition_tree(network_, {parts, imbalance}, random, go_on);
        }
        case start_kind::molten_greedy:
        case start_kind::warm_greedy:
            break;
    }
    const double weight = 0.5 + random.uniform();
    const double temperature = std::exp(-5 * random.uniform());
    return greedy_tree(network_, {weight, temperature}, random, go_on);
}

// Greedy trees are melted, or warmed until coarse structure moves; others have structure to keep.
void search_arm::new_start(std::int64_t flat_moves, const keep_going& go_on) {
    const std::int64_t n = std::max(network_.operands(), 2);
    constexpr std::int64_t first_sweeps = 1000;
    if (flat_moves_ == 0) flat_moves_ = first_sweeps * n;
    flat_moves_ = std::clamp<std::int64_t>(flat_moves_, 100 * n, std::max(flat_moves, 100 * n));
    kind_ = next_kind();
    const auto tree = random_tree(kind_, go_on);
    if (tree.empty()) return;
    ladder_.start_again(tree);
    ++starts_;
    beside_ = true;
    idle_ = 0;
    if (kind_ != start_kind::molten_greedy && kind_ != start_kind::warm_greedy) return;
    const double from = kind_ == start_kind::molten_greedy ? 0.05 : 1.0;
    ladder_.anneal(static_cast<int>(flat_moves_ / n), from, 14, most_in_one, go_on);
    parts_pay_ = true;
    // Longer ones now and then: both many short and few long ones find something.
    if (++annealed_ % 3 == 0) flat_moves_ *= 2;
}

void search_arm::end_start() {
    beside_ = false;
    auto& best = best_of_kind_[static_cast<std::size_t>(kind_)];
    best = std::min(best, ladder_.score());
    ladder_.keep_best();
}

void search_arm::limit_to(double log2_elements, std::int64_t planned_moves) {
    target_ = log2_elements;
    planned_moves_ = planned_moves;
    ladder_.set_final_limit(target_);
    start_lowering();
}

// As far as one has shown how many moves it takes.
std::int64_t search_arm::planned_ladders() const {
    return ladder_moves_ == 0 ? 0 : planned_moves_ / ladder_moves_;
}

// From what the tree has without a limit.
void search_arm::start_lowering() {
    constexpr double fewest = 2, most = 16, ladders_of_step = 2.5;
    const double steps =
        std::clamp(static_cast<double>(planned_ladders() - unlimited_ladders_) / ladders_of_step,
                   fewest, most);
    limit_ = std::max(target_, ladder_.largest_result());
    limit_step_ = std::max(1.0, (limit_ - target_) / steps);
    ladder_.set_limit(limit_);
}

void search_arm::lower_limit(const keep_going& go_on) {
    limit_ = std::max(target_, std::min(limit_, ladder_.largest_result()) - limit_step_);
    ladder_.set_limit(limit_);
    ladder_.climb_down(go_on);
    ladder_.settle_slices(go_on);
    ladder_.slice_again(strict_, go_on);
    ladder_.climb_down(go_on);
}

void search_arm::reach_limit(const keep_going& go_on) {
    if (!is_limited()) return;
    if (limit_ != target_) ladder_.set_limit(limit_ = target_);
    ladder_.keep_within_limit(go_on);
}

// Parts of a tree that ladders have settled are the best there are: parts are made anew after each
// ladder for as long as ladders gain something, or making them did.
void search_arm::rebuild(const keep_going& go_on) {
    constexpr double worth = 1e-3;
    const double before = ladder_.score();
    ladder_.rebuild_parts(leaves_rebuilt, go_on);
    parts_pay_ = ladder_.score() < before - worth;
}

void search_arm::run(std::int64_t flat_moves, const keep_going& go_on,
                     const keep_going& may_slice) {
    const int patience = network_.operands() <= 400 ? 2 : 3;
    const double before = reached();
    while (go_on()) {
        if (is_limited() && limit_ > target_) {
            // A few ladders first, without slices.
            constexpr std::int64_t most_unlimited = 3, part = 8;
            if (!is_lowering_) {
                const std::int64_t before_it = ladder_.moves();
                ladder_.climb_down(go_on);
                ladder_moves_ = std::max<std::int64_t>(1, ladder_.moves() - before_it);
                is_lowering_ =
                    ++unlimited_ladders_ >= std::min(most_unlimited, planned_ladders() / part);
                if (is_lowering_) start_lowering();
            } else {
                lower_limit(go_on);
                ladder_.look_within_final_limit(go_on);
            }
            continue;
        }
        const double before_ladder = ladder_.score();
        if (ladder_.has_limit() && !settled_) {
            settled_ = true;
            for (int k = 0; k < 3 && ladder_.settle_slices(go_on); ++k) {
            }
            ladder_.keep_within_limit(go_on);
        }
        ladder_.climb_down(go_on);
        if (parts_pay_ || idle_ == 0) rebuild(go_on);
        if (ladder_.has_limit()) {
            ladder_.settle_slices(go_on);
            if (beside_) ladder_.slice_again(true, go_on);
            else ladder_.keep_within_limit(go_on);
        }
        idle_ = ladder_.score() < before_ladder - 1e-4 ? 0 : idle_ + 1;
        // What needs no kick.
        if (idle_ == 1 && ladder_.anneal(cold_sweeps, 4, 15, most_in_one, go_on)) idle_ = 0;
        if (idle_ < patience) continue;
        if (beside_) {
            end_start();
            idle_ = 0;
        } else {
            new_start(flat_moves, go_on);
        }
    }
    // What a new start has come to so far is left where the best tree is wanted.
    if (beside_) end_start();
    if (is_limited()) ladder_.look_within_final_limit(may_slice);
    const double gained = before - reached();
    projected_ = reached() - (std::isfinite(gained) ? 0.5 * gained : 0);
}

void search_arm::run_cold(std::int64_t moves, const keep_going& go_on) {
    const auto n = static_cast<std::int64_t>(std::max(network_.operands(), 2));
    const int sweeps = static_cast<int>(std::clamp<std::int64_t>(moves / n, 20, 20000));
    while (go_on()) {
        ladder_.anneal(sweeps, 4, 15, most_in_one, go_on);
        ladder_.rebuild_parts(leaves_rebuilt_last, go_on);
        if (ladder_.has_limit()) ladder_.keep_within_limit(go_on);
    }
}

void search_arm::polish(const keep_going& go_on) {
    ladder_.rebuild_parts(leaves_rebuilt_last, go_on);
}

}  // namespace ricci::path
