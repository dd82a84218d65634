// Annealing of a tree down a ladder of spans: coarse structure first, while what is finer is
// frozen.
#include "src/path/search/ladder.hpp"

#include <algorithm>
#include <utility>

#include "src/path/search/slice_moves.hpp"
#include "src/path/search/slicing.hpp"
#include "src/path/search/subtrees.hpp"

namespace ricci::path {
namespace {

// Schedules are linear: a geometric one spends its sweeps where nothing moves any more.
constexpr int kick_sweeps = 300, rung_sweeps = 80;
constexpr double hottest = 0.05, rung_hottest = 2.5, coldest = 14;
// Above this temperature no tree is the best one so far.
constexpr double first_looked_at = 2;
// Products of a window: more of them see further, fewer have sets in nearer caches.
constexpr std::uint32_t most_annealed = 8192;
constexpr std::uint32_t most_rebuilt = 4096;
// Parts of a first tree: two summed indices at once are found in four operands.
constexpr std::size_t leaves_at_start = 5;
// Slices are annealed where the whole tree's sets stay in near caches. At equal numbers of moves
// cubic_6x6x10 within 2^27 elements comes to 25.2 instead of 26.2 (log10, means of three seeds),
// sycamore_m20 to 19.5 instead of 19.6; these moves take longer, and in equal time the difference
// is within the spread of seeds.
constexpr double most_bytes_of_slicing = 3e7;
constexpr std::int32_t operands_for_each_slice_move = 8;

}  // namespace

ladder_search::ladder_search(const core_network& network, const product_price& price,
                             std::uint64_t seed)
    : network_(network), tree_(network), random_(seed), best_sliced_(network.weight.size()) {
    tree_.set_price(price);
}

void ladder_search::start(const product_list& products) {
    tree_.load(products);
    rescore();
    rebuild_parts(leaves_at_start, [] { return true; });
}

// Sets are small with slices: they are there before the tree is.
void ladder_search::start_within(const product_list& products, const std::vector<char>& sliced,
                                 double log2_elements) {
    limit_price(log2_elements);
    final_limit_ = log2_elements;
    best_sliced_ = sliced;
    log2_slices_ = log2_slices(network_, sliced);
    tree_.slice(sliced);
    tree_.load(products);
    rescore();
    if (is_within_limit()) remember_within(best_sliced_, best_score_);
    rebuild_parts(leaves_at_start, [] { return true; });
}

void ladder_search::rescore() {
    has_beside_ = false;
    best_ = tree_.shape();
    best_score_ = tree_.score() + log2_slices_;
    best_largest_ = tree_.largest();
    at_best_ = true;
}

// Windows of the whole tree, from its root downwards.
template <class Visit>
void ladder_search::visit_windows(std::int32_t least_span, std::uint32_t most_products,
                                  const keep_going& go_on, const Visit& visit) {
    std::vector<std::int32_t> roots{tree_.root()};
    tree_window window;
    while (!roots.empty() && go_on()) {
        const std::int32_t root = roots.back();
        roots.pop_back();
        // Windows of changing sizes meet at changing places.
        const std::uint32_t most = most_products / 2 + random_.below(most_products / 2);
        tree_.take_window(root, least_span, most, window);
        if (window.nodes.size() < 5) continue;
        roots.insert(roots.end(), window.pending.begin(), window.pending.end());
        visit(window);
    }
}

bool ladder_search::rebuild_parts(std::size_t leaves, const keep_going& go_on) {
    load_best();
    visit_windows(3, most_rebuilt, go_on, [&](tree_window& window) {
        tree_annealer tree(window.network, tree_.price());
        tree.load(window.shape);
        subtree_search parts(tree);
        const std::int64_t before = moves_;
        const bool better = parts.run(leaves, [&] {
            moves_ = before + parts.moves();
            return go_on();
        }) > 0;
        moves_ = before + parts.moves();
        if (better) tree_.put_back(window, tree);
    });
    return look();
}

void ladder_search::load_best() {
    if (at_best_) return;
    if (has_limit_) tree_.slice(best_sliced_);
    tree_.load(best_);
    at_best_ = true;
}

void ladder_search::start_again(const product_list& products) {
    const double beside_score = best_score_;
    tree_shape beside = std::exchange(best_, {});
    tree_.load(products);
    rescore();
    rebuild_parts(leaves_at_start, [] { return true; });
    beside_ = std::move(beside);
    beside_sliced_ = best_sliced_;
    beside_score_ = beside_score;
    has_beside_ = true;
}

void ladder_search::keep_best() {
    if (has_beside_ && beside_score_ < best_score_) {
        best_ = std::move(beside_);
        best_sliced_ = std::move(beside_sliced_);
        log2_slices_ = log2_slices(network_, best_sliced_);
        best_score_ = beside_score_;
        at_best_ = false;
    }
    has_beside_ = false;
}

void ladder_search::set_limit(double log2_elements) {
    limit_price(log2_elements);
    at_best_ = false;
    load_best();
    rescore();
}

void ladder_search::limit_price(double log2_elements) {
    // Half as much again as the runs that too large a result takes: trees come below the limit
    // where that costs little.
    constexpr double penalty = 2;
    product_price price = tree_.price();
    price.limit = log2_elements;
    price.penalty = penalty;
    tree_.set_price(price);
    has_limit_ = true;
}

bool ladder_search::is_within_limit() const {
    return tree_.largest_result() <= tree_.price().limit + 0.5 * weight_unit;
}

double ladder_search::largest_result() {
    load_best();
    return tree_.largest_result();
}

void ladder_search::slice(const std::vector<char>& sliced) {
    best_sliced_ = sliced;
    log2_slices_ = log2_slices(network_, sliced);
    at_best_ = false;
    load_best();
    rescore();
}

void ladder_search::take_slices(const tree_annealer& tree, const std::vector<char>& sliced,
                                bool always) {
    const double slices = log2_slices(network_, sliced);
    const double score = tree.score() + slices;
    if (!always && !(score < best_score_ - 1e-9)) return;
    best_score_ = score;
    best_sliced_ = sliced;
    log2_slices_ = slices;
    at_best_ = false;
}

void ladder_search::slice_again(bool must_suffice, const keep_going& go_on) {
    constexpr double noise = 0.5;
    if (!go_on()) return load_best();
    tree_annealer tree(network_, tree_.price());
    tree.load(best_);
    tree.slice(best_sliced_);
    if (is_too_large(tree)) {
        auto sliced = best_sliced_;
        const bool enough = slice_to_limit(tree, sliced, 0, random_, go_on);
        take_slices(tree, sliced, must_suffice && enough);
    }
    // Without one of them, filled up again.
    std::vector<std::int32_t> fixed;
    for (std::size_t i = 0; i < best_sliced_.size(); ++i)
        if (best_sliced_[i] != 0) fixed.push_back(static_cast<std::int32_t>(i));
    constexpr int dropped = 4;
    for (int k = 0; k < dropped && !fixed.empty() && go_on(); ++k) {
        auto sliced = best_sliced_;
        sliced[place(fixed[random_.below(static_cast<std::uint32_t>(fixed.size()))])] = 0;
        tree.slice(sliced);
        if (slice_to_limit(tree, sliced, noise, random_, go_on)) take_slices(tree, sliced, false);
    }
    // From none at all, now and then.
    if (!go_on()) return load_best();
    if (random_.below(4) != 0 && !fixed.empty()) return load_best();
    std::vector<char> sliced(best_sliced_.size());
    tree.slice(sliced);
    if (slice_to_limit(tree, sliced, noise, random_, go_on)) take_slices(tree, sliced, false);
    load_best();
}

void ladder_search::set_final_limit(double log2_elements) {
    final_limit_ = log2_elements;
    within_ = {};
}

void ladder_search::look_within_final_limit(const keep_going& go_on) {
    if (!go_on()) return;
    product_price price = tree_.price();
    price.limit = final_limit_;
    tree_annealer tree(network_, price);
    tree.load(best_);
    tree.slice(best_sliced_);
    auto sliced = best_sliced_;
    if (slice_to_limit(tree, sliced, 0, random_, go_on))
        remember_within(sliced, tree.score() + log2_slices(network_, sliced));
}

void ladder_search::remember_within(const std::vector<char>& sliced, double score) {
    if (score < within_.score) within_ = {best_, sliced, score, log2_slices(network_, sliced)};
}

void ladder_search::keep_within_limit(const keep_going& go_on) {
    slice_again(true, go_on);
    const bool enough = is_within_limit();
    if (enough) remember_within(best_sliced_, best_score_);
    if (within_.shape.empty() || (enough && !(within_.score < best_score_))) return;
    best_ = within_.shape;
    best_sliced_ = within_.sliced;
    best_score_ = within_.score;
    log2_slices_ = within_.log2_slices;
    at_best_ = false;
    load_best();
}

bool ladder_search::look() {
    at_best_ = false;
    const double now = tree_.score() + log2_slices_;
    if (!(now < best_score_ - 1e-9)) return false;
    best_score_ = now;
    best_ = tree_.shape();
    at_best_ = true;
    if (tree_.price().power() > 1) best_largest_ = tree_.largest();
    return true;
}

void ladder_search::anneal_window(tree_window& window, int sweeps, double from, double to,
                                  goes_on which, const keep_going& go_on) {
    tree_annealer annealer(window.network, tree_.price());
    annealer.load(window.shape);
    const double start = annealer.score();
    double best = start;
    tree_shape best_shape;
    for (int s = 0; s < sweeps && go_on(); ++s) {
        const double part = sweeps > 1 ? static_cast<double>(s) / (sweeps - 1) : 1;
        const double b = from + (to - from) * part;
        moves_ += annealer.sweep(b, 2, random_);
        if (b < first_looked_at) continue;
        const double now = annealer.score();
        if (now < best - 1e-9) {
            best = now;
            best_shape = annealer.shape();
        }
    }
    if (best < start) {
        if (annealer.score() > best) annealer.load(best_shape);
    } else if (which == goes_on::best) {
        return;
    }
    tree_.put_back(window, annealer);
}

bool ladder_search::stage(int sweeps, double from, double to, std::int32_t least_span,
                          goes_on which, std::uint32_t most_products, const keep_going& go_on) {
    visit_windows(least_span, most_products, go_on, [&](tree_window& window) {
        anneal_window(window, sweeps, from, to, which, go_on);
    });
    return look();
}

bool ladder_search::anneals_slices() const {
    return has_limit_ && tree_annealer::bytes_for(network_) < most_bytes_of_slicing;
}

// Windows do not see all products that an index is in, so the tree is annealed as a whole.
bool ladder_search::settle_slices(const keep_going& go_on) {
    if (!anneals_slices()) return false;
    load_best();
    tree_annealer tree(network_, tree_.price());
    tree.load(best_);
    tree.slice(best_sliced_);
    slice_annealer slices(tree);
    slices.load(best_sliced_);
    const double before = best_score_;
    const int count = std::max(1, network_.operands() / operands_for_each_slice_move);
    for (int s = 0; s < rung_sweeps && go_on(); ++s) {
        const double part = static_cast<double>(s) / (rung_sweeps - 1);
        const double b = rung_hottest + (coldest - rung_hottest) * part;
        moves_ += tree.sweep(b, 2, random_) + slices.sweep(b, count, random_);
        const double now = tree.score() + slices.log2_runs();
        if (!(now < best_score_ - 1e-9)) continue;
        best_score_ = now;
        best_ = tree.shape();
        best_sliced_ = slices.sliced();
        log2_slices_ = slices.log2_runs();
        at_best_ = false;
    }
    load_best();
    return best_score_ < before;
}

bool ladder_search::anneal(int sweeps, double from, double to, std::uint32_t most_products,
                           const keep_going& go_on) {
    load_best();
    return stage(sweeps, from, to, 2, goes_on::last, most_products, go_on);
}

bool ladder_search::climb_down(const keep_going& go_on) {
    load_best();
    const std::int32_t n = tree_.operands();
    std::int32_t span = std::max(2, (n + 29) / 30);
    bool better = stage(kick_sweeps, hottest, coldest, span, goes_on::last, most_annealed, go_on);
    while (go_on()) {
        better =
            stage(rung_sweeps, rung_hottest, coldest, span, goes_on::best, most_annealed, go_on) ||
            better;
        if (span <= 2) break;
        span = std::max(2, span / 2);
    }
    return better;
}

product_list ladder_search::products() {
    load_best();
    return tree_.products();
}

}  // namespace ricci::path
