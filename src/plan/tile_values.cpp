// What the tiles of a fused group are.
#include "src/plan/tile_values.hpp"

#include <algorithm>

namespace ricci::plan {

access add_slot(program_plan& plan, storage kind, const std::vector<loop>& axes) {
    slot memory;
    memory.kind = kind;
    access result;
    result.slot = static_cast<std::int32_t>(plan.slots.size());
    result.positions = {0, -1};
    memory.strides.assign(axes.size(), 0);
    std::int64_t elements = 1;
    for (std::size_t k = axes.size(); k-- > 0;) {
        memory.strides[k] = elements;
        elements *= plan.values.extent(axes[k]);
    }
    for (const loop l : axes) {
        memory.extents.push_back(plan.values.extent(l));
        memory.axes.push_back(plan.values.loops().letter(l));
        result.at.push_back({0, {{l, 1}}});
    }
    if (kind == storage::workspace)
        memory.bytes = static_cast<std::size_t>(elements) * size_of(plan.type);
    plan.slots.push_back(std::move(memory));
    return result;
}

access tile_values::new_tile(ir::ref name) {
    std::vector<loop> axes;
    for (const auto& l : group_.loops) axes.push_back(l.what);
    const access tile = add_slot(plan_, storage::tile, axes);
    plan_.slots.back().name = name;
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
        const bool taken = std::any_of(group_.loops.begin(), group_.loops.end(),
                                       [&](const group_loop& other) { return other.what == l; });
        auto& loops = plan_.values.loops();
        if (taken) at->second.emplace_back(l, loops.fresh(loops.letter(l), loops.extent(l)));
    }
    return at->second;
}

expr tile_values::renamed(std::size_t step, expr e) {
    return e < 0 ? e : plan_.values.renamed(e, names_of(step));
}

access tile_values::renamed(std::size_t step, const access& a) {
    return plan::renamed(a, names_of(step));
}

const tile_values::product* tile_values::product_of(std::int32_t tile) const {
    const auto found = std::find_if(products_.begin(), products_.end(),
                                    [&](const product& p) { return p.tile.slot == tile; });
    return found == products_.end() ? nullptr : &*found;
}

expr tile_values::body_of(std::size_t step, std::set<std::size_t>& needs) {
    auto& values = plan_.values;
    return values.substituted(renamed(step, group_.at(step).body), [&](expr e) {
        if (values[e].kind != kind::load || !group_.is_plane(values[e].source.slot)) return -1;
        return value_of(values[e].source.slot, step, needs);
    });
}

// The value that the plane's last writer before a step gives it.
expr tile_values::value_of(std::int32_t plane, std::size_t before, std::set<std::size_t>& needs) {
    const auto& writers = uses_[static_cast<std::size_t>(plane)].writers;
    const std::size_t writer = *(std::lower_bound(writers.begin(), writers.end(), before) - 1);
    const key k{plane, writer};
    if (const auto known = known_.find(k); known != known_.end()) {
        needs.insert(needs_[k].begin(), needs_[k].end());
        return known->second;
    }
    std::set<std::size_t> mine{writer};
    const assign a = group_.at(writer);
    const ir::ref name = plan_.slots[static_cast<std::size_t>(plane)].name;
    expr value = -1;
    if (a.how == way::contract) {
        const access tile = new_tile(name);
        products_.push_back({writer, tile});
        value = plan_.values.load(tile);
        if (a.beta == 1)
            value = plan_.values.as_written(opcode::add, {value_of(plane, writer, mine), value});
    } else if (a.folding == fold::softmax) {
        const expr score = body_of(writer, mine);
        softmaxes_.push_back({score, new_tile(name), plane, writer});
        value = plan_.values.load(softmaxes_.back().tile);
    } else {
        value = body_of(writer, mine);
    }
    needs.insert(mine.begin(), mine.end());
    needs_[k] = std::move(mine);
    return known_[k] = value;
}

std::optional<std::int32_t> tile_values::linear_in(expr value) const {
    const auto& node = plan_.values[value];
    if (node.kind == kind::load) {
        for (std::size_t k = 0; k < softmaxes_.size(); ++k)
            if (softmaxes_[k].tile.slot == node.source.slot) return static_cast<std::int32_t>(k);
        return -1;
    }
    std::vector<std::int32_t> parts;
    for (const expr a : node.arguments) {
        const auto part = linear_in(a);
        if (!part) return {};
        parts.push_back(*part);
    }
    const auto depends = [](std::int32_t part) { return part >= 0; };
    const auto dependent = std::count_if(parts.begin(), parts.end(), depends);
    if (dependent == 0) return -1;
    const auto zero = [&](std::size_t k) { return plan_.values.is_constant(node.arguments[k], 0); };
    switch (node.code) {
        case opcode::multiply:
            if (dependent == 1) return *std::max_element(parts.begin(), parts.end());
            return {};
        case opcode::add:
            if (std::all_of(parts.begin(), parts.end(), [&](auto p) { return p == parts[0]; }))
                return parts[0];
            return {};
        case opcode::select:
            if (depends(parts[0])) return {};
            if (parts[1] == parts[2] || zero(2)) return parts[1];
            if (zero(1)) return parts[2];
            return {};
        default:
            return {};
    }
}

}  // namespace ricci::plan
