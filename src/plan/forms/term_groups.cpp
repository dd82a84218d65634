#include "src/plan/forms/term_groups.hpp"

#include <algorithm>
#include <cstddef>

#include "src/plan/pool/scalar.hpp"

namespace ricci::plan {
namespace {

void add_term(std::vector<term_group>& groups, const loop_list& loops, expr t) {
    for (term_group& g : groups)
        if (g.loops == loops) return g.terms.push_back(t);
    groups.push_back({loops, {t}});
}

// Whether a value is a number times a sum.
bool is_multiple_of_sum(const graph& values, expr e) {
    const auto factors = values.factors(e);
    return factors.size() == 2 && values[factors[0]].kind == kind::constant &&
           values.terms(factors[1]).size() > 1;
}

}  // namespace

std::size_t holder_of(const graph& values, const std::vector<term_group>& groups,
                      const loop_list& loops, std::size_t but) {
    std::size_t best = groups.size();
    for (std::size_t k = 0; k < groups.size(); ++k)
        if (k != but && without(loops, groups[k].loops).empty() &&
            (best == groups.size() ||
             values.size(groups[k].loops) < values.size(groups[best].loops)))
            best = k;
    return best;
}

term_groups grouped_terms(graph& values, expr body, const loop_list& over) {
    term_groups found;
    expr_list terms;
    if (is_multiple_of_sum(values, body)) {
        const expr number = values.factors(body)[0], sum = values.factors(body)[1];
        for (const expr t : list_of(values.terms(sum)))
            terms.push_back(values.multiply({number, t}));
    } else {
        terms = list_of(values.terms(body));
    }
    for (const expr t : terms) {
        ++found.count;
        const auto& loops = values[t].indices;
        found.masks = found.masks || values.has_bracket(t);
        if (common(loops, over).empty()) found.beside.push_back(t);
        else add_term(found.groups, loops, t);
    }
    auto& groups = found.groups;
    for (std::size_t k = 0; k < groups.size();) {
        const std::size_t to = holder_of(values, groups, groups[k].loops, k);
        if (to == groups.size()) {
            ++k;
            continue;
        }
        for (const expr t : groups[k].terms) groups[to].terms.push_back(t);
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(k));
        k = 0;
    }
    return found;
}

bool compares_numbers(const graph& values, expr e) {
    const auto& node = values[e];
    return std::ranges::any_of(node.arguments, [&](expr x) {
        const auto what = values[x].kind;
        return (is_comparison(node) && what != kind::constant && what != kind::position) ||
               compares_numbers(values, x);
    });
}

expr finite_or_zero(graph& values, expr number, element type) {
    const expr is_finite = values.apply(opcode::less_equal, values.apply(opcode::absolute, number),
                                        values.constant(largest_number(type)));
    return values.apply(opcode::select, is_finite, number, values.constant(0));
}

double largest_of(const graph& values, const std::vector<term_group>& groups) {
    double largest = 0;
    for (const term_group& g : groups) largest = std::max(largest, values.size(g.loops));
    return largest;
}

}  // namespace ricci::plan
