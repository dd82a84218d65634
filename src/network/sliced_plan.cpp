#include "src/network/sliced_plan.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "src/network/scaled/scaled_run.hpp"

namespace ricci::networks {

sliced_plan::sliced_plan(const run_request& asked, std::vector<range_loop> ranges,
                         const std::vector<run_output>& outputs, bool repeats)
    : loops(std::move(ranges)), planned(plan_of(asked, outputs, repeats)) {
    for (std::size_t k = 0; k < asked.operands.size(); ++k) {
        moving m = movement_of(k, planned.slots[k], asked.axes[k], asked.operands[k].strides);
        if (m.loops.any()) moving_operands.push_back(std::move(m));
    }
    for (std::size_t k = 0; k < outputs.size() && !loops.empty(); ++k)
        moving_outputs.push_back(
            movement_of(k, planned.slots[at(results[k])], outputs[k].axes, outputs[k].strides));
    find_dependences(outputs, repeats);
    find_passes(asked);
}

network_plan sliced_plan::plan_of(const run_request& asked, const std::vector<run_output>& outputs,
                                  bool repeats) {
    if (asked.choices != nullptr)
        for (const std::int32_t i : asked.choices->indices)
            loops.push_back({i, 0, 1, static_cast<std::int64_t>(asked.extents[at(i)])});
    extents.assign(asked.extents.begin(), asked.extents.end());
    const std::unique_ptr<bool[]> sliced(new bool[extents.size()]());
    for (const range_loop& l : loops) {
        extents[at(l.index)] = l.width;
        sliced[at(l.index)] = true;
    }
    tree = make_tree({asked.axes, asked.open, extents, asked.products});
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
    wanted.sliced = {sliced.get(), repeats ? 0 : extents.size()};
    wanted.outputs = written;
    wanted.keeps = asked.keeps;
    return plan_network(wanted);
}

sliced_plan::moving sliced_plan::movement_of(std::size_t number, std::int32_t slot,
                                             std::span<const std::int32_t> axes,
                                             std::span<const std::int64_t> strides) const {
    const auto bytes = static_cast<std::int64_t>(size_of(planned.plan.type));
    moving m;
    m.number = number;
    m.slot = slot;
    for (std::size_t l = 0; l < loops.size(); ++l) {
        std::int64_t stride = 0;
        for (std::size_t axis = 0; axis < axes.size(); ++axis)
            if (axes[axis] == loops[l].index) stride += strides[axis] * bytes;
        if (stride != 0) add_loop(m.loops, l);
        m.first += stride * loops[l].first;
        m.advance.push_back(stride * loops[l].width);
    }
    return m;
}

void sliced_plan::find_dependences(const std::vector<run_output>& outputs, bool repeats) {
    const auto& slots = planned.plan.slots;
    const auto& compiled = planned.plan.compiled;
    std::vector<loop_set> changes(slots.size());  // which loops change what is in a slot
    std::vector<char> moves(slots.size());
    for (const auto* list : {&moving_operands, &moving_outputs})
        for (const moving& m : *list) {
            changes[at(m.slot)] = m.loops;
            moves[at(m.slot)] = true;
        }
    loop_set every;
    for (std::size_t l = 0; l < loops.size(); ++l) add_loop(every, l);
    readers.resize(tree.operands);  // whose slots are the first ones
    reads.resize(compiled.size());
    writes.resize(compiled.size());
    moved.resize(compiled.size());
    is_constant.resize(slots.size());
    for (std::size_t k = 0; k < compiled.size(); ++k) {
        loop_set all;
        for_each_slot(compiled[k], [&](std::int32_t slot, bool writing) {
            if (writing) writes[k] = slot;
            else reads[k].push_back(slot);
            if (at(slot) < readers.size()) readers[at(slot)].push_back(k);
            all |= changes[at(slot)];
            moved[k] = moved[k] || moves[at(slot)];
        });
        if (k < tree.steps.size() && tree.steps[k].also >= 0) {
            const std::int32_t slot = planned.slots[at(tree.steps[k].also)];
            reads[k].push_back(slot);
            all |= changes[at(slot)];
        }
        // What is added to a result is added in every pass.
        const bool is_output = slots[at(writes[k])].kind == plan::storage::output;
        if (repeats || is_output) all = every;
        depends.push_back(all);
        changes[at(writes[k])] = all;
        is_constant[at(writes[k])] = !is_output && all.none();
        joins.push_back(false);
        for (std::size_t o = 0; o < outputs.size(); ++o)
            if (outputs[o].adds && writes[k] == planned.slots[at(results[o])]) joins[k] = true;
    }
}

// What is multiplied to make each tensor.
std::vector<double> sliced_plan::costs_of_slots() const {
    std::vector<double> costs(planned.plan.slots.size(), 0);
    for (const tree_step& s : tree.steps) {
        double cost = 1;
        for (const std::int32_t factor : {s.left, s.right}) {
            if (factor < 0) continue;
            const auto& axes = tree.axes[at(factor)];
            for (std::size_t axis = 0; axis < axes.size(); ++axis) {
                const std::span<const std::int32_t> before(axes.data(), axis);
                const bool seen =
                    has_index(before, axes[axis]) ||
                    (factor == s.right && has_index(tree.axes[at(s.left)], axes[axis]));
                if (!seen) cost *= static_cast<double>(extents[at(axes[axis])]);
            }
        }
        costs[at(planned.slots[at(s.result)])] = cost;
    }
    return costs;
}

void sliced_plan::find_passes(const run_request& asked) {
    // Beside its multiplications a step takes as long as so many of them.
    constexpr double step_itself = 200;
    const std::vector<double> of_slots = costs_of_slots();
    std::vector<double> costs(loops.size(), 0);
    double of_rows = 0;
    const std::size_t columns = asked.choices == nullptr ? 0 : asked.choices->indices.size();
    loop_set all_columns;
    for (std::size_t l = loops.size() - columns; l < loops.size(); ++l) add_loop(all_columns, l);
    for (std::size_t k = 0; k < depends.size(); ++k) {
        const double cost = of_slots[at(writes[k])] + step_itself;
        multiplications += cost;
        for (std::size_t l = 0; l < loops.size(); ++l)
            if (depends[k].test(l % depends[k].size())) costs[l] += cost;
        if ((depends[k] & all_columns).any()) of_rows += cost;
    }
    passes = pass_sequence(loops, asked.choices, costs, of_rows);
}

}  // namespace ricci::networks
