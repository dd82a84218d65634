// Which contractions have an operand in common.
#include "src/plan/code/join.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace ricci::plan {
namespace {

using strided_loops = std::vector<contraction_loop>;

constexpr std::array either_operand = {shared_operand::a, shared_operand::b};

/// An operand as a contraction walks it: the same for two contractions that can pack it once for
/// both.
struct walk {
    slot_number slot;
    std::int64_t offset = 0;
    bool conjugate = false;
    // Extents and strides, in no particular order.
    std::vector<std::pair<std::int64_t, std::int64_t>> batch, own, contracted;
    bool operator==(const walk&) const = default;
};

walk walk_of(const contraction_step& c, shared_operand which) {
    const bool is_a = which == shared_operand::a;
    const auto steps = [&](const strided_loops& from) {
        std::vector<std::pair<std::int64_t, std::int64_t>> to;
        for (const auto& l : from)
            if (l.extent != 1) to.emplace_back(l.extent, is_a ? l.a : l.b);
        std::ranges::sort(to);
        return to;
    };
    const product_operand& of = is_a ? c.a : c.b;
    return {of.slot, of.offset, of.conjugated, steps(c.batch), steps(is_a ? c.m : c.n), steps(c.k)};
}

/// The operand that two contractions have in common, as the number of each of them.
std::optional<std::pair<shared_operand, shared_operand>> common_operand(
    const contraction_step& one, std::span<const shared_operand> of_one,
    const contraction_step& other) {
    // What edges read is copied for each, and what numbers say is packed for each.
    const auto plain = [](const contraction_step& c) { return c.a.is_plain() && c.b.is_plain(); };
    if (!plain(one) || !plain(other)) return std::nullopt;
    for (const shared_operand mine : of_one) {
        const walk common = walk_of(one, mine);
        for (const shared_operand its : either_operand)
            if (walk_of(other, its) == common) return {{mine, its}};
    }
    return std::nullopt;
}

/// Whether a contraction may run at the same time as another one before it.
bool independent(const program_plan& plan, const contraction_step& before,
                 const contraction_step& after) {
    const auto same_memory = [&](slot_number x, slot_number y) {
        x = plan.whole(x), y = plan.whole(y);
        const auto& p = plan.slots[x.index()];
        const auto& q = plan.slots[y.index()];
        return x == y || (p.data != nullptr && p.data == q.data);
    };
    bool result = true;
    for_each_slot(before, [&](slot_number x, bool x_written) {
        for_each_slot(after, [&](slot_number y, bool y_written) {
            if ((x_written || y_written) && same_memory(x, y)) result = false;
        });
    });
    return result;
}

/// Of the contractions at the beginning of `steps` that are to be one step, the operand that they
/// have in common; empty where no two are.
std::vector<shared_operand> common_operands(const program_plan& plan,
                                            std::span<const compiled_step> steps) {
    std::vector<shared_operand> common;
    const auto contraction = [&](std::size_t k) {
        return k < steps.size() ? std::get_if<contraction_step>(&steps[k]) : nullptr;
    };
    const contraction_step* const first = contraction(0);
    for (std::size_t end = 1; first != nullptr; ++end) {
        const contraction_step* const next = contraction(end);
        if (next == nullptr) break;
        const auto is_free = [&](const compiled_step& before) {
            return independent(plan, std::get<contraction_step>(before), *next);
        };
        if (!std::all_of(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(end), is_free))
            break;
        std::span<const shared_operand> of_first = either_operand;
        if (!common.empty()) of_first = {common.data(), 1};
        const auto found = common_operand(*first, of_first, *next);
        if (!found) break;
        if (common.empty()) common.push_back(found->first);
        common.push_back(found->second);
    }
    return common;
}

/// Joins steps that run equally often, and puts them behind those in `to`.
void join_between(const program_plan& plan, std::span<compiled_step> steps,
                  std::vector<compiled_step>& to) {
    while (!steps.empty()) {
        const auto common = common_operands(plan, steps);
        if (common.empty()) {
            to.push_back(std::move(steps.front()));
            steps = steps.subspan(1);
            continue;
        }
        joined_step joined;
        for (const shared_operand which : common) {
            joined.parts.push_back({std::get<contraction_step>(std::move(steps.front())), which});
            steps = steps.subspan(1);
        }
        to.push_back(std::move(joined));
    }
}

}  // namespace

void join_contractions(program_plan& plan) {
    std::vector<compiled_step> joined;
    joined.reserve(plan.compiled.size());
    const std::span all(plan.compiled);
    std::size_t next = 0;
    for (step_passes& p : plan.compiled_passes) {
        join_between(plan, all.subspan(next, p.first - next), joined);
        const auto repeated = all.subspan(p.first, p.end - p.first);
        next = p.end;
        p.first = joined.size();
        join_between(plan, repeated, joined);
        p.end = joined.size();
    }
    join_between(plan, all.subspan(next), joined);
    plan.compiled = std::move(joined);
}

}  // namespace ricci::plan
