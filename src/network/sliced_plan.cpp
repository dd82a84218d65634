#include "src/network/sliced_plan.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace ricci::networks {
namespace {

// Of a loop in a set of loops. More than 64 of them share bits: some steps run without need then.
std::uint64_t bit_of(std::size_t l) { return std::uint64_t{1} << (l % 64); }

}  // namespace

sliced_plan::sliced_plan(const run_request& asked, const std::vector<range_loop>& ranges,
                         const std::vector<run_output>& outputs)
    : loops(ranges), planned(plan_of(asked, outputs)) {
    for (std::size_t k = 0; k < asked.operands.size(); ++k)
        find_moving(asked, k, k, asked.axes[k], asked.operands[k].strides);
    for (std::size_t k = 0; k < outputs.size(); ++k)
        find_moving(asked, asked.operands.size() + k, at(results[k]), outputs[k].axes,
                    outputs[k].strides);
    find_dependences();
    stale.resize(planned.plan.slots.size());
    counters.resize(loops.size());
}

void sliced_plan::prepare(const run_request& asked, std::byte* workspace) {
    if (!asked.algebra) {
        execution.emplace(planned.plan, workspace);
        return;
    }
    std::vector<std::int64_t> extents(asked.extents.begin(), asked.extents.end());
    for (const range_loop& l : loops) extents[at(l.index)] = l.width;
    algebra.emplace(tree, planned, extents, *asked.algebra, asked.places, workspace);
}

void sliced_plan::run_step(std::size_t k, const std::vector<run_output>& outputs) {
    if (execution) {
        if (moved[k]) execution->bind_step(planned.plan, k);
        execution->run_step(k);
        return;
    }
    bool joins = false;
    for (std::size_t o = 0; o < outputs.size(); ++o)
        joins = joins || (outputs[o].adds && writes[k] == planned.slots[at(results[o])]);
    algebra->run_step(planned, k, joins);
}

network_plan sliced_plan::plan_of(const run_request& asked,
                                  const std::vector<run_output>& outputs) {
    std::vector<std::int64_t> extents(asked.extents.begin(), asked.extents.end());
    const std::unique_ptr<bool[]> sliced(new bool[extents.size()]());
    for (const range_loop& l : loops) {
        extents[at(l.index)] = l.width;
        sliced[at(l.index)] = true;
    }
    tree = make_tree({asked.axes, asked.open, extents, asked.products});
    if (asked.derivatives.empty()) results = {tree.root};
    else results = add_derivatives(tree, asked.derivatives);
    std::vector<output_memory> written;
    for (std::size_t k = 0; k < outputs.size(); ++k)
        written.push_back(
            {results[k], outputs[k].data, outputs[k].strides, outputs[k].adds && !asked.algebra});
    plan_request wanted;
    wanted.type = asked.type;
    wanted.tree = &tree;
    wanted.extents = extents;
    wanted.operands = asked.operands;
    wanted.sliced = {sliced.get(), extents.size()};
    wanted.outputs = written;
    wanted.keeps = asked.keeps;
    return plan_network(wanted);
}

void sliced_plan::find_moving(const run_request& asked, std::size_t number, std::size_t tensor,
                              std::span<const std::int32_t> axes,
                              std::span<const std::int64_t> strides) {
    const auto bytes = static_cast<std::int64_t>(size_of(asked.type));
    moving m;
    m.number = number;
    m.slot = planned.slots[tensor];
    bool moves = false;
    for (const range_loop& l : loops) {
        std::int64_t stride = 0;
        for (std::size_t axis = 0; axis < axes.size(); ++axis)
            if (axes[axis] == l.index) stride += strides[axis] * bytes;
        moves = moves || stride != 0;
        m.first += stride * l.first;
        m.advance.push_back(stride * l.width);
    }
    if (moves) all_moving.push_back(std::move(m));
}

// What each compiled step reads, as far as it may change between runs: tensors and loops.
void sliced_plan::find_dependences() {
    const auto& compiled = planned.plan.compiled;
    loops_of_slot.resize(planned.plan.slots.size());
    for (const moving& m : all_moving)
        for (std::size_t l = 0; l < loops.size(); ++l)
            if (m.advance[l] != 0) loops_of_slot[at(m.slot)] |= bit_of(l);
    readers.resize(tree.operands);  // whose slots are the first ones
    reads.resize(compiled.size());
    writes.resize(compiled.size());
    moved.resize(compiled.size());
    for (std::size_t k = 0; k < compiled.size(); ++k) {
        std::uint64_t all = 0;
        for_each_slot(compiled[k], [&](std::int32_t slot, bool writing) {
            if (writing) writes[k] = slot;
            else reads[k].push_back(slot);
            if (at(slot) < readers.size()) readers[at(slot)].push_back(k);
            all |= loops_of_slot[at(slot)];
            moved[k] = moved[k] || std::any_of(all_moving.begin(), all_moving.end(),
                                               [&](const moving& m) { return m.slot == slot; });
        });
        // What is added to the result is added for every range.
        if (planned.plan.slots[at(writes[k])].kind == plan::storage::output)
            all = ~std::uint64_t{0};
        depends.push_back(all);
        loops_of_slot[at(writes[k])] = all;
    }
}

double sliced_plan::passes() const {
    double count = 1;
    for (const range_loop& l : loops) count *= static_cast<double>(l.count);
    return count;
}

void sliced_plan::place(const std::vector<const void*>& operands,
                        const std::vector<run_output>& outputs) {
    for (const moving& m : all_moving) {
        std::int64_t offset = m.first;
        for (std::size_t l = 0; l < loops.size(); ++l) offset += counters[l] * m.advance[l];
        const void* base = m.number < operands.size() ? operands[m.number]
                                                      : outputs[m.number - operands.size()].data;
        planned.plan.slots[at(m.slot)].data =
            static_cast<std::byte*>(const_cast<void*>(base)) + offset;
    }
}

std::uint64_t sliced_plan::advance() {
    std::uint64_t changed = 0;
    for (std::size_t l = loops.size(); l-- > 0;) {
        changed |= bit_of(l);
        if (++counters[l] < loops[l].count) return changed;
        counters[l] = 0;
    }
    return 0;
}

}  // namespace ricci::networks
