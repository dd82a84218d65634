#include "src/plan/read/equations.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <utility>

#include <ricci/ir/extrema.hpp>
#include <ricci/ir/rewrite.hpp>
#include "src/plan/read/translate.hpp"

namespace ricci::plan {
namespace {

read_equation read(const ir::program_view& p, ir::ref e, translation& from) {
    const auto& equation = p.equations[e];
    read_equation made;
    made.number = e;
    made.target = from.left_side();
    made.covers_all = from.covers_all();
    bool plain = made.covers_all;
    for (std::int32_t axis = 0; axis < equation.positions.count; ++axis) {
        const auto& at = p.at(equation.positions, axis);
        plain = plain && at.kind == ir::position_kind::index;
        if (at.kind == ir::position_kind::index) made.order.push_back(from.loop_of(at.index));
        for (std::int32_t k = 0; k < at.terms.count; ++k)
            made.order.push_back(from.loop_of(p.affine_terms[at.terms.first + k].index));
    }
    const ir::node& whole = p.nodes[equation.body];
    if (ir::gives_place(whole)) made.place = from.extremum();
    else if (ir::is_of_matrix(whole) && plain) made.matrix = from.matrix(equation.body);
    else made.value = from.body();
    return made;
}

}  // namespace

loop_list axes_of(const graph& values, expr value) {
    const auto& node = values[value];
    loop_list axes;
    const auto add = [&](loop l) {
        if (!contains(axes, l)) axes.push_back(l);
    };
    for (const place& p : node.source.at)
        for (const term& t : p.terms) add(t.over);
    for (const term& t : node.at.terms) add(t.over);
    for (const expr a : node.arguments)
        for (const loop l : axes_of(values, a)) add(l);
    erase_if(axes, [&](loop l) { return !contains(node.indices, l); });
    for (const loop l : node.indices) add(l);  // a softmax of a number has loops that nothing reads
    return axes;
}

read_equation new_equation(program_plan& plan, ir::ref around, const loop_list& axes,
                           element type) {
    read_equation made;
    made.number = around;
    made.order = axes;
    made.covers_all = true;
    made.target = add_memory(plan, axes, type);
    return made;
}

std::vector<read_equation> read_equations(const ir::program_view& p, const ir::shape_table& shapes,
                                          program_plan& plan, known_tensors& known) {
    std::vector<read_equation> all;
    const brackets conditions(p);
    node_values seen(p);
    const bool splits = shapes.has_split_indices();
    for (ir::ref e = 0; e < p.equations.size(); ++e) {
        if (!ir::computes(p, p.equations[e])) continue;
        translation from(p, shapes, splits, conditions, e, plan, known.recomputed, all, seen);
        read_equation made = read(p, e, from);
        if (made.value)
            known.defined.add(made.target, plan.slot_of(made.target).extents, made.value);
        all.push_back(std::move(made));
    }
    return all;
}

void drop_unread(program_plan& plan, std::vector<read_equation>& read,
                 const std::function<bool(slot_number)>& is_kept) {
    std::unordered_set<slot_number> wanted;
    for (std::size_t k = read.size(); k-- > 0;) {
        const slot_number slot = read[k].target.slot;
        if (is_kept(slot)) wanted.insert(slot);
        if (!wanted.contains(slot)) plan.slots[slot.index()].kind = storage::unused;
        else
            plan.values.for_each_load(read[k].values(),
                                      [&](const access& from) { wanted.insert(from.slot); });
    }
    std::erase_if(read, [&](const read_equation& e) { return !wanted.contains(e.target.slot); });
}

}  // namespace ricci::plan
