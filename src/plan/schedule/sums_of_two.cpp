#include "src/plan/schedule/sums_of_two.hpp"

#include <algorithm>

namespace ricci::plan {

std::optional<sum_algebra> algebra_of(fold folding) {
    switch (folding) {
        case fold::maximum:
            return sum_algebra::maximum;
        case fold::minimum:
            return sum_algebra::minimum;
        case fold::logsumexp:
            return sum_algebra::logsumexp;
        default:
            return {};
    }
}

std::optional<sum_algebra> algebra_of(const program_plan& plan, const assign& a) {
    const auto by = a.kind == assignment_kind::map ? algebra_of(a.folding) : std::nullopt;
    const element type = plan.type_of(a.target.slot);
    if (!by || !is_real(type)) return {};
    const auto& body = plan.values[a.body];
    if (body.code != opcode::add || body.arguments.size() != 2) return {};
    const auto is_operand = [&](expr term) {
        const auto& node = plan.values[term];
        return node.kind == kind::load && !node.edged && plan.holds(node.source.slot, type);
    };
    if (!std::ranges::all_of(body.arguments, is_operand)) return {};
    const auto all = united(a.loops, a.over);
    const bool repeats = std::ranges::any_of(
        body.arguments, [&](expr term) { return plan.values[term].indices != all; });
    if (!repeats || body.indices != all) return {};
    return by;
}

}  // namespace ricci::plan
