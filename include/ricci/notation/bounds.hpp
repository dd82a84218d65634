// What the upper bound of a written sum says: `d` in \sum_{a=1}^{d}, `5` in \sum_{k=0}^{5}.
#pragma once

#include <cstdint>

#include <ricci/ir/rewrite.hpp>

namespace ricci::notation {

/// The last place of a whole axis: d when it is counted from 1, d - 1 when from 0. A name stands for
/// the extent that papers give the index.
constexpr bool is_whole_axis(const ir::program& p, ir::ref last, bool from_zero) {
    const ir::node& x = p.nodes[last];
    if (!from_zero) return x.kind == ir::op::tensor;
    if (x.kind != ir::op::add || x.children.count != 2) return false;
    const ir::node& name = p.nodes[p.links[x.children.first]];
    const ir::node& one = p.nodes[p.links[x.children.first + 1]];
    return name.kind == ir::op::tensor && one.kind == ir::op::number && one.value == -1;
}

/// Whether no tensor is read, so that the bound is a number.
constexpr bool is_constant(const ir::program& p, ir::ref n) {
    bool constant = true;
    ir::for_each_node(p, n,
                      [&](ir::ref m) { constant = constant && p.nodes[m].kind != ir::op::tensor; });
    return constant;
}

}  // namespace ricci::notation
