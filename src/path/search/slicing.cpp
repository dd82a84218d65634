// Which indices are fixed so that no intermediate is larger than the bound.
#include "src/path/search/slicing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "src/path/search/index_finder.hpp"
#include "src/path/search/powers.hpp"

namespace ricci::path {
namespace {

std::int64_t limit_in_units(const tree_annealer& tree) {
    return std::llround(std::min(tree.price().limit, 1e9) / weight_unit);
}

/// What fixing one more index saves, of all indices at once: every product is looked at once, with
/// the indices that it has, and again where an index is fixed that it had.
class slice_chooser {
public:
    /// The tree is sliced while this lives.
    explicit slice_chooser(tree_annealer& tree)
        : tree_(tree),
          finder_(tree),
          limit_(limit_in_units(tree)),
          saved_(tree.weights().words * 64),
          holders_(tree.weights().words * 64) {
        for (const double w : tree.network().weight) parts_.push_back(std::exp2(w));
        look_at_all();
    }

    bool is_within_limit() const { return too_large_ == 0; }

    /// Of all indices of too large results the one that leaves the least work: that of all runs
    /// where it is fixed as well, too large results counted by the runs that they would take. -1
    /// where they have none.
    std::int32_t choose(double noise, random_stream& random) const {
        std::int32_t chosen = -1;
        double least = std::numeric_limits<double>::infinity();
        for (std::int32_t i = 0; i < tree_.network().indices(); ++i) {
            const auto bit = place(tree_.bit_of(i));
            if (holders_[bit] == 0) continue;
            double work = std::max(total_ - saved_[bit], 1e-12 * total_) * parts_[place(i)];
            if (noise > 0) work *= std::exp2(noise * random.uniform());
            if (work < least) least = work, chosen = i;
        }
        return chosen;
    }

    void fix(std::int32_t index) {
        finder_.find(index, places_);
        for (const std::int32_t n : places_.products) look_at(n, -1);
        tree_.slice(places_, true);
        for (const std::int32_t n : places_.products) look_at(n, 1);
        // What is left of a sum whose large terms went away has few digits.
        constexpr double fewest = 1e-6;
        if (total_ < fewest) look_at_all();
    }

private:
    void look_at_all() {
        const auto& nodes = tree_.nodes();
        const auto first = place(tree_.operands());
        largest_ = std::numeric_limits<std::int64_t>::min();
        for (std::size_t n = first; n < nodes.size(); ++n)
            largest_ = std::max(largest_, counted_price(nodes[n].price, nodes[n].size));
        total_ = 0;
        too_large_ = 0;
        std::fill(saved_.begin(), saved_.end(), 0.0);
        std::fill(holders_.begin(), holders_.end(), 0);
        for (std::size_t n = first; n < nodes.size(); ++n) look_at(static_cast<std::int32_t>(n), 1);
    }

    std::int64_t counted_price(std::int64_t price, std::int64_t size) const {
        return price + std::max<std::int64_t>(0, size - limit_);
    }
    double relative(std::int64_t price) const {
        return std::exp2(static_cast<double>(price - largest_) * weight_unit);
    }

