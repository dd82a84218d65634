// Planes that are read where whole numbers say.
#include "src/plan/groups/tile_lookups.hpp"

#include <algorithm>
#include <utility>

namespace ricci::plan {
namespace {

/// Whether it is a tensor in memory of whole numbers that tiles read.
bool is_whole_number(const program_plan& plan, expr e) {
    const auto& node = plan.values[e];
    if (node.kind != kind::load || node.edged || plan.is_truth(node.source.slot)) return false;
    const element type = plan.type_of(node.source.slot);
    return type == element::i32 || type == element::i64;
}

/// What is 1 where a condition holds for some of the loops that are not among `kept`.
expr held_somewhere(program_plan& plan, const assign& gather, std::size_t step, expr condition,
                    const loop_list& kept, made_step::timed_effect& read,
                    std::vector<made_step>& made) {
    auto& values = plan.values;
    const access from = values[condition].source;
    read = {from.slot, step, false};
    const loop_list others = without(values[condition].indices, kept);
    if (others.empty()) return condition;
    const access target = add_memory(plan, without(values[condition].indices, others));
    made.push_back(
        {make_step(values, map_into(gather.equation, target, condition, fold::maximum, others)),
         {read, {target.slot, step, true}}});
    read = {target.slot, step + 1, false};
    return values.load(target, true);
}

}  // namespace

bool looks_up_in_tiles(const program_plan& plan, const assign& a) {
    const auto& node = plan.values[a.body];
    if (a.kind != assignment_kind::gather || node.kind != kind::gather || node.condition ||
        has_edge(node.source) || !plan.holds(node.source.slot, plan.computed_type()))
        return false;
    for (std::size_t k = 0; k < node.arguments.size(); ++k) {
        const auto& number = plan.values[node.arguments[k]];
        if (number.kind != kind::load || number.edged) return false;
        if (k < node.lookups.size() && !is_whole_number(plan, node.arguments[k])) return false;
    }
    return true;
}

expr looked_up_in_tiles(program_plan& plan, expr gather) {
    const expression node = plan.values[gather];
    auto lookups = node.lookups;
    for (lookup_axis& l : lookups) l.may_stray = true;
    expr_list numbers(node.arguments.begin(),
                      node.arguments.begin() + static_cast<std::ptrdiff_t>(lookups.size()));
    return plan.values.regathered(gather, std::move(numbers), node.source, std::move(lookups));
}

bool suits_lookups(const grown_group& group, std::size_t step) {
    const auto& values = group.plan->values;
    return std::ranges::all_of(values[group.at(step).body].arguments, [&](expr e) {
        const auto along = group.walked(group.matched.at(step), values[e].source);
        return !group.follows(along, loop_role::row) || !group.follows(along, loop_role::column);
    });
}

bool lands_from_tiles(const program_plan& plan, const assign& a) {
    const auto& values = plan.values;
    return a.kind == assignment_kind::lookups && a.scattered && a.folding == fold::sum &&
           is_whole_number(plan, a.numbers) && values[a.body].kind != kind::constant &&
           std::ranges::all_of(lookup_factors(values, a.body), [&](expr f) {
               return values[f].kind == kind::load && !values[f].edged;
           });
}

bool suits_landing(const grown_group& group, std::size_t step, loop_role summed) {
    const auto& numbers = group.plan->values[group.at(step).numbers].source;
    const auto along = group.walked(group.matched.at(step), numbers);
    if (summed == loop_role::batch) return false;
    return !group.follows(along, summed == loop_role::column ? loop_role::row : loop_role::column);
}

void check_lookups(program_plan& plan, const grown_group& group, std::size_t step,
                   std::vector<made_step>& made) {
    auto& values = plan.values;
    const assign& gather = group.at(step);
    const expression node = values[gather.body];
    for (std::size_t k = 0; k < node.lookups.size(); ++k) {
        if (node.lookups[k].may_stray) continue;
        const expr numbers = node.arguments[k];
        assign check = begun(gather.equation, assignment_kind::gather,
                             add_memory(plan, values[numbers].indices));
        access from = node.source;
        for (place& p : from.at) p = {values.reach(p).least, {}};
        std::vector<made_step::timed_effect> effects{{from.slot, step, false},
                                                     {values[numbers].source.slot, step, false},
                                                     {check.target.slot, step, true}};
        expr_list arguments{numbers};
        if (node.has_condition()) {
            made_step::timed_effect read;
            arguments.push_back(
                held_somewhere(plan, gather, step, node.arguments.back(), check.loops, read, made));
            effects.push_back(read);
        }
        check.body = values.gather(from, {node.lookups[k]}, std::move(arguments));
        made.push_back({make_step(values, std::move(check)), std::move(effects)});
    }
}

}  // namespace ricci::plan
