// Annealing of a tree down a ladder of spans: coarse structure first, while what is finer is
// frozen.
#include "src/path/search/ladder.hpp"

#include <algorithm>
#include <utility>

#include "src/path/search/slicing.hpp"

namespace ricci::path {
namespace {

// Schedules are linear: a geometric one spends its sweeps where nothing moves any more.
constexpr int kick_sweeps = 300, rung_sweeps = 80;
constexpr double hottest = 0.05, rung_hottest = 2.5, coldest = 14;
// Above this temperature no tree is the best one so far.
constexpr double first_looked_at = 2;

}  // namespace

ladder_search::ladder_search(const core_network& network, const product_price& price,
                             std::uint64_t seed)
    : annealer_(network, price), random_(seed), best_sliced_(network.weight.size()) {}

void ladder_search::start(const product_list& products) {
    annealer_.load(products);
    annealer_.join_pairs();
    rescore();
}

void ladder_search::rescore() {
    has_beside_ = false;
    best_ = annealer_.shape();
    best_score_ = annealer_.score() + log2_slices_;
    best_largest_ = annealer_.largest();
}

void ladder_search::load_best() {
    if (has_limit_) annealer_.slice(best_sliced_);
    annealer_.load(best_);
}

void ladder_search::start_again(const product_list& products) {
    const double beside_score = best_score_;
    tree_shape beside = std::exchange(best_, {});
    annealer_.load(products);
    annealer_.join_pairs();
    rescore();
    beside_ = std::move(beside);
    beside_sliced_ = best_sliced_;
    beside_score_ = beside_score;
    has_beside_ = true;
}

void ladder_search::keep_best() {
    if (has_beside_ && beside_score_ < best_score_) {
        best_ = std::move(beside_);
        best_sliced_ = std::move(beside_sliced_);
        log2_slices_ = log2_slices(annealer_.network(), best_sliced_);
        best_score_ = beside_score_;
    }
    has_beside_ = false;
}

void ladder_search::set_limit(double log2_elements) {
    // Half as much again as the runs that too large a result takes: trees come below the limit
    // where that costs little.
    constexpr double penalty = 2;
    product_price price = annealer_.price();
    price.limit = log2_elements;
    price.penalty = penalty;
    annealer_.set_price(price);
    has_limit_ = true;
    load_best();
    rescore();
}

void ladder_search::slice(const std::vector<char>& sliced) {
    best_sliced_ = sliced;
    log2_slices_ = log2_slices(annealer_.network(), sliced);
    load_best();
    rescore();
}

void ladder_search::take_slices(const std::vector<char>& sliced) {
    const double slices = log2_slices(annealer_.network(), sliced);
    const double score = annealer_.score() + slices;
    if (!(score < best_score_ - 1e-9)) return;
    best_score_ = score;
    best_sliced_ = sliced;
    log2_slices_ = slices;
}

void ladder_search::slice_again() {
    constexpr double noise = 0.5;
    load_best();
    if (is_too_large(annealer_)) {
        auto sliced = best_sliced_;
        slice_to_limit(annealer_, sliced, 0, random_);
        take_slices(sliced);
    }
    // Without one of them, filled up again.
    std::vector<std::int32_t> fixed;
    for (std::size_t i = 0; i < best_sliced_.size(); ++i)
        if (best_sliced_[i] != 0) fixed.push_back(static_cast<std::int32_t>(i));
    constexpr int dropped = 4;
    for (int k = 0; k < dropped && !fixed.empty(); ++k) {
        auto sliced = best_sliced_;
        sliced[place(fixed[random_.below(static_cast<std::uint32_t>(fixed.size()))])] = 0;
        annealer_.slice(sliced);
        slice_to_limit(annealer_, sliced, noise, random_);
        take_slices(sliced);
    }
    std::vector<char> sliced(best_sliced_.size());
    annealer_.slice(sliced);
    slice_to_limit(annealer_, sliced, noise, random_);
    take_slices(sliced);
    load_best();
}

bool ladder_search::look() {
    const double now = annealer_.score() + log2_slices_;
    if (!(now < best_score_ - 1e-9)) return false;
    best_score_ = now;
    best_ = annealer_.shape();
    if (annealer_.price().power() > 1) best_largest_ = annealer_.largest();
    return true;
}

bool ladder_search::stage(int sweeps, double from, double to, std::int32_t least_span,
                          const keep_going& go_on) {
    bool better = false;
    for (int s = 0; s < sweeps && go_on(); ++s) {
        const double part = sweeps > 1 ? static_cast<double>(s) / (sweeps - 1) : 1;
        const double b = from + (to - from) * part;
        moves_ += annealer_.sweep(b, least_span, random_);
        if (b >= first_looked_at || s + 1 == sweeps) better = look() || better;
    }
    return better;
}

bool ladder_search::anneal(int sweeps, double from, double to, const keep_going& go_on) {
    load_best();
    return stage(sweeps, from, to, 2, go_on);
}

bool ladder_search::climb_down(const keep_going& go_on) {
    load_best();
    const std::int32_t n = annealer_.operands();
    std::int32_t span = std::max(2, (n + 29) / 30);
    bool better = stage(kick_sweeps, hottest, coldest, span, go_on);
    while (go_on()) {
        better = stage(rung_sweeps, rung_hottest, coldest, span, go_on) || better;
        if (span <= 2) break;
        span = std::max(2, span / 2);
    }
    return better;
}

product_list ladder_search::products() {
    load_best();
    return annealer_.products();
}

}  // namespace ricci::path
