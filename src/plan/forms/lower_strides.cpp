// Sums that read every second element, say: their derivatives add to every second one, and are
// computed for each residue apart, or for a loop as two. So are folds up to every second place, of
// which each residue is up to the next one.
#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "src/plan/schedule/edges.hpp"
#include "src/plan/forms/lower.hpp"
#include "src/plan/pool/solve_places.hpp"

namespace ricci::plan {
namespace {

// A bound with a larger stride is looked at pair by pair.
constexpr std::int64_t most_residues = 8;
// So many pairs of places are looked at as they are.
constexpr double few_pairs = 64;

/// A loop of the result that a sum reads with a stride, as p in [p = 2q + k].
struct strided_loop {
    loop what;
    std::int64_t stride = 0;
    bool whole = false;  // what is added to the strided loop takes whole strides
};

void find_strides(const graph& values, expr e, const loop_list& indices, strided_loop& found) {
    const auto& node = values[e];
    if (!node.sums || !values.solves_places()) return;
    if (node.kind == kind::operation)
        for (const expr a : node.arguments) find_strides(values, a, indices, found);
    if (node.kind != kind::sum) return;
    for (const expr f : values.factors(node.arguments[0])) {
        const auto compared = compared_in(values, f);
        if (!compared || compared->code != opcode::equal || compared->has_edge()) continue;
        const place difference = compared->difference();
        const term *free = nullptr, *strided = nullptr, *rest = nullptr;
        for (const auto& t : difference.terms) {
            const bool summed = contains(node.over, t.over);
            if (!summed && std::abs(t.factor) == 1 && contains(indices, t.over)) free = &t;
            if (summed && std::abs(t.factor) > 1) strided = &t;
            if (summed && std::abs(t.factor) == 1) rest = &t;
        }
        if (free == nullptr || strided == nullptr || rest == nullptr) continue;
        const std::int64_t stride = std::abs(strided->factor);
        if (values.extent(free->over) <= stride) continue;
        expr_list others;
        for (const expr other : values.factors(node.arguments[0]))
            if (other != f) others.push_back(other);
        if (adds_rows(values, difference, node.over, others)) continue;
        found = {free->over, stride, values.extent(rest->over) % stride == 0};
        return;
    }
}

}  // namespace

bool lowering::has_strides(expr sum) {
    strided_loop found;
    find_strides(graph_, sum, graph_[sum].indices, found);
    return found.what != loop::none || bound_with_stride(sum).what != loop::none;
}

// The conditions that a fold is under, or that stand in what a sum of weights or of comparisons
// with an extremum is of.
expr_list lowering::conditions_within(const read_fold& f) {
    expr_list all = f.cases.parts;
    if (f.by != fold::sum || !may_carry()) return all;
    for (const expr part : f.cases.parts) {
        if (const auto weights = related_weights_in(graph_, part))
            for (const expr c : weights->cases.parts) all.push_back(c);
        if (const auto asked = asked_extremum_in(part))
            for (const expr c : asked->conditions) all.push_back(c);
    }
    return all;
}

// Whether a fold up to a place of another loop is short.
bool lowering::is_short_by_index(const read_fold& f) {
    if (runs_by_index(f)) return true;
    if (f.by != fold::sum || !may_carry()) return false;
    return decayed_sum_of(f) || std::ranges::any_of(f.cases.parts, [&](expr part) {
               return asked_extremum_in(part).has_value();
           });
}

// The loop i of [i <= 2j + n] in a fold over one of these, i where it is `folded`, of which each
// residue of i takes one pass or goes by blocks.
lowering::strided_bound lowering::bound_with_stride(const read_fold& f, bool folded) {
    for (const expr c : conditions_within(f)) {
        const auto compared = compared_in(graph_, c);
        if (!compared || compared->has_edge() ||
            (compared->code != opcode::less && compared->code != opcode::less_equal))
            continue;
        const place margin = compared->margin();
        if (margin.terms.size() != 2) continue;
        const bool first = std::abs(margin.terms[0].factor) == 1;
        const term &whole = margin.terms[first ? 0 : 1], &other = margin.terms[first ? 1 : 0];
        const std::int64_t stride = std::abs(other.factor);
        if (std::abs(whole.factor) != 1 || stride < 2 || stride > most_residues ||
            contains(f.over, whole.over) != folded || contains(f.over, other.over) == folded ||
            graph_.extent(whole.over) <= stride)
            continue;
        const moved_loop m = residue_of(whole.over, stride, 0);
        const expr there = graph_.moved(f.body, {&m, 1});
        if (!there) continue;
        const loop_list left = folded ? moved(f.over, m) : f.over;
        loop_list related = moved(loop_list{whole.over}, m);
        add_loop(related, other.over);
        const bool is_window = f.by == fold::sum && graph_.size(related) > few_pairs &&
                               !looks_at_pairs(graph_.sum(left, there), related);
        if (is_window || is_short_by_index(described(f.by, left, there)))
            return {whole.over, stride};
    }
    return {};
}

// The same of a fold over j.
lowering::strided_bound lowering::bound_with_stride(expr e) {
    const auto& node = graph_[e];
    const bool sums = node.kind == kind::sum;
    if ((!sums && node.kind != kind::fold) || !has_conditions()) return {};
    const fold folding = sums ? fold::sum : node.folding;
    if (!sums && !is_guarded(graph_, folding, node.arguments[0])) return {};
    return bound_with_stride(described(folding, node.over, node.arguments[0]), false);
}

// A sum over i under [i <= 2j + n], of what has j, too, as one over each residue of i. None: it is
// nothing of the kind.
expr lowering::in_residues(const read_fold& sum) {
    const strided_bound bound = bound_with_stride(sum, true);
    if (!bound.what) return expr::none;
    expr_list parts;
    for (std::int64_t residue = 0; residue < bound.stride; ++residue) {
        const moved_loop m = residue_of(bound.what, bound.stride, residue);
        const expr there = graph_.moved(sum.body, {&m, 1});
        if (!there) return expr::none;
        parts.push_back(graph_.sum(moved(sum.over, m), there));
    }
    return graph_.add(parts);
}

// Every so manieth place of a loop, from one on.
moved_loop lowering::residue_of(loop l, std::int64_t stride, std::int64_t residue) {
    const std::int64_t count = (graph_.extent(l) - residue + stride - 1) / stride;
    moved_loop m{l, {residue, {}}};
    if (count > 1) m.to.add(graph_.loops().part(l, residue, stride, count), stride);
    return m;
}

// What reads every second element, say, of a sum adds to every second one of what it is the
// derivative by: the even ones and the odd ones are computed apart, or as a loop of their own.
bool lowering::splits_strides(const access& target, expr value, double beta) {
    const loop_list indices = loops_of(target);
    strided_loop found;
    find_strides(graph_, value, indices, found);
    if (!found.what) {
        const strided_bound bound = bound_with_stride(value);
        if (contains(indices, bound.what)) found = {bound.what, bound.stride};
    }
    if (!found.what) return false;
    auto& loops = graph_.loops();
    const std::int64_t extent = graph_.extent(found.what), stride = found.stride;
    std::vector<std::pair<moved_loop, expr>> parts;
    const auto part = [&](const moved_loop& m) {
        parts.emplace_back(m, graph_.moved(value, {&m, 1}));
    };
    if (found.whole) {
        const std::int64_t rounds = extent / stride;
        moved_loop m{found.what, {}};
        if (rounds > 1) m.to.add(loops.part(found.what, 0, stride, rounds), stride);
        m.to.add(loops.part(found.what, 0, 1, stride), 1);
        part(m);
        const std::int64_t left = extent - rounds * stride;
        if (left > 0) part(to_part(graph_, found.what, {rounds * stride, left}));
    }
    for (std::int64_t residue = 0; residue < stride && !found.whole; ++residue)
        part(residue_of(found.what, stride, residue));
    for (const auto& [m, there] : parts)
        if (!there) return false;
    for (const auto& [m, there] : parts) into(moved(graph_, target, m), there, beta);
    return true;
}

}  // namespace ricci::plan
