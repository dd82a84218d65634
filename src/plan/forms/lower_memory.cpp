// Memory of intermediates: how their axes lie.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "src/plan/forms/lower.hpp"

namespace ricci::plan {

const expression* lowering::widest_load(expr e, std::size_t rank) const {
    const expr widest = graph_[e].widest;
    return widest && graph_[widest].indices.size() == rank ? &graph_[widest] : nullptr;
}

place lowering::inner_address_of(const access& a) const {
    return plan::inner_address_of(a, plan_.slots[a.slot.index()].strides);
}

// An element-wise result is walked like its widest operand; everything else like the left side.
loop_list lowering::axis_order(const loop_list& indices, expr like) const {
    auto result = indices;
    const auto* model = like ? widest_load(like, indices.size()) : nullptr;
    if (model && model->indices == indices) {
        const place at = inner_address_of(model->source);
        std::sort(result.begin(), result.end(), [&](loop x, loop y) {
            const auto a = std::abs(at.factor(x)), b = std::abs(at.factor(y));
            return a != b ? a > b : x < y;
        });
        return result;
    }
    const auto rank = [&](loop i) {
        return std::find(order_.begin(), order_.end(), i) - order_.begin();
    };
    std::sort(result.begin(), result.end(),
              [&](loop x, loop y) { return rank(x) != rank(y) ? rank(x) < rank(y) : x < y; });
    return result;
}

// Rows that are looked up lie one behind the other, as they are read.
loop_list lowering::rows_order(expr gather) const {
    const auto& node = graph_[gather];
    loop_list by_number;
    for (const expr a : node.arguments) by_number = united(by_number, graph_[a].indices);
    loop_list order = axis_order(by_number, expr::none), row = without(node.indices, by_number);
    const place at = inner_address_of(node.source);
    std::sort(row.begin(), row.end(), [&](loop x, loop y) {
        const auto p = std::abs(at.factor(x)), q = std::abs(at.factor(y));
        return p != q ? p > q : x < y;
    });
    for (const loop l : row) order.push_back(l);
    return order;
}

access lowering::temporary(const loop_list& indices, expr like, element type, bool is_truth) {
    return memory_over(axis_order(indices, like), type, is_truth);
}

access lowering::memory_over(const loop_list& axes, element type, bool is_truth) {
    return longer_memory(axes, loop::none, 0, type, is_truth).whole;
}

lowering::longer_axis lowering::longer_memory(const loop_list& axes, loop longer, std::int64_t by) {
    return longer_memory(axes, longer, by, type_, false);
}

lowering::longer_axis lowering::longer_memory(const loop_list& axes, loop longer, std::int64_t by,
                                              element type, bool is_truth) {
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
        plan_.add(workspace_slot(plan_, std::move(extents), std::move(letters), type, is_truth));
    return made;
}

}  // namespace ricci::plan
