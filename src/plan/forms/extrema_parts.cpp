// Sums of [x_j = m_i], where m_i is the extremum of the x_j that conditions between j and i leave:
// who it is, which the gradients of extrema ask. Under parts of which one holds at a time, as j < i
// and j > i, each part has an extremum of its own, and who is the extremum of all is that of its
// part: both are asked in one pass. Beyond the conditions it is asked of what changes no extremum.
#include <algorithm>
#include <utility>

#include "src/plan/forms/lower.hpp"

namespace ricci::plan {
namespace {

expr_list with_all(expr_list all, const expr_list& more) {
    for (const expr e : more) all.push_back(e);
    return all;
}

loop_list loops_under(const graph& values, const expr_list& conditions) {
    loop_list all;
    for (const expr c : conditions) all = united(all, values[c].indices);
    return all;
}

}  // namespace

// What is compared with the extremum of it along a loop, under conditions.
std::optional<asked_extremum> lowering::asked_extremum_in(expr test) {
    const expression& node = graph_[test];
    if (node.kind != kind::operation || node.code != opcode::equal) return {};
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const expr value = node.arguments[side], extremum = node.arguments[1 - side];
        const bool reads = graph_[extremum].kind == kind::load;
        const expr written = reads ? known_.defined.written_of(extremum) : extremum;
        if (!written || graph_[written].kind != kind::fold) continue;
        const expression& taken = graph_[written];
        if ((taken.folding != fold::maximum && taken.folding != fold::minimum) ||
            taken.over.size() != 1)
            continue;
        const loop k = taken.over[0];
        for (const loop j : without(graph_[value].indices, graph_[extremum].indices)) {
            if (graph_.extent(j) != graph_.extent(k) ||
                graph_.renamed(taken.arguments[0], {{k, j}}) != value)
                continue;
            const guarded cases = guarded_in(graph_, taken.folding, value);
            const loop_list ends = without(loops_under(graph_, cases.parts), {j});
            if (ends.empty() || !common(graph_[cases.value].indices, ends).empty()) continue;
            return asked_extremum{j, taken.folding, cases.parts, cases.value, extremum};
        }
    }
    return {};
}

// Of some of the conditions: a recurrence, or a sum that is solved; nothing: neither. `alone`: they
// are all there are, so that the extremum is theirs.
std::optional<asked_part> lowering::asked_part_of(const asked_extremum& asked,
                                                  const expr_list& conditions, bool alone,
                                                  const loop_list& over, const expr_list& beside) {
    const auto equal = [&](expr a, expr b) { return graph_.apply(opcode::equal, a, b); };
    const expr cases = body_of(graph_, asked.folding, {conditions, asked.value});
    const expr_list product = with_all(beside, conditions);
    if (const auto own = pairs_in(graph_, asked.folding, cases, asked.j)) {
        expr most = asked.extremum;
        expr_list carried = product;
        if (!alone) {
            auto& loops = graph_.loops();
            const loop k = loops.fresh(asked.j);
            most = graph_.row(asked.folding, {k}, graph_.renamed(cases, {{asked.j, k}}));
            carried.push_back(equal(most, asked.extremum));
        }
        carried.push_back(equal(own->value, most));
        if (auto d = decayed_sum_of(described(over, graph_.multiply(carried))))
            return asked_part{std::move(d), alone ? expr(expr::none) : most, {}};
    }
    expr value = asked.value;
    if (const auto at = only_place(graph_, conditions, asked.j)) {
        const moved_loop there{asked.j, {*at, {}}};
        value = graph_.moved(value, {&there, 1});
        if (!value) return {};
    }
    const expr body = graph_.multiply(with_all(product, {equal(value, asked.extremum)}));
    if (!is_short(described(over, body), loops_under(graph_, asked.conditions)) &&
        !lands_alone(over, body))
        return {};
    return asked_part{{}, {}, graph_.sum(over, body)};
}

// What there is where not all of the conditions hold, of which those that are `held` stand beside
// it; nothing: it looks at all pairs.
std::optional<expr_list> lowering::asked_beyond(const asked_extremum& asked, const loop_list& over,
                                                const expr_list& beside, const expr_list& held) {
    const expr nothing = graph_.constant(identity_of(asked.folding));
    expr_list sums, before = held;
    for (const expr c : asked.conditions) {
        if (std::ranges::count(held, c) > 0) continue;
        const expr other = graph_.opposite(c);
        if (graph_[other].code == opcode::logical_not) return {};
        const expr asks = graph_.apply(opcode::equal, nothing, asked.extremum);
        const expr body = graph_.multiply(with_all(with_all(beside, before), {other, asks}));
        before.push_back(c);
        if (!is_short(described(over, body), loops_under(graph_, asked.conditions))) return {};
        sums.push_back(graph_.sum(over, body));
    }
    return sums;
}

// The same where nothing else is summed: how many there are, less those under the conditions. Both
// are whole numbers.
expr_list lowering::counted_beyond(const asked_extremum& asked, const loop_list& over,
                                   const expr_list& beside, const expr_list& held) {
    const expr nothing = graph_.constant(identity_of(asked.folding));
    const auto is_summed = [&](expr f) { return !common(graph_[f].indices, over).empty(); };
    expr_list product{graph_.apply(opcode::equal, nothing, asked.extremum)}, counted;
    for (const expr f : with_all(beside, held)) {
        if (is_summed(f) && !graph_.is_bracket(f)) return {};
        (is_summed(f) ? counted : product).push_back(f);
    }
    const expr inside = graph_.multiply(with_all(counted, asked.conditions));
    if (!lands_alone(over, inside)) return {};
    const auto times = [&](double sign, expr count) {
        return graph_.multiply(with_all(product, {graph_.constant(sign), count}));
    };
    return {times(1, graph_.sum(over, graph_.multiply(counted))),
            times(-1, graph_.load(computed(graph_.sum(over, inside))))};
}

// Whether a sum is one of values that land where numbers say.
bool lowering::lands_alone(const loop_list& over, expr body) {
    const expr sum = graph_.sum(over, body);
    return graph_[sum].kind == kind::sum && (lookups_of(sum) || lands_together(sum));
}

// Such a sum. None: it is nothing of the kind, or a part of it looks at all pairs.
expr lowering::extrema_in_parts(const read_fold& sum) {
    if (!may_carry()) return expr::none;
    const expr_list& all = sum.cases.parts;
    for (std::size_t k = 0; k < all.size(); ++k) {
        const auto asked = asked_extremum_in(all[k]);
        if (!asked) continue;
        expr_list beside, held;
        for (std::size_t other = 0; other < all.size(); ++other) {
            if (other == k) continue;
            const expr f = with_folds_in_memory(all[other], asked->j);
            (std::ranges::count(asked->conditions, f) > 0 ? held : beside).push_back(f);
        }
        const auto conditions = parts_of_conditions(asked->conditions, asked->j);
        std::vector<asked_part> parts;
        for (const expr_list& own : conditions)
            if (auto p = asked_part_of(*asked, own, conditions.size() == 1, sum.over, beside))
                parts.push_back(std::move(*p));
        auto terms = asked_beyond(*asked, sum.over, beside, held);
        if (!terms) {
            auto counted = counted_beyond(*asked, sum.over, beside, held);
            if (!counted.empty()) terms = std::move(counted);
        }
        if (parts.size() != conditions.size() || !terms) continue;
        for (const asked_part& p : parts) {
            if (p.most) stored(p.most);
            terms->push_back(p.carried ? decayed(*p.carried) : p.sum);
        }
        return graph_.add(*terms);
    }
    return expr::none;
}

}  // namespace ricci::plan
