// Sums over more than a sweep sums: a part for each batch is stored, and maps sum the parts.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "src/plan/stream_group.hpp"

namespace ricci::plan {

// Memory for a number for each iteration of some loops, the last fastest.
std::int32_t stream_group::new_slot(const std::vector<loop>& axes,
                                    std::vector<std::int64_t>& strides) {
    slot memory;
    memory.kind = storage::workspace;
    strides.assign(axes.size(), 0);
    std::int64_t elements = 1;
    for (std::size_t k = axes.size(); k-- > 0;) {
        strides[k] = elements;
        memory.extents.insert(memory.extents.begin(), axes[k].extent);
        memory.strides.insert(memory.strides.begin(), elements);
        memory.axes.insert(memory.axes.begin(), axes[k].name);
        elements *= axes[k].extent;
    }
    memory.bytes = static_cast<std::size_t>(elements) * size_of(plan_.type);
    new_slots_.push_back(std::move(memory));
    return static_cast<std::int32_t>(plan_.slots.size() + new_slots_.size()) - 1;
}

void stream_group::count_elements(compiled_step& s) const {
    double elements = 1;
    for (const auto n : s.map.extents) elements *= static_cast<double>(n);
    s.flops = s.map.operands.size() > 1 ? elements : 0;
    s.bytes = elements * static_cast<double>(size_of(plan_.type) * s.map.operands.size());
}

// Sweeps sum over all columns, or over all rows of one batch. A sum over more than that is made of
// those: they are stored, and a map sums them.
void stream_group::sum_partial(consumer& c, const std::vector<bool>& summed,
                               const std::vector<ir::ref>& value_names) {
    auto& sink = c.sink;
    const auto swept = [&](std::size_t g) { return loops_[g].axis == sink.summed; };
    std::vector<loop> axes;
    std::vector<std::size_t> of;  // the group's loop of each axis
    for (std::size_t g = 0; g < loops_.size(); ++g) {
        c.partial = c.partial || (summed[g] && !swept(g));
        if (swept(g)) continue;
        axes.push_back(loops_[g]);
        of.push_back(g);
    }
    if (sink.summed == loop_role::batch) c.partial = false;
    if (!c.partial) return;
    for (std::size_t v = 0; v < sink.values.size(); ++v)
        axes.push_back({sink.values[v].extent, loop_role::batch, value_names[v]});
    std::vector<std::int64_t> strides;
    const auto slot = new_slot(axes, strides);
    const auto whole = operands_[static_cast<std::size_t>(sink.output)];
    const double beta = sink.beta;
    const auto values = sink.values;
    layout moved(loops_.size(), 0);
    for (std::size_t k = 0; k < of.size(); ++k) moved[of[k]] = strides[k];
    for (std::size_t v = 0; v < values.size(); ++v) sink.values[v].b = strides[of.size() + v];
    sink.output = operand(slot, 0, moved, {slot, {0, -1}}, true);
    sink.beta = 0;

    compiled_step s;
    s.equation = plan_.compiled[c.step].equation;
    auto& m = s.map;
    m.folding = fold::sum;
    const auto result = beta == 0 ? whole.slot : -1;
    m.operands = {{result, whole.offset, {}, whole.use}, {slot, 0, {}, {slot, {0, -1}}}};
    std::vector<loop> kept;
    const auto append = [&](std::size_t k) {
        const bool is_value = k >= of.size();
        m.extents.push_back(axes[k].extent);
        m.indices.push_back(axes[k].name);
        m.operands[0].strides.push_back(is_value ? values[k - of.size()].b : whole.strides[of[k]]);
        m.operands[1].strides.push_back(strides[k]);
    };
    for (const bool folded : {false, true})
        for (std::size_t k = 0; k < axes.size(); ++k) {
            if ((k < of.size() && summed[of[k]]) != folded) continue;
            append(k);
            if (folded) ++m.folded;
            else kept.push_back(axes[k]);
        }
    m.program = {{opcode::load, -1, -1, -1, 1, 0}};
    count_elements(s);
    if (beta == 0) {
        made_.push_back({std::move(s), {{slot, c.step + 1, false}, {whole.slot, c.step, true}}});
        return;
    }
    // What is there already is added by a map of its own.
    compiled_step last;
    last.equation = s.equation;
    auto& n = last.map;
    std::vector<std::int64_t> total_strides;
    const auto total = new_slot(kept, total_strides);
    n.operands = {m.operands[0], {total, 0, total_strides, {total, {0, -1}}}};
    n.operands[0].slot = whole.slot;
    n.operands[0].strides.resize(kept.size());
    for (const auto& axis : kept) {
        n.extents.push_back(axis.extent);
        n.indices.push_back(axis.name);
    }
    m.operands[0].slot = total;
    m.operands[0].offset = 0;
    m.operands[0].use = {total, {0, -1}};
    std::copy(total_strides.begin(), total_strides.end(), m.operands[0].strides.begin());
    n.operands.push_back(n.operands[0]);
    n.program = {{opcode::load, -1, -1, -1, 1, 0},
                 {opcode::load, -1, -1, -1, 2, 0},
                 {opcode::constant, -1, -1, -1, -1, beta},
                 {opcode::multiply, 1, 2, -1, -1, 0},
                 {opcode::add, 0, 3, -1, -1, 0}};
    count_elements(last);
    made_.push_back({std::move(s), {{slot, c.step + 1, false}, {total, c.step, true}}});
    made_.push_back(
        {std::move(last),
         {{total, c.step + 1, false}, {whole.slot, c.step, false}, {whole.slot, c.step, true}}});
}

// Tiles of one batch are added up; what more than one batch adds to is stored for each, and summed by
// maps.
void stream_group::add_partial(consumer& c) {
    auto& sink = c.sink;
    const auto whole = operands_[static_cast<std::size_t>(sink.output)];
    std::int64_t unit = 0, least = 0, reach = 0;  // of the lines that rows and columns span
    std::vector<loop> axes;
    std::vector<std::size_t> of;
    for (std::size_t g = 0; g < loops_.size(); ++g) {
        if (loops_[g].axis == loop_role::batch) {
            c.partial = c.partial || (whole.strides[g] == 0 && loops_[g].extent != 1);
            axes.push_back(loops_[g]);
            of.push_back(g);
            continue;
        }
        const std::int64_t last = whole.strides[g] * (loops_[g].extent - 1);
        unit = std::gcd(unit, whole.strides[g]);
        least += std::min<std::int64_t>(last, 0);
        reach += std::abs(last);
    }
    if (!c.partial) return;
    axes.push_back({reach / unit + 1, loop_role::batch, ir::none});
    std::vector<std::int64_t> strides;
    const auto parts = new_slot(axes, strides);
    layout moved(loops_.size(), 0);
    for (std::size_t g = 0; g < loops_.size(); ++g) moved[g] = whole.strides[g] / unit;
    for (std::size_t k = 0; k < of.size(); ++k) moved[of[k]] = strides[k];
    sink.output = operand(parts, -least / unit, moved, {parts, {0, -1}}, true);

    compiled_step clear, sum, add;
    clear.equation = sum.equation = add.equation = plan_.compiled[c.step].equation;
    std::vector<loop> kept, folded;
    layout from, to, from_folded;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        clear.map.extents.push_back(axes[k].extent);
        clear.map.indices.push_back(axes[k].name);
        const bool line = k == of.size();
        if (line || whole.strides[of[k]] != 0) {
            kept.push_back(axes[k]);
            from.push_back(strides[k]);
            to.push_back(line ? unit : whole.strides[of[k]]);
        } else {
            folded.push_back(axes[k]);
            from_folded.push_back(strides[k]);
        }
    }
    clear.map.operands = {{parts, 0, strides, {parts, {0, -1}}}};
    clear.map.program = {{opcode::constant, -1, -1, -1, -1, 0}};

