// Paths through more operands than all orders of can be looked at: greedy ones, made better part by
// part.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "src/path/problem.hpp"

namespace ricci::path {
namespace {

// Takes the pair whose product shrinks the operands most; pairs without a common index come last.
// `misjudge` is by how much a product's size is taken for larger than it is: 1, or at random.
template <class Misjudge>
contraction_path pairwise_path(const problem& p, Misjudge misjudge) {
    struct entry {
        std::int32_t number;
        index_set set;
        double size;
    };
    std::vector<entry> left;
    for (const auto& o : p.operands)
        left.push_back({static_cast<std::int32_t>(left.size()), o, o.size(p.extents)});
    contraction_path path;
    path.operands = static_cast<std::int32_t>(left.size());
    while (left.size() > 1) {
        std::size_t a = 0, b = 1;
        index_set chosen;
        double least = std::numeric_limits<double>::infinity(), cheapest = least;
        bool found_common = false;
        // Which indices some operand, two operands and three operands have: what a pair keeps is
        // then seen without looking at the others.
        index_set one(p.extents.size()), two = one, three = one;
        for (const auto& e : left) {
            three = three | (two & e.set);
            two = two | (one & e.set);
            one = one | e.set;
        }
        for (std::size_t x = 0; x < left.size(); ++x)
            for (std::size_t y = x + 1; y < left.size(); ++y) {
                const bool common = left[x].set.intersects(left[y].set);
                if (found_common && !common) continue;
                const auto both = left[x].set | left[y].set;
                const auto kept = both - ((left[x].set & left[y].set) - (three | p.result));
                const double growth =
                    kept.size(p.extents) * misjudge() - left[x].size - left[y].size;
                const double work = both.size(p.extents);
                // The first pair whatever it costs, which may be no number.
                if (y == 1 || (common && !found_common) || growth < least ||
                    (growth == least && work < cheapest)) {
                    found_common = found_common || common;
                    least = growth, cheapest = work;
                    a = x, b = y, chosen = kept;
                }
            }
        path.products.push_back({left[a].number, left[b].number});
        path.multiplications += cheapest;
        left[a] = {path.operands + static_cast<std::int32_t>(path.products.size()) - 1, chosen,
                   chosen.size(p.extents)};
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(b));
        if (left.size() > 1) path.stored += left[a].size;
    }
    return path;
}

/// A path as a tree that is made better: each part of a few products is replaced by the best there
/// is.
class refined_tree {
public:
    refined_tree(const problem& p, const contraction_path& path)
        : p_(p),
          leaves_(p.operands.size()),
          left_(path.products.size()),
          right_(path.products.size()) {
        for (std::size_t k = 0; k < path.products.size(); ++k) {
            left_[k] = static_cast<std::size_t>(path.products[k].left);
            right_[k] = static_cast<std::size_t>(path.products[k].right);
        }
        root_ = leaves_ + left_.size() - 1;
    }

    contraction_path run() {
        // A pass takes time with the square of the operands.
        const int most_passes = leaves_ <= 100 ? 8 : 1;
        bool better = true;
        for (int pass = 0; pass < most_passes && better; ++pass) {
            better = false;
            for (const std::size_t entry : order()) better = improve(entry) || better;
        }
        return written();
    }

private:
    static constexpr std::size_t part = 8;  // operands of a part: 6561 products to look at

    std::size_t& left(std::size_t entry) { return left_[entry - leaves_]; }
    std::size_t& right(std::size_t entry) { return right_[entry - leaves_]; }
    bool is_leaf(std::size_t entry) const { return entry < leaves_; }

