// Memory of intermediates: how their axes lie.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "src/plan/forms/lower.hpp"

namespace ricci::plan {

place lowering::inner_address_of(const access& a) const {
    return plan::inner_address_of(a, plan_.slots[a.slot.index()].strides);
}

// An element-wise result is walked like its widest operand; everything else like the left side.
loop_list lowering::axis_order(const loop_list& indices, expr like) const {
    const expr widest = like ? graph_[like].widest : expr::none;
    if (widest && graph_[widest].indices == indices)
        return by_stride(indices, inner_address_of(graph_[widest].source));
    auto result = indices;
    const auto rank = [&](loop i) { return std::ranges::find(order_, i) - order_.begin(); };
    std::ranges::sort(
        result, [&](loop x, loop y) { return rank(x) != rank(y) ? rank(x) < rank(y) : x < y; });
    return result;
}

// Rows that are looked up lie one behind the other, as they are read.
loop_list lowering::rows_order(expr gather) const {
    const auto& node = graph_[gather];
    loop_list by_number;
    for (const expr a : node.arguments) by_number = united(by_number, graph_[a].indices);
    loop_list order = axis_order(by_number);
    for (const loop l : by_stride(without(node.indices, by_number), inner_address_of(node.source)))
        order.push_back(l);
    return order;
}

access lowering::temporary(const loop_list& indices, expr like) {
    return memory_over(axis_order(indices, like), type_);
}

access lowering::memory_over(const loop_list& axes, element type, bool is_truth) {
    return add_memory(plan_, axes, type, is_truth);
}

longer_axis lowering::longer_memory(const loop_list& axes, loop longer, std::int64_t by) {
    longer_axis made;
    std::vector<std::int64_t> extents;
    std::vector<ir::ref> letters;
    for (const loop l : axes) {
        if (l == longer) made.axis = extents.size();
        extents.push_back(graph_.extent(l) + (l == longer ? by : 0));
        letters.push_back(graph_.loops().letter(l));
        made.whole.at.push_back({0, {{l, 1}}});
    }
    made.whole.slot =
        plan_.add(workspace_slot(plan_, std::move(extents), std::move(letters), type_));
    return made;
}

}  // namespace ricci::plan
