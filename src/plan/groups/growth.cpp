// Growing a fused group around one contraction: its loops are in src/plan/groups/growth_loops.cpp,
// and whether it pays in src/plan/groups/growth_worth.cpp.
#include "src/plan/groups/growth.hpp"

#include <algorithm>

#include "src/plan/groups/plane_elements.hpp"
#include "src/plan/groups/tile_lookups.hpp"
#include "src/plan/pool/unroll.hpp"

namespace ricci::plan {
namespace {

/// Whether each element is a sum of few values of smaller tensors, as a distance is.
bool sums_few(const graph& values, const assign& a) {
    if ((a.folding != fold::sum && a.folding != fold::mean) ||
        values.size(a.over) > most_iterations)
        return false;
    return all_loads(values, a, [&](const access& from) {
        const auto own = loops_of(from);
        return common(own, a.over).empty() || !without(a.loops, own).empty();
    });
}

}  // namespace

growth::outcome growth::fail(slot_number slot, std::string why) {
    if (reason_.empty()) reason_ = std::move(why), refused_ = slot;
    return outcome::failed;
}

// Gives each loop of a step the group's loop that stands at the same place of the plane.
bool growth::match(const access& plane, matching& found) const {
    const auto& layout = group_.planes.at(plane.slot);
    if (!starts_at_zero(plane)) return false;
    for (std::size_t axis = 0; axis < plane.at.size(); ++axis)
        for (const auto& t : plane.at[axis].terms) {
            const auto same =
                std::ranges::find(layout, axis_term{static_cast<std::int32_t>(axis), t.factor});
            if (same == layout.end()) return false;
            const auto g = same - layout.begin();
            if (group_.extent(static_cast<std::size_t>(g)) != group_.plan->values.extent(t.over) ||
                !found.add(t.over, static_cast<std::int32_t>(g)))
                return false;
        }
    // S^{j0} is a column of it
    for (std::size_t g = 0; g < layout.size(); ++g) {
        if (layout[g].axis < 0 || group_.extent(g) == 1) continue;
        const auto& terms = plane.at[static_cast<std::size_t>(layout[g].axis)].terms;
        if (std::ranges::none_of(terms,
                                 [&](const auto& t) { return t.factor == layout[g].factor; }))
            return false;
    }
    return true;
}

/// Whether the loops are all of the group's column loops, or all of the others.
bool growth::covers(const loop_list& loops, const matching& found, bool columns) const {
    for (std::size_t g = 0; g < group_.loops.size(); ++g) {
        if ((group_.loops[g].role == loop_role::column) != columns) continue;
        if (std::ranges::none_of(
                loops, [&](loop l) { return found.of(l) == static_cast<std::int32_t>(g); }))
            return false;
    }
    return true;
}

/// Whether a consumer has all of the group's loops, and sums all of the columns or none of them.
bool growth::sums_suit(const loop_list& free, const loop_list& over, const matching& found) const {
    const auto all = united(free, over);
    return covers(all, found, true) && covers(all, found, false) &&
           (covers(over, found, true) || covers(free, found, true));
}

// Whether every step that writes the slot is one that can make tiles.
bool growth::can_be_made(slot_number slot) const {
    const auto k = slot.index();
    const auto& writers = uses_[k].writers;
    const program_plan& plan = *group_.plan;
    if (plan.slots[k].kind != storage::workspace || writers.empty()) return false;
    if (stored_.contains(slot)) return false;
    if (!plan.holds(slot, plan.computed_type())) return false;
    return std::ranges::all_of(writers, [&](std::size_t w) {
        const assign* a = group_.plan->steps[w].as_assign();
        if (a == nullptr || !starts_at_zero(a->target)) return false;
        if (a->kind == assignment_kind::contract || looks_up_in_tiles(plan, *a)) return true;
        return a->kind == assignment_kind::map &&
               (a->folding == fold::none || a->folding == fold::softmax ||
                sums_few(group_.plan->values, *a) || distance_of(group_.plan->values, *a));
    });
}

bool growth::add_plane(const access& tensor, const matching& found) {
    plane_layout layout(group_.loops.size());
    for (std::size_t axis = 0; axis < tensor.at.size(); ++axis)
        for (const auto& t : tensor.at[axis].terms) {
            const auto g = found.of(t.over);
            if (g < 0 || layout[static_cast<std::size_t>(g)].axis >= 0) return false;
            layout[static_cast<std::size_t>(g)] = {static_cast<std::int32_t>(axis), t.factor};
        }
    if (const auto known = group_.planes.find(tensor.slot); known != group_.planes.end())
        return known->second == layout;
    group_.planes[tensor.slot] = std::move(layout);
    const auto& uses = uses_[tensor.slot.index()];
    const auto& members = group_.members;
    for (const auto* list : {&uses.writers, &uses.readers})
        for (const std::size_t s : *list)
            if (std::ranges::find(pending_, s) == pending_.end() &&
                std::ranges::find(members, s) == members.end())
                pending_.push_back(s);
    return true;
}

void growth::add_consumer(std::size_t step) {
    auto& all = group_.consumers;
    if (std::ranges::find(all, step) == all.end()) all.push_back(step);
}

growth::outcome growth::place(std::size_t step) {
    const assign* a = group_.plan->steps[step].as_assign();
    if (a == nullptr) return fail(slot_number::none, "it is used by another fused group");
    if (any_load(group_.plan->values, *a, [](const access& from) { return has_edge(from); }))
        return fail(slot_number::none, "a contraction reads it beside an axis");
    if (a->kind == assignment_kind::map) return place_map(step, *a);
    if (a->kind == assignment_kind::contract) return place_contraction(step, *a);
    if (a->kind == assignment_kind::gather && group_.is_plane(a->target.slot))
        return place_lookup(step, *a);
    if (a->kind == assignment_kind::gather) {
        const expression& read = group_.plan->values[a->body];
        return place_elements(step, read.source.slot,
                              read.kind == kind::load ? "it is converted to another type"
                                                      : "it is read at places that a tensor says");
    }
    if (a->kind == assignment_kind::scan)
        return fail(slot_number::none, "it is summed up to each element");
    if (a->kind == assignment_kind::matrix)
        return fail(slot_number::none, "it is a function of whole matrices");
    if (a->kind == assignment_kind::lookups && lands_from_tiles(*group_.plan, *a))
        return place_landing(step, *a);
    if (a->kind == assignment_kind::lookups)
        return fail(slot_number::none, "it is read or written at places that a tensor says");
    if (a->kind == assignment_kind::extremum) return place_extremum(step, *a);
    return place_scatter(step, *a);
}

// A plane of what is read where numbers say.
growth::outcome growth::place_lookup(std::size_t step, const assign& a) {
    const slot_number plane = a.target.slot;
    matching found;
    if (!match(a.target, found) || !found.has_all(a.loops))
        return fail(plane, "two steps write it in different orders");
    slot_number read;
    for_each_load(group_.plan->values, a, [&](const access& from) {
        if (group_.is_plane(from.slot)) read = from.slot;
    });
    if (read) return fail(read, "it is read at places that a tensor says");
    group_.matched[step] = std::move(found);
    return outcome::done;
}

// Whether a read is one of a plane, and how.
void growth::see(const access& from, matching& found, reads& to) const {
    if (!group_.is_plane(from.slot)) return to.others.push_back(from);
    if (!match(from, found)) to.misread = from.slot;
    to.plane = from.slot;
}
// What is read at rows and columns beside planes is one, too, where it can be made.
void growth::add_planes(const std::vector<access>& others, const matching& found) {
    for (const access& from : others)
        if (starts_at_zero(from) && can_be_made(from.slot) &&
            group_.spans_tile(group_.walked(found, from)))
            add_plane(from, found);
}

growth::outcome growth::place_map(std::size_t step, const assign& a) {
    const auto& values = group_.plan->values;
    matching found;
    reads seen;
    for_each_load(values, a, [&](const access& from) { see(from, found, seen); });
    if (group_.is_plane(a.target.slot)) {
        if (!match(a.target, found)) seen.misread = a.target.slot;
        if (!seen.plane) seen.plane = a.target.slot;
    }
    if (seen.misread)
        return place_elements(step, seen.misread, "it is read in another order or only in part");
    if (group_.is_plane(a.target.slot) && group_.is_distance(a, found))
        return place_product(step, a);
    loop_list own;
    for (const loop l : united(a.loops, a.over))
        if (found.of(l) < 0 && values.extent(l) != 1) own.push_back(l);
    // Another plane may say which loops of the group these are.
    const bool few =
        values.size(without(own, a.over)) <= most_unrolled && values.size(own) <= most_iterations;
    if (!own.empty() && (!unrolls_ || !few)) return outcome::later;

    const bool sums = a.folding == fold::sum || a.folding == fold::mean;
    const bool makes = a.folding == fold::none || a.folding == fold::softmax ||
                       (sums && without(a.over, own).empty());
    const auto result =
        makes ? place_maker(step, a, found, seen.plane) : place_fold(step, a, found, seen.plane);
    if (result != outcome::done) return result;
    // What a tile that is written reads beside planes, it reads from memory.
    if (!makes || group_.is_plane(a.target.slot)) add_planes(seen.others, found);
    group_.matched[step] = std::move(found);
    return outcome::done;
}

// What reads elements of planes alone reads there what they are made of.
growth::outcome growth::place_elements(std::size_t step, slot_number plane, const char* refusal) {
    const auto is_plane = [&](slot_number slot) { return group_.is_plane(slot); };
    if (!can_read_elements(*group_.plan, uses_, step, is_plane)) return fail(plane, refusal);
    auto& readers = group_.element_readers;
    if (std::ranges::find(readers, step) == readers.end()) readers.push_back(step);
    group_.matched[step] = {};
    return outcome::done;
}

// A map that makes tiles, for planes or for a result.
growth::outcome growth::place_maker(std::size_t step, const assign& a, const matching& found,
                                    slot_number through) {
    if (a.folding == fold::softmax) {
        const bool over_columns =
            covers(a.over, found, true) && std::ranges::all_of(a.over, [&](loop l) {
                const std::int32_t g = found.of(l);
                return g < 0 || group_.loops[static_cast<std::size_t>(g)].role == loop_role::column;
            });
        if (!over_columns) return fail(through, "a softmax runs along other indices");
    }
    const slot_number out = a.target.slot;
    if (group_.plan->slots[out.index()].kind != storage::workspace) {
        // A result that nobody else needs is written tile by tile.
        const auto& uses = uses_[out.index()];
        if (a.folding == fold::softmax || !uses.readers.empty() || uses.writers.size() != 1 ||
            !covers(a.loops, found, true) || !covers(a.loops, found, false))
            return fail(out, "it is an output and has to be stored");
        add_consumer(step);
        return outcome::done;
    }
    if (!can_be_made(out)) return fail(out, "it cannot be made tile by tile");
    if (!add_plane(a.target, found)) return fail(out, "two steps write it in different orders");
    return outcome::done;
}

// A map that folds planes.
growth::outcome growth::place_fold(std::size_t step, const assign& a, const matching& found,
                                   slot_number through) {
    if (group_.is_plane(a.target.slot))
        return fail(a.target.slot, "it is a sum over other indices");
    const auto free = without(a.loops, a.over);
    if (group_.is_found_with_weights(step)) {
        const bool rows = covers(a.over, found, true) && covers(free, found, false) &&
                          a.over.size() + free.size() == found.pairs().size();
        if (!rows) return fail(through, "a log-sum-exp runs along other indices");
    } else if (!sums_suit(free, a.over, found)) {
        return fail(through, "it is folded over some of its indices only");
    }
    add_consumer(step);
    return outcome::done;
}

// Where an extremum of a plane stands, along all rows or all columns.
growth::outcome growth::place_extremum(std::size_t step, const assign& a) {
    const access& of = group_.plan->values[a.body].source;
    matching found;
    if (!group_.is_plane(of.slot) || !match(of, found))
        return fail(of.slot, "it is read in another order or only in part");
    if (!found.has_all(a.loops) || uses_[a.target.slot.index()].writers.size() != 1)
        return fail(of.slot, "places in it are written in part or more than once");
    const auto result = place_fold(step, a, found, of.slot);
    group_.matched[step] = std::move(found);
    return result;
}

// Tiles that are added up along lines of rows and columns, as where i - j is a place.
growth::outcome growth::place_scatter(std::size_t step, const assign& a) {
    const access& rows = group_.plan->values[a.body].source;
    if (!group_.is_plane(rows.slot))
        return fail(slot_number::none, "it is added up in another order");
    matching found;
    if (!match(rows, found) || !sums_suit(a.loops, {}, found))
        return fail(rows.slot, "it is added up in another order or only in part");
    if (!found.has_all(a.loops)) return fail(rows.slot, "it is added up more than once");
    add_consumer(step);
    group_.matched[step] = std::move(found);
    return outcome::done;
}

// Tiles whose rows, or columns, are added up where numbers say.
growth::outcome growth::place_landing(std::size_t step, const assign& a) {
    const auto& values = group_.plan->values;
    matching found;
    reads seen;
    for (const expr f : lookup_factors(values, a.body)) see(values[f].source, found, seen);
    if (!seen.plane || seen.misread || group_.is_plane(a.target.slot) ||
        group_.is_plane(values[a.numbers].source.slot))
        return fail(seen.misread ? seen.misread : seen.plane,
                    "it is added up in another order or only in part");
    const auto free = without(a.loops, {a.scattered});
    if (found.of(a.scattered) >= 0 || !sums_suit(free, a.over, found) ||
        !found.has_all(united(free, a.over)))
        return fail(seen.plane, "it is added up along some of its indices only");
    add_planes(seen.others, found);
    add_consumer(step);
    group_.matched[step] = std::move(found);
    return outcome::done;
}

// A plane as a sum over k of two factors, one without columns and one without rows, or of the
// square of their difference.
growth::outcome growth::place_product(std::size_t step, const assign& a) {
    const slot_number plane = a.target.slot;
    matching found;
    if (!match(a.target, found) || !found.has_all(a.loops))
        return fail(plane, "two steps write it in different orders");
    const auto [left, right] = group_.sides_of(step);
    if (group_.is_plane(left.slot) || group_.is_plane(right.slot))
        return fail(plane, "it is a product of tensors of its own size");
    if (a.beta != 0 && a.beta != 1) return fail(plane, "it is added to with a factor");
    const bool column_a = group_.follows(group_.walked(found, left), loop_role::column);
    const bool column_b = group_.follows(group_.walked(found, right), loop_role::column);
    if (column_a == column_b) return fail(plane, "one of its factors depends on rows and columns");
    group_.matched[step] = std::move(found);
    return outcome::done;
}

growth::outcome growth::place_contraction(std::size_t step, const assign& a) {
    const auto& values = group_.plan->values;
    slot_number number;
    values.for_each_load({a.scale}, [&](const access& from) {
        if (group_.is_plane(from.slot)) number = from.slot;
    });
    if (number) return fail(number, "it is a factor in front of a whole product");
    const auto f = factors_of(values, a);
    if (group_.is_plane(a.target.slot)) return place_product(step, a);
    matching found;
    reads seen;
    for (const auto* side : {f.b, f.a}) see(side->source, found, seen);
    if (seen.misread) return fail(seen.plane, "it is read in another order or only in part");
    if (found.has_all(united(a.loops, a.over))) add_planes(seen.others, found);
    if (!found.has_all(a.over)) return fail(seen.plane, "it is summed over indices of its own");
    if (!sums_suit(a.loops, a.over, found))
        return fail(seen.plane, "it is summed over some of its indices only");
    add_consumer(step);
    group_.matched[step] = std::move(found);
    return outcome::done;
}

bool growth::run(std::size_t seed, const access& read) {
    if (!begin(seed, read)) return false;
    const slot_number plane = refused_;
    auto& members = group_.members;
    while (!pending_.empty()) {
        bool progress = false;
        for (std::size_t k = 0; k < pending_.size();) {
            const std::size_t step = pending_[k];
            const auto result = place(step);
            if (result == outcome::failed) return false;
            if (result == outcome::later) {
                ++k;
                continue;
            }
            progress = true;
            members.push_back(step);
            pending_.erase(std::ranges::find(pending_, step));
        }
        if (!progress && !unrolls_) {
            unrolls_ = true;
        } else if (!progress) {
            fail(plane, "a step that uses it runs over other indices");
            return false;
        }
    }
    // A tensor may have been found to be a plane after a step that uses it was placed: what was
    // true of each member has to be true of all planes together.
    const std::size_t planes = group_.planes.size();
    for (const std::size_t step : members)
        if (place(step) != outcome::done) return false;
    if (group_.planes.size() != planes || !pending_.empty()) {
        fail(plane, "the steps that use it run over different indices");
        return false;
    }
    separate_batch();
    std::ranges::sort(members);
    std::ranges::sort(group_.consumers);
    return sums_few_values() && makes_more_than_it_reads() && makes_more_than_it_converts();
}

}  // namespace ricci::plan
