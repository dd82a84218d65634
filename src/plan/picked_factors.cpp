// Elements of a product that a tensor of numbers picks.
#include "src/plan/picked_factors.hpp"

#include <algorithm>
#include <utility>

namespace ricci::plan {
namespace {

/// The axis of the product along which its maker's loop runs, -1: it is summed.
std::int32_t axis_of(const assign& maker, loop l) {
    for (std::size_t axis = 0; axis < maker.target.at.size(); ++axis)
        if (maker.target.at[axis].factor(l) != 0) return static_cast<std::int32_t>(axis);
    return -1;
}

const lookup_axis* lookup_at(const expression& gather, std::int32_t axis) {
    const auto found = std::find_if(gather.lookups.begin(), gather.lookups.end(),
                                    [&](const lookup_axis& l) { return l.axis == axis; });
    return found == gather.lookups.end() ? nullptr : &*found;
}

/// Whether loops that are looked up stand alone in their axes of a factor.
bool suits(const assign& maker, const expression& gather, const access& factor) {
    return std::all_of(factor.at.begin(), factor.at.end(), [&](const place& p) {
        return is_whole_axis(p) || std::none_of(p.terms.begin(), p.terms.end(), [&](const term& t) {
                   return lookup_at(gather, axis_of(maker, t.over)) != nullptr;
               });
    });
}

const assign& maker_of(const program_plan& plan, const slot_uses& uses) {
    return *plan.steps[uses.writers.front()].as_assign();
}

/// A factor where the gather reads the product; `fresh`: other names for the summed loops.
struct picked_factor {
    access at;
    std::vector<lookup_axis> lookups;
    expr_list numbers;
};
picked_factor pick(const assign& maker, const expression& gather, const access& factor,
                   const loop_map& fresh) {
    picked_factor result{factor, {}, {}};
    for (std::size_t axis = 0; axis < factor.at.size(); ++axis) {
        place& now = result.at.at[axis];
        now = {factor.at[axis].offset, {}};
        for (const term& t : factor.at[axis].terms) {
            const std::int32_t from = axis_of(maker, t.over);
            if (from < 0) {
                now.add(renamed(t.over, fresh), t.factor);
            } else if (const auto* found = lookup_at(gather, from)) {
                result.lookups.push_back({static_cast<std::int32_t>(axis), found->words});
                result.numbers.push_back(
                    gather.arguments[static_cast<std::size_t>(found - gather.lookups.data())]);
            } else {
                now.add(gather.source.at[static_cast<std::size_t>(from)], t.factor);
            }
        }
    }
    return result;
}

/// A factor where a load reads the product; `fresh`: other names for the summed loops.
access factor_at(const assign& maker, const access& read, const access& factor,
                 const loop_map& fresh) {
    access result = factor;
    for (std::size_t axis = 0; axis < factor.at.size(); ++axis) {
        place& now = result.at[axis];
        now = {factor.at[axis].offset, {}};
        for (const term& t : factor.at[axis].terms) {
            const std::int32_t from = axis_of(maker, t.over);
            if (from < 0) now.add(renamed(t.over, fresh), t.factor);
            else now.add(read.at[static_cast<std::size_t>(from)], t.factor);
        }
    }
    return result;
}

/// The contraction that alone gives a tensor its values, element for element.
const assign* product_that_makes(const program_plan& plan, const std::vector<slot_uses>& uses,
                                 slot_number slot) {
    const auto& writers = uses[slot.index()].writers;
    if (writers.size() != 1) return nullptr;
    const assign* maker = plan.steps[writers.front()].as_assign();
    if (maker == nullptr || maker->kind != assignment_kind::contract || maker->beta != 0 ||
        !std::ranges::all_of(maker->target.at, is_whole_axis))
        return nullptr;
    const bool loads = std::ranges::all_of(plan.values[maker->body].arguments, [&](expr e) {
        return plan.values[e].kind == kind::load && !plan.values[e].edged;
    });
    return loads ? maker : nullptr;
}

}  // namespace

bool can_read_factors(const program_plan& plan, const std::vector<slot_uses>& uses,
                      const assign& map, const std::function<bool(slot_number)>& is_plane) {
    if (map.kind != assignment_kind::map || is_plane(map.target.slot)) return false;
    bool can = true;
    for_each_load(plan.values, map, [&](const access& from) {
        if (!is_plane(from.slot)) return;
        const assign* maker = product_that_makes(plan, uses, from.slot);
        can = can && maker != nullptr && loops_of(from).size() < maker->loops.size() &&
              !has_edge(from);
    });
    return can;
}

void read_factors(program_plan& plan, const std::vector<slot_uses>& uses, std::size_t step,
                  const std::function<bool(slot_number)>& is_plane, std::vector<made_step>& made) {
    auto& values = plan.values;
    assign map = *plan.steps[step].as_assign();
    std::vector<access> lines;
    for_each_load(values, map, [&](const access& from) {
        if (is_plane(from.slot)) lines.push_back(from);
    });
    std::vector<made_step::timed_effect> effects;
    for (const effect& t : plan.steps[step].effects)
        if (!is_plane(t.slot)) effects.push_back({t.slot, step, t.writes});
    for (const access& line : lines) {
        const assign maker = *product_that_makes(plan, uses, line.slot);
        const std::size_t written = uses[line.slot.index()].writers.front();
        assign sum;
        sum.equation = map.equation;
        sum.folding = fold::sum;
        loop_map fresh;
        for (const loop l : maker.over) {
            fresh.emplace_back(l, values.loops().fresh(values.loops().letter(l), values.extent(l)));
            sum.over.push_back(fresh.back().second);
        }
        std::sort(sum.over.begin(), sum.over.end());
        expr_list factors{maker.scale};
        std::vector<made_step::timed_effect> of_sum;
        for (const expr e : {values[maker.body].arguments[0], values[maker.body].arguments[1]}) {
            const access at = factor_at(maker, line, values[e].source, fresh);
            of_sum.push_back({at.slot, written, false});
            factors.push_back(values.load(at));
        }
        sum.body = values.multiply(factors);
        sum.target = add_slot(plan, storage::workspace, loops_of(line));
        sum.loops = loops_of(sum.target);
        of_sum.push_back({sum.target.slot, step, true});
        effects.push_back({sum.target.slot, step + 1, false});
        const expr read = values.load(sum.target);
        map.body = values.substituted(map.body, [&](expr e) {
            const bool same = values[e].kind == kind::load && values[e].source.slot == line.slot &&
                              values[e].source.at == line.at;
            return same ? read : expr::none;
        });
        made.push_back({make_step(values, std::move(sum)), std::move(of_sum)});
    }
    made.push_back({make_step(values, std::move(map)), std::move(effects)});
}

bool can_pick_factors(const program_plan& plan, const std::vector<slot_uses>& uses,
                      const assign& gather) {
    const auto& body = plan.values[gather.body];
    if (body.kind != kind::gather) return false;
    const auto& writers = uses[body.source.slot.index()].writers;
    if (writers.size() != 1) return false;
    const assign* maker = plan.steps[writers.front()].as_assign();
    if (maker == nullptr || maker->kind != assignment_kind::contract || maker->beta != 0)
        return false;
    const auto& target = plan.slot_of(gather.target);
    if (target.is_foreign || target.is_truth) return false;
    const auto& arguments = plan.values[maker->body].arguments;
    return std::all_of(maker->target.at.begin(), maker->target.at.end(), is_whole_axis) &&
           std::all_of(arguments.begin(), arguments.end(), [&](expr e) {
               return plan.values[e].kind == kind::load &&
                      suits(*maker, body, plan.values[e].source);
           });
}

void pick_factors(program_plan& plan, const std::vector<slot_uses>& uses, std::size_t step,
                  std::vector<made_step>& made) {
    auto& values = plan.values;
    const assign gather = *plan.steps[step].as_assign();
    const expression body = values[gather.body];
    const auto& product = uses[body.source.slot.index()];
    const std::size_t written = product.writers.front();
    const assign maker = maker_of(plan, product);
    loop_map fresh;
    assign sum = gather;
    sum.kind = assignment_kind::map;
    sum.folding = fold::sum;
    for (const loop l : maker.over) {
        fresh.emplace_back(l, values.loops().fresh(values.loops().letter(l), values.extent(l)));
        sum.over.push_back(fresh.back().second);
    }
    std::sort(sum.over.begin(), sum.over.end());
    std::vector<made_step::timed_effect> effects{{gather.target.slot, step, true}};
    expr_list factors{maker.scale};
    for (const expr e : {values[maker.body].arguments[0], values[maker.body].arguments[1]}) {
        auto picked = pick(maker, body, values[e].source, fresh);
        const slot_number source = picked.at.slot;
        if (picked.lookups.empty()) {
            effects.push_back({source, written, false});
            factors.push_back(values.load(picked.at));
            continue;
        }
        // Where nobody wants what is looked up, the places need not exist.
        if (body.arguments.size() > body.lookups.size())
            picked.numbers.push_back(body.arguments.back());
        assign rows;
        rows.equation = gather.equation;
        rows.kind = assignment_kind::gather;
        rows.body = values.gather(std::move(picked.at), std::move(picked.lookups), picked.numbers);
        rows.loops = values[rows.body].indices;
        loop_list axes = without(rows.loops, sum.over);
        for (const loop l : common(rows.loops, sum.over)) axes.push_back(l);
        rows.target = add_slot(plan, storage::workspace, axes);
        factors.push_back(values.load(rows.target));
        effects.push_back({rows.target.slot, step + 1, false});
        std::vector<made_step::timed_effect> of_rows{{rows.target.slot, step, true},
                                                     {source, written, false}};
        values.for_each_load(picked.numbers, [&](const access& a) {
            of_rows.push_back({a.slot, step, false});
        });
        made.push_back({make_step(values, std::move(rows)), std::move(of_rows)});
    }
    sum.body = values.multiply(factors);
    made.push_back({make_step(values, std::move(sum)), std::move(effects)});
}

}  // namespace ricci::plan
