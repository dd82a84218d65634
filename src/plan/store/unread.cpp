// Steps whose results nobody reads.
#include "src/plan/store/unread.hpp"

#include <algorithm>

namespace ricci::plan {

void remove_unread(program_plan& plan) {
    std::vector<bool> needed;
    for (const slot& s : plan.slots) needed.push_back(s.kind == storage::output);
    const auto of = [](const effect& t) { return t.slot.index(); };
    const auto counts = [&](const step& s) {
        return std::ranges::any_of(s.effects,
                                   [&](const effect& t) { return t.writes && needed[of(t)]; });
    };
    // A step may stand ahead of those that write more of what it writes.
    for (bool grows = true; grows;) {
        grows = false;
        for (auto s = plan.steps.rbegin(); s != plan.steps.rend(); ++s) {
            if (!counts(*s)) continue;
            for (const effect& t : s->effects) {
                grows = grows || !needed[of(t)];
                needed[of(t)] = true;
            }
        }
    }
    for (const step& s : plan.steps) {
        if (counts(s)) continue;
        for (const effect& t : s.effects)
            if (t.writes) plan.slots[of(t)].kind = storage::unused;
    }
    std::erase_if(plan.steps, [&](const step& s) { return !counts(s); });
}

}  // namespace ricci::plan
