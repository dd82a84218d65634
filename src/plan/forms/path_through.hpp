// The best contraction path through a product of the planner's expressions that is folded.
#pragma once

#include <vector>

#include "src/path/path.hpp"
#include "src/plan/pool/expression.hpp"
#include "src/plan/pool/loop_holders.hpp"

namespace ricci::plan {

/// Of the fold over `over` of the product of two factors or more.
path::contraction_path path_through(const graph&, const expr_list& factors, const loop_list& over);

/// Joins two factors at a time, in the order of the best path: `make(left, right, folded, last)` is
/// what they give when they are folded over what nothing else has, which is one factor then.
template <class F>
expr folded_in_pairs(const graph& values, expr_list factors, const loop_list& over, F make) {
    auto products = std::vector<path::contraction_path::product>{{0, 1}};
    if (factors.size() > 2) products = path_through(values, factors, over).products;
    loop_holders holders(values, factors);
    expr made;
    for (const auto& product : products) {
        const expr left = factors[static_cast<std::size_t>(product.left)],
                   right = factors[static_cast<std::size_t>(product.right)];
        holders.remove(values[left].indices);
        holders.remove(values[right].indices);
        loop_list folded;
        for (const loop l : united(values[left].indices, values[right].indices))
            if (holders[l] == 0 && contains(over, l)) folded.push_back(l);
        const bool last = &product == &products.back();
        made = make(left, right, folded, last);
        if (last) break;
        holders.add(values[made].indices);
        factors.push_back(made);
    }
    return made;
}

}  // namespace ricci::plan