    /// Adds what a product says of its indices, or takes it away again: `sign` is 1 or -1.
    void look_at(std::int32_t number, int sign) {
        const auto& nodes = tree_.nodes();
        const auto& n = nodes[place(number)];
        const std::int64_t now = counted_price(n.price, n.size);
        const bool too_large = n.size > limit_;
        // What is far below the largest saves nothing.
        if (now < largest_ - 24 * one_bit && !too_large) return;
        const double price = relative(now) * sign;
        total_ += price;
        if (too_large) too_large_ += sign;
        const auto &left = nodes[place(n.left)], &right = nodes[place(n.right)];
        const std::uint64_t *in_left = tree_.set_of(n.left), *in_right = tree_.set_of(n.right),
                            *in_result = tree_.set_of(number);
        std::array<double, 8> saved{};
        std::int64_t saved_weight = -1;
        unsigned known = 0;  // which of these are those of the weight
        for (std::size_t k = 0; k < tree_.weights().words; ++k) {
            const auto weight = static_cast<std::int64_t>(tree_.weights().weight[k]);
            if (weight != saved_weight) known = 0, saved_weight = weight;
            for (std::uint64_t word = in_left[k] | in_right[k]; word != 0; word &= word - 1) {
                const auto bit = static_cast<unsigned>(std::countr_zero(word));
                const auto has = [&](const std::uint64_t* set) {
                    return static_cast<unsigned>(set[k] >> bit & 1);
                };
                const unsigned l = has(in_left), r = has(in_right), s = has(in_result);
                const unsigned kind = l | r << 1 | s << 2;
                if ((known >> kind & 1) == 0) {
                    known |= 1u << kind;
                    const std::int64_t size = n.size - s * weight;
                    const std::int64_t with = tree_.price_of(
                        n.product - weight, left.size - l * weight, right.size - r * weight, size);
                    saved[kind] = price - relative(counted_price(with, size)) * sign;
                }
                saved_[k * 64 + bit] += saved[kind];
                if (too_large && s != 0) holders_[k * 64 + bit] += sign;
            }
        }
    }

    tree_annealer& tree_;
    index_finder finder_;
    index_places places_;
    std::int64_t limit_, largest_ = 0;
    double total_ = 0;  // work, relative to the largest product's
    int too_large_ = 0;
    std::vector<double> saved_;  // of each bit
    std::vector<int> holders_;   // of each bit, results that are too large
    std::vector<double> parts_;  // of each index
};

}  // namespace

double log2_slices(const core_network& network, const std::vector<char>& sliced) {
    double sum = 0;
    for (std::size_t i = 0; i < sliced.size(); ++i)
        if (sliced[i] != 0) sum += network.weight[i];
    return sum;
}

bool is_too_large(const tree_annealer& tree) {
    const auto& nodes = tree.nodes();
    const std::int64_t limit = limit_in_units(tree);
    return std::any_of(nodes.begin() + tree.operands(), nodes.end(),
                       [&](const auto& n) { return n.size > limit; });
}

void let_needless_go(tree_annealer& tree, std::vector<char>& sliced) {
    const auto& nodes = tree.nodes();
    const std::int64_t limit = limit_in_units(tree);
    index_finder finder(tree);
    index_places places;
    // What is in few results leaves room for others in the rest of them.
    std::vector<std::pair<std::size_t, std::int32_t>> by_results;
    for (std::int32_t i = 0; i < tree.network().indices(); ++i)
        if (sliced[place(i)] != 0)
            by_results.emplace_back(finder.find(i, places).results.size(), i);
    std::sort(by_results.begin(), by_results.end());
    for (const auto& [count, index] : by_results) {
        finder.find(index, places);
        const auto weight =
            static_cast<std::int64_t>(tree.weights().weight[place(tree.bit_of(index)) / 64]);
        const bool has_room =
            std::all_of(places.results.begin(), places.results.end(), [&](std::int32_t n) {
                return nodes[place(n)].left < 0 || nodes[place(n)].size + weight <= limit;
            });
        if (!has_room) continue;
        tree.slice(places, false);
        sliced[place(index)] = 0;
    }
}

bool slice_to_limit(tree_annealer& tree, std::vector<char>& sliced, double noise,
                    random_stream& random, const keep_going& go_on) {
    if (!is_too_large(tree)) return true;
    if (!go_on()) return false;
    slice_chooser chooser(tree);
    while (!chooser.is_within_limit()) {
        if (!go_on()) return false;
        const std::int32_t index = chooser.choose(noise, random);
        if (index < 0) return false;
        chooser.fix(index);
        sliced[place(index)] = 1;
    }
    let_needless_go(tree, sliced);
    return true;
}

}  // namespace ricci::path
