// Loops of few iterations that are run one by one.
#include "src/plan/pool/unroll.hpp"

namespace ricci::plan {
namespace {

place at_iteration(const place& p, const iteration& of) {
    place result = p;
    result.terms.clear();
    for (const term& t : p.terms) {
        const std::pair<loop, std::int64_t>* counter = nullptr;
        for (const auto& c : of)
            if (c.first == t.over) counter = &c;
        if (counter == nullptr) result.add(t.over, t.factor);
        else result.offset += t.factor * counter->second;
    }
    return result;
}

}  // namespace

std::vector<iteration> iterations_of(const graph& values, const loop_list& loops) {
    std::vector<iteration> all{{}};
    for (const loop l : loops) {
        std::vector<iteration> longer;
        for (const auto& before : all)
            for (std::int64_t k = 0; k < values.extent(l); ++k) {
                longer.push_back(before);
                longer.back().emplace_back(l, k);
            }
        all = std::move(longer);
    }
    return all;
}

access at_iteration(access a, const iteration& of) {
    for (place& p : a.at) p = at_iteration(p, of);
    return a;
}

expr at_iteration(graph& values, expr e, const iteration& of) {
    if (of.empty()) return e;
    return values.substituted(e, [&](expr part) -> expr {
        const auto& node = values[part];
        if (node.kind == kind::load) {
            const bool condition = node.condition;
            return values.load(at_iteration(node.source, of), condition);
        }
        if (node.kind == kind::position) return values.position(at_iteration(node.at, of));
        return expr::none;
    });
}

expr with_common_factor(graph& values, expr e, const loop_list& loops) {
    const auto node = values[e];  // a copy: the graph grows below
    if (node.code != opcode::multiply) return e;
    expr_list alike, others;
    // A bracket stays in front of all factors, which do not count where it is false.
    for (const expr f : node.arguments)
        (common(values[f].indices, loops).empty() && !values.is_bracket(f) ? alike : others)
            .push_back(f);
    if (alike.size() < 2 || others.empty()) return e;
    others.insert(others.begin(), values.as_written(opcode::multiply, std::move(alike)));
    return values.as_written(opcode::multiply, std::move(others));
}

}  // namespace ricci::plan
