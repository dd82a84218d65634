// Assignments around planes.
#include "src/plan/grown_group.hpp"

#include <algorithm>

namespace ricci::plan {

std::int32_t matching::of(loop l) const {
    for (const auto& [from, to] : pairs_)
        if (from == l) return to;
    return -1;
}

bool matching::has(std::int32_t group_loop) const {
    return std::any_of(pairs_.begin(), pairs_.end(),
                       [&](const auto& p) { return p.second == group_loop; });
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

loop_list batch_m_n(const factor_loads& f, const loop_list& over) {
    loop_list result = without(common(f.a->indices, f.b->indices), over);
    for (const auto& [mine, other] : {std::pair(f.a, f.b), std::pair(f.b, f.a)})
        for (const loop l : without(without(mine->indices, other->indices), over))
            result.push_back(l);
    return result;
}

loop_choice grown_group::walked(const matching& found, const access& a) const {
    loop_choice result(loops.size(), false);
    for (const loop l : loops_of(a))
        if (const auto g = found.of(l); g >= 0) result[static_cast<std::size_t>(g)] = true;
    return result;
}

bool grown_group::spans_tile(const loop_choice& along) const {
    const bool rows = std::none_of(loops.begin(), loops.end(),
                                   [](const group_loop& l) { return l.role == loop_role::row; });
    return (rows || follows(along, loop_role::row)) && follows(along, loop_role::column);
}

bool grown_group::follows(const loop_choice& along, loop_role role) const {
    for (std::size_t g = 0; g < loops.size(); ++g)
        if (loops[g].role == role && along[g]) return true;
    return false;
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
        if (a.kind != assignment_kind::contract) continue;
        if (is_plane(a.target.slot)) contracted = std::max(contracted, values.size(a.over));
        else own = std::max(own, values.size(own_loops(step)));
    }
    return columns >= contracted + own;
}

}  // namespace ricci::plan
