// Fusion: which assignments become fused groups, and in which order all steps run then.
#include "src/plan/groups/fuse.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "src/plan/groups/growth.hpp"
#include "src/plan/groups/phases.hpp"
#include "src/plan/groups/roles.hpp"
#include "src/plan/groups/tile_lookups.hpp"
#include "src/plan/words/words.hpp"

namespace ricci::plan {
namespace {

std::vector<slot_uses> find_uses(const program_plan& plan) {
    std::vector<slot_uses> uses(plan.slots.size());
    for (std::size_t s = 0; s < plan.steps.size(); ++s)
        for (const effect& t : plan.steps[s].effects) {
            auto& u = uses[t.slot.index()];
            auto& list = t.writes ? u.writers : u.readers;
            if (list.empty() || list.back() != s) list.push_back(s);
        }
    return uses;
}

// By slot, the slot whose memory it is. An output that shares its memory with inputs may be made in
// the workspace, and is copied when nobody reads them any more.
std::vector<std::size_t> find_memories(const program_plan& plan) {
    std::vector<std::size_t> memory(plan.slots.size());
    std::iota(memory.begin(), memory.end(), std::size_t{0});
    for (std::size_t c = 0; c < plan.slots.size(); ++c) {
        const slot& copy = plan.slots[c];
        const bool is_copy =
            copy.kind == storage::output && static_cast<std::size_t>(copy.name) != c;
        if (!is_copy || copy.data == nullptr) continue;
        for (std::size_t k = 0; k < c; ++k)
            if (plan.slots[k].kind == storage::input && plan.slots[k].data == copy.data)
                memory[k] = c;
    }
    return memory;
}

// All steps with the members replaced by what was made of them, which has the numbers behind all
// steps, in an order that keeps every step after those whose results it needs; nothing when a step
// in between needs some members and is needed by others, or when a group reads memory of an output
// that it writes, as `why` says then.
std::optional<std::vector<std::size_t>> reordered(const program_plan& plan,
                                                  const std::vector<std::size_t>& members,
                                                  const std::vector<made_step>& made,
                                                  std::string& why) {
    struct timed {
        slot_number slot;
        std::size_t when = 0, node = 0;
        bool writes = false;
    };
    const auto memory = find_memories(plan);
    const std::size_t count = plan.steps.size(), nodes = count + made.size();
    std::vector<std::vector<timed>> effects(plan.slots.size());
    const auto is_member = [&](std::size_t s) { return std::ranges::binary_search(members, s); };
    for (std::size_t s = 0; s < count; ++s)
        if (!is_member(s))
            for (const effect& t : plan.steps[s].effects)
                effects[memory[t.slot.index()]].push_back({t.slot, s, s, t.writes});
    // A new step is as urgent as the first of the steps whose place it takes.
    std::vector<std::size_t> rank(nodes);
    for (std::size_t s = 0; s < count; ++s) rank[s] = 2 * s;
    for (std::size_t k = 0; k < made.size(); ++k) {
        std::size_t last = 0;
        for (const auto& t : made[k].effects) {
            effects[memory[t.slot.index()]].push_back({t.slot, t.when, count + k, t.writes});
            if (t.writes && t.when < count) last = std::max(last, t.when);
        }
        rank[count + k] = 2 * last + 1;
    }
    // Nothing reads what it writes itself, but where it adds to it.
    for (const auto& list : effects)
        for (const auto& first : list)
            for (const auto& second : list)
                if (first.node == second.node && first.node >= count && first.writes &&
                    !second.writes && (first.when < second.when || first.slot != second.slot)) {
                    if (first.slot != second.slot)
                        why = "a result of it is bound to the memory of an input";
                    return {};
                }
    std::vector<step_set> after(nodes);
    std::vector<std::size_t> waits(nodes, 0);
    for (const auto& list : effects)
        for (const auto& first : list)
            for (const auto& second : list)
                if (first.when < second.when && first.node != second.node &&
                    (first.writes || second.writes) && after[first.node].insert(second.node))
                    ++waits[second.node];
    using entry = std::pair<std::size_t, std::size_t>;
    small_set<entry, 8> ready;
    for (std::size_t n = 0; n < nodes; ++n)
        if (waits[n] == 0 && (n >= count || !is_member(n))) ready.insert({rank[n], n});
    std::vector<std::size_t> result;
    while (!ready.empty()) {
        const std::size_t n = ready.begin()->second;
        ready.pop_front();
        result.push_back(n);
        for (const std::size_t next : after[n])
            if (--waits[next] == 0) ready.insert({rank[next], next});
    }
    if (result.size() + members.size() != nodes) return {};
    return result;
}

/// What one attempt came to: fused, or the tensor that is stored, and why.
struct attempt {
    bool fused = false;
    slot_number stored;
    std::string why;
};

using slot_set = std::set<slot_number>;
using looked_up_set = small_set<slot_number, 4>;

// `stored`: planes that are looked up, and are none of the group's; gets those that are, where
// there is none. `cheap`: planes that are stored as that is quicker, also where rows are taken for
// columns.
attempt fuse_without(looked_up_set& stored, program_plan& plan, const std::vector<slot_uses>& uses,
                     std::size_t seed, const access& plane, slot_set& cheap) {
    growth grown(plan, uses, stored);
    const bool grew = grown.run(seed, plane);
    for (const auto& [slot, layout] : grown.result().planes)
        for (const std::size_t w : uses[slot.index()].writers)
            if (looks_up_in_tiles(plan, *plan.steps[w].as_assign())) stored.insert(slot);
    if (!grew) return {false, grown.refused(), grown.reason()};
    const auto& planes = grown.result().planes;
    if (std::ranges::any_of(planes, [&](const auto& p) { return cheap.contains(p.first); }))
        return {false, grown.refused(), {}};
    std::string why;
    if (!settle_roles(grown.result(), why)) return {false, grown.refused(), why};
    if (!grown.result().has_large_planes()) return {false, grown.refused(), {}};
    const std::size_t slots = plan.slots.size();
    phases made(plan, grown.result(), uses);
    if (made.run()) {
        why = "a step in between needs some of its tensors and makes others";
        if (const auto order = reordered(plan, grown.result().members, made.made(), why)) {
            for (const auto& [slot, layout] : grown.result().planes)
                plan.slots[slot.index()].kind = storage::unused;
            const std::size_t count = plan.steps.size();
            std::vector<step> steps;
            for (const std::size_t n : *order) {
                if (n < count) steps.push_back(std::move(plan.steps[n]));
                else steps.push_back(made.made()[n - count].what);
            }
            plan.steps = std::move(steps);
            return {true, {}, {}};
        }
    } else {
        why = made.reason();
        if (made.is_dear())
            for (const auto& [slot, layout] : planes) cheap.insert(slot);
    }
    plan.slots.resize(slots);
    return {false, grown.refused(), why};
}

// What is looked up is stored where no group with it can be.
attempt fuse_around(program_plan& plan, const std::vector<slot_uses>& uses, std::size_t seed,
                    const access& plane, slot_set& cheap) {
    looked_up_set stored;
    for (;;) {
        const std::size_t before = stored.size();
        auto result = fuse_without(stored, plan, uses, seed, plane, cheap);
        if (result.fused || stored.size() == before) return result;
    }
}

// A smaller plane stays in the first cache from its maker to a fold.
constexpr std::size_t least_folded = 1 << 14;

/// What a step may fuse around: planes that it folds.
std::vector<access> planes_of(const program_plan& plan, const assign& seed,
                              assignment_kind wanted) {
    std::vector<access> planes;
    // Of an extremum the place alone; or a sum at places that numbers say.
    const bool is_fold = seed.kind == assignment_kind::extremum ||
                         (seed.kind == assignment_kind::lookups && seed.scattered);
    if ((is_fold ? assignment_kind::map : seed.kind) != wanted || seed.over.empty()) return planes;
    const bool folds = seed.folding != fold::none && seed.folding != fold::softmax;
    if (wanted == assignment_kind::map && !folds) return planes;
    if (plan.values[seed.body].edged) return planes;
    for_each_load(plan.values, seed, [&](const access& from) {
        const slot& memory = plan.slot_of(from);
        if (memory.kind == storage::input) return;  // nothing makes it
        if (wanted == assignment_kind::contract ||
            (memory.kind == storage::workspace && memory.bytes >= least_folded))
            planes.push_back(from);
    });
    return planes;
}

}  // namespace

void fuse(program_plan& plan, const ir::program_view& program) {
    if (!is_real(plan.computed_type())) return;
    slot_set noted, cheap;
    auto uses = find_uses(plan);
    const auto fuse_one = [&](assignment_kind wanted) {
        for (std::size_t s = 0; s < plan.steps.size(); ++s) {
            const assign* seed = plan.steps[s].as_assign();
            if (seed == nullptr) continue;
            for (const access& plane : planes_of(plan, *seed, wanted)) {
                const auto result = fuse_around(plan, uses, s, plane, cheap);
                if (result.fused) {
                    uses = find_uses(plan);
                    return true;
                }
                if (result.why.empty() || !result.stored || !noted.insert(result.stored).second)
                    continue;
                const auto name = plan.slots[result.stored.index()].name;
                plan.notes.push_back(
                    fmt::format("{} is stored: {}",
                                name == ir::none ? "an intermediate" : words_of_name(program, name),
                                result.why));
            }
        }
        return false;
    };
    // Sums with a factor come first: they are most of the work. Every group is looked for anew.
    while (fuse_one(assignment_kind::contract) || fuse_one(assignment_kind::map)) continue;
}

}  // namespace ricci::plan
