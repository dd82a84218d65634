// Sums over columns that are sums of what another consumer gives.
#include "src/plan/groups/sums_of_outputs.hpp"

#include <algorithm>
#include <utility>

#include "src/plan/pool/match.hpp"

namespace ricci::plan {
namespace {

/// The factors of a product, through nested ones, sorted; constants are multiplied into `number`.
void collect_factors(const graph& values, expr e, expr_list& all, double& number) {
    const auto& node = values[e];
    if (node.kind == kind::constant) {
        number *= node.value;
    } else if (node.code == opcode::multiply) {
        for (const expr f : node.arguments) collect_factors(values, f, all, number);
    } else {
        all.push_back(e);
    }
}

expr_list factors_in(const graph& values, expr e, double& number) {
    expr_list all;
    collect_factors(values, e, all, number);
    std::ranges::sort(all);
    return all;
}

}  // namespace

std::optional<made_step> sum_of_output(program_plan& plan, const grown_group& group,
                                       tile_values& tiles, const consumer& sum, consumer& bracket,
                                       bool changes, std::vector<made_step>& made_steps) {
    auto& values = plan.values;
    if (!bracket.factor || bracket.is_late() || bracket.partial ||
        bracket.summed != loop_role::column || !values.is_scalar(bracket.what.scale) ||
        values[bracket.what.scale].kind != kind::constant || values[bracket.what.scale].value == 0)
        return {};
    double number = values[sum.what.scale].value, other_number = values[bracket.what.scale].value;
    const auto all = factors_in(values, sum.value, number);
    const auto wanted = factors_in(values, bracket.value, other_number);
    for (std::size_t k = 0; k < all.size(); ++k) {
        const auto* product = tiles.product_of(values[all[k]].source.slot);
        if (values[all[k]].kind != kind::load || product == nullptr) continue;
        auto others = all;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
        if (others != wanted) continue;
        const assign& made = group.at(product->step);
        if (made.kind != assignment_kind::contract) continue;
        if (values[made.scale].kind != kind::constant) continue;
        const auto f = factors_of(values, made);
        access a = f.a->source, b = f.b->source;
        const auto& found = group.matched.at(product->step);
        if (group.follows(group.walked(found, a), loop_role::column)) std::swap(a, b);
        const loop_list contracted = renamed(made.over, tiles.names_of(product->step));
        b = tiles.renamed(product->step, b);
        const auto names = own_names(values, contracted, values.load(b), bracket.factor);
        if (names.size() != contracted.size() || contracted.size() != bracket.own.size()) continue;

        if (!bracket.apart && (changes || bracket.what.beta != 0))
            write_apart(plan, group, bracket, made_steps);
        const double factor = number * values[made.scale].value / other_number;
        const access left = renamed(tiles.renamed(product->step, a), names);
        expr body = values.as_written(opcode::multiply,
                                      {values.load(left), values.load(bracket.what.target)});
        if (factor != 1)
            body = values.as_written(opcode::multiply, {values.constant(factor), body});
        return made_step{make_step(values, map_into(sum.what.equation, sum.what.target, body,
                                                    fold::sum, sorted(bracket.own))),
                         {{sum.what.target.slot, sum.step, true},
                          {left.slot, product->step, false},
                          {bracket.what.target.slot, std::max(sum.step, bracket.step + 1), false}}};
    }
    return {};
}

}  // namespace ricci::plan
