// Contraction paths: dynamic programming over subsets of operands.
#include "src/path/path.hpp"

#include "src/path/problem.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace ricci::path {
namespace {

problem numbered(const std::vector<std::span<const ir::ref>>& operands,
                 std::span<const ir::ref> result,
                 const std::function<std::int64_t(ir::ref)>& extent) {
    std::vector<ir::ref> all(result.begin(), result.end());
    for (const auto& o : operands) all.insert(all.end(), o.begin(), o.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    const auto set_of = [&](std::span<const ir::ref> list) {
        index_set s(all.size());
        for (ir::ref i : list)
            s.insert(static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), i) -
                                              all.begin()));
        return s;
    };
    problem p;
    for (const auto& o : operands) p.operands.push_back(set_of(o));
    p.result = set_of(result);
    // Where an index has no values every order costs nothing; one that is good for longer ones will
    // do.
    for (ir::ref i : all)
        p.extents.push_back(static_cast<double>(std::max<std::int64_t>(extent(i), 1)));
    return p;
}

}  // namespace

// Every subset's best last product is found from those of smaller subsets.
contraction_path exact_path(const problem& p, double known) {
    const double most = known * (1 + 1e-9);  // it may have been added up in another order
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
            // The product itself takes as many as its larger operand and its result have elements.
            const double least = std::max({sizes[left], sizes[right], sizes[s]});
            if (candidate.multiplications + least > std::min(most, table[s].multiplications))
                continue;
            candidate.multiplications += kept[left].size_with(kept[right], p.extents);
            candidate.stored = table[left].stored + table[right].stored;
            if (s != subsets - 1) candidate.stored += sizes[s];
            if (candidate.multiplications < table[s].multiplications ||
                (candidate.multiplications == table[s].multiplications &&
                 candidate.stored < table[s].stored))
                table[s] = candidate;
        }
    }
    // Costs beyond all numbers are not compared, and no path is better than another then.
    if (n > 1 && table[subsets - 1].left == 0) return quick_path(p);
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

contraction_path find_path(const std::vector<std::span<const ir::ref>>& operands,
                           std::span<const ir::ref> result,
                           const std::function<std::int64_t(ir::ref)>& extent) {
    const auto p = numbered(operands, result, extent);
    if (operands.size() > exact_path_operands) return greedy_path(p);
    // Of many operands most subsets are then seen to be too dear, and are left out of all others.
    constexpr std::size_t few = 6;
    return operands.size() > few ? exact_path(p, quick_path(p).multiplications) : exact_path(p);
}

}  // namespace ricci::path
