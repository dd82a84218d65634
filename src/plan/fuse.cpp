// Fusion: which steps become streamed groups, and in which order all steps run then.
#include "src/plan/fuse.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "src/plan/stream_group.hpp"
#include "src/plan/words.hpp"

namespace ricci::plan {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

std::vector<slot_uses> find_uses(const program_plan& plan) {
    std::vector<slot_uses> uses(plan.slots.size());
    for (std::size_t s = 0; s < plan.compiled.size(); ++s)
        for_each_slot(plan.compiled[s], [&](std::int32_t slot, bool writes) {
            if (slot < 0) return;
            auto& u = uses[static_cast<std::size_t>(slot)];
            auto& list = writes ? u.writers : u.readers;
            if (list.empty() || list.back() != s) list.push_back(s);
        });
    return uses;
}

// All steps with the members replaced by what was made of them, in an order that keeps every step after
// those whose results it needs; nothing when a step in between needs some members and is needed by
// others.
std::optional<std::vector<compiled_step>> reordered(const program_plan& plan,
                                                    const stream_group& group) {
    struct touch {
        std::size_t when = 0, node = 0;
        bool writes = false;
    };
    const auto& members = group.members();
    const std::size_t count = plan.compiled.size(), nodes = count + group.made().size();
    std::vector<std::vector<touch>> touches(plan.slots.size() + group.new_slots().size());
    for (std::size_t s = 0; s < count; ++s)
        if (!std::binary_search(members.begin(), members.end(), s))
            for_each_slot(plan.compiled[s], [&](std::int32_t slot, bool writes) {
                if (slot >= 0) touches[static_cast<std::size_t>(slot)].push_back({s, s, writes});
            });
    // A new step is as urgent as the first of the steps whose place it takes.
    std::vector<std::size_t> rank(nodes);
    for (std::size_t s = 0; s < count; ++s) rank[s] = 2 * s;
    for (std::size_t k = 0; k < group.made().size(); ++k) {
        std::size_t last = 0;
        for (const auto& a : group.made()[k].accesses) {
            touches[static_cast<std::size_t>(a.slot)].push_back({a.when, count + k, a.writes});
            if (a.writes && a.when < count) last = std::max(last, a.when);
        }
        rank[count + k] = 2 * last + 1;
    }
    // Nothing reads what it writes itself, but where it adds to it.
    for (const auto& list : touches)
        for (const auto& first : list)
            for (const auto& second : list)
                if (first.node == second.node && first.node >= count && first.writes &&
                    !second.writes && first.when < second.when)
                    return {};
    std::vector<std::set<std::size_t>> after(nodes);
    std::vector<std::size_t> waits(nodes, 0);
    for (const auto& list : touches)
        for (const auto& first : list)
            for (const auto& second : list)
                if (first.when < second.when && first.node != second.node &&
                    (first.writes || second.writes) && after[first.node].insert(second.node).second)
                    ++waits[second.node];
    using entry = std::pair<std::size_t, std::size_t>;
    std::set<entry> ready;
    for (std::size_t n = 0; n < nodes; ++n)
        if (waits[n] == 0 && (n >= count || !std::binary_search(members.begin(), members.end(), n)))
            ready.insert({rank[n], n});
    std::vector<compiled_step> result;
    while (!ready.empty()) {
        const std::size_t n = ready.begin()->second;
        ready.erase(ready.begin());
        result.push_back(n < count ? plan.compiled[n] : group.made()[n - count].what);
        for (const std::size_t next : after[n])
            if (--waits[next] == 0) ready.insert({rank[next], next});
    }
    if (result.size() + members.size() != nodes) return {};
    return result;
}

}  // namespace

void fuse(program_plan& plan, const ir::program_view& program) {
    if (plan.type != element::f32 && plan.type != element::f64) return;
    std::set<std::int32_t> noted;
    for (std::size_t s = 0; s < plan.compiled.size(); ++s) {
        if (!plan.compiled[s].is_contraction) continue;
        for (const bool a : {true, false}) {
            const auto uses = find_uses(plan);
            stream_group group(plan, uses);
            std::string why;
            if (group.gather(s, a)) {
                auto steps = reordered(plan, group);
                if (steps) {
                    for (const auto slot : group.planes())
                        plan.slots[static_cast<std::size_t>(slot)].kind = storage::unused;
                    plan.slots.insert(plan.slots.end(), group.new_slots().begin(),
                                      group.new_slots().end());
                    plan.compiled = std::move(*steps);
                    s = none;
                    break;
                }
                why = "a step in between needs some of its tensors and makes others";
            } else {
                why = group.reason();
            }
            const auto slot = group.refused();
            if (why.empty() || slot < 0 || !noted.insert(slot).second) continue;
            const auto name = plan.slots[static_cast<std::size_t>(slot)].name;
            plan.notes.push_back(
                (name == ir::none ? "an intermediate" : words_of_name(program, name)) +
                " is stored: " + why);
        }
    }
}

}  // namespace ricci::plan
