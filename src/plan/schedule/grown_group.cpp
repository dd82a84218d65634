// Assignments around planes.
#include "src/plan/schedule/grown_group.hpp"

#include <algorithm>

#include "src/plan/pool/unroll.hpp"

namespace ricci::plan {
namespace {

/// The load that is subtracted in -1 * load.
expr subtracted(const graph& values, expr e) {
    const auto& node = values[e];
    const bool negated = node.code == opcode::multiply && node.arguments.size() == 2 &&
                         values.is_constant(node.arguments[0], -1) &&
                         values[node.arguments[1]].kind == kind::load;
    return negated ? node.arguments[1] : expr::none;
}

}  // namespace

std::optional<distance_parts> distance_of(const graph& values, const assign& a) {
    const bool sums = a.folding == fold::sum || a.folding == fold::mean;
    if (a.kind != assignment_kind::map || !sums || values.size(a.over) < 2) return {};
    distance_parts found;
    if (a.folding == fold::mean) found.number = 1 / values.size(a.over);
    expr square;
    for (const expr f : values.factors(a.body)) {
        const bool of_sum = !common(values[f].indices, a.over).empty();
        if (values[f].kind == kind::constant) {
            found.number *= values[f].value;
        } else if (values.is_scalar(f) && !values.is_bracket(f)) {
            found.scale.push_back(f);
        } else if (values[f].kind == kind::load && of_sum && !found.weight) {
            found.weight = f;
        } else if (square) {
            return {};
        } else {
            square = f;
        }
    }
    if (!square || values[square].code != opcode::square) return {};
    const auto terms = values.terms(values[square].arguments[0]);
    if (terms.size() != 2) return {};
    for (std::size_t k = 0; k < 2; ++k) {
        found.a = terms[k];
        found.b = subtracted(values, terms[1 - k]);
        if (found.b && values[found.a].kind == kind::load) break;
        found.b = expr::none;
    }
    if (!found.b) return {};
    // Each of them is summed along all loops.
    for (const expr e : {found.a, found.b})
        if (!without(a.over, values[e].indices).empty()) return {};
    // A weight of a term, and perhaps of what one of them is of.
    const auto has_loops_of_weight = [&](expr e) {
        return without(without(values[found.weight].indices, a.over), values[e].indices).empty();
    };
    if (found.weight && !has_loops_of_weight(found.a) && !has_loops_of_weight(found.b)) return {};
    return found;
}

std::int32_t matching::of(loop l) const {
    for (const auto& [from, to] : pairs_)
        if (from == l) return to;
    return -1;
}

bool matching::has(std::int32_t group_loop) const {
    return std::ranges::any_of(pairs_, [&](const auto& p) { return p.second == group_loop; });
}

bool matching::has_all(const loop_list& loops) const {
    return std::ranges::all_of(loops, [&](loop l) { return of(l) >= 0; });
}

bool matching::add(loop l, std::int32_t group_loop) {
    const std::int32_t before = of(l);
    if (before >= 0 || has(group_loop)) return before == group_loop;
    pairs_.emplace_back(l, group_loop);
    return true;
}

factor_loads factors_of(const graph& values, const assign& contraction) {
    const auto& factors = values[contraction.body].arguments;
    const auto load = [&](expr e) {
        return &values[values[e].kind == kind::operation ? values[e].arguments[0] : e];
    };
    return {load(factors[0]), load(factors[1])};
}

std::optional<scaled_product> product_of_loads(const graph& values, expr body) {
    const auto is_product = [&](expr e) {
        return values[e].code == opcode::multiply && values[e].arguments.size() == 2;
    };
    if (!is_product(body)) return {};
    scaled_product found;
    if (const auto& first = values[values[body].arguments[0]]; first.kind == kind::constant) {
        found.number = first.value;
        body = values[body].arguments[1];
        if (!is_product(body)) return {};
    }
    found.a = &values[values[body].arguments[0]];
    found.b = &values[values[body].arguments[1]];
    if (found.a->kind != kind::load || found.b->kind != kind::load) return {};
    return found;
}

loop_list batch_m_n(const factor_loads& f, const loop_list& over) {
    loop_list result = without(common(f.a->indices, f.b->indices), over);
    for (const auto& [mine, other] : {std::pair(f.a, f.b), std::pair(f.b, f.a)})
        for (const loop l : without(without(mine->indices, other->indices), over))
            result.push_back(l);
    return result;
}

bool grown_group::is_found_with_weights(std::size_t step) const {
    const assign& a = at(step);
    if (a.kind == assignment_kind::extremum) return false;
    if (a.folding != fold::maximum)
        return sums_exponentials(a.folding) && a.folding != fold::softmax;
    return std::ranges::any_of(plan->steps, [&](const plan::step& s) {
        const assign* other = s.as_assign();
        return other != nullptr && other->folding == fold::excess && other->body == a.body;
    });
}

bool grown_group::is_product(std::size_t step) const {
    return at(step).kind == assignment_kind::contract || is_distance(at(step), matched.at(step));
}

bool grown_group::is_distance(const assign& a, const matching& found) const {
    const auto& values = plan->values;
    const auto parts = distance_of(values, a);
    if (!parts || values.size(a.over) > most_unrolled) return parts.has_value();
    const auto along_a = walked(found, values[parts->a].source),
               along_b = walked(found, values[parts->b].source);
    const bool is_a = follows(along_a, loop_role::column);
    if (is_a == follows(along_b, loop_role::column)) return false;
    const auto& of_columns = is_a ? along_a : along_b;
    bool rows = false, lacks = false;
    for (std::size_t g = 0; g < loops.size(); ++g) {
        if (loops[g].role != loop_role::row) continue;
        rows = true;
        lacks = lacks || !of_columns[g];
    }
    return lacks || !rows;
}

std::array<access, 2> grown_group::sides_of(std::size_t step) const {
    const auto& values = plan->values;
    if (at(step).kind == assignment_kind::contract) {
        const auto f = factors_of(values, at(step));
        return {f.a->source, f.b->source};
    }
    const auto parts = distance_of(values, at(step));
    return {values[parts->a].source, values[parts->b].source};
}

loop_choice grown_group::walked(const matching& found, const access& a) const {
    loop_choice result(loops.size(), false);
    for (const loop l : loops_of(a))
        if (const auto g = found.of(l); g >= 0) result[static_cast<std::size_t>(g)] = true;
    return result;
}

bool grown_group::spans_tile(const loop_choice& along) const {
    const bool rows =
        std::ranges::none_of(loops, [](const group_loop& l) { return l.role == loop_role::row; });
    return (rows || follows(along, loop_role::row)) && follows(along, loop_role::column);
}

bool grown_group::follows(const loop_choice& along, loop_role role) const {
    for (std::size_t g = 0; g < loops.size(); ++g)
        if (loops[g].role == role && along[g]) return true;
    return false;
}

bool grown_group::has_all_columns(const loop_choice& along) const {
    for (std::size_t g = 0; g < loops.size(); ++g)
        if (loops[g].role == loop_role::column && !along[g]) return false;
    return true;
}

loop_choice grown_group::summed_by(std::size_t step) const {
    const assign& a = at(step);
    const auto& found = matched.at(step);
    loop_choice summed(loops.size(), false);
    if (a.kind == assignment_kind::scatter) {
        summed = walked(found, a.target);
        for (bool& is : summed) is = !is;
        return summed;
    }
    for (const loop l : a.over)
        if (const auto g = found.of(l); g >= 0) summed[static_cast<std::size_t>(g)] = true;
    return summed;
}

loop_list grown_group::own_loops(std::size_t step) const {
    const assign& a = at(step);
    const auto& found = matched.at(step);
    auto own = united(a.loops, a.over);
    erase_if(own, [&](loop l) { return found.of(l) >= 0 || plan->values.extent(l) == 1; });
    return own;
}

bool grown_group::has_large_planes() const {
    const auto& values = plan->values;
    double columns = 1, contracted = 0, own = 1;
    for (const auto& l : loops)
        if (l.role == loop_role::column) columns *= static_cast<double>(values.extent(l.what));
    for (const std::size_t step : members) {
        const assign& a = at(step);
        if (sums_exponentials(a.folding)) return true;
        if (!is_product(step)) continue;
        if (is_plane(a.target.slot) && a.kind == assignment_kind::map) return true;
        if (is_plane(a.target.slot)) contracted = std::max(contracted, values.size(a.over));
        else own = std::max(own, values.size(own_loops(step)));
    }
    return columns >= contracted + own;
}

}  // namespace ricci::plan
