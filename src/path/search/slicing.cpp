// Which indices are fixed so that no intermediate is larger than the bound.
#include "src/path/search/slicing.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

namespace ricci::path {
namespace {

/// The products that matter for the next choice: costly ones, and those whose result is too large.
class slice_chooser {
public:
    explicit slice_chooser(const tree_annealer& tree)
        : tree_(tree), limit_(in_units(tree.price().limit)) {
        const auto& nodes = tree.nodes();
        const auto first = place(tree.operands());
        std::int64_t largest = std::numeric_limits<std::int64_t>::min();
        for (std::size_t n = first; n < nodes.size(); ++n)
            largest = std::max(largest, nodes[n].price);
        largest_ = largest;
        candidate_.resize(place(tree.network().indices()));
        for (std::size_t n = first; n < nodes.size(); ++n) {
            const bool too_large = nodes[n].size > limit_;
            if (too_large) note_candidates(static_cast<std::int32_t>(n));
            if (too_large || nodes[n].price > largest - 24 * unit)
                nodes_.push_back(static_cast<std::int32_t>(n));
        }
    }

    bool is_candidate(std::int32_t index) const { return candidate_[place(index)] != 0; }

    /// log2 of the work of all runs where this index is fixed as well, too large results counted by
    /// the runs that they would take.
    double work_with(std::int32_t index) const {
        const auto bit = static_cast<std::size_t>(tree_.bit_of(index));
        const std::size_t word = bit / 64, shift = bit % 64;
        const std::int64_t weight = in_units(tree_.network().weight[place(index)]);
        const auto& nodes = tree_.nodes();
        double sum = 0;
        for (const std::int32_t number : nodes_) {
            const auto& n = nodes[place(number)];
            const auto has = [&](std::int32_t m) {
                return static_cast<std::int64_t>(tree_.set_of(m)[word] >> shift & 1);
            };
            const std::int64_t left = has(n.left), right = has(n.right), result = has(number);
            const std::int64_t size = n.size - result * weight;
            const std::int64_t price =
                tree_.price_of(n.product - (left | right) * weight,
                               nodes[place(n.left)].size - left * weight,
                               nodes[place(n.right)].size - right * weight, size) +
                std::max<std::int64_t>(0, size - limit_);
            sum += std::exp2(static_cast<double>(price - largest_) * weight_unit);
        }
        return std::log2(sum) + tree_.network().weight[place(index)];
    }

private:
    static constexpr std::int64_t unit = 65536;
    static std::int64_t in_units(double weight) {
        return std::llround(std::min(weight, 1e9) / weight_unit);
    }

    void note_candidates(std::int32_t node) {
        const std::uint64_t* const set = tree_.set_of(node);
        for (std::int32_t i = 0; i < tree_.network().indices(); ++i) {
            const auto bit = static_cast<std::size_t>(tree_.bit_of(i));
            if ((set[bit / 64] >> (bit % 64) & 1) != 0) candidate_[place(i)] = 1;
        }
    }

    const tree_annealer& tree_;
    std::int64_t limit_, largest_ = 0;
    std::vector<std::int32_t> nodes_;
    std::vector<char> candidate_;
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
    const double limit = tree.price().limit;
    for (std::size_t n = place(tree.operands()); n < nodes.size(); ++n)
        if (static_cast<double>(nodes[n].size) * weight_unit > limit) return true;
    return false;
}

void slice_to_limit(tree_annealer& tree, std::vector<char>& sliced, double noise,
                    random_stream& random) {
    while (is_too_large(tree)) {
        const slice_chooser chooser(tree);
        std::int32_t best = -1;
        double least = std::numeric_limits<double>::infinity();
        for (std::int32_t i = 0; i < tree.network().indices(); ++i) {
            if (!chooser.is_candidate(i)) continue;
            const double work = chooser.work_with(i) + noise * random.uniform();
            if (work < least) least = work, best = i;
        }
        if (best < 0) return;
        sliced[place(best)] = 1;
        tree.slice(sliced);
    }
}

}  // namespace ricci::path
