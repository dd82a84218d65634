// What is read from copies: at places with edges that no cut settles, and of another type.
#include <algorithm>
#include <utility>

#include "src/plan/edges.hpp"
#include "src/plan/lower.hpp"

namespace ricci::plan {

// A copy of what a load or a gather reads, from the first place of each axis to the last, all of an
// axis that is looked up, without edges: the same read from there.
expr lowering::padded(expr load) {
    if (const auto found = stored_.find(load); found != stored_.end()) return found->second;
    const expression node = graph_[load];  // a copy: the graph grows below
    access from = converted(node.source, node.condition), read, target;
    std::vector<std::int64_t> extents;
    std::vector<ir::ref> letters;
    loop_list axes;
    for (std::size_t axis = 0; axis < from.at.size(); ++axis) {
        place& p = from.at[axis];
        place at = without_edge(p);
        const bool looked_up = std::any_of(
            node.lookups.begin(), node.lookups.end(),
            [&](const lookup_axis& l) { return l.axis == static_cast<std::int32_t>(axis); });
        const auto reached = graph_.reach(p);
        const std::int64_t first = looked_up ? 0 : reached.first;
        const std::int64_t extent =
            looked_up ? plan_.slot_of(from).extents[axis] : reached.second - reached.first + 1;
        at.offset -= first;
        read.at.push_back(std::move(at));
        p.offset = first;
        p.terms.clear();
        place& there = target.at.emplace_back();
        extents.push_back(extent);
        letters.push_back(ir::none);
        if (extent == 1) continue;
        const loop whole = graph_.loops().fresh(ir::none, extent);
        p.terms = {{whole, 1}};
        there.terms = p.terms;
        add_loop(axes, whole);
    }
    const expr copied = graph_.load(from, node.condition);
    target.slot = read.slot = new_memory(std::move(extents), std::move(letters), type_);
    target.positions = read.positions = {0, -1};
    emit_boxes(target, axes, copied, fold::none, {});
    expr result = node.kind == kind::load
                      ? graph_.load(std::move(read), node.condition)
                      : graph_.regathered(load, node.arguments, std::move(read), node.lookups);
    hides_ = hides_ || has_edge(node.source, edge::nothing);
    return stored_[load] = result;
}

// Where every bracket chooses, what is read at such an edge does, too.
expr lowering::with_conditions(expr load, expr value) {
    if (!plan_.careful || !has_edge(graph_[load].source, edge::nothing)) return value;
    const access source = graph_[load].source;
    expr_list all;
    for (const place& p : source.at) {
        if (p.edge != edge::nothing) continue;
        const auto inside = graph_.within(p, p.low, p.high);
        all.insert(all.end(), inside.begin(), inside.end());
    }
    all.push_back(value);
    return graph_.multiply(all);
}

// The expression with the loads from such copies whose edges cuts of these loops do not settle.
expr lowering::without_edges(expr e, const loop_list& cut) {
    std::vector<std::pair<expr, expr>> copies;
    for (const expr load : edged_loads(graph_, e))
        if (!is_cut_by(graph_, graph_[load].source, cut))
            copies.emplace_back(load, with_conditions(load, padded(load)));
    if (copies.empty()) return e;
    return graph_.substituted(e, [&](expr part) {
        for (const auto& [load, copy] : copies)
            if (load == part) return copy;
        return -1;
    });
}

// A tensor of another type, converted, at the same places.
expr lowering::native(expr load) {
    const expression node = graph_[load];  // a copy: the graph grows below
    return graph_.load(converted(node.source, node.condition), node.condition);
}

access lowering::converted(const access& from, bool condition) {
    if (plan_.holds(from.slot, type_)) return from;
    access whole = from, target;
    loop_list axes;
    const auto extents = plan_.slot_of(from).extents;
    for (std::size_t axis = 0; axis < whole.at.size(); ++axis) {
        whole.at[axis] = {};
        if (extents[axis] != 1) {
            const loop all = graph_.loops().fresh(ir::none, extents[axis]);
            whole.at[axis].terms = {{all, 1}};
            add_loop(axes, all);
        }
        target.at.push_back(whole.at[axis]);
    }
    const expr read = graph_.load(whole, condition);
    access result = from;
    result.slot = target.slot =
        new_memory(extents, std::vector<ir::ref>(extents.size(), ir::none), type_);
    result.positions = target.positions = {0, -1};
    emit_gather(read, target, axes);
    return result;
}

}  // namespace ricci::plan
