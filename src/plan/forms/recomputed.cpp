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

}  // namespace

void recomputed_differences::add(const access& target, expr value) {
    const auto& values = plan_.values;
    const auto loops = loops_of(target);
    if (plan_.type != element::f32 && plan_.type != element::f64) return;
    const bool pairs = plan_.slot_of(target).kind == storage::workspace && loops.size() >= 3 &&
                       values[value].indices == loops &&
                       std::all_of(target.at.begin(), target.at.end(), is_whole_axis) &&
                       std::any_of(loops.begin(), loops.end(), [&](loop l) {
                           return static_cast<double>(values.extent(l)) <= most_unrolled;
                       });
    if (!pairs) return;
    // As a difference it is not multiplied out: its terms would cancel one another.
    const auto terms = plan_.values.terms(value);
    if (terms.size() != 2) return;
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
        const auto subtracted = values.factors(terms[k]);
        if (subtracted.size() != 2 || !values.is_constant(subtracted[0], -1) ||
            !is_smaller(values, subtracted[1], loops) || !is_smaller(values, terms[1 - k], loops))
            continue;
        known_[target.slot] = {
            target, plan_.values.as_written(opcode::subtract, {terms[1 - k], subtracted[1]})};
        return;
    }
}

expr recomputed_differences::value_of(const access& read) {
    const auto found = known_.find(read.slot);
    if (found == known_.end()) return expr::none;
    const auto& [target, value] = found->second;
    loop_map names;
    iteration fixed;
    for (std::size_t axis = 0; axis < target.at.size(); ++axis) {
        if (target.at[axis].terms.empty()) continue;
        const loop mine = target.at[axis].terms[0].over;
        const place& at = read.at[axis];
        if (at.terms.empty()) fixed.emplace_back(mine, at.offset);
        else if (is_whole_axis(at)) names.emplace_back(mine, at.terms[0].over);
        else return expr::none;
    }
    const expr here = plan_.values.renamed(at_iteration(plan_.values, value, fixed), names);
    plan_.values.set_memory(here, plan_.values.load(read));
    return here;
}

}  // namespace ricci::plan
