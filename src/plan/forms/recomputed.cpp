// Tensors over all pairs that are recomputed wherever they are read.
#include "src/plan/forms/recomputed.hpp"

#include <algorithm>

#include "src/plan/pool/unroll.hpp"

namespace ricci::plan {
namespace {

/// A tensor that lacks one of the loops.
bool is_smaller(const graph& values, expr e, const loop_list& loops) {
    return values[e].kind == kind::load && !without(loops, values[e].indices).empty();
}

/// Whether a tensor repeats another one of its type along some axes.
bool is_repeated(const program_plan& plan, const definition& of) {
    const auto& node = plan.values[of.value];
    return plan.slot_of(of.target).kind == storage::workspace && node.kind == kind::load &&
           !node.edged && is_smaller(plan.values, of.value, loops_of(of.target)) &&
           plan.holds(node.source.slot, plan.type_of(of.target.slot));
}

/// Whether there is an axis of few elements beside two or more loops.
bool has_few_beside_pairs(const graph& values, const loop_list& loops) {
    return loops.size() >= 3 && std::ranges::any_of(loops, [&](loop l) {
               return static_cast<double>(values.extent(l)) <= most_unrolled;
           });
}

}  // namespace

bool is_sum_of_few(const graph& values, expr e) {
    const auto& node = values[e];
    if (node.kind != kind::fold || node.folding != fold::sum ||
        values.size(node.over) > most_iterations || !has_few_beside_pairs(values, node.indices))
        return false;
    return values.all_loads(
        {e}, [&](const access& from) { return !without(node.indices, loops_of(from)).empty(); });
}

// What repeats another tensor; a difference, which is not multiplied out, as its terms would cancel
// one another; or a sum over few axes of what lacks some of the loops.
expr recomputed_differences::difference_of(const definition& of) const {
    auto& values = plan_.values;
    if (is_repeated(plan_, of)) return of.value;
    const auto loops = loops_of(of.target);
    if (plan_.slot_of(of.target).kind != storage::workspace || values[of.value].indices != loops ||
        !has_few_beside_pairs(values, loops))
        return expr::none;
    const auto& node = values[of.value];
    if (node.kind == kind::fold && node.folding == fold::sum &&
        values.size(node.over) <= most_iterations)
        return is_sum_of_few(values, of.value) ? of.value : expr::none;
    const auto terms = values.terms(of.value);
    if (terms.size() != 2) return expr::none;
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
        const auto subtracted = values.factors(terms[k]);
        if (subtracted.size() == 2 && values.is_constant(subtracted[0], -1) &&
            is_smaller(values, subtracted[1], loops) && is_smaller(values, terms[1 - k], loops))
            return values.as_written(opcode::subtract, {terms[1 - k], subtracted[1]});
    }
    return expr::none;
}

expr recomputed_differences::value_of(const access& read) {
    if (!is_real(plan_.type_of(read.slot))) return expr::none;
    const definition* const of = defined_.of(read.slot);
    const expr value = of == nullptr ? expr::none : difference_of(*of);
    if (!value) return expr::none;
    const expr here = defined_.part_at(*of, value, read);
    if (!here) return expr::none;
    // What is repeated is in memory itself.
    const expr there = plan_.values.load(read);
    in_memory_[is_repeated(plan_, *of) ? there : here] = there;
    return here;
}

expr recomputed_differences::memory_of(expr value) const {
    const auto found = in_memory_.find(value);
    return found == in_memory_.end() ? expr::none : found->second;
}

}  // namespace ricci::plan
