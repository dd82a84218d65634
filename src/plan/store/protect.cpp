// Outputs on the memory of inputs: which may be written at once.
#include "src/plan/store/protect.hpp"

namespace ricci::plan {

bool safe_in_place(const program_plan& plan, slot_number output) {
    const auto& memory = plan.slots[output.index()];
    const auto shares = [&](slot_number number) {
        const auto& s = plan.slots[number.index()];
        return s.kind == storage::input && s.data == memory.data;
    };
    bool written = false;
    for (const step& s : plan.steps) {
        bool reads = false, writes = false;
        for (const effect& t : s.effects) {
            reads = reads || shares(t.slot);
            writes = writes || (t.writes && t.slot == output);
        }
        if ((reads || writes) && written) return false;
        if (!writes) continue;
        written = true;
        if (!reads) continue;
        const assign* map = s.as(assignment_kind::map);
        if (map == nullptr || (map->folding != fold::none && map->folding != fold::softmax))
            return false;
        const place there = address_of(map->target, memory.strides);
        const auto reads_elsewhere = [&](const access& a) {
            return shares(a.slot) && address_of(a, plan.slot_of(a).strides) != there;
        };
        if (any_load(plan.values, *map, reads_elsewhere)) return false;
    }
    return true;
}

}  // namespace ricci::plan
