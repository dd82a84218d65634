// Sums up to an index, and from it on: all of them in one pass. The sum over j of [j <= i] x^j is
// read from what is summed up to each place.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "src/plan/schedule/edges.hpp"
#include "src/plan/forms/lower.hpp"

namespace ricci::plan {

namespace {

// Fewer are folded as they are.
constexpr std::int64_t fewest_scanned = 8;

}  // namespace

// target = value, which may lack some of its loops.
void lowering::write(const access& target, expr value) {
    if (graph_[value].indices == loops_of(target)) into(target, value, 0);
    else emit_map(target, value);
}

// target = the fold of the value up to each place of a loop, or from it on.
void lowering::scan_into(fold folding, const access& target, expr value, loop along, bool backwards,
                         expr decay, bool logarithms) {
    const auto& node = graph_[value];
    const bool in_memory = node.kind == kind::load && !node.edged && !is_foreign(value) &&
                           node.indices == loops_of(target);
    if (!in_memory) write(target, value);
    assign scan = begun(assignment_kind::scan, target);
    scan.folding = folding;
    scan.along = along;
    scan.backwards = backwards;
    scan.decay = decay;
    scan.logarithms = logarithms;
    scan.body = in_memory ? value : graph_.load(target);
    put(std::move(scan));
}

// Whether the fold up to place i, or from it on, is read at i, for all i of a target.
bool lowering::is_read_as_it_stands(const prefix_product& p, const access& target) const {
    if (p.number || p.end.offset != 0 || p.end.factor(p.i) != (p.forwards ? 1 : -1)) return false;
    return graph_.extent(p.i) == graph_.extent(p.j) && contains(loops_of(target), p.i);
}

// What a comparison of a loop of a fold with whole numbers that tensors hold says of the loop:
// its end, less that number. Nothing where it compares something else.
std::optional<number_bound> lowering::number_bound_in(expr condition, loop j) const {
    const auto& test = graph_[condition];
    if (test.kind != kind::operation ||
        (test.code != opcode::less && test.code != opcode::less_equal))
        return {};
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const auto at = place_of(graph_, test.arguments[side]);
        const expr number = test.arguments[1 - side];
        if (!at || at->edge != edge::none || at->terms.size() != 1 || at->factor(j) != 1) continue;
        whole_facts facts;
        if (contains(graph_[number].indices, j) || !is_whole(number, facts) || facts.numbers == 0 ||
            graph_.size(graph_[number].indices) < fewest_scanned)
            continue;
        const std::int64_t strict = test.code == opcode::less ? 1 : 0;
        return number_bound{number, side == 0, at->offset + strict * (side == 0 ? 1 : -1)};
    }
    return {};
}

// A fold over all j up to a place that says i, or from it on, of a product in which no factor has
// both: the factors but for the condition at `k`. Nothing where one has both.
std::optional<prefix_product> lowering::split_at_bound(const read_fold& f, std::size_t k,
                                                       loop j) const {
    const expr_list& factors = f.cases.parts;
    prefix_product found;
    loop_list ends;  // the loops that say where
    if (const auto bound = bound_in(graph_, factors[k], {j})) {
        if (bound->rest.terms.size() != 1) return {};
        found.forwards = bound->sign < 0;
        found.end = bound->rest;
        found.i = bound->rest.terms[0].over;
        const auto pairs = triangle_in(graph_, factors[k], j);
        if (pairs && pairs->steps_by_one()) found.pairs = pairs;
        ends = {found.i};
    } else if (const auto number = number_bound_in(factors[k], j)) {
        found.number = number->number;
        found.forwards = number->forwards;
        found.end.offset = number->less;
        ends = graph_[number->number].indices;
    } else {
        return {};
    }
    found.j = j;
    found.condition = factors[k];
    found.over = f.over;
    loop_list beside = ends, own;
    for (std::size_t other = 0; other < factors.size(); ++other) {
        if (other == k) continue;
        const auto& indices = graph_[factors[other]].indices;
        const bool says_ends = !common(indices, ends).empty();
        // A condition on what else is folded goes with that.
        const bool beside_j = f.by != fold::sum && !says_ends && !common(indices, f.over).empty();
        const bool summed = contains(indices, j) || beside_j;
        if (summed && says_ends) return {};
        auto& all = summed ? own : beside;
        all = united(all, indices);
        (summed ? found.summed : found.others).push_back(factors[other]);
    }
    found.later = common(f.over, beside);
    if (f.by != fold::sum) {
        const auto& indices = graph_[f.cases.value].indices;
        if (!common(indices, ends).empty() || !found.later.empty()) return {};
        found.value = f.cases.value;
        own = united(own, indices);
    }
    found.alone = without(f.over, found.later);
    found.state = without(own, found.alone);
    found.ends = std::move(ends);
    return found;
}

// Such a fold. Where both loops of the condition are folded, what is folded first is that of which
// less is carried.
std::optional<prefix_product> lowering::prefix_product_of(const read_fold& f) const {
    if (f.by == fold::mean || f.by == fold::excess || f.by == fold::softmax) return {};
    const expr_list& parts = f.cases.parts;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        std::optional<prefix_product> best;
        for (const loop j : common(graph_[parts[k]].indices, f.over)) {
            auto found = split_at_bound(f, k, j);
            if (found && (!best || graph_.size(found->state) < graph_.size(best->state)))
                best = std::move(found);
        }
        if (best) return best;
    }
    return {};
}

