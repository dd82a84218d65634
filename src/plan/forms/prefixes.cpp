// Sums up to an index, and from it on: all of them in one pass. The sum over j of [j <= i] x^j is
// read from what is summed up to each place.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "src/plan/schedule/edges.hpp"
#include "src/plan/forms/lower.hpp"
#include "src/plan/pool/solve_places.hpp"

namespace ricci::plan {

double identity_of(fold f) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    switch (f) {
        case fold::product:
            return 1;
        case fold::maximum:
        case fold::logsumexp:
            return -infinity;
        case fold::minimum:
            return infinity;
        default:
            return 0;
    }
}

namespace {

// Fewer are folded as they are.
constexpr std::int64_t fewest_scanned = 8;

}  // namespace

// What is folded, and its conditions: the factors of a sum; of other folds a value and the
// condition without which the number stands there that changes nothing. Nothing where it is no such
// body.
expr_list lowering::folded_factors(fold folding, expr body) const {
    if (folding == fold::sum) {
        const auto all = graph_.factors(body);
        return {all.begin(), all.end()};
    }
    const auto& node = graph_[body];
    const bool scanned = folding == fold::product || folding == fold::maximum ||
                         folding == fold::minimum || folding == fold::logsumexp;
    if (!scanned || node.kind != kind::operation || node.code != opcode::select ||
        !graph_.is_constant(node.arguments[2], identity_of(folding)))
        return {};
    return {node.arguments[0], node.arguments[1]};
}

// target = value, which may lack some of the indices.
void lowering::write(const access& target, const loop_list& indices, expr value) {
    if (graph_[value].indices == indices) into(target, indices, value, 0);
    else emit_map(target, indices, value, fold::none, {});
}

// target = the fold of the value up to each place of a loop, or from it on.
void lowering::scan_into(fold folding, const access& target, const loop_list& indices, expr value,
                         loop along, bool backwards, expr decay) {
    const auto& node = graph_[value];
    const bool in_memory =
        node.kind == kind::load && !node.edged && !is_foreign(value) && node.indices == indices;
    if (!in_memory) write(target, indices, value);
    assign scan;
    scan.equation = equation_;
    scan.kind = assignment_kind::scan;
    scan.target = target;
    scan.loops = indices;
    scan.folding = folding;
    scan.along = along;
    scan.backwards = backwards;
    scan.decay = decay;
    scan.body = in_memory ? value : graph_.load(target);
    plan_.steps.push_back(make_step(graph_, std::move(scan)));
}

// Whether the fold up to place i, or from it on, is read at i, for all i of a target.
bool lowering::is_read_as_it_stands(const prefix_product& p, const access& target) const {
    if (p.end.offset != 0 || p.end.factor(p.i) != (p.forwards ? 1 : -1)) return false;
    return graph_.extent(p.i) == graph_.extent(p.j) && contains(loops_of(target), p.i);
}

// A fold over all j up to a place that says i, or from it on, of a product in which no factor has
// both.
std::optional<lowering::prefix_product> lowering::prefix_product_of(fold folding,
                                                                    const loop_list& over,
                                                                    expr body) const {
    if (!graph_.solves_places()) return {};
    const expr_list factors = folded_factors(folding, body);
    for (std::size_t k = 0; k < factors.size(); ++k) {
        const auto bound = bound_in(graph_, factors[k], over);
        if (!bound || bound->rest.terms.size() != 1) continue;
        prefix_product found;
        found.j = bound->j;
        found.forwards = bound->sign < 0;
        found.end = bound->rest;
        found.i = bound->rest.terms[0].over;
        found.condition = factors[k];
        found.over = over;
        found.pairs = triangle_in(graph_, factors[k], found.j);
        loop_list beside, own;
        bool mixed = contains(over, found.i);
        for (std::size_t other = 0; other < factors.size(); ++other) {
            if (other == k) continue;
            const auto& indices = graph_[factors[other]].indices;
            const bool summed = contains(indices, found.j);
            mixed = mixed || (summed && contains(indices, found.i));
            auto& all = summed ? own : beside;
            all = united(all, indices);
            (summed ? found.summed : found.others).push_back(factors[other]);
        }
        if (mixed || (folding != fold::sum && !found.others.empty())) continue;
        found.later = common(over, beside);
        found.alone = without(over, found.later);
        found.state = without(own, found.alone);
        return found;
    }
    return {};
}

