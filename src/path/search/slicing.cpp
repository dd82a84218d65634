// Which indices are fixed so that no intermediate is larger than the bound.
#include "src/path/search/slicing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "src/path/search/powers.hpp"

namespace ricci::path {
namespace {

/// What fixing one more index saves, of all indices at once: every product is looked at once, with
/// the indices that it has.
class slice_chooser {
public:
    explicit slice_chooser(const tree_annealer& tree)
        : tree_(tree),
          limit_(in_units(tree.price().limit)),
          saved_(tree.weights().words * 64),
          candidate_(tree.weights().words) {
        const auto& nodes = tree.nodes();
        const auto first = place(tree.operands());
        for (std::size_t n = first; n < nodes.size(); ++n)
            largest_ = std::max(largest_, counted_price(nodes[n].price, nodes[n].size));
        for (std::size_t n = first; n < nodes.size(); ++n) look_at(static_cast<std::int32_t>(n));
    }

    bool is_candidate(std::int32_t index) const {
        const auto bit = static_cast<std::size_t>(tree_.bit_of(index));
        return (candidate_[bit / 64] >> (bit % 64) & 1) != 0;
    }

    /// log2 of the work of all runs where this index is fixed as well, too large results counted by
    /// the runs that they would take; relative to the same for all indices.
    double work_with(std::int32_t index) const {
        const double saved = saved_[place(tree_.bit_of(index))];
        return std::log2(std::max(total_ - saved, 1e-12 * total_)) +
               tree_.network().weight[place(index)];
    }

private:
    static std::int64_t in_units(double weight) {
        return std::llround(std::min(weight, 1e9) / weight_unit);
    }

    std::int64_t counted_price(std::int64_t price, std::int64_t size) const {
        return price + std::max<std::int64_t>(0, size - limit_);
    }
    double relative(std::int64_t price) const {
        return std::exp2(static_cast<double>(price - largest_) * weight_unit);
    }

    void look_at(std::int32_t number) {
        const auto& nodes = tree_.nodes();
        const auto& n = nodes[place(number)];
        const std::int64_t now = counted_price(n.price, n.size);
        const bool too_large = n.size > limit_;
        // What is far below the largest saves nothing.
        if (now < largest_ - 24 * one_bit && !too_large) return;
        const double price = relative(now);
        total_ += price;
        const auto &left = nodes[place(n.left)], &right = nodes[place(n.right)];
        const std::uint64_t *in_left = tree_.set_of(n.left), *in_right = tree_.set_of(n.right),
                            *in_result = tree_.set_of(number);
        std::array<double, 8> saved{};
        std::int64_t saved_weight = -1;
        unsigned known = 0;  // which of these are those of the weight
        for (std::size_t k = 0; k < tree_.weights().words; ++k) {
            const auto weight = static_cast<std::int64_t>(tree_.weights().weight[k]);
            if (weight != saved_weight) known = 0, saved_weight = weight;
            if (too_large) candidate_[k] |= in_result[k];
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
                    saved[kind] = price - relative(counted_price(with, size));
                }
                saved_[k * 64 + bit] += saved[kind];
            }
        }
    }

    const tree_annealer& tree_;
    std::int64_t limit_, largest_ = std::numeric_limits<std::int64_t>::min();
    double total_ = 0;
    std::vector<double> saved_;  // of each bit
    std::vector<std::uint64_t> candidate_;
};

/// By how much the largest result is beyond the limit; 0 where none is.
double log2_excess(const tree_annealer& tree) {
    const auto& nodes = tree.nodes();
    double largest = tree.price().limit;
    for (std::size_t n = place(tree.operands()); n < nodes.size(); ++n)
        largest = std::max(largest, static_cast<double>(nodes[n].size) * weight_unit);
    return largest - tree.price().limit;
}

}  // namespace

double log2_slices(const core_network& network, const std::vector<char>& sliced) {
    double sum = 0;
    for (std::size_t i = 0; i < sliced.size(); ++i)
        if (sliced[i] != 0) sum += network.weight[i];
    return sum;
}

bool is_too_large(const tree_annealer& tree) { return log2_excess(tree) > 0; }

bool slice_to_limit(tree_annealer& tree, std::vector<char>& sliced, double noise,
                    random_stream& random, const keep_going& go_on) {
    // A part of what is needed and of what is there at once: the number of choices grows with the
    // logarithm of the slices, and the first ones are chosen one by one.
    constexpr double part_at_once = 1.0 / 32;
    std::vector<std::pair<double, std::int32_t>> choices;
    for (double excess = log2_excess(tree); excess > 0; excess = log2_excess(tree)) {
        if (!go_on()) return false;
        const slice_chooser chooser(tree);
        choices.clear();
        for (std::int32_t i = 0; i < tree.network().indices(); ++i)
            if (chooser.is_candidate(i))
                choices.emplace_back(chooser.work_with(i) + noise * random.uniform(), i);
        if (choices.empty()) return false;
        std::sort(choices.begin(), choices.end());
        const double there = log2_slices(tree.network(), sliced);
        double fixed = 0;
        for (const auto& [work, index] : choices) {
            const double weight = tree.network().weight[place(index)];
            if (fixed > 0 && fixed + weight > part_at_once * (there + excess)) break;
            fixed += weight;
            sliced[place(index)] = 1;
        }
        tree.slice(sliced);
    }
    return true;
}

}  // namespace ricci::path