// With the factors beside the fold that know nothing of i in it, and what they are summed over: a
// condition relates them to what is folded, as in a sum up to an index within another.
prefix_product lowering::with_related(prefix_product p) const {
    loop_list held = p.ends;
    for (const expr f : p.others)
        if (!common(graph_[f].indices, p.ends).empty()) held = united(held, graph_[f].indices);
    expr_list beside;
    for (const expr f : p.others) {
        const bool related = common(graph_[f].indices, held).empty();
        (related ? p.summed : beside).push_back(f);
    }
    p.others = std::move(beside);
    loop_list own, later = p.ends;
    for (const expr f : p.summed) own = united(own, graph_[f].indices);
    for (const expr f : p.others) later = united(later, graph_[f].indices);
    p.later = common(p.over, later);
    p.alone = without(p.over, p.later);
    p.state = without(own, p.alone);
    return p;
}

// Whether no place at all is summed up for some i.
bool lowering::may_be_empty(const prefix_product& p) const {
    if (p.number) return true;
    std::int64_t fewest = p.end.offset + (p.forwards ? 1 : graph_.extent(p.j));
    for (const auto& t : p.end.terms)
        fewest += std::min<std::int64_t>(0, t.factor * (graph_.extent(t.over) - 1));
    return fewest < 1;
}

// Whether what is summed is about as large as one of its factors, so that all states may be stored.
bool lowering::has_small_state(const prefix_product& p) const {
    if (p.later.empty()) return true;
    return std::any_of(p.summed.begin(), p.summed.end(), [&](expr f) {
        return graph_.size(without(graph_[f].indices, {p.j})) >= graph_.size(p.state);
    });
}

expr lowering::summed_of(fold folding, const prefix_product& p) {
    return body_of(graph_, folding, {p.summed, p.value});
}

// Whether what stands beside the fold is hidden somewhere: where nothing is folded, or nothing but
// what a bracket in it leaves out.
bool lowering::hides_beside(const prefix_product& p) {
    if (p.value || p.others.empty()) return false;
    return may_be_empty(p) || (graph_.has_bracket(summed_of(fold::sum, p)) && !is_integer(type_));
}

// A fold under such a condition that is one pass, with all states in memory.
std::optional<prefix_product> lowering::scanned(const read_fold& f) {
    if (!is_real(type_) && !is_integer(type_)) return {};
    if (f.by == fold::logsumexp && is_integer(type_)) return {};
    auto p = prefix_product_of(f);
    if (p && f.by == fold::sum && graph_.has_bracket(graph_.multiply(p->summed)))
        p = with_related(*std::move(p));
    if (!p || graph_.extent(p->j) < fewest_scanned || !has_small_state(*p)) return {};
    if (plan_.careful && hides_beside(*p)) return {};
    return p;
}

// What was folded up to where the condition says, of places 0 to the extent: up to but not with a
// place, or from it on.
expr lowering::read_at_end(const prefix_product& p, const longer_axis& memory) {
    const std::int64_t extent = graph_.extent(p.j);
    if (!p.number) {
        // j <= end, or -end <= j
        place at;
        at.add(p.end, p.forwards ? 1 : -1);
        at.offset += p.forwards ? 1 : 0;
        at.edge = edge::clamp;
        at.high = extent;
        return graph_.load(memory.at(std::move(at)));
    }
    // Numbers far from all places say the same as those beside them.
    const auto number = [&](std::int64_t n) { return graph_.constant(static_cast<double>(n)); };
    const std::int64_t add = (p.forwards ? 1 : 0) - p.end.offset;
    expr at = graph_.apply(opcode::maximum, p.number, number(-add));
    at = graph_.apply(opcode::minimum, at, number(extent - add));
    at = graph_.add({at, number(add)});
    return graph_.gather(memory.at({}), {{static_cast<std::int32_t>(memory.axis), {}}}, {at});
}

// The fold of a body under such a condition, if it is one: what is folded up to each place of the
// loop, in memory of one place more, read where the condition says, and what is left of a sum.
// Nothing where the other loop stands in what is folded, too.
// `target`: memory that may be written, where each place is read as it stands and nothing beside
// it.
std::optional<expr> lowering::prefix_of(const read_fold& f, const access* target) {
    const auto p = scanned(f);
    if (!p) return {};
    hides_ = hides_ || hides_beside(*p);
    const auto alone = without(p->alone, {p->j});
    expr value = summed_of(f.by, *p);
    value = f.by == fold::sum ? graph_.sum(alone, value) : graph_.row(f.by, alone, value);
    if (target != nullptr && is_read_as_it_stands(*p, *target) && p->others.empty()) {
        const moved_loop there{p->i, {0, {{p->j, 1}}}};
        const access written = moved(graph_, *target, there);
        if (without(graph_[value].indices, loops_of(written)).empty()) {
            scan_into(f.by, written, value, p->j, !p->forwards);
            return graph_.load(*target);
        }
    }
    const auto indices = united(graph_[value].indices, {p->j});
    const auto memory = longer_memory(axis_order(indices, value), p->j, 1);
    emit_map(memory.at({p->forwards ? 0 : graph_.extent(p->j), {}}),
             graph_.constant(identity_of(f.by)));
    scan_into(f.by, memory.at({p->forwards ? 1 : 0, {{p->j, 1}}}), value, p->j, !p->forwards);
    value = read_at_end(*p, memory);
    if (p->others.empty() && p->later.empty()) return value;
    if (f.by != fold::sum) return body_of(graph_, f.by, {p->others, value});
    auto product = p->others;
    product.push_back(value);
    value = graph_.multiply(product);
    return p->later.empty() ? value : graph_.sum(p->later, value);
}

}  // namespace ricci::plan