    layout total_strides;
    const auto total = new_slot(kept, total_strides);
    add.map.operands = {{whole.slot, whole.offset + least, to, whole.use},
                        {total, 0, total_strides, {total, {0, -1}}},
                        {whole.slot, whole.offset + least, to, whole.use}};
    add.map.program = {{opcode::load, -1, -1, -1, 1, 0},
                       {opcode::load, -1, -1, -1, 2, 0},
                       {opcode::add, 0, 1, -1, -1, 0}};
    sum.map.folding = fold::sum;
    sum.map.folded = static_cast<std::int32_t>(folded.size());
    sum.map.program = {{opcode::load, -1, -1, -1, 1, 0}};
    for (const auto& l : kept) {
        for (auto* m : {&add.map, &sum.map})
            m->extents.push_back(l.extent), m->indices.push_back(l.name);
    }
    for (std::size_t k = 0; k < folded.size(); ++k) {
        sum.map.extents.push_back(folded[k].extent);
        sum.map.indices.push_back(folded[k].name);
        from.push_back(from_folded[k]);
        total_strides.push_back(0);
    }
    sum.map.operands = {{total, 0, total_strides, {total, {0, -1}}},
                        {parts, 0, from, {parts, {0, -1}}}};
    for (auto* s : {&clear, &sum, &add}) count_elements(*s);
    made_.push_back({std::move(clear), {{parts, c.step - 1, true}}});
    made_.push_back({std::move(sum), {{parts, c.step + 1, false}, {total, c.step, true}}});
    made_.push_back(
        {std::move(add),
         {{total, c.step + 1, false}, {whole.slot, c.step, false}, {whole.slot, c.step, true}}});
}

}  // namespace ricci::plan
