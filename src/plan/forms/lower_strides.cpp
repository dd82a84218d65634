// Sums that read every second element, say: their derivatives add to every second one, and are
// computed for each residue apart, or for a loop as two.
#include <cstdlib>
#include <utility>
#include <vector>

#include "src/plan/schedule/edges.hpp"
#include "src/plan/forms/lower.hpp"
#include "src/plan/pool/solve_places.hpp"

namespace ricci::plan {
namespace {

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

bool lowering::has_strides(expr sum) const {
    strided_loop found;
    find_strides(graph_, sum, graph_[sum].indices, found);
    return found.what != loop::none;
}

// What reads every second element, say, of a sum adds to every second one of what it is the
// derivative by: the even ones and the odd ones are computed apart, or as a loop of their own.
bool lowering::splits_strides(const access& target, const loop_list& indices, expr value,
                              double beta) {
    if (!graph_[value].sums) return false;
    strided_loop found;
    find_strides(graph_, value, indices, found);
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
    for (std::int64_t residue = 0; residue < stride && !found.whole; ++residue) {
        const std::int64_t count = (extent - residue + stride - 1) / stride;
        moved_loop m{found.what, {residue, {}}};
        if (count > 1) m.to.add(loops.part(found.what, residue, stride, count), stride);
        part(m);
    }
    for (const auto& [m, there] : parts)
        if (!there) return false;
    for (const auto& [m, there] : parts)
        into(moved(graph_, target, m), moved(indices, m), there, beta);
    return true;
}

}  // namespace ricci::plan
