// Parts of a tree made anew, each the best that its operands have.
#include "src/path/search/subtrees.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include "src/path/search/powers.hpp"

namespace ricci::path {
namespace {

// How far apart prices may be, in units: numbers have no room for more.
constexpr std::int64_t widest_part = 500 * one_bit;

/// Of each subset, the sum over all that are contained in it.
void sum_over_contained(std::vector<std::int64_t>& of_subset, std::size_t members) {
    for (std::size_t bit = 1; bit < std::size_t{1} << members; bit *= 2)
        for (std::size_t s = 0; s < std::size_t{1} << members; ++s)
            if ((s & bit) != 0) of_subset[s] += of_subset[s ^ bit];
}

/// What one part takes, in moves of annealing: some for its sets, and two splits a nanosecond.
std::int64_t moves_of_part(std::size_t leaves) {
    constexpr std::int64_t of_sets = 10, splits_of_move = 64;
    std::int64_t splits = 1;
    for (std::size_t l = 0; l < leaves; ++l) splits *= 3;
    return of_sets + splits / splits_of_move;
}

}  // namespace

subtree_search::subtree_search(tree_annealer& tree)
    : tree_(tree), changed_(tree.nodes().size(), 1), solved_(tree.nodes().size(), 0) {}

std::int64_t subtree_search::run(std::size_t leaves, const keep_going& go_on) {
    const auto& nodes = tree_.nodes();
    std::int64_t improved = 0;
    std::vector<std::int32_t> dearest;
    for (std::int64_t before = -1; before != improved;) {
        before = improved;
        dearest.clear();
        for (std::size_t n = place(tree_.operands()); n < nodes.size(); ++n)
            if (nodes[n].span > 2) dearest.push_back(static_cast<std::int32_t>(n));
        std::sort(dearest.begin(), dearest.end(), [&](std::int32_t a, std::int32_t b) {
            const auto x = nodes[place(a)].price, y = nodes[place(b)].price;
            return x != y ? x > y : a < b;
        });
        for (const std::int32_t n : dearest) {
            if (!go_on()) return improved;
            improved += improve(n, leaves) ? 1 : 0;
        }
    }
    return improved;
}

bool subtree_search::counts_operands() const {
    return tree_.price().minimize == objective::traffic ||
           tree_.price().minimize == objective::weighed;
}

bool subtree_search::improve(std::int32_t root, std::size_t leaves) {
    if (tree_.nodes()[place(root)].span < 3) return false;
    take_part(root, leaves);
    std::int64_t latest = 0;
    for (const std::int32_t n : inner_) latest = std::max(latest, changed_[place(n)]);
    if (latest <= solved_[place(root)]) return false;
    moves_ += moves_of_part(leaves_);
    solved_[place(root)] = ++step_;
    if (!weigh_subsets()) return false;
    weigh_prices();
    if (counts_operands()) solve<true>();
    else solve<false>();
    // Powers are good to some 1e-7.
    constexpr double least_gain = 1e-6;
    if (!(least_.back() < price_now() * (1 - least_gain))) return false;
    shape_.assign(leaves_, {-1, -1});
    emit(static_cast<std::uint32_t>(least_.size() - 1));
    tree_.replace(nodes_, shape_, leaves_);
    ++step_;
    for (std::size_t k = leaves_; k < nodes_.size(); ++k) changed_[place(nodes_[k])] = step_;
    return true;
}

// The dearest products are opened first.
void subtree_search::take_part(std::int32_t root, std::size_t leaves) {
    const auto& nodes = tree_.nodes();
    nodes_.clear();
    inner_.clear();
    std::priority_queue<std::pair<std::int64_t, std::int32_t>> products;
    products.emplace(nodes[place(root)].price, root);
    while (!products.empty()) {
        const std::int32_t n = products.top().second;
        products.pop();
        const bool opened = inner_.size() + 1 < leaves;
        (opened ? inner_ : nodes_).push_back(n);
        if (!opened) continue;
        for (const std::int32_t child : {nodes[place(n)].left, nodes[place(n)].right}) {
            if (nodes[place(child)].left < 0) nodes_.push_back(child);
            else products.emplace(nodes[place(child)].price, child);
        }
    }
    leaves_ = nodes_.size();
    nodes_.insert(nodes_.end(), inner_.rbegin(), inner_.rend());
}

// Indices are told apart only by which operands have them and whether they stay. False where
// numbers have no room for the part.
bool subtree_search::weigh_subsets() {
    const std::size_t subsets = std::size_t{1} << leaves_;
    touched_.assign(subsets, 0);
    summed_.assign(subsets, 0);
    const std::uint64_t* const kept = tree_.set_of(nodes_.back());
    std::array<const std::uint64_t*, most_leaves> sets{};
    for (std::size_t l = 0; l < leaves_; ++l) sets[l] = tree_.set_of(nodes_[l]);
    const auto& weights = tree_.weights();
    for (std::size_t k = 0; k < weights.words; ++k) {
        std::uint64_t any = 0;
        for (std::size_t l = 0; l < leaves_; ++l) any |= sets[l][k];
        const auto weight = static_cast<std::int64_t>(weights.weight[k]);
        for (; any != 0; any &= any - 1) {
            const int bit = std::countr_zero(any);
            std::size_t holders = 0;
            for (std::size_t l = 0; l < leaves_; ++l) holders |= (sets[l][k] >> bit & 1) << l;
            touched_[holders] += weight;
            if ((kept[k] >> bit & 1) == 0) summed_[holders] += weight;
        }
    }
    sum_over_contained(touched_, leaves_);
    sum_over_contained(summed_, leaves_);
    // What a subset touches is all without what is the others' alone.
    for (std::size_t s = 0; s < subsets / 2; ++s) {
        const std::size_t others = subsets - 1 - s;
        const std::int64_t all = touched_.back(), own = all - touched_[others];
        touched_[others] = all - touched_[s];
        touched_[s] = own;
    }
    reference_ = std::numeric_limits<std::int64_t>::min();
    for (const std::int32_t n : inner_)
        reference_ = std::max(reference_, tree_.nodes()[place(n)].price);
    return tree_.price().power() * touched_.back() - reference_ < widest_part;
}

// A product of two subsets has what both together touch, without what is summed inside each: a
// number of the union times one of each of the two. Results and operands are a number of each.
void subtree_search::weigh_prices() {
    const product_price& price = tree_.price();
    const std::size_t subsets = touched_.size();
    for (auto* numbers : {&least_, &product_, &operand_, &scale_, &own_}) numbers->resize(subsets);
    const bool counts_products =
        price.minimize != objective::traffic && price.minimize != objective::largest_intermediate;
    const bool counts_results = price.minimize != objective::multiplications &&
                                price.minimize != objective::largest_product;
    const auto limit = std::llround(std::min(price.limit, 1e9) / weight_unit);
    const auto penalty = std::llround(price.penalty);
    const std::int64_t traffic =
        price.minimize == objective::weighed
            ? std::llround(std::log2(std::max(price.traffic_weight, 1e-9)) / weight_unit)
            : 0;
    const std::int64_t power = price.power();
    for (std::size_t s = 1; s < subsets; ++s) {
        const std::int64_t size = touched_[s] - summed_[s];
        const std::int64_t beyond = penalty * std::max<std::int64_t>(0, size - limit);
        scale_[s] = power_of_two(std::min(beyond, widest_part));
        product_[s] = counts_products ? power_of_two(power * touched_[s] - reference_) : 0;
        own_[s] = power_of_two(-power * summed_[s]);
        operand_[s] = counts_results ? power_of_two(power * size + traffic - reference_) : 0;
    }
}

template <bool with_operands>
void subtree_search::solve() {
    const std::size_t subsets = touched_.size();
    split_.resize(subsets);
    for (std::size_t s = 1; s < subsets; ++s) {
        least_[s] = 0;
        const std::size_t rest = s & (s - 1);
        if (rest == 0) continue;
        const double of_product = scale_[s] * product_[s], of_operands = scale_[s];
        double least = std::numeric_limits<double>::infinity();
        std::size_t best = rest;
        // Every split once: the one part has the lowest operand, the other is not empty.
        for (std::size_t other = rest; other != 0; other = (other - 1) & rest) {
            const std::size_t part = s ^ other;
            double now = least_[part] + least_[other] + of_product * (own_[part] * own_[other]);
            if constexpr (with_operands) now += of_operands * (operand_[part] + operand_[other]);
            if (now < least) least = now, best = other;
        }
        least_[s] = least + scale_[s] * operand_[s];
        split_[s] = static_cast<std::uint32_t>(best);
    }
}

// Counted as what is compared with it: the tree's own prices are sums by tables.
double subtree_search::price_now() {
    const auto& nodes = tree_.nodes();
    subset_of_.resize(nodes.size());
    for (std::size_t l = 0; l < leaves_; ++l) subset_of_[place(nodes_[l])] = std::uint32_t{1} << l;
    double price = 0;
    for (std::size_t k = leaves_; k < nodes_.size(); ++k) {
        const auto& n = nodes[place(nodes_[k])];
        const std::uint32_t left = subset_of_[place(n.left)], right = subset_of_[place(n.right)];
        const std::uint32_t both = subset_of_[place(nodes_[k])] = left | right;
        price += scale_[both] * (product_[both] * (own_[left] * own_[right]) + operand_[both]);
        if (counts_operands()) price += scale_[both] * (operand_[left] + operand_[right]);
    }
    return price;
}

// The inner nodes are numbered anew, children first.
void subtree_search::emit(std::uint32_t subset) {
    const auto number_of = [&](std::uint32_t part) {
        if (!std::has_single_bit(part)) emit(part);
        return std::has_single_bit(part) ? std::countr_zero(part)
                                         : static_cast<std::int32_t>(shape_.size()) - 1;
    };
    const std::int32_t right = number_of(split_[subset]);
    const std::int32_t left = number_of(subset ^ split_[subset]);
    shape_.push_back({left, right});
}

}  // namespace ricci::path
