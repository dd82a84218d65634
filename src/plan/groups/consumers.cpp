// What a fused group gives.
#include "src/plan/groups/consumers.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "src/plan/groups/roles.hpp"

namespace ricci::plan {
namespace {

/// Behind a consumer's step, in its place: target = beta * target + what stands in other memory.
made_step added_later(program_plan& plan, const consumer& c, const access& from,
                      const access& target, double beta) {
    auto& values = plan.values;
    made_step made{{}, {{from.slot, c.step + 1, false}}};
    expr sum = values.load(from);
    if (beta != 0) {
        sum = values.add({sum, values.multiply({values.constant(beta), values.load(target)})});
        made.effects.push_back({target.slot, c.step, false});
    }
    made.effects.push_back({target.slot, c.step, true});
    made.what = make_step(values, map_into(c.what.equation, target, sum));
    return made;
}
/// The same of a fold of it.
made_step folded_later(program_plan& plan, const consumer& c, const access& from,
                       const access& target, fold folding, const loop_list& over) {
    const expr parts = plan.values.load(from);
    return {make_step(plan.values, map_into(c.what.equation, target, parts, folding, sorted(over))),
            {{from.slot, c.step + 1, false}, {target.slot, c.step, true}}};
}

// A part for each loop that is not summed at once.
void split_rows_or_columns(program_plan& plan, const grown_group& group, consumer& c,
                           std::vector<made_step>& made) {
    const auto summed = group.summed_by(c.step);
    loop_list axes, kept, folded;
    for (std::size_t g = 0; g < group.loops.size(); ++g) {
        if (group.loops[g].role == c.summed) continue;
        axes.push_back(group.loops[g].what);
        (summed[g] ? folded : kept).push_back(axes.back());
    }
    if (folded.empty()) return;
    c.partial = true;
    for (const loop l : c.own) axes.push_back(l), kept.push_back(l);
    const access parts = add_memory(plan, axes);
    const access whole = std::exchange(c.what.target, parts);
    const double beta = std::exchange(c.what.beta, 0);
    if (beta == 0) {
        const fold folding = c.by == steps::monoid::sum ? fold::sum : c.what.folding;
        made.push_back(folded_later(plan, c, parts, whole, folding, folded));
        return;
    }
    // What is there already is added by a map of its own.
    const access total = add_memory(plan, kept);
    made.push_back(folded_later(plan, c, parts, total, fold::sum, folded));
    made.push_back(added_later(plan, c, total, whole, beta));
}

// Tiles of one batch are added up; what more than one batch adds to is stored for each, and summed.
// `apart`: what only one adds to, too.
void split_added(program_plan& plan, const grown_group& group, consumer& c,
                 std::vector<made_step>& made, bool apart) {
    auto& values = plan.values;
    const access whole = c.what.target;
    const auto reached = loops_of(whole);
    loop_list axes, kept, folded, lines;
    for (const auto& l : group.loops) {
        if (l.role != loop_role::batch) {
            lines.push_back(l.what);
            continue;
        }
        axes.push_back(l.what);
        (contains(reached, l.what) ? kept : folded).push_back(l.what);
    }
    if (folded.empty() && !apart) return;
    (folded.empty() ? c.apart : c.partial) = true;
    // The lines that rows and columns span, along one axis of the whole.
    std::size_t axis = 0;
    while (whole.at[axis].factor(lines[0]) == 0) ++axis;
    std::int64_t unit = 0, least = 0, reach = 0;
    for (const loop l : lines) {
        const std::int64_t factor = whole.at[axis].factor(l),
                           last = factor * (values.extent(l) - 1);
        unit = std::gcd(unit, factor);
        least += std::min<std::int64_t>(last, 0);
        reach += std::abs(last);
    }
    const loop line = values.loops().fresh(ir::none, reach / unit + 1);
    axes.push_back(line), kept.push_back(line);
    const access parts = add_memory(plan, axes);
    const access total = folded.empty() ? parts : add_memory(plan, kept);

    c.what.target = parts;
    place& written = c.what.target.at.back();
    written = {-least / unit, {}};
    access again = whole;
    place& read = again.at[axis];
    for (const loop l : lines) {
        written.add(l, whole.at[axis].factor(l) / unit);
        read.add(l, -whole.at[axis].factor(l));
    }
    read.offset += least;
    read.add(line, unit);

    made.push_back({make_step(values, map_into(c.what.equation, parts, values.constant(0))),
                    {{parts.slot, c.step - 1, true}}});
    if (!folded.empty()) made.push_back(folded_later(plan, c, parts, total, fold::sum, folded));
    made.push_back(added_later(plan, c, total, again, 1));
}

consumer start_consumer(program_plan& plan, const grown_group& group, tile_values& tiles,
                        std::size_t step) {
    consumer made;
    const assign& a = group.at(step);
    made.step = step;
    made.summed = summed_role(group, step);
    made.what = a;
    made.what.target = tiles.renamed(step, a.target);
    made.what.scale = plan.values.constant(1);
    return made;
}

// Of a contraction or a scatter.
consumer make_consumer(program_plan& plan, const grown_group& group, tile_values& tiles,
                       std::size_t step) {
    const assign& a = group.at(step);
    consumer made = start_consumer(plan, group, tiles, step);
    const auto& found = group.matched.at(step);
    if (a.kind == assignment_kind::scatter) {
        made.of = plan.values[a.body].source;
        made.value = tiles.value_of(made.of.slot, step, made.needs);
        return made;
    }
    for (const loop l : a.loops)
        if (found.of(l) < 0) made.own.push_back(renamed(l, tiles.names_of(step)));
    made.what.scale = a.scale;
    const auto f = factors_of(plan.values, a);
    access plane = f.a->source, other = f.b->source;
    if (!group.is_plane(plane.slot)) std::swap(plane, other);
    made.of = plane;
    made.value = tiles.value_of(plane.slot, step, made.needs);
    if (group.is_plane(other.slot)) {
        made.value = plan.values.as_written(
            opcode::multiply, {made.value, tiles.value_of(other.slot, step, made.needs)});
        return made;
    }
    // A sum over columns reads its factor at each of them, for all rows the same, and a sum over
    // rows at each row: what follows the other axis is a factor of the tile.
    const auto along = group.walked(found, other);
    const auto kept = made.summed == loop_role::row ? loop_role::column : loop_role::row;
    const expr factor = plan.values.load(tiles.renamed(step, other));
    if (made.own.empty() &&
        (group.spans_tile(along) || group.follows(along, kept) || made.summed == loop_role::batch))
        made.value = plan.values.as_written(opcode::multiply, {made.value, factor});
    else made.factor = factor;
    return made;
}

// Of what lands where numbers say.
consumer make_landing(program_plan& plan, const grown_group& group, tile_values& tiles,
                      std::size_t step) {
    const assign& a = group.at(step);
    consumer made = start_consumer(plan, group, tiles, step);
    auto& values = plan.values;
    made.own = {renamed(a.scattered, tiles.names_of(step))};
    made.what.scattered = made.own[0];
    made.what.numbers = tiles.renamed(step, a.numbers);
    if (a.scale) made.what.scale = a.scale;
    expr_list factors;
    for (const expr f : lookup_factors(values, a.body)) {
        const access from = values[f].source;
        if (!group.is_plane(from.slot)) {
            factors.push_back(tiles.renamed(step, f));
            continue;
        }
        if (!made.of.slot) made.of = from;
        factors.push_back(tiles.value_of(from.slot, step, made.needs));
    }
    made.value =
        factors.size() == 1 ? factors[0] : values.as_written(opcode::multiply, std::move(factors));
    return made;
}

// The place of an extremum.
consumer make_place(program_plan& plan, const grown_group& group, tile_values& tiles,
                    std::size_t step) {
    consumer made = start_consumer(plan, group, tiles, step);
    made.places = true;
    made.by = *steps::monoid_of(made.what.folding);
    made.of = plan.values[group.at(step).body].source;
    made.value = tiles.value_of(made.of.slot, step, made.needs);
    return made;
}

}  // namespace

std::vector<consumer> make_consumers(program_plan& plan, const grown_group& group,
                                     tile_values& tiles, std::size_t step) {
    const assign& a = group.at(step);
    if (a.kind == assignment_kind::extremum) return {make_place(plan, group, tiles, step)};
    if (a.kind == assignment_kind::lookups) return {make_landing(plan, group, tiles, step)};
    if (a.kind != assignment_kind::map) return {make_consumer(plan, group, tiles, step)};
    consumer made = start_consumer(plan, group, tiles, step);
    for_each_load(plan.values, a, [&](const access& from) {
        if (group.is_plane(from.slot)) made.of = from;
    });
    made.by = steps::monoid_of(a.folding).value_or(steps::monoid::sum);
    if (group.is_found_with_weights(step)) {
        const expr score = tiles.body_of(step, made.needs);
        made.log_sum = true;
        made.weights = tiles.softmax_of(score, ir::none, made.needs);
        made.value =
            plan.values.load(tiles.softmaxes()[static_cast<std::size_t>(made.weights)].tile);
        return {made};
    }
    if (a.folding == fold::mean)
        made.what.scale = plan.values.constant(1 / plan.values.size(a.over));
    std::vector<consumer> all;
    for (const auto& at : iterations_of(plan.values, tiles.own_results(step))) {
        consumer each = made;
        each.what.target = at_iteration(made.what.target, at);
        each.value = tiles.body_of(step, each.needs, at);
        all.push_back(std::move(each));
    }
    return all;
}

void split_sum(program_plan& plan, const grown_group& group, consumer& c,
               std::vector<made_step>& made) {
    if (c.what.kind == assignment_kind::scatter) split_added(plan, group, c, made, false);
    else if (c.summed != loop_role::batch) split_rows_or_columns(plan, group, c, made);
}

consumer extremum_of(program_plan& plan, const grown_group& group, const consumer& place) {
    consumer made = place;
    made.places = false;
    made.apart = true;
    made.what.kind = assignment_kind::map;
    made.what.target = add_memory(plan, loops_beside(group.loops, place.summed));
    return made;
}

void write_apart(program_plan& plan, const grown_group& group, consumer& c,
                 std::vector<made_step>& made) {
    if (c.what.kind == assignment_kind::scatter) return split_added(plan, group, c, made, true);
    c.apart = true;
    loop_list axes;  // in the order in which the target has them
    for (const auto& p : c.what.target.at)
        for (const auto& t : p.terms)
            if (std::ranges::find(axes, t.over) == axes.end()) axes.push_back(t.over);
    const access own = add_memory(plan, axes);
    const access whole = std::exchange(c.what.target, own);
    made.push_back(added_later(plan, c, own, whole, std::exchange(c.what.beta, 0)));
}

}  // namespace ricci::plan
