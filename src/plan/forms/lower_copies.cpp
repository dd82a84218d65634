// What is read from copies: at places with edges that no cut settles, and of another type.
#include <algorithm>
#include <utility>

#include "src/plan/schedule/edges.hpp"
#include "src/plan/forms/lower.hpp"

namespace ricci::plan {
namespace {

// A number computed and looked up costs about as much as so many elements that are copied.
constexpr double picks_worth_copying = 8;

bool is_looked_up(const expression& node, std::size_t axis) {
    return std::ranges::any_of(node.lookups, [&](const lookup_axis& l) {
        return l.axis == static_cast<std::int32_t>(axis);
    });
}

}  // namespace

// What a load or a gather reads at places with edges, read from memory without any: a copy of the
// axes, or of what each iteration reads, where that is much less. Whole numbers stay as they are.
expr lowering::padded(expr load) {
    if (const auto found = padded_.find(load); found != padded_.end()) return found->second;
    const auto& source = graph_[load].source;
    hides_ = hides_ || has_edge(source, edge::nothing);
    const element own = plan_.type_of(source.slot);
    expr result;
    if (own != type_ && is_integer(own) && !plan_.is_truth(source.slot)) {
        lowering whole(plan_, known_, equation_, order_, own);
        result = whole.padded(load);
    } else {
        result = pays_by_iterations(load) ? picked_by_iterations(load) : copied_axes(load);
    }
    return padded_[load] = result;
}

// Whether the axes, as far as they are read, hold many times what the iterations read.
bool lowering::pays_by_iterations(expr load) const {
    const auto& node = graph_[load];
    double places = 1;
    for (std::size_t axis = 0; axis < node.source.at.size(); ++axis) {
        const place& p = node.source.at[axis];
        if (p.edge != edge::none && p.high < p.low) return false;
        const auto [least, most] = graph_.reach(p);
        const std::int64_t extent =
            is_looked_up(node, axis) ? plan_.slot_of(node.source).extents[axis] : most - least + 1;
        places *= static_cast<double>(extent);
    }
    return places > picks_worth_copying * graph_.size(node.indices);
}

// What each iteration reads, in memory: places with edges are computed as numbers, where the tensor
// is looked up.
expr lowering::picked_by_iterations(expr load) {
    const expression node = graph_[load];  // a copy: the graph grows below
    access from = converted(node.source, node.condition);
    auto lookups = node.lookups;
    expr_list numbers = node.arguments, inside, wanted;
    if (numbers.size() > lookups.size()) {
        wanted = {numbers.back()};
        numbers.pop_back();
    }
    lowering whole(plan_, known_, equation_, order_, element::i64);
    for (std::size_t axis = 0; axis < from.at.size(); ++axis) {
        place& p = from.at[axis];
        if (p.edge == edge::none) continue;
        if (is_empty(p.edge)) {
            const auto both = graph_.within(p, p.low, p.high);
            inside.insert(inside.end(), both.begin(), both.end());
        }
        numbers.push_back(graph_.load(whole.computed(place_within(p))));
        lookups.push_back({static_cast<std::int32_t>(axis)});
        p = {};
    }
    const expr picked = graph_.gather(std::move(from), std::move(lookups), std::move(numbers),
                                      wanted, node.condition);
    if (inside.empty()) return stored(picked);
    return stored(
        graph_.apply(opcode::select, graph_.multiply(inside), picked, graph_.constant(0)));
}

// Where an axis is read, as a number; beyond an edge where there is nothing, some place.
expr lowering::place_within(const place& p) {
    if (p.edge == edge::wrap) {
        place from_low = without_edge(p);
        from_low.offset -= p.low;
        return graph_.add({graph_.number(p.low),
                           graph_.apply(opcode::modulo, graph_.position(std::move(from_low)),
                                        graph_.number(p.high - p.low + 1))});
    }
    const expr low =
        graph_.apply(opcode::maximum, graph_.number(p.low), graph_.position(without_edge(p)));
    return graph_.apply(opcode::minimum, graph_.number(p.high), low);
}

// A copy from the first place of each axis to the last, all of an axis that is looked up, without
// edges: the same read from there.
expr lowering::copied_axes(expr load) {
    const expression node = graph_[load];  // a copy: the graph grows below
    access from = converted(node.source, node.condition), read, target;
    std::vector<std::int64_t> extents;
    std::vector<ir::ref> letters;
    loop_list axes;
    for (std::size_t axis = 0; axis < from.at.size(); ++axis) {
        place& p = from.at[axis];
        place at = without_edge(p);
        const bool looked_up = is_looked_up(node, axis);
        const auto reached = graph_.reach(p);
        const std::int64_t first = looked_up ? 0 : reached.least;
        const std::int64_t extent =
            looked_up ? plan_.slot_of(from).extents[axis] : reached.most - reached.least + 1;
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
    target.slot = read.slot =
        plan_.add(workspace_slot(plan_, std::move(extents), std::move(letters), type_));
    target.positions = read.positions = {0, -1};
    emit_boxes(target, copied);
    return node.kind == kind::load
               ? graph_.load(std::move(read), node.condition)
               : graph_.regathered(load, node.arguments, std::move(read), node.lookups);
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
        return expr::none;
    });
}

// A tensor of another type, converted, at the same places; what has a name once for all equations,
// but for outputs, of which what was there before may be read.
expr lowering::native(expr load) {
    const expression node = graph_[load];  // a copy: the graph grows below
    return graph_.load(converted(node.source, node.condition), node.condition);
}

access lowering::converted(const access& from, bool condition) {
    if (plan_.holds(from.slot, type_)) return from;
    access result = from;
    result.positions = {0, -1};
    for (const converted_input& known : known_.converted)
        if (known.from == from.slot && known.type == type_ && known.condition == condition) {
            result.slot = known.to;
            return result;
        }
    access whole = all_of(plan_, from.slot), target = whole;
    whole.positions = from.positions;
    const expr read = graph_.load(whole, condition);
    const auto extents = plan_.slot_of(from).extents;
    result.slot = target.slot = plan_.add(
        workspace_slot(plan_, extents, std::vector<ir::ref>(extents.size(), ir::none), type_));
    const slot& read_from = plan_.slot_of(from);
    if (read_from.kind == storage::input ||
        (read_from.kind == storage::workspace && read_from.name != ir::none))
        known_.converted.push_back({from.slot, result.slot, type_, condition});
    emit_gather(read, target);
    return result;
}

}  // namespace ricci::plan