    // Products, each after those it is made of.
    std::vector<std::size_t> order() {
        std::vector<std::size_t> result, open{root_};
        while (!open.empty()) {
            const std::size_t entry = open.back();
            open.pop_back();
            if (is_leaf(entry)) continue;
            result.push_back(entry);
            open.push_back(left(entry));
            open.push_back(right(entry));
        }
        std::reverse(result.begin(), result.end());
        return result;
    }
    void mark(std::size_t entry, std::vector<bool>& inside) {
        if (is_leaf(entry)) {
            inside[entry] = true;
            return;
        }
        mark(left(entry), inside);
        mark(right(entry), inside);
    }
    // The indices that the product of everything below an entry still has.
    index_set kept(std::size_t entry) {
        std::vector<bool> below(leaves_);
        mark(entry, below);
        index_set inside(p_.extents.size()), outside = p_.result;
        for (std::size_t k = 0; k < leaves_; ++k)
            (below[k] ? inside : outside) = (below[k] ? inside : outside) | p_.operands[k];
        return inside & outside;
    }

    bool improve(std::size_t entry) {
        std::vector<std::size_t> parts{left(entry), right(entry)}, products{entry};
        for (std::size_t k = 0; k < parts.size() && parts.size() < part;) {
            if (is_leaf(parts[k])) {
                ++k;
                continue;
            }
            const std::size_t opened = parts[k];
            products.push_back(opened);
            parts[k] = left(opened);
            parts.push_back(right(opened));
        }
        if (parts.size() < 3) return false;
        problem small{{}, kept(entry), p_.extents};
        for (const std::size_t e : parts) small.operands.push_back(kept(e));
        double now = 0;
        for (const std::size_t e : products)
            now += kept(left(e)).size_with(kept(right(e)), p_.extents);
        const contraction_path best = exact_path(small);
        if (!(best.multiplications < now * (1 - 1e-9))) return false;
        // The same entries again, the last product being `entry` itself.
        std::vector<std::size_t> numbers = parts;
        for (std::size_t k = 0; k < best.products.size(); ++k)
            numbers.push_back(products[products.size() - 1 - k]);
        for (std::size_t k = 0; k < best.products.size(); ++k) {
            const std::size_t made = numbers[parts.size() + k];
            left(made) = numbers[static_cast<std::size_t>(best.products[k].left)];
            right(made) = numbers[static_cast<std::size_t>(best.products[k].right)];
        }
        return true;
    }

    contraction_path written() {
        contraction_path path;
        path.operands = static_cast<std::int32_t>(leaves_);
        std::vector<std::int32_t> number(leaves_ + left_.size());
        for (std::size_t k = 0; k < leaves_; ++k) number[k] = static_cast<std::int32_t>(k);
        for (const std::size_t entry : order()) {
            path.products.push_back({number[left(entry)], number[right(entry)]});
            number[entry] = path.operands + static_cast<std::int32_t>(path.products.size()) - 1;
            path.multiplications += kept(left(entry)).size_with(kept(right(entry)), p_.extents);
            if (entry != root_) path.stored += kept(entry).size(p_.extents);
        }
        return path;
    }

    const problem& p_;
    std::size_t leaves_, root_;
    std::vector<std::size_t> left_, right_;  // of products: entry less the number of leaves
};

bool is_better(const contraction_path& a, const contraction_path& b) {
    return a.multiplications < b.multiplications ||
           (a.multiplications == b.multiplications && a.stored < b.stored);
}

}  // namespace

contraction_path quick_path(const problem& p) {
    return pairwise_path(p, [] { return 1.0; });
}

// The plain greedy path and some that err at random, always at the same, each refined.
contraction_path greedy_path(const problem& p) {
    auto best = refined_tree(p, quick_path(p)).run();
    const double n = static_cast<double>(p.operands.size());
    constexpr double pairs_looked_at = 3e4;  // some hundredths of a second
    const int attempts = static_cast<int>(std::min(32.0, pairs_looked_at / (n * n * n / 6)));
    std::minstd_rand random(1);
    for (int k = 0; k < attempts; ++k) {
        const double spread = 2 << k % 4;
        const auto path = pairwise_path(p, [&] {
            const double uniform = static_cast<double>(random()) / 2147483647.0;
            return std::exp(spread * (uniform - 0.5));
        });
        auto refined = refined_tree(p, path).run();
        if (is_better(refined, best)) best = std::move(refined);
    }
    return best;
}

}  // namespace ricci::path
