// Intermediates share memory by liveness: first fit, in the order of their first use.
#include "src/plan/workspace.hpp"

#include <algorithm>
#include <limits>

#include <ricci/error.hpp>

namespace ricci::plan {
namespace {

// The slots that an element-wise pass reads exactly where it writes: its output may take their
// place.
std::vector<slot_number> read_in_place(const program_plan& plan, const map_step& s) {
    std::vector<slot_number> result;
    if (s.folding != fold::none && s.folding != fold::softmax) return result;
    const auto& out = s.operands[0];
    const slot_number written = s.uses[0].slot;
    const auto is_safe = [&](slot_number slot) {
        for (std::size_t k = 1; k < s.operands.size(); ++k) {
            const auto& o = s.operands[k];
            if (s.uses[k].slot == slot && (o.offset != out.offset || o.strides != out.strides))
                return false;
        }
        return true;
    };
    for (std::size_t k = 1; k < s.operands.size(); ++k) {
        const slot_number slot = s.uses[k].slot;
        if (!slot || slot == written || !is_safe(slot)) continue;
        if (plan.slots[slot.index()].bytes == plan.slots[written.index()].bytes)
            result.push_back(slot);
    }
    return result;
}

}  // namespace

void lay_out_workspace(program_plan& plan) {
    struct lifetime {
        std::size_t slot = 0;
        std::size_t first = 0, last = 0;  // steps
        std::size_t begin = 0, end = 0;   // bytes
    };
    const auto unseen = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> entry(plan.slots.size(), unseen);
    std::vector<lifetime> lives;  // by first use
    for (std::size_t s = 0; s < plan.compiled.size(); ++s)
        for_each_slot(plan.compiled[s], [&](slot_number number, bool) {
            const auto k = number.index();
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
        const bool written = map != nullptr && map->uses[0].slot.index() == life.slot &&
                             !plan.slots[life.slot].lasts;
        lifetime* replaced = nullptr;
        for (slot_number slot : written ? read_in_place(plan, *map) : std::vector<slot_number>{}) {
            const auto k = entry[slot.index()];
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
            if (other->last < life.first) continue;  // dead by then; all of them began before
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
