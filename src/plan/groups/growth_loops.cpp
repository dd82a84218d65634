// The loops that a fused group begins with, and their first roles.
#include <algorithm>
#include <utility>

#include "src/plan/groups/growth.hpp"

namespace ricci::plan {
namespace {

// Maps between a fold and the product that it is of.
constexpr int most_depth = 16;

}  // namespace

// The loops of the plane: columns are what the seed sums, rows what its other factor lacks.
bool growth::begin(std::size_t seed, const access& plane) {
    const auto& plan = *group_.plan;
    const assign& a = *plan.steps[seed].as_assign();
    loop_list loops = a.loops, other;
    if (a.kind == assignment_kind::contract) {
        const auto f = factors_of(plan.values, a);
        loops = batch_m_n(f, a.over);
        const bool is_a = f.a->source.slot == plane.slot && f.a->source.at == plane.at;
        other = (is_a ? f.b : f.a)->indices;
    }
    const auto k = plane.slot.index();
    const auto& writers = uses_[k].writers;
    if (plan.slots[k].kind == storage::output && !writers.empty()) {
        if (plan.steps[writers.back()].as(assignment_kind::map) != nullptr) {
            fail(plane.slot, "it is an output");
            return false;
        }
    }
    if (!can_be_made(plane.slot) || !starts_at_zero(plane)) return false;
    const auto own = loops_of(plane);
    loops.insert(loops.end(), a.over.begin(), a.over.end());
    matching found;
    for (const loop l : loops) {
        if (plan.values.extent(l) == 0) return false;
        if (!contains(own, l)) continue;
        found.add(l, static_cast<std::int32_t>(group_.loops.size()));
        group_.loops.push_back({l, contains(a.over, l)   ? loop_role::column
                                   : !contains(other, l) ? loop_role::row
                                                         : loop_role::batch});
    }
    const bool columns = std::ranges::any_of(
        group_.loops, [](const auto& l) { return l.role == loop_role::column; });
    if (!columns) return false;
    refused_ = plane.slot;
    if (!add_plane(plane, found)) return false;
    std::vector<std::int32_t> axes;
    for (const plan::place& p : plane.at)
        axes.push_back(p.terms.size() == 1 ? found.of(p.terms[0].over) : -1);
    separate_rows(plane.slot, axes, 0);
    return true;
}

// Of columns that both sides of a plane's maker have, those of the first one alone are rows, and
// what both have is the batch: a fold over all of a plane is one over columns, whose results are
// folded.
void growth::separate(const loop_choice& first, const loop_choice& second) {
    auto loops = group_.loops;
    bool columns = false;
    for (std::size_t g = 0; g < loops.size(); ++g) {
        if (loops[g].role != loop_role::column) continue;
        if (first[g]) loops[g].role = second[g] ? loop_role::batch : loop_role::row;
        columns = columns || loops[g].role == loop_role::column;
    }
    if (columns) group_.loops = std::move(loops);
}

// Looks for what makes a plane of tensors that lack some of its loops, through maps of planes.
// `axes`: the group's loop along each axis of the plane, -1: none. Whether there is such a maker.
bool growth::separate_rows(slot_number plane, const std::vector<std::int32_t>& axes, int depth) {
    const auto& writers = uses_[plane.index()].writers;
    const assign* a = writers.empty() ? nullptr : group_.plan->steps[writers.back()].as_assign();
    if (a == nullptr || depth > most_depth) return false;
    matching found;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        const auto& terms = a->target.at[axis].terms;
        if (terms.size() == 1 && axes[axis] >= 0) found.add(terms[0].over, axes[axis]);
    }
    std::vector<access> loads;
    const auto& values = group_.plan->values;
    const auto distance = distance_of(values, *a);
    // Its weights are those of one side.
    if (distance) loads = {values[distance->a].source, values[distance->b].source};
    else for_each_load(values, *a, [&](const access& from) { loads.push_back(from); });
    std::vector<loop_choice> sides;  // that have some columns
    for (const access& from : loads) {
        const auto along = group_.walked(found, from);
        if (!group_.follows(along, loop_role::column)) continue;
        if (!group_.has_all_columns(along)) {
            sides.push_back(along);
            continue;
        }
        std::vector<std::int32_t> inner;
        for (const plan::place& p : from.at)
            inner.push_back(p.terms.size() == 1 ? found.of(p.terms[0].over) : -1);
        if (separate_rows(from.slot, inner, depth + 1)) return true;
    }
    const bool product = a->kind == assignment_kind::contract || distance;
    const bool only_columns = std::ranges::all_of(
        group_.loops, [](const group_loop& l) { return l.role == loop_role::column; });
    if (sides.size() >= 2 && (product || only_columns)) separate(sides[0], sides[1]);
    return product || !sides.empty();
}

// Of tiles that are no products: where an operand has columns and some of the rows, those are the
// batch, as h is of x^{hi} - x^{hj}.
void growth::separate_batch() {
    const auto& plan = *group_.plan;
    loop_choice batch(group_.loops.size(), false);
    for (const std::size_t step : group_.members) {
        const assign& a = group_.at(step);
        if (group_.is_product(step) && group_.is_plane(a.target.slot)) return;
        if (a.kind != assignment_kind::map) continue;
        for_each_load(plan.values, a, [&](const access& from) {
            const auto along = group_.walked(group_.matched.at(step), from);
            if (group_.is_plane(from.slot) || !group_.follows(along, loop_role::column)) return;
            bool all_rows = true;
            for (std::size_t l = 0; l < along.size(); ++l)
                all_rows = all_rows && (along[l] || group_.loops[l].role != loop_role::row);
            for (std::size_t l = 0; l < along.size() && !all_rows; ++l)
                batch[l] = batch[l] || (along[l] && group_.loops[l].role == loop_role::row);
        });
    }
    for (std::size_t l = 0; l < batch.size(); ++l)
        if (batch[l]) group_.loops[l].role = loop_role::batch;
}

}  // namespace ricci::plan
