// Reading at places that a tensor says, and adding up at sums of positions: the assignments for it.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <span>
#include <utility>

#include "src/plan/schedule/edges.hpp"
#include "src/plan/forms/lower.hpp"

namespace ricci::plan {
namespace {

// Of the loops of the place that is walked last the longest is the fastest: windows are short, and
// their places many.
loop_list with_longest_last(const graph& g, loop_list axes, std::span<const place> places) {
    for (const place& at : places) {
        std::size_t first = axes.size();
        while (first > 0 && at.factor(axes[first - 1]) != 0) --first;
        std::sort(
            axes.begin() + static_cast<std::ptrdiff_t>(first), axes.end(),
            [&](loop x, loop y) { return std::pair(g.extent(x), x) < std::pair(g.extent(y), y); });
        if (first < axes.size()) break;
    }
    return axes;
}

}  // namespace

// A load from a tensor of another type than the one that is computed with here.
bool lowering::is_foreign(expr e) const {
    const auto& node = graph_[e];
    return node.kind == kind::load && !plan_.holds(node.source.slot, type_);
}

// The expression in memory, whole numbers as they are.
expr lowering::numbers_of(expr e) {
    const auto& node = graph_[e];
    const bool read = node.kind == kind::load || node.kind == kind::gather;
    const bool whole =
        read && is_integer(plan_.type_of(node.source.slot)) && !plan_.is_truth(node.source.slot);
    if (whole) return node.kind == kind::gather ? picked(e) : node.edged ? padded(e) : e;
    whole_facts facts;
    if (is_integer(type_) || !is_whole(e, facts)) return stored(e);
    const bool counted = facts.largest <= static_cast<double>(counted_by(type_));
    if (facts.numbers == 0 && counted) return stored(e);
    lowering numbers(plan_, known_, equation_, order_, element::i64);
    return graph_.load(numbers.computed(e));
}

// A tensor of places that the program defines: no rule of an operand says how large they are.
bool lowering::is_computed_place(slot_number number) const {
    const slot& s = plan_.slots[number.index()];
    return s.name != ir::none && s.kind != storage::input && is_integer(plan_.type_of(number)) &&
           !is_integer(plan_.type);
}

// What a gather picks, in memory, copied as it is.
expr lowering::picked(expr gather) {
    if (const auto found = picked_.find(gather); found != picked_.end()) return found->second;
    const expr from = has_edge(graph_[gather].source) ? padded(gather) : gather;
    const slot_number source = graph_[from].source.slot;
    const auto target = memory_over(
        graph_[from].kind == kind::gather ? rows_order(from) : axis_order(graph_[gather].indices),
        plan_.type_of(source), plan_.is_truth(source));
    emit_gather(from, target);
    return picked_[gather] = graph_.load(target, graph_.is_condition(gather));
}

bool lowering::is_whole(expr e, whole_facts& facts) const {
    const auto& node = graph_[e];
    const auto whole_slot = [&](slot_number slot) {
        return is_integer(plan_.type_of(slot)) && !plan_.is_truth(slot);
    };
    const auto meets = [&](double size) { facts.largest = std::max(facts.largest, size); };
    switch (node.kind) {
        case kind::constant:
            meets(std::abs(node.value));
            return std::abs(node.value) < 0x1p63 && std::floor(node.value) == node.value;
        case kind::position: {
            double reach = std::abs(static_cast<double>(node.at.offset));
            for (const auto& t : node.at.terms)
                reach += std::abs(static_cast<double>(t.factor)) *
                         static_cast<double>(graph_.extent(t.over));
            meets(reach);
            return true;
        }
        case kind::load:
            facts.numbers += whole_slot(node.source.slot) ? 1 : 0;
            facts.within = facts.within && !is_computed_place(node.source.slot);
            return is_integer(plan_.type_of(node.source.slot));
        case kind::gather:
            ++facts.numbers;
            facts.within = facts.within && !is_computed_place(node.source.slot);
            if (!whole_slot(node.source.slot)) return false;
            break;
        case kind::operation: {
            const bool compares = node.code >= opcode::less && node.code <= opcode::logical_or;
            const bool product =
                node.code == opcode::multiply &&
                (node.arguments.size() > 2 || !graph_.is_constant(node.arguments[0], -1));
            facts.within = facts.within && !product && node.code != opcode::square &&
                           node.arguments.size() <= 4;
            facts.computes = facts.computes || node.code == opcode::add ||
                             node.code == opcode::multiply || node.code == opcode::square;
            static constexpr opcode whole[] = {
                opcode::add,         opcode::multiply, opcode::square,  opcode::absolute,
                opcode::logical_not, opcode::maximum,  opcode::minimum, opcode::modulo};
            if (!compares && std::ranges::find(whole, node.code) == std::end(whole)) return false;
            break;
        }
        case kind::sum:
        case kind::fold:
            return false;
    }
    return std::ranges::all_of(node.arguments, [&](expr a) { return is_whole(a, facts); });
}

// A comparison of whole numbers that may be larger than the type counts that is computed with here.
bool lowering::compares_numbers(expr e) const {
    const auto& node = graph_[e];
    if (node.kind != kind::operation || node.code < opcode::less || node.code > opcode::not_equal ||
        type_ == element::i64)
        return false;
    whole_facts facts;
    if (!is_whole(e, facts) || facts.numbers == 0) return false;
    if (type_ == element::i32)
        return facts.computes || facts.largest > INT32_MAX ||
               std::ranges::any_of(plan_.slots, [](const slot& s) {
                   return s.kind == storage::input && s.is_foreign && s.own_type == element::i64;
               });
    // rules ask what the plan's type counts, and floats among 16 bits count more
    const bool quick = is_real(plan_.type);
    if (!quick || facts.largest > static_cast<double>(counted_by(type_))) return true;
    // Most are small, and compared together with what else is done; see program_plan::rules.
    const bool within =
        facts.within && facts.largest <= static_cast<double>(counted_by(element::f32));
    return facts.numbers > 1 && (plan_.careful || !within);
}

// The comparison in memory, made of numbers of 64 bits.
expr lowering::compared(expr e) {
    if (const auto found = stored_.find(e); found != stored_.end()) return found->second;
    lowering whole(plan_, known_, equation_, order_, element::i64);
    const expr truth = graph_.load(whole.computed(e));
    const access target = temporary(graph_[e].indices);
    emit_gather(truth, target);
    return stored_[e] = graph_.load(target, true);
}

// The numbers as a place, where all of it are places of the axis: i - j + 3.
std::optional<place> lowering::place_on(loop axis, expr numbers) const {
    const auto at = place_of(graph_, numbers);
    if (!at || at->edge != edge::none) return {};
    if (!graph_.reach(*at).lies_within(places_of(graph_.extent(axis)))) return {};
    return at;
}

// [p = i + j] y_{ij} summed over i and j, and over what only the y have, adds each y to where i + j
// is. As a product it would have one column for each p.
bool lowering::is_scatter(expr sum, scattered_sum& found) {
    if (!is_real(type_)) return false;
    if (!graph_.solves_places()) return false;
    const auto there = landed(sum);
    if (!there) return false;
    found = {};
    for (const landing& l : there->at) {
        const auto at = place_on(l.axis, l.numbers);
        if (!at) return false;
        found.axes.push_back(l);
        found.at.push_back(*at);
        found.by_number = united(found.by_number, graph_[l.numbers].indices);
    }
    const auto& rest = there->rest.parts;
    const auto summed = common(graph_[sum].over, found.by_number);
    const auto varying = std::ranges::count_if(rest, [&](expr f) { return !graph_.is_scalar(f); });
    expr rows = rest.empty() ? graph_.constant(1) : graph_.multiply(rest);
    const auto more = without(graph_[sum].over, summed);
    // One tensor is summed on the way, a product of several before.
    const bool at_once = varying == 1 && without(more, graph_[rows].indices).empty();
    if (!more.empty() && !at_once) rows = graph_.sum(more, rows);
    found.rows = rows;
    return true;
}

// Whether a number is read at a place with an edge, or is one that is known.
bool lowering::is_edged_gather(expr e) const {
    const auto& node = graph_[e];
    if (node.kind != kind::gather) return false;
    for (std::size_t k = 0; k < node.arguments.size(); ++k) {
        const auto& number = graph_[node.arguments[k]];
        if (number.edged || (k < node.lookups.size() && number.kind == kind::constant)) return true;
    }
    return false;
}

// The same gather, whose condition is in memory: wherever its loops are elsewhere, it has a form.
expr lowering::with_stored_condition(expr gather) {
    expr_list arguments = graph_[gather].arguments;
    if (arguments.size() == graph_[gather].lookups.size()) return gather;
    arguments.back() = stored(arguments.back());
    return graph_.regathered(gather, std::move(arguments));
}

// Of several numbers, where the condition says that all of them are places: nobody wants what is at
// no place, and no plane says where.
expr lowering::without_own_condition(expr gather) {
    const expression node = graph_[gather];
    if (node.lookups.size() < 2 || !node.has_condition()) return gather;
    const auto conditions = graph_.factors(node.arguments.back());
    auto lookups = node.lookups;
    expr_list numbers;
    for (std::size_t k = 0; k < lookups.size(); ++k) {
        for (const expr part : graph_.factors(lands(gather, k)))
            if (std::ranges::find(conditions, part) == conditions.end()) return gather;
        lookups[k].may_stray = true;
        numbers.push_back(node.arguments[k]);
    }
    return graph_.regathered(gather, std::move(numbers), node.source, std::move(lookups));
}

// A condition that no number has all loops of would be a plane. Whether each number has to be a
// place is found by itself then, by a gather that nobody reads, and what is read at no place is
// nobody's.
expr lowering::checked_apart(expr gather) {
    const expression node = graph_[gather];
    if (!node.has_condition() || is_edged_gather(gather)) return gather;
    const expr condition = node.arguments.back();
    auto lookups = node.lookups;
    for (std::size_t k = 0; k < lookups.size(); ++k) {
        const auto& by_number = graph_[node.arguments[k]].indices;
        if (without(graph_[condition].indices, by_number).empty()) return gather;
    }
    access first = node.source;
    for (place& p : first.at) p = {graph_.reach(p).least, {}};
    expr_list numbers;
    for (std::size_t k = 0; k < lookups.size(); ++k) {
        numbers.push_back(node.arguments[k]);
        const expr check =
            graph_.gather(first, {lookups[k]}, {numbers.back()}, {&condition, 1}, node.condition);
        lookups[k].may_stray = true;
        if (graph_[check].kind != kind::gather) continue;
        const slot_number source = first.slot;
        emit_gather(check, memory_over(graph_[check].indices, plan_.type_of(source),
                                       plan_.is_truth(source)));
    }
    return graph_.regathered(gather, std::move(numbers), node.source, std::move(lookups));
}

void lowering::emit_gather(expr e, const access& target) {
    if (graph_[e].kind == kind::gather && has_edge(graph_[e].source)) e = padded(e);
    if (graph_[e].kind == kind::gather) e = checked_apart(without_own_condition(e));
    if (graph_[e].kind == kind::gather) e = with_stored_condition(e);
    if (is_edged_gather(e)) return emit_gather_boxes(e, target);
    const auto& node = graph_[e];
    assign made = begun(assignment_kind::gather, target);
    made.body = e;
    if (node.kind == kind::gather) {
        expr_list arguments = node.arguments;
        for (std::size_t k = 0; k < node.lookups.size(); ++k)
            arguments[k] = numbers_of(arguments[k]);
        made.body = graph_.regathered(e, std::move(arguments));
    }
    put(std::move(made));
}

// Rows that are looked up where a number says that is read beyond an edge: there it is 0.
void lowering::emit_gather_boxes(expr e, const access& target) {
    const auto cut = first_cut(graph_, loops_of(target), e);
    for (const moved_loop& m : cut) emit_gather(graph_.moved(e, m), moved(graph_, target, m));
    if (!cut.empty()) return;
    // What no cut settles is stored, and fixed numbers are places.
    expression node = graph_[e];
    expr_list arguments;
    std::vector<lookup_axis> lookups;
    for (std::size_t k = 0; k < node.arguments.size(); ++k) {
        const expr a = node.arguments[k];
        const bool is_number = k < node.lookups.size();
        if (is_number && graph_[a].kind == kind::constant) {
            const auto axis = static_cast<std::size_t>(node.lookups[k].axis);
            const double number = graph_[a].value;
            const auto extent = static_cast<double>(plan_.slot_of(node.source).extents[axis]);
            if (number >= 0 && number < extent && std::floor(number) == number) {
                node.source.at[axis].offset = static_cast<std::int64_t>(number);
                continue;
            }
        }
        if (is_number) lookups.push_back(node.lookups[k]);
        const bool plain = !graph_[a].edged && graph_[a].kind != kind::constant;
        arguments.push_back(plain ? a : stored(a));
    }
    if (lookups.empty()) return emit_gather(graph_.load(node.source, node.condition), target);
    emit_gather(graph_.regathered(e, std::move(arguments), node.source, std::move(lookups)),
                target);
}

void lowering::emit_scatter(const scattered_sum& sum, const access& target, double beta) {
    if (graph_[sum.rows].kind == kind::operation && !stored_.contains(sum.rows) &&
        !known_.recomputed.memory_of(sum.rows)) {
        const loop_list all = graph_[sum.rows].indices;
        const access memory =
            memory_over(with_longest_last(graph_, axis_order(all, sum.rows), sum.at), type_);
        into(memory, sum.rows, 0);
        stored_[sum.rows] = graph_.load(memory, graph_.is_condition(sum.rows));
    }
    const expr rows = stored(sum.rows);
    scale_target(target, beta);
    assign made = begun(assignment_kind::scatter, target);
    made.body = rows;
    made.beta = 1;
    // What turned out to be one number lacks loops of the target, too.
    loop_list others = made.loops;
    for (const landing& l : sum.axes) others = without(others, {l.axis});
    made.loops = united(united(sum.by_number, graph_[rows].indices), others);
    made.over = without(made.loops, others);
    for (auto& at : made.target.at)
        for (std::size_t k = 0; k < sum.axes.size(); ++k) {
            const std::int64_t factor = at.factor(sum.axes[k].axis);
            at.add(sum.axes[k].axis, -factor);
            at.add(sum.at[k], factor);
        }
    put(std::move(made));
}

// What the target holds, times a number; 0 where that is 0.
expr lowering::before(const access& target, double beta) {
    return beta == 0 ? graph_.constant(0)
                     : graph_.multiply({graph_.constant(beta), graph_.load(target)});
}

// What the target holds, times a number, before something is added to it.
void lowering::scale_target(const access& target, double beta) {
    if (beta != 1) emit_map(target, before(target, beta));
}

}  // namespace ricci::plan
