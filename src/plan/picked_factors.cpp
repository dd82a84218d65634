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

}  // namespace

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
