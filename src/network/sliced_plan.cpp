#include "src/network/sliced_plan.hpp"

#include <algorithm>
#include <utility>

#include "src/network/scaled/scaled_run.hpp"
#include "src/network/step_costs.hpp"
#include "src/network/sub_trees.hpp"

namespace ricci::networks {

sliced_plan::sliced_plan(const run_request& asked, std::vector<range_loop> ranges,
                         const std::vector<run_output>& outputs, bool repeats)
    : loops(std::move(ranges)), planned(plan_of(asked, outputs, repeats)) {
    find_uses(outputs);
    find_costs();
    find_passes(asked);
}

network_plan sliced_plan::plan_of(const run_request& asked, const std::vector<run_output>& outputs,
                                  bool repeats) {
    if (asked.choices != nullptr)
        for (const std::int32_t i : asked.choices->indices)
            loops.push_back({i, 0, 1, static_cast<std::int64_t>(asked.extents[at(i)])});
    extents.assign(asked.extents.begin(), asked.extents.end());
    for (const range_loop& l : loops) extents[at(l.index)] = l.width;
    tree = make_tree({asked.axes, asked.open, extents, asked.products});
    // Steps of a scaled run share room for the exponents of their blocks.
    if (!asked.scaled && !repeats)
        part_ends = take_parts_apart(tree, extents, loops, asked.sub_trees);
    if (asked.derivatives.empty()) results = {tree.root};
    else results = add_derivatives(tree, asked.derivatives);
    if (asked.scaled) aligned = align_sums(tree, asked.exponents->block_indices, extents);
    std::vector<output_memory> written;
    for (std::size_t k = 0; k < outputs.size(); ++k)
        written.push_back({results[k], outputs[k].data[0], outputs[k].strides,
                           outputs[k].adds && !asked.algebra});
    plan_request wanted;
    wanted.type = asked.type;
    wanted.tree = &tree;
    wanted.extents = extents;
    wanted.operands = asked.operands;
    wanted.loops = loops;
    wanted.repeats = repeats;
    wanted.outputs = written;
    wanted.part_ends = part_ends;
    if (outputs.empty() && results.size() > 1) wanted.left = results;
    wanted.keeps = asked.keeps;
    return plan_network(wanted);
}

void sliced_plan::find_uses(const std::vector<run_output>& outputs) {
    const auto& slots = planned.plan.slots;
    const auto& compiled = planned.plan.compiled;
    for (const plan::moving_slot& m : around().moving) {
        if (m.slot.index() >= tree.operands) break;
        moving_operands.push_back({m.slot.index(), {}});
        for (std::size_t l = 0; l < m.advance.size(); ++l)
            if (m.advance[l] != 0) plan::add_loop(moving_operands.back().loops, l);
    }
    readers.resize(tree.operands);  // whose slots are the first ones
    writes.resize(compiled.size());
    joins.resize(compiled.size());
    is_constant.resize(slots.size());
    for (std::size_t k = 0; k < compiled.size(); ++k) {
        for_each_slot(compiled[k], [&](plan::slot_number slot, bool writing) {
            if (writing) writes[k] = slot;
            else reads.push_back(slot);
            if (slot.index() < readers.size()) readers[slot.index()].push_back(k);
        });
        if (k < around().also.size() && around().also[k]) reads.push_back(around().also[k]);
        read_ends.push_back(reads.size());
        is_constant[writes[k].index()] =
            slots[writes[k].index()].kind == plan::storage::workspace && around().depends[k].none();
        for (std::size_t o = 0; o < outputs.size(); ++o)
            if (outputs[o].adds && writes[k] == planned.slots[at(results[o])]) joins[k] = true;
    }
}

void sliced_plan::find_costs() {
    const std::vector<double> multiplied = multiplications_of(tree, extents);
    std::vector<double> of_slots(planned.plan.slots.size(), 0);
    for (std::size_t k = 0; k < tree.steps.size(); ++k)
        of_slots[planned.slots[at(tree.steps[k].result)].index()] = multiplied[k];
    for (const plan::slot_number slot : writes)
        costs.push_back(of_slots[slot.index()] + step_itself);
}

void sliced_plan::find_passes(const run_request& asked) {
    std::vector<double> of_loops(loops.size(), 0);
    double of_rows = 0;
    const std::size_t columns = asked.choices == nullptr ? 0 : asked.choices->indices.size();
    plan::loop_set all_columns;
    for (std::size_t l = loops.size() - columns; l < loops.size(); ++l)
        plan::add_loop(all_columns, l);
    const auto& depends = around().depends;
    for (std::size_t k = 0; k < depends.size(); ++k) {
        multiplications += costs[k];
        for (std::size_t l = 0; l < loops.size(); ++l)
            if (depends[k].test(l % depends[k].size())) of_loops[l] += costs[k];
        if ((depends[k] & all_columns).any()) of_rows += costs[k];
    }
    passes = pass_sequence(loops, asked.choices, of_loops, of_rows);
}

}  // namespace ricci::networks
