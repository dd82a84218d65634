// What the tiles of a fused group are.
#include "src/plan/groups/tile_values.hpp"

#include <algorithm>

#include "src/plan/groups/tile_lookups.hpp"
#include "src/plan/pool/proportional.hpp"

namespace ricci::plan {

access tile_values::new_tile(ir::ref name) {
    loop_list axes;
    for (const auto& l : group_.loops) axes.push_back(l.what);
    const access tile = add_memory(plan_, axes, plan_.computed_type());
    slot& memory = plan_.slots.back();
    memory.kind = storage::tile;
    memory.bytes = 0;
    memory.name = name;
    return tile;
}

// Loops of a step's own must not be taken for the group's.
const loop_map& tile_values::names_of(std::size_t step) {
    const auto [at, is_new] = names_.try_emplace(step);
    if (!is_new) return at->second;
    const assign& a = group_.at(step);
    const auto& found = group_.matched.at(step);
    auto all = united(a.loops, a.over);
    for (const loop l : all) {
        const auto g = found.of(l);
        if (g >= 0) {
            at->second.emplace_back(l, group_.loops[static_cast<std::size_t>(g)].what);
            continue;
        }
        if (has_loop(group_.loops, l)) at->second.emplace_back(l, plan_.values.loops().fresh(l));
    }
    return at->second;
}

expr tile_values::renamed(std::size_t step, expr e) {
    return e ? plan_.values.renamed(e, names_of(step)) : e;
}

access tile_values::renamed(std::size_t step, const access& a) {
    return plan::renamed(a, names_of(step));
}

const tile_values::product* tile_values::product_of(slot_number tile) const {
    const auto found =
        std::ranges::find_if(products_, [&](const product& p) { return p.tile.slot == tile; });
    return found == products_.end() ? nullptr : &*found;
}

loop_list tile_values::own_results(std::size_t step) {
    loop_list result;
    for (const loop l : without(group_.own_loops(step), group_.at(step).over))
        result.push_back(plan::renamed(l, names_of(step)));
    return result;
}

expr tile_values::body_of(std::size_t step, step_set& needs, const iteration& at) {
    auto& values = plan_.values;
    const assign a = group_.at(step);
    loop_list summed;
    for (const loop l : common(group_.own_loops(step), a.over))
        summed.push_back(plan::renamed(l, names_of(step)));
    expr body = renamed(step, a.body);
    if (!at.empty()) body = with_common_factor(values, body, own_results(step));
    expr_list terms;
    for (auto each : iterations_of(values, summed)) {
        each.insert(each.end(), at.begin(), at.end());
        terms.push_back(values.substituted(at_iteration(values, body, each), [&](expr e) {
            if (values[e].kind != kind::load || !group_.is_plane(values[e].source.slot))
                return expr::none;
            return value_of(values[e].source.slot, step, needs);
        }));
    }
    return terms.size() == 1 ? terms[0] : values.as_written(opcode::add, std::move(terms));
}

std::int32_t tile_values::softmax_of(expr score, ir::ref name, const step_set& needs) {
    auto same =
        std::ranges::find_if(softmaxes_, [&](const softmax& s) { return s.score == score; });
    if (same == softmaxes_.end()) {
        softmaxes_.push_back({score, new_tile(name), {}});
        same = softmaxes_.end() - 1;
    }
    same->needs.merge(needs);
    return static_cast<std::int32_t>(same - softmaxes_.begin());
}

// The value that the plane's last writer before a step gives it.
expr tile_values::value_of(slot_number plane, std::size_t before, step_set& needs) {
    const auto& writers = uses_[plane.index()].writers;
    const std::size_t writer = *(std::ranges::lower_bound(writers, before) - 1);
    const key k{plane, writer};
    if (const auto known = known_.find(k); known != known_.end()) {
        needs.merge(known->second.needs);
        return known->second.value;
    }
    step_set mine{writer};
    const assign a = group_.at(writer);
    const ir::ref name = plan_.slots[plane.index()].name;
    expr value;
    if (a.kind == assignment_kind::contract) {
        const access tile = new_tile(name);
        products_.push_back({writer, tile});
        value = plan_.values.load(tile);
        if (a.beta == 1)
            value = plan_.values.as_written(opcode::add, {value_of(plane, writer, mine), value});
    } else if (group_.is_distance(a, group_.matched.at(writer))) {
        const access tile = new_tile(name);
        products_.push_back({writer, tile});
        value = plan_.values.load(tile);
        const auto parts = *distance_of(plan_.values, a);
        expr_list factors;
        if (parts.number != 1) factors.push_back(plan_.values.constant(parts.number));
        for (const expr e : parts.scale) factors.push_back(renamed(writer, e));
        factors.push_back(value);
        if (!parts.is_alone()) value = plan_.values.as_written(opcode::multiply, factors);
    } else if (a.folding == fold::softmax) {
        const expr score = body_of(writer, mine);
        const auto number = static_cast<std::size_t>(softmax_of(score, name, mine));
        value = plan_.values.load(softmaxes_[number].tile);
    } else if (a.kind == assignment_kind::gather) {
        value = looked_up_in_tiles(plan_, renamed(writer, a.body));
    } else {
        value = body_of(writer, mine);
        if (a.folding == fold::mean)
            value = plan_.values.as_written(
                opcode::multiply, {plan_.values.constant(1 / plan_.values.size(a.over)), value});
    }
    needs.merge(mine);
    known_[k] = {value, std::move(mine)};
    return value;
}

std::optional<std::int32_t> tile_values::linear_in(expr value) const {
    const auto found = proportional_to(plan_.values, value, [&](slot_number tensor) {
        return tensor_factor(softmax_with(tensor) < 0 ? slot_number{} : tensor);
    });
    return found ? std::optional(softmax_with(*found)) : std::nullopt;
}

// The softmax whose weights are a tile; -1: it has none.
std::int32_t tile_values::softmax_with(slot_number tile) const {
    const auto found =
        std::ranges::find_if(softmaxes_, [&](const softmax& s) { return s.tile.slot == tile; });
    return found == softmaxes_.end() ? -1 : static_cast<std::int32_t>(found - softmaxes_.begin());
}

}  // namespace ricci::plan