// With the factors beside the fold that know nothing of i in it, and what they are summed over: a
// condition relates them to what is folded, as in a sum up to an index within another.
lowering::prefix_product lowering::with_related(prefix_product p) const {
    loop_list held{p.i};
    for (const expr f : p.others)
        if (contains(graph_[f].indices, p.i)) held = united(held, graph_[f].indices);
    expr_list beside;
    for (const expr f : p.others) {
        const bool related = common(graph_[f].indices, held).empty();
        (related ? p.summed : beside).push_back(f);
    }
    p.others = std::move(beside);
    loop_list own, later;
    for (const expr f : p.summed) own = united(own, graph_[f].indices);
    for (const expr f : p.others) later = united(later, graph_[f].indices);
    p.later = common(p.over, later);
    p.alone = without(p.over, p.later);
    p.state = without(own, p.alone);
    return p;
}

// Whether no place at all is summed up for some i.
bool lowering::may_be_empty(const prefix_product& p) const {
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

// The fold of a body under such a condition, if it is one: what is folded up to each place of the
// loop, in memory of one place more, read where the condition says, and what is left of a sum.
// Nothing where the other loop stands in what is folded, too.
// `target`: memory that may be written, where each place is read as it stands and nothing beside
// it.
std::optional<expr> lowering::prefix_of(fold folding, const loop_list& over, expr body,
                                        const access* target) {
    if (type_ != element::f32 && type_ != element::f64 && !is_integer(type_)) return {};
    if (folding == fold::logsumexp && is_integer(type_)) return {};
    auto p = prefix_product_of(folding, over, body);
    if (p && folding == fold::sum && graph_.has_bracket(graph_.multiply(p->summed)))
        p = with_related(*std::move(p));
    if (!p || graph_.extent(p->j) < fewest_scanned || !has_small_state(*p)) return {};
    const auto alone = without(p->alone, {p->j});
    expr value = p->summed.empty() ? graph_.constant(1) : graph_.multiply(p->summed);
    if (folding == fold::sum) value = graph_.sum(alone, value);
    if (graph_.has_bracket(value) && !is_integer(type_)) return {};  // hides what is no number
    if (!p->others.empty() && may_be_empty(*p)) {  // what stands beside it is hidden there
        if (plan_.careful) return {};
        hides_ = true;
    }
    if (folding != fold::sum) value = graph_.row(folding, alone, value);
    if (target != nullptr && is_read_as_it_stands(*p, *target) && p->others.empty()) {
        const moved_loop there{p->i, {0, {{p->j, 1}}}};
        const access written = moved(graph_, *target, there);
        const auto indices = loops_of(written);
        if (without(graph_[value].indices, indices).empty()) {
            scan_into(folding, written, indices, value, p->j, !p->forwards);
            return graph_.load(*target);
        }
    }
    // places 0 to extent: of the fold up to but not with a place, or from it on
    const std::int64_t extent = graph_.extent(p->j);
    const auto indices = united(graph_[value].indices, {p->j});
    const auto memory = longer_memory(indices, p->j, 1);
    emit_map(memory.at({p->forwards ? 0 : extent, {}}), without(indices, {p->j}),
             graph_.constant(identity_of(folding)), fold::none, {});
    scan_into(folding, memory.at({p->forwards ? 1 : 0, {{p->j, 1}}}), indices, value, p->j,
              !p->forwards);
    // j <= end, or -end <= j
    place at;
    at.add(p->end, p->forwards ? 1 : -1);
    at.offset += p->forwards ? 1 : 0;
    at.edge = edge::clamp;
    at.high = extent;
    auto product = p->others;
    product.push_back(graph_.load(memory.at(std::move(at))));
    value = graph_.multiply(product);
    return p->later.empty() ? value : graph_.sum(p->later, value);
}

}  // namespace ricci::plan
