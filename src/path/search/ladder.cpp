// Annealing of a tree down a ladder of spans: coarse structure first, while what is finer is
// frozen.
#include "src/path/search/ladder.hpp"

#include <algorithm>
#include <utility>

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
    : annealer_(network, price), random_(seed) {}

void ladder_search::start(const product_list& products) {
    annealer_.load(products);
    annealer_.join_pairs();
    rescore();
}

void ladder_search::rescore() {
    has_beside_ = false;
    best_ = annealer_.shape();
    best_score_ = annealer_.score();
}

void ladder_search::start_again(const product_list& products) {
    beside_ = std::exchange(best_, {});
    beside_score_ = best_score_;
    annealer_.load(products);
    annealer_.join_pairs();
    best_ = annealer_.shape();
    best_score_ = annealer_.score();
    has_beside_ = true;
}

void ladder_search::keep_best() {
    if (has_beside_ && beside_score_ < best_score_) {
        best_ = std::move(beside_);
        best_score_ = beside_score_;
        annealer_.load(best_);
    }
    has_beside_ = false;
}

bool ladder_search::look() {
    const double now = annealer_.score();
    if (!(now < best_score_ - 1e-9)) return false;
    best_score_ = now;
    best_ = annealer_.shape();
    return true;
}

bool ladder_search::stage(int sweeps, double from, double to, std::int32_t least_span,
                          const keep_going& go_on) {
    bool better = false;
    for (int s = 0; s < sweeps && go_on(); ++s) {
        const double part = sweeps > 1 ? static_cast<double>(s) / (sweeps - 1) : 1;
        const double b = from + (to - from) * part;
        annealer_.sweep(b, least_span, random_);
        ++sweeps_;
        if (b >= first_looked_at || s + 1 == sweeps) better = look() || better;
    }
    return better;
}

bool ladder_search::anneal(int sweeps, double from, double to, const keep_going& go_on) {
    annealer_.load(best_);
    return stage(sweeps, from, to, 2, go_on);
}

bool ladder_search::climb_down(const keep_going& go_on) {
    annealer_.load(best_);
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
    annealer_.load(best_);
    return annealer_.products();
}

}  // namespace ricci::path
