// Sums of products whose factors are read where tensors say, or that are added up there: a bag of
// embeddings and its gradients, messages between the nodes of a graph. Nothing of what is looked up
// is stored first.
#include <algorithm>
#include <utility>

#include "src/plan/forms/lower.hpp"

namespace ricci::plan {
namespace {

// Of a sum of more, some are multiplied first.
constexpr std::size_t most_lookup_factors = 4;

/// Whether a gather is wanted just where all of its numbers are places: read on the way it is 0
/// elsewhere, which does not count.
bool is_wanted_where_it_lands(graph& values, const slot& source, expr gather) {
    const expression& node = values[gather];
    if (node.arguments.size() == node.lookups.size()) return false;
    expr_list places;
    for (std::size_t k = 0; k < node.lookups.size(); ++k)
        places.push_back(values.is_place(
            node.arguments[k], source.extents[static_cast<std::size_t>(node.lookups[k].axis)]));
    return values.multiply(places) == node.arguments.back();
}

}  // namespace

// Whether it is read on the way: nothing of it lies beside an axis, and all of it is wanted, or is
// where one of some conditions holds.
bool lowering::can_look_up(expr e, const expr_list& implied) const {
    const auto& node = graph_[e];
    if (node.kind != kind::gather) return false;
    const bool wanted =
        node.arguments.size() == node.lookups.size() ||
        std::find(implied.begin(), implied.end(), node.arguments.back()) != implied.end() ||
        is_wanted_where_it_lands(graph_, plan_.slot_of(node.source), e);
    return wanted && !node.condition && !has_edge(node.source) && !is_edged_gather(e) &&
           plan_.holds(node.source.slot, type_);
}

// That number `k` of a gather is a place.
expr lowering::lands(expr gather, std::size_t k) const {
    const auto& node = graph_[gather];
    const auto axis = static_cast<std::size_t>(node.lookups[k].axis);
    return graph_.is_place(node.arguments[k], plan_.slot_of(node.source).extents[axis]);
}

// Takes out the conditions that a number is a place where something is looked up with it.
expr_list lowering::taken_landings(expr_list& factors) const {
    expr_list taken;
    for (const expr f : factors) {
        if (graph_[f].kind != kind::gather) continue;
        for (std::size_t k = 0; k < graph_[f].lookups.size(); ++k) {
            const expr there = lands(f, k);
            const auto parts = graph_.factors(there);
            if (graph_[there].kind != kind::constant &&
                std::all_of(parts.begin(), parts.end(), [&](expr p) {
                    return std::find(factors.begin(), factors.end(), p) != factors.end();
                }))
                taken.push_back(there);
        }
    }
    erase_if(factors, [&](expr f) {
        return std::any_of(taken.begin(), taken.end(), [&](expr t) {
            const auto parts = graph_.factors(t);
            return std::find(parts.begin(), parts.end(), f) != parts.end();
        });
    });
    return taken;
}

// Whether a product without a sum is one row times numbers, or one row times another, of what is in
// memory.
bool lowering::is_product_of_rows(const lookup_sum& product, const loop_list& by_number) const {
    std::size_t rows = 0;
    for (const expr f : product.factors) {
        const auto& node = graph_[f];
        const bool in_memory = node.kind == kind::load && !node.edged && !is_foreign(f);
        if (!in_memory && !can_look_up(f, product.implied)) return false;
        rows += without(node.indices, by_number).empty() ? 0 : 1;
    }
    const bool plain = graph_.is_constant(product.scale, 1);
    if (product.factors.size() == 1) return !product.implied.empty() || !plain;
    return rows == 1 || (rows == 2 && product.factors.size() == 2 && plain);
}

// Whether every condition that was taken out is one of what is read on the way now.
bool lowering::carries_landings(const lookup_sum& sum) const {
    return std::all_of(sum.landings.begin(), sum.landings.end(), [&](expr taken) {
        return std::any_of(sum.factors.begin(), sum.factors.end(), [&](expr f) {
            if (!can_look_up(f, sum.implied)) return false;
            for (std::size_t k = 0; k < graph_[f].lookups.size(); ++k)
                if (lands(f, k) == taken) return true;
            return false;
        });
    });
}

// What has none of the summed loops of numbers waits until those are summed; not what rows are
// multiplied by that are looked up matrices, and would be made for each row first. Gives the loops
// of what does not wait.
loop_list lowering::share_out(const expr_list& factors, const loop_list& over,
                              const loop_list& by_number, lookup_sum& found) const {
    const auto first = common(over, by_number);
    loop_list loops, waiting, columns;
    for (const expr f : factors)
        columns = united(columns, without(graph_[f].indices, united(over, by_number)));
    for (const expr f : factors) {
        const auto& indices = graph_[f].indices;
        const bool meets_matrix = !common(indices, by_number).empty() &&
                                  !common(indices, over).empty() &&
                                  !without(columns, indices).empty();
        const bool now = first.empty() || !common(indices, first).empty() || meets_matrix;
        (now ? found.factors : found.beside).push_back(f);
        auto& of = now ? loops : waiting;
        of = united(of, indices);
    }
    found.later = common(without(over, first), waiting);
    found.over = without(over, found.later);
    return loops;
}

// The factors, those in memory that lack no loop of another such one as one with it, where the sum
// is over more: rows are then multiplied by one matrix for each number.
expr_list lowering::multiplied_alike(const expr_list& factors, const expr_list& implied,
                                     const loop_list& loops) {
    expr_list made;
    for (const expr f : factors) {
        const auto& own = graph_[f].indices;
        const auto takes = [&](expr other) {
            const auto& indices = graph_[other].indices;
            const auto both = united(own, indices);
            return !can_look_up(other, implied) && (both == own || both == indices) &&
                   both != loops;
        };
        const auto to = can_look_up(f, implied) ? made.end() : std::ranges::find_if(made, takes);
        if (to == made.end()) made.push_back(f);
        else *to = graph_.multiply({*to, f});
    }
    return made;
}

// `takes`: that a number is a place is a condition of what is looked up with it, and else a factor.
std::optional<lookup_sum> lowering::lookups_of(expr e, bool takes) {
    if (type_ != element::f32 && type_ != element::f64) return {};
    if (!graph_.solves_places()) return {};
    const bool sums = graph_[e].kind == kind::sum;
    const loop_list over = sums ? graph_[e].over : loop_list{};
    lookup_sum found;
    expr_list rest;
    loop_list by_number;  // loops along which numbers differ
    auto there = sums ? landed(e) : std::nullopt;
    if (there && flat_number(*there)) return {};  // it lands together
    const auto is_placed = [&](const landing& l) {
        return place_on(l.axis, l.numbers).has_value();
    };
    if (there && !std::all_of(there->at.begin(), there->at.end(), is_placed)) {
        const auto first = std::find_if_not(there->at.begin(), there->at.end(), is_placed);
        found.axis = first->axis;
        found.numbers = first->numbers;
        rest = std::move(there->rest.parts);
        for (const landing& l : there->at)
            if (l.axis != found.axis) rest.push_back(l.test);
        by_number = graph_[found.numbers].indices;
    } else {
        const auto all = graph_.factors(sums ? graph_[e].arguments[0] : e);
        rest.assign(all.begin(), all.end());
    }
    if (takes) found.implied = taken_landings(rest);
    found.landings = found.implied;
    if (found.axis)
        found.implied.push_back(graph_.is_place(found.numbers, graph_.extent(found.axis)));
    expr_list scalars, varying;
    for (const expr f : rest) (graph_.is_scalar(f) ? scalars : varying).push_back(f);
    found.scale = graph_.multiply(scalars);
    loop_list widest;
    for (const expr f : varying) {
        if (!can_look_up(f, found.implied)) continue;
        if (!found.axis)
            for (std::size_t k = 0; k < graph_[f].lookups.size(); ++k)
                by_number = united(by_number, graph_[graph_[f].arguments[k]].indices);
        if (graph_.size(graph_[f].indices) > graph_.size(widest)) widest = graph_[f].indices;
    }
    if (!found.axis && widest.empty()) return {};
    const loop_list loops = share_out(varying, over, by_number, found);
    if (sums) found.factors = multiplied_alike(found.factors, found.implied, loops);
    const bool brackets =
        std::any_of(varying.begin(), varying.end(), [&](expr f) { return graph_.has_bracket(f); });
    if (!found.axis) {
        // More loops than the rows have make a product of matrices of it; single elements are none.
        const bool rows = without(loops, widest).empty() && !without(widest, by_number).empty();
        if (!rows || brackets || found.factors.size() > most_lookup_factors ||
            (!sums && !is_product_of_rows(found, by_number)))
            return {};
        return carries_landings(found) ? std::optional(found) : std::nullopt;
    }
    const bool together = brackets || found.factors.size() > most_lookup_factors;
    if (!found.landings.empty() && (together || !carries_landings(found)))
        return lookups_of(e, false);
    if (together && !found.factors.empty()) found.factors = {graph_.multiply(found.factors)};
    return found;
}

void lowering::emit_lookups(const lookup_sum& sum, const access& target, double beta) {
    expr_list factors;
    for (const expr f : sum.factors) {
        if (!can_look_up(f, sum.implied)) {
            factors.push_back(stored(f));
            continue;
        }
        expr_list numbers;
        auto lookups = graph_[f].lookups;
        for (std::size_t k = 0; k < lookups.size(); ++k) {
            const expr there = lands(f, k);
            lookups[k].may_stray =
                is_wanted_where_it_lands(graph_, plan_.slot_of(graph_[f].source), f) ||
                std::find(sum.landings.begin(), sum.landings.end(), there) != sum.landings.end();
            numbers.push_back(numbers_of(graph_[f].arguments[k]));
        }
        factors.push_back(
            graph_.regathered(f, std::move(numbers), graph_[f].source, std::move(lookups)));
    }
    const expr numbers = sum.axis ? numbers_of(sum.numbers) : expr::none;
    if (beta != 0) scale_target(target, beta);
    assign made = begun(assignment_kind::lookups, target);
    made.folding = sum.over.empty() ? fold::none : fold::sum;
    made.over = sum.over;
    made.scale = plain(sum.scale, 1);
    made.body = factors.empty()       ? graph_.constant(1)
                : factors.size() == 1 ? factors[0]
                                      : graph_.as_written(opcode::multiply, std::move(factors));
    made.beta = beta == 0 ? 0 : 1;
    made.scattered = sum.axis;
    made.numbers = numbers;
    put(std::move(made));
}

// The sum in memory of its own, and what is left to do with it.
expr lowering::looked_up(const lookup_sum& sum) {
    loop_list indices;
    for (const expr f : sum.factors) indices = united(indices, graph_[f].indices);
    if (sum.axis) indices = united(united(indices, graph_[sum.numbers].indices), {sum.axis});
    indices = without(indices, sum.over);
    // What is looked up is read row by row, and written so.
    loop_list axes = axis_order(indices, expr::none);
    for (const expr f : sum.factors) {
        if (sum.axis || graph_[f].kind != kind::gather) continue;
        const auto rows = rows_order(f);
        std::sort(axes.begin(), axes.end(), [&](loop x, loop y) {
            const auto at = [&](loop l) { return std::find(rows.begin(), rows.end(), l); };
            return at(x) != at(y) ? at(x) < at(y) : x < y;
        });
        break;
    }
    const access target = memory_over(axes, type_);
    emit_lookups(sum, target, 0);
    expr_list product = sum.beside;
    product.push_back(graph_.load(target));
    return graph_.sum(sum.later, graph_.multiply(product));
}

// A sum of two factors of a longer product, of which one is looked up, where that is read on the
// way; none: nothing is, or they make a product of matrices.
expr lowering::sum_of_rows(expr a, expr b, const loop_list& summed) {
    if (graph_[a].kind != kind::gather && graph_[b].kind != kind::gather) return expr::none;
    const expr sum = graph_.sum(summed, graph_.multiply({a, b}));
    if (graph_[sum].kind != kind::sum) return expr::none;
    const auto found = lookups_of(sum);
    return found && found->beside.empty() && found->later.empty() ? looked_up(*found) : expr::none;
}

}  // namespace ricci::plan
