// Folds under conditions between places, without these conditions.
#include "src/plan/pool/place_solver.hpp"

namespace ricci::plan {

bool adds_rows(const graph& values, const place& difference, const loop_list& over,
               expr_span factors) {
    loop_list mine;
    bool free = false;
    for (const auto& t : difference.terms) {
        if (contains(over, t.over)) mine.push_back(t.over);
        else free = free || std::abs(t.factor) == 1;
    }
    if (!free || (values.type() != element::f32 && values.type() != element::f64)) return false;
    return mine.size() > 1 && std::ranges::any_of(factors, [&](expr f) {
               return without(mine, values[f].indices).empty();
           });
}

expr solved_sum(graph& values, const loop_list& over, expr body, strided how) {
    if (!values.solves_places()) return expr::none;
    const auto holds = [&](expr t) {
        const auto all = values.factors(t);
        return std::ranges::any_of(all, [&](expr f) {
            const auto& node = values[f];
            return node.kind == kind::operation &&
                   ((node.code >= opcode::less && node.code <= opcode::logical_or) ||
                    is_guarded(values, fold::sum, f));
        });
    };
    const auto terms = values.terms(body);
    if (terms.size() == 1)
        return holds(body) ? place_solver(values, fold::sum, over, body, how).run() : expr::none;
    // Terms apart, where any of them is solved.
    const expr_list all(terms.begin(), terms.end());
    bool any = false;
    expr_list results;
    for (const expr t : all) {
        const auto mine = common(over, values[t].indices);
        const expr made =
            holds(t) ? place_solver(values, fold::sum, mine, t, how).run() : expr::none;
        any = any || made;
        if (!made) {
            results.push_back(expr::none);
            continue;
        }
        results.push_back(
            values.multiply({values.constant(values.size(without(over, mine))), made}));
    }
    if (!any) return expr::none;
    for (std::size_t k = 0; k < all.size(); ++k)
        if (!results[k]) results[k] = values.sum(over, all[k]);
    return values.add(results);
}

bool waits_for_folds(graph& values, const loop_list& over, expr body) {
    const auto all = values.factors(body);
    const bool folds = std::ranges::any_of(all, [&](expr f) { return !values[f].bound.empty(); });
    return folds && values.solves_places() && values.terms(body).size() == 1 &&
           place_solver(values, fold::sum, over, body, strided::kept).waits_for_folds();
}

// Who is an extremum is asked of the values that it was taken of: those that are computed stay
// where they are.
expr solved_fold(graph& values, fold folding, const loop_list& over, expr body) {
    const bool chooses = folding == fold::maximum || folding == fold::minimum;
    if (!values.solves_places() || over.empty() || !is_guarded(values, folding, body) ||
        (!chooses && folding != fold::product && folding != fold::logsumexp))
        return expr::none;
    const auto what = values[guarded_in(values, folding, body).value].kind;
    if (chooses && what != kind::load && what != kind::gather) return expr::none;
    return place_solver(values, folding, over, body, strided::solved).run();
}

}  // namespace ricci::plan
