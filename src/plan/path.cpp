// Contraction paths: dynamic programming over subsets of operands, greedy beyond its reach.
#include "src/plan/path.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace ricci::plan {
namespace {

/// A set of a product's indices, which are numbered from 0.
class index_set {
public:
    explicit index_set(std::size_t indices = 0) : words_((indices + 63) / 64) {}
    void insert(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
    friend index_set operator|(index_set a, const index_set& b) {
        for (std::size_t k = 0; k < a.words_.size(); ++k) a.words_[k] |= b.words_[k];
        return a;
    }
    friend index_set operator&(index_set a, const index_set& b) {
        for (std::size_t k = 0; k < a.words_.size(); ++k) a.words_[k] &= b.words_[k];
        return a;
    }
    friend index_set operator-(index_set a, const index_set& b) {
        for (std::size_t k = 0; k < a.words_.size(); ++k) a.words_[k] &= ~b.words_[k];
        return a;
    }
    double size(const std::vector<double>& extents) const {
        double product = 1;
        for (std::size_t k = 0; k < words_.size(); ++k)
            for (std::uint64_t w = words_[k]; w != 0; w &= w - 1)
                product *= extents[64 * k + static_cast<std::size_t>(std::countr_zero(w))];
        return product;
    }
    bool intersects(const index_set& other) const {
        for (std::size_t k = 0; k < words_.size(); ++k)
            if (words_[k] & other.words_[k]) return true;
        return false;
    }

private:
    std::vector<std::uint64_t> words_;
};

struct problem {
    std::vector<index_set> operands;
    index_set result;
    std::vector<double> extents;
};

problem numbered(const std::vector<std::vector<ir::ref>>& operands,
                 const std::vector<ir::ref>& result,
                 const std::function<std::int64_t(ir::ref)>& extent) {
    std::vector<ir::ref> all(result);
    for (const auto& o : operands) all.insert(all.end(), o.begin(), o.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    const auto set_of = [&](const std::vector<ir::ref>& list) {
        index_set s(all.size());
        for (ir::ref i : list)
            s.insert(static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), i) -
                                              all.begin()));
        return s;
    };
    problem p;
    for (const auto& o : operands) p.operands.push_back(set_of(o));
    p.result = set_of(result);
    for (ir::ref i : all) p.extents.push_back(static_cast<double>(extent(i)));
    return p;
}

// Every subset's best last product is found from those of smaller subsets.
contraction_path exact_path(const problem& p) {
    const std::size_t n = p.operands.size();
    const std::size_t subsets = std::size_t{1} << n;
    struct best {
        double multiplications = std::numeric_limits<double>::infinity();
        double stored = 0;
        std::size_t left = 0;
    };
    std::vector<best> table(subsets);
    std::vector<index_set> inside(subsets, index_set(p.extents.size()));
    for (std::size_t s = 1; s < subsets; ++s) {
        const auto lowest = static_cast<std::size_t>(std::countr_zero(s));
        inside[s] = inside[s & (s - 1)] | p.operands[lowest];
    }
    // What a subset's product keeps: indices of the result or of operands that come later.
    std::vector<index_set> kept(subsets, index_set(p.extents.size()));
    std::vector<double> sizes(subsets);
    for (std::size_t s = 1; s < subsets; ++s) {
        kept[s] = inside[s] & (p.result | inside[subsets - 1 - s]);
        sizes[s] = kept[s].size(p.extents);
        if (std::has_single_bit(s)) {
            table[s].multiplications = 0;
            continue;
        }
        const std::size_t lowest = s & (~s + 1);  // in the left part: each split is seen once
        for (std::size_t left = (s - 1) & s; left != 0; left = (left - 1) & s) {
            if (!(left & lowest)) continue;
            const std::size_t right = s & ~left;
            best candidate;
            candidate.left = left;
            candidate.multiplications = table[left].multiplications + table[right].multiplications;
            if (candidate.multiplications > table[s].multiplications) continue;
            candidate.multiplications += (kept[left] | kept[right]).size(p.extents);
            candidate.stored = table[left].stored + table[right].stored;
            if (s != subsets - 1) candidate.stored += sizes[s];
            if (candidate.multiplications < table[s].multiplications ||
                (candidate.multiplications == table[s].multiplications &&
                 candidate.stored < table[s].stored))
                table[s] = candidate;
        }
    }
    contraction_path path;
    path.operands = static_cast<std::int32_t>(n);
    path.multiplications = table[subsets - 1].multiplications;
    path.stored = table[subsets - 1].stored;
    const auto build = [&](auto&& self, std::size_t s) -> std::int32_t {
        if (std::has_single_bit(s)) return static_cast<std::int32_t>(std::countr_zero(s));
        const auto left = self(self, table[s].left);
        const auto right = self(self, s & ~table[s].left);
        path.products.push_back({left, right});
        return path.operands + static_cast<std::int32_t>(path.products.size()) - 1;
    };
    build(build, subsets - 1);
    return path;
}

// Takes the pair whose product shrinks the operands most; pairs without a common index come last.
contraction_path greedy_path(const problem& p) {
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
                const double growth = kept.size(p.extents) - left[x].size - left[y].size;
                const double work = both.size(p.extents);
                if ((common && !found_common) || growth < least ||
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

}  // namespace

contraction_path find_path(const std::vector<std::vector<ir::ref>>& operands,
                           const std::vector<ir::ref>& result,
                           const std::function<std::int64_t(ir::ref)>& extent) {
    const auto p = numbered(operands, result, extent);
    return operands.size() <= exact_path_operands ? exact_path(p) : greedy_path(p);
}

}  // namespace ricci::plan
