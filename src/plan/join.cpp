// Which contractions have an operand in common.
#include "src/plan/join.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace ricci::plan {
namespace {

using loops = std::vector<contraction_loop>;

/// An operand as a contraction walks it: the same for two contractions that can pack it once for
/// both.
struct walk {
    std::int32_t slot = -1;
    std::int64_t offset = 0;
    bool conjugate = false;
    // Extents and strides, in no particular order.
    std::vector<std::pair<std::int64_t, std::int64_t>> batch, own, contracted;
    bool operator==(const walk&) const = default;
};

walk walk_of(const contraction_step& c, shared_operand which) {
    const bool is_a = which == shared_operand::a;
    const auto steps = [&](const loops& from) {
        std::vector<std::pair<std::int64_t, std::int64_t>> to;
        for (const auto& l : from)
            if (l.extent != 1) to.emplace_back(l.extent, is_a ? l.a : l.b);
        std::sort(to.begin(), to.end());
        return to;
    };
    return {is_a ? c.a.slot : c.b.slot,
            is_a ? c.a_offset : c.b_offset,
            is_a ? c.conjugate_a : c.conjugate_b,
            steps(c.batch),
            steps(is_a ? c.m : c.n),
            steps(c.k)};
}

/// Whether a step may run at the same time as another one before it.
bool independent(const program_plan& plan, const compiled_step& before,
                 const compiled_step& after) {
    const auto same_memory = [&](std::int32_t x, std::int32_t y) {
        const auto& p = plan.slots[static_cast<std::size_t>(x)];
        const auto& q = plan.slots[static_cast<std::size_t>(y)];
        return x == y || (p.data != nullptr && p.data == q.data);
    };
    bool result = true;
    for_each_slot(before, [&](std::int32_t x, bool x_written) {
        for_each_slot(after, [&](std::int32_t y, bool y_written) {
            if ((x_written || y_written) && same_memory(x, y)) result = false;
        });
    });
    return result;
}

}  // namespace

void join_contractions(program_plan& plan) {
    constexpr shared_operand either[] = {shared_operand::a, shared_operand::b};
    for (std::size_t first = 0; first < plan.compiled.size();) {
        std::size_t end = first + 1;
        auto& start = plan.compiled[first].contraction;
        // Which operand of the step at `end` is the one in common, and which of the first.
        const auto shared = [&]() -> std::optional<std::pair<shared_operand, shared_operand>> {
            for (const shared_operand mine : either) {
                if (start.shared != shared_operand::none && start.shared != mine) continue;
                const walk common = walk_of(start, mine);
                for (const shared_operand its : either)
                    if (walk_of(plan.compiled[end].contraction, its) == common)
                        return {{mine, its}};
            }
            return std::nullopt;
        };
        const auto suits = [&] {
            for (std::size_t s = first; s < end; ++s)
                if (!independent(plan, plan.compiled[s], plan.compiled[end])) return false;
            return true;
        };
        while (plan.compiled[first].is_contraction && end < plan.compiled.size() &&
               plan.compiled[end].is_contraction && suits()) {
            const auto found = shared();
            if (!found) break;
            auto& next = plan.compiled[end].contraction;
            std::tie(start.shared, next.shared) = *found;
            next.joins_previous = true;
            ++end;
        }
        first = end;
    }
}

}  // namespace ricci::plan
