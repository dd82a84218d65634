// Fusion: which assignments become fused groups, and in which order all steps run then.
#include "src/plan/fuse.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "src/plan/phases.hpp"
#include "src/plan/roles.hpp"
#include "src/plan/words.hpp"

namespace ricci::plan {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

std::vector<slot_uses> find_uses(const program_plan& plan) {
    std::vector<slot_uses> uses(plan.slots.size());
    for (std::size_t s = 0; s < plan.steps.size(); ++s)
        for (const touch& t : plan.steps[s].touches) {
            auto& u = uses[static_cast<std::size_t>(t.slot)];
            auto& list = t.writes ? u.writers : u.readers;
            if (list.empty() || list.back() != s) list.push_back(s);
        }
    return uses;
}

// All steps with the members replaced by what was made of them, in an order that keeps every step
// after those whose results it needs; nothing when a step in between needs some members and is
// needed by others.
std::optional<std::vector<step>> reordered(const program_plan& plan,
                                           const std::vector<std::size_t>& members,
                                           const std::vector<made_step>& made) {
    struct timed {
        std::size_t when = 0, node = 0;
        bool writes = false;
    };
    const std::size_t count = plan.steps.size(), nodes = count + made.size();
    std::vector<std::vector<timed>> touches(plan.slots.size());
    const auto is_member = [&](std::size_t s) {
        return std::binary_search(members.begin(), members.end(), s);
    };
    for (std::size_t s = 0; s < count; ++s)
        if (!is_member(s))
            for (const touch& t : plan.steps[s].touches)
                touches[static_cast<std::size_t>(t.slot)].push_back({s, s, t.writes});
    // A new step is as urgent as the first of the steps whose place it takes.
    std::vector<std::size_t> rank(nodes);
    for (std::size_t s = 0; s < count; ++s) rank[s] = 2 * s;
    for (std::size_t k = 0; k < made.size(); ++k) {
        std::size_t last = 0;
        for (const auto& t : made[k].touches) {
            touches[static_cast<std::size_t>(t.slot)].push_back({t.when, count + k, t.writes});
            if (t.writes && t.when < count) last = std::max(last, t.when);
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
        if (waits[n] == 0 && (n >= count || !is_member(n))) ready.insert({rank[n], n});
    std::vector<step> result;
    while (!ready.empty()) {
        const std::size_t n = ready.begin()->second;
        ready.erase(ready.begin());
        result.push_back(n < count ? plan.steps[n] : made[n - count].what);
        for (const std::size_t next : after[n])
            if (--waits[next] == 0) ready.insert({rank[next], next});
    }
    if (result.size() + members.size() != nodes) return {};
    return result;
}

/// What one attempt came to: fused, or the tensor that is stored, and why.
struct attempt {
    bool fused = false;
    std::int32_t stored = -1;
    std::string why;
};

attempt fuse_around(program_plan& plan, std::size_t seed, bool plane_is_a) {
    const auto uses = find_uses(plan);
    growth grown(plan, uses);
    if (!grown.run(seed, plane_is_a)) return {false, grown.refused(), grown.reason()};
    std::string why;
    if (!settle_roles(grown.result(), why)) return {false, grown.refused(), why};
    const std::size_t slots = plan.slots.size();
    phases made(plan, grown.result(), uses);
    if (made.run()) {
        if (auto steps = reordered(plan, grown.result().members, made.made())) {
            for (const auto& [slot, layout] : grown.result().planes)
                plan.slots[static_cast<std::size_t>(slot)].kind = storage::unused;
            plan.steps = std::move(*steps);
            return {true, -1, {}};
        }
        why = "a step in between needs some of its tensors and makes others";
    } else {
        why = made.reason();
    }
    plan.slots.resize(slots);
    return {false, grown.refused(), why};
}

}  // namespace

void fuse(program_plan& plan, const ir::program_view& program) {
    if (plan.type != element::f32 && plan.type != element::f64) return;
    std::set<std::int32_t> noted;
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
        const assign* seed = plan.steps[s].as_assign();
        if (seed == nullptr || seed->how != way::contract) continue;
        for (const bool a : {true, false}) {
            const auto result = fuse_around(plan, s, a);
            if (result.fused) {
                s = none;
                break;
            }
            if (result.why.empty() || result.stored < 0 || !noted.insert(result.stored).second)
                continue;
            const auto name = plan.slots[static_cast<std::size_t>(result.stored)].name;
            plan.notes.push_back(
                (name == ir::none ? "an intermediate" : words_of_name(program, name)) +
                " is stored: " + result.why);
        }
    }
}

}  // namespace ricci::plan
