// What a sum comes to: another form of it, or products of two factors, one after the other.
#include <algorithm>

#include "src/plan/schedule/edges.hpp"
#include "src/plan/pool/loop_holders.hpp"
#include "src/plan/pool/outside.hpp"
#include "src/plan/forms/lower.hpp"
#include "src/plan/forms/path_through.hpp"
#include "src/plan/pool/solve_places.hpp"

namespace ricci::plan {

// The sum where it is no contraction of its own: of a place that is solved for, up to an index, as
// a recurrence, by blocks, or with lookups. None: it is nothing of the kind.
expr lowering::other_form(expr sum) {
    const loop_list over = graph_[sum].over;
    expr body = graph_[sum].arguments[0];
    if (waits_for_folds(graph_, over, body))
        body = graph_.substituted(body, [&](expr e) {
            const auto what = graph_[e].kind;
            return what == kind::sum || what == kind::fold ? stored(e) : expr(expr::none);
        });
    if (const expr read = landed_before_read(over, body)) return read;
    if (const expr solved = solved_sum(graph_, over, body, strided::solved)) return solved;
    if (has_conditions())
        if (const expr form = form_under_conditions(described(over, body))) return form;
    if (const auto both_ways = recurrences_of(over, body)) return *both_ways;
    if (in_blocks(sum)) return graph_.load(computed(sum));
    if (const auto s = lookups_of(sum)) return looked_up(*s);
    if (lands_together(sum)) {
        const auto there = *landed(sum);
        if (const expr in_turn = landed_in_turn(over, there)) return in_turn;
        return landed_together(fold::sum, over, there);
    }
    return beside_scatter(sum);
}

// Up to an index, in parts, or as a recurrence.
expr lowering::form_under_conditions(const read_fold& sum) {
    if (const auto prefix = prefix_of(sum)) return *prefix;
    if (const expr apart = in_parts(sum)) return apart;
    if (const expr apart = in_residues(sum)) return apart;
    if (const auto decaying = recurrence_of(sum)) return *decaying;
    if (const expr apart = extrema_in_parts(sum)) return apart;
    return weights_in_parts(sum);
}

// What is added up at places, times the factors that have none of the loops which are summed over:
// beside them it would be a matrix of conditions. None: it is nothing of the kind.
expr lowering::beside_scatter(expr sum) {
    const loop_list over = graph_[sum].over;
    expr_list product, added;
    for (const expr f : graph_.factors(graph_[sum].arguments[0])) {
        const bool inside = graph_.is_scalar(f) || !common(graph_[f].indices, over).empty();
        (inside ? added : product).push_back(f);  // numbers in front of a sum belong to it
    }
    if (product.empty() || plan_.careful) return expr::none;
    const expr alone = graph_.sum(over, graph_.multiply(added));
    if (graph_[alone].kind != kind::sum) return expr::none;
    if (scattered_sum found;
        !is_scatter(alone, found) && !lookups_of(alone) && !lands_together(alone))
        return expr::none;
    hides_ = true;  // where nothing is added, what stands beside it is hidden
    product.push_back(alone);
    return graph_.multiply(product);
}

// Sums each factor over those of the loops that no other one has, and gives these loops.
loop_list lowering::sum_lone_loops(expr_list& factors, const loop_list& over) {
    const loop_holders holders(graph_, factors);
    loop_list alone;
    for (const loop l : common(holders.loops(), over))
        if (holders[l] == 1) alone.push_back(l);
    for (expr& f : factors) {
        if (alone.empty()) break;
        const auto lone = common(graph_[f].indices, alone);
        if (lone.empty()) continue;
        hides_ = hides_ || graph_.has_bracket(f);
        f = graph_.row(fold::sum, lone, f);
    }
    return alone;
}

// Splits a sum into numbers in front and factors, and sums away what only one factor has.
resolved lowering::resolve(expr written) {
    const auto given = [&](expr value) {
        if (graph_[value].kind == kind::sum) return resolve(value);
        return resolved{false, {}, value};
    };
    if (const expr apart = with_terms_apart(written)) return given(apart);
    const expr sum = with_written_out(written);
    if (const expr other = other_form(sum)) return given(other);
    const loop_list over = graph_[sum].over;
    const auto body = without_implied(graph_, known_.defined, graph_[sum].arguments[0]);
    if (const expr distance = weighted_distance(over, body)) return given(distance);
    expr_list scalars, varying;
    for (expr f : graph_.factors(body)) (graph_.is_scalar(f) ? scalars : varying).push_back(f);
    if (varying.size() == 1 || (plan_.careful && (graph_.has_bracket(body) || graph_[body].edged)))
        return {false, {}, graph_.row(fold::sum, over, body)};
    // Of 16 bits a sum that is stored is rounded once more than a contraction that has it inside.
    if (type_ != element::bf16 && type_ != element::f16) {
        if (const loop_list alone = sum_lone_loops(varying, over); !alone.empty()) {
            auto product = scalars;
            product.insert(product.end(), varying.begin(), varying.end());
            return given(graph_.sum(without(over, alone), graph_.multiply(product)));
        }
    }
    return contracted(std::move(varying), over, graph_.multiply(scalars));
}

// Whether a sum of products of two factors is one of matrices, or of vectors as such.
bool lowering::multiplies_matrices(expr left, expr right, const loop_list& summed) {
    const auto &l = graph_[left].indices, &r = graph_[right].indices;
    const bool all_left = without(r, l).empty(), all_right = without(l, r).empty();
    const bool shifted = !summed.empty() && (all_left || all_right) &&
                         shifts_of(graph_.multiply({left, right}), summed) == summed;
    // A bracket masks what has all of its loops: on its own it would be a matrix of 1 and 0.
    const bool masks =
        (graph_.is_bracket(left) && all_right) || (graph_.is_bracket(right) && all_left);
    return !shifted && !masks && !(all_left && all_right);
}

// `scale`, or 1 where there is none.
contraction_of lowering::contraction(expr left, expr right, const loop_list& summed, expr scale) {
    // What is conjugated needs no memory of its own: the contraction does it on the way.
    const auto operand = [&](expr factor, bool& conjugate) {
        conjugate = graph_[factor].code == opcode::conjugate;
        return operand_of(conjugate ? graph_[factor].arguments[0]
                                    : without_implied(graph_, known_.defined, factor));
    };
    contraction_of made;
    made.hides = graph_.has_bracket(left) || graph_.has_bracket(right);
    made.a = operand(left, made.conjugate_a);
    made.b = operand(right, made.conjugate_b);
    made.over = summed;
    made.scale = scale ? scale : graph_.constant(1);
    return made;
}

// The factors in the order of the best path. Products without a sum stay expressions, which whoever
// uses them computes; so do sums that give one number for each element of a batch.
resolved lowering::contracted(expr_list factors, const loop_list& over, expr scale) {
    std::optional<contraction_of> product;
    const auto make = [&](expr left, expr right, const loop_list& summed, bool last) -> expr {
        const auto scaled = [&](expr value) {
            return last ? graph_.multiply({scale, value}) : value;
        };
        if (summed.empty()) return scaled(graph_.multiply({left, right}));
        const bool matrices = multiplies_matrices(left, right, summed);
        if (const expr read = sum_of_rows(left, right, summed)) return scaled(read);
        if (!matrices) {
            const expr value = scaled(graph_.multiply({left, right}));
            hides_ = hides_ || (!last && graph_.has_bracket(value));
            return graph_.row(fold::sum, summed, value);
        }
        if (const expr found = product_of_rows(left, right, summed)) return scaled(found);
        if (!last) return stored(contraction(left, right, summed, expr::none));
        product = contraction(left, right, summed, scale);
        return expr::none;
    };
    const expr value = folded_in_pairs(graph_, std::move(factors), over, make);
    if (product) return {true, *std::move(product), {}};
    return {false, {}, value};
}

expr lowering::stored(const contraction_of& product) {
    const auto indices =
        without(united(graph_[product.a].indices, graph_[product.b].indices), product.over);
    const auto target = temporary(indices);
    emit(product, target, 0);
    return graph_.load(target);
}

}  // namespace ricci::plan
