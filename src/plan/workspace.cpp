// Intermediates share memory by liveness: first fit, in the order of their first use.
#include "src/plan/workspace.hpp"

#include <algorithm>
#include <limits>

#include <ricci/error.hpp>

namespace ricci::plan {
namespace {

// The slots that an element-wise pass reads exactly where it writes: its output may take their
// place.
std::vector<std::int32_t> read_in_place(const program_plan& plan, const map_step& s) {
    std::vector<std::int32_t> result;
    if (s.folding != fold::none && s.folding != fold::softmax) return result;
    const auto& out = s.operands[0];
    const std::int32_t written = s.uses[0].slot;
    const auto is_safe = [&](std::int32_t slot) {
        for (std::size_t k = 1; k < s.operands.size(); ++k) {
            const auto& o = s.operands[k];
            if (s.uses[k].slot == slot && (o.offset != out.offset || o.strides != out.strides))
                return false;
        }
        return true;
    };
    for (std::size_t k = 1; k < s.operands.size(); ++k) {
        const std::int32_t slot = s.uses[k].slot;
        if (slot < 0 || slot == written || !is_safe(slot)) continue;
        if (plan.slots[static_cast<std::size_t>(slot)].bytes ==
            plan.slots[static_cast<std::size_t>(written)].bytes)
            result.push_back(slot);
    }
    return result;
}

/// Which steps run at the same time.
class step_times {
public:
    explicit step_times(std::span<const std::size_t> part_ends) : ends_(part_ends) {}

    /// Whether a step is through whenever another one begins.
    bool ends_before(std::size_t step, std::size_t later) const {
        if (step >= later) return false;
        return ends_.empty() || later >= ends_.back() || end_of(step) == end_of(later);
    }

private:
    // Of the part that the step is in.
    std::size_t end_of(std::size_t step) const {
        return *std::upper_bound(ends_.begin(), ends_.end(), step);
    }
    std::span<const std::size_t> ends_;
};

}  // namespace

void lay_out_workspace(program_plan& plan, std::span<const std::size_t> part_ends) {
    const step_times times(part_ends);
    struct lifetime {
        std::size_t slot = 0;
        std::size_t first = 0, last = 0;  // steps
        std::size_t begin = 0, end = 0;   // bytes
    };
    const auto unseen = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> entry(plan.slots.size(), unseen);
    std::vector<lifetime> lives;  // by first use
    for (std::size_t s = 0; s < plan.compiled.size(); ++s)
        for_each_slot(plan.compiled[s], [&](std::int32_t number, bool) {
            const auto k = static_cast<std::size_t>(number);
            if (plan.slots[k].kind != storage::workspace) return;
            if (entry[k] == unseen) {
                entry[k] = lives.size();
                lives.push_back({k, s, s, 0, 0});
            }
            lives[entry[k]].last = s;
        });
    for (auto& life : lives)
        if (plan.slots[life.slot].lasts) life.first = 0, life.last = plan.compiled.size();

    // What a C++ object may measure; a larger sum of extents could not be addressed.
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max() / 2);
    plan.workspace_bytes = 0;
    std::vector<lifetime*> placed;  // by begin
    const auto place = [&](lifetime& life) {
        placed.insert(std::upper_bound(
                          placed.begin(), placed.end(), &life,
                          [](const lifetime* a, const lifetime* b) { return a->begin < b->begin; }),
                      &life);
        plan.slots[life.slot].workspace_offset = life.begin;
        plan.workspace_bytes = std::max(plan.workspace_bytes, life.end);
    };
    for (auto& life : lives) {
        if (plan.slots[life.slot].bytes > most)
            throw error(
                "ricci: an intermediate tensor has more elements than memory has addresses.");
        // The first step that touches it may write over an operand that is not needed afterwards.
        const auto* map = std::get_if<map_step>(&plan.compiled[life.first]);
        const bool written = map != nullptr &&
                             map->uses[0].slot == static_cast<std::int32_t>(life.slot) &&
                             !plan.slots[life.slot].lasts;
        lifetime* replaced = nullptr;
        for (std::int32_t slot :
             written ? read_in_place(plan, *map) : std::vector<std::int32_t>{}) {
            const auto k = entry[static_cast<std::size_t>(slot)];
            if (k != unseen && lives[k].last == life.first && !plan.slots[lives[k].slot].lasts)
                replaced = &lives[k];
        }
        if (replaced) {
            life.begin = replaced->begin, life.end = replaced->end;
            placed.erase(std::find(placed.begin(), placed.end(), replaced));
            place(life);
            continue;
        }
        const std::size_t size = (plan.slots[life.slot].bytes + workspace_alignment - 1) /
                                 workspace_alignment * workspace_alignment;
        for (const auto* other : placed) {
            // Dead by then; all of them began before.
            if (times.ends_before(other->last, life.first)) continue;
            if (life.begin + size <= other->begin) break;
            life.begin = std::max(life.begin, other->end);
        }
        life.end = life.begin + size;
        if (life.end > most)
            throw error(
                "ricci: the intermediate tensors together need more memory than can be addressed.");
        place(life);
    }
}

}  // namespace ricci::plan
