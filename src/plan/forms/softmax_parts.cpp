// Sums of weights of a softmax of x_j under conditions between j and i. Where these leave a window,
// or one place, the largest x of each i and the sum of exp(x_j - m_i) are folds of few, and so is
// the sum of the weights; where they are parts of which one holds at a time, as j < i and j > i,
// each part has weights of its own, times the share that it has of all for this i. Neither looks at
// all pairs. One part that is all up to an index is a recurrence, in decayed_sums.cpp.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "src/plan/forms/lower.hpp"

namespace ricci::plan {

// exp(x_j - m_i) where the conditions of a part hold, as factors.
static expr_list weights_of(graph& values, const expr_list& conditions, expr value, expr most) {
    auto product = conditions;
    product.push_back(values.apply(opcode::exp, values.apply(opcode::subtract, value, most)));
    return product;
}

// Whether a sum of these weights times what stands beside them looks at no pairs; how they are made
// is known then.
bool lowering::is_taken_alone(weights_of_part& part, loop j, const loop_list& over,
                              const expr_list& beside) {
    const guarded read{part.conditions, part.value};
    const expr weights = graph_.row(fold::softmax, {j}, body_of(graph_, fold::softmax, read));
    auto product = beside;
    product.push_back(weights);
    if (const auto d = decayed_sum_of(described(over, graph_.multiply(product)))) {
        part.pairs = d->pairs;
        return true;
    }
    if (const auto at = only_place(graph_, part.conditions, j)) {
        const moved_loop there{j, {*at, {}}};
        const expr value = graph_.moved(part.value, {&there, 1});
        if (!value) return false;
        part.value = value;
    }
    loop_list related{j};
    for (const expr c : part.conditions) related = united(related, graph_[c].indices);
    const expr maximum = graph_.folded(fold::maximum, {j}, body_of(graph_, fold::maximum, read));
    if (looks_at_pairs(maximum, related)) return false;
    place most;  // stands for the number of each i that the maximum is
    for (const loop i : without(related, {j})) most.add(i, 1);
    product = beside;
    for (const expr f :
         weights_of(graph_, part.conditions, part.value, graph_.position(std::move(most))))
        product.push_back(f);
    return !looks_at_pairs(graph_.sum(over, graph_.multiply(product)), related);
}

// The largest value of each i, and the sum of all weights: 0 where there is none.
void lowering::find_state(weights_of_part& part, loop j) {
    const expr lowest = graph_.constant(lowest_number());
    if (!part.pairs) {
        const expr maximum = graph_.folded(
            fold::maximum, {j}, body_of(graph_, fold::maximum, {part.conditions, part.value}));
        part.most = stored(graph_.apply(opcode::maximum, maximum, lowest));
        const auto product = weights_of(graph_, part.conditions, part.value, part.most);
        part.sum = stored(graph_.sum({j}, graph_.multiply(product)));
        return;
    }
    const triangle& pairs = *part.pairs;
    pair_parts parts;
    parts.link_loop = graph_.loops().fresh(graph_.loops().letter(j), graph_.extent(j) - 1);
    const expr body = body_of(graph_, fold::softmax, {part.conditions, part.value});
    const expr x = stored(pairs_in(graph_, fold::softmax, body, j)->value);
    const pair_weight weight{pair_weight::weight_kind::softmax, fold::maximum, x, expr::none};
    const auto w = weights_up_to_each(x, extremum_of(weight, x, pairs), pairs, parts);
    expr_list inside;
    const place there = end_of_pairs(pairs, inside);
    const expr holds = graph_.multiply(inside), most = ends_inside(pairs) ? w.most : stored(w.most);
    part.most = graph_.apply(opcode::select, holds, at_place(most, j, there), lowest);
    part.sum = graph_.multiply({holds, at_place(w.sum, j, there)});
}

// Of each part the share that it has of the sum of all weights; of one alone none is needed.
expr_list lowering::shares_of(const std::vector<weights_of_part>& parts) {
    if (parts.size() == 1) return {graph_.constant(1)};
    expr_list extrema, sums;
    for (const auto& p : parts) extrema.push_back(p.most);
    const expr most = combined(fold::maximum, extrema);
    for (const auto& p : parts)
        sums.push_back(graph_.multiply(
            {p.sum, graph_.apply(opcode::exp, graph_.apply(opcode::subtract, p.most, most))}));
    // The largest of all weights is 1, if there is one.
    const expr whole = graph_.apply(
        opcode::reciprocal, graph_.apply(opcode::maximum, graph_.add(sums), graph_.constant(1)));
    expr_list shares;
    for (const expr s : sums) shares.push_back(stored(graph_.multiply({s, whole})));
    return shares;
}

// The parts of the conditions that a softmax is under, where sums of its weights look at no pairs;
// nothing where they do.
std::vector<weights_of_part> lowering::softmax_parts(expr weights, const loop_list& over,
                                                     const expr_list& beside) {
    const auto read = related_weights_in(graph_, weights);
    if (!read) return {};
    std::vector<weights_of_part> parts;
    for (expr_list& conditions : parts_of_conditions(read->cases.parts, read->j))
        parts.push_back({std::move(conditions), read->cases.value, {}, {}, {}});
    const bool all = std::ranges::all_of(
        parts, [&](weights_of_part& p) { return is_taken_alone(p, read->j, over, beside); });
    return all ? parts : std::vector<weights_of_part>{};
}

// The factors beside a softmax, but for conditions that it is under itself.
expr_list lowering::beside_weights(const expr_list& factors, std::size_t k) {
    const auto conditions =
        guarded_in(graph_, fold::softmax, graph_[factors[k]].arguments[0]).parts;
    expr_list beside;
    for (std::size_t other = 0; other < factors.size(); ++other)
        if (other != k && std::ranges::count(conditions, factors[other]) == 0)
            beside.push_back(factors[other]);
    return beside;
}

// A factor in which what is folded for each i is in memory, made once for all parts.
expr lowering::with_folds_in_memory(expr factor, loop j) {
    const auto& node = graph_[factor];
    if (node.bound.empty() || contains(node.indices, j)) return factor;
    return graph_.substituted(factor, [&](expr e) {
        const auto what = graph_[e].kind;
        return what == kind::sum || what == kind::fold ? stored(e) : expr(expr::none);
    });
}

// What stands beside weights of these loops, of which what sums over others has been summed, once
// for all parts, where that leaves nothing of pairs.
expr_list lowering::summed_beside(const expr_list& beside, const loop_list& weighed,
                                  loop_list& over) {
    const loop_list own = without(over, weighed);
    expr_list first, rest;
    for (const expr f : beside)
        (common(graph_[f].indices, own).empty() ? rest : first).push_back(f);
    const expr product = graph_.multiply(first);
    if (own.empty() || without(weighed, graph_[product].indices).empty()) return beside;
    rest.push_back(stored(graph_.sum(own, product)));
    over = without(over, own);
    return rest;
}

// A sum of such weights. None: it is nothing of the kind.
expr lowering::weights_in_parts(const read_fold& sum) {
    if (!may_carry()) return expr::none;
    const expr_list& all = sum.cases.parts;
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (!is_softmax(graph_[all[k]])) continue;
        expr_list beside = beside_weights(all, k);
        auto parts = softmax_parts(all[k], sum.over, beside);
        if (parts.empty()) continue;
        const loop j = graph_[all[k]].over[0];
        loop_list left = sum.over;
        beside = summed_beside(beside, graph_[all[k]].indices, left);
        for (expr& f : beside) f = with_folds_in_memory(f, j);
        for (auto& p : parts)
            if (parts.size() > 1 || !p.pairs) find_state(p, j);
        const auto shares = shares_of(parts);
        expr_list terms;
        for (std::size_t n = 0; n < parts.size(); ++n) {
            const auto& p = parts[n];
            auto product = beside;
            product.push_back(shares[n]);
            if (p.pairs) {
                const guarded own{p.conditions, p.value};
                product.push_back(
                    graph_.row(fold::softmax, {j}, body_of(graph_, fold::softmax, own)));
            } else {
                for (const expr f : weights_of(graph_, p.conditions, p.value, p.most))
                    product.push_back(f);
                // Where all are -infinity the sum is 0, and so are all weights.
                product.push_back(stored(graph_.apply(
                    opcode::reciprocal, graph_.apply(opcode::maximum, p.sum, graph_.constant(1)))));
            }
            terms.push_back(graph_.sum(left, graph_.multiply(product)));
        }
        return graph_.add(terms);
    }
    return expr::none;
}

}  // namespace ricci::plan
