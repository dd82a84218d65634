// Whether steps may change places.
#pragma once

#include <algorithm>

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Neither writes what the other one reads or writes.
inline bool are_independent(const program_plan& plan, const step& x, const step& y) {
    return std::ranges::none_of(x.effects, [&](const effect& a) {
        return std::ranges::any_of(y.effects, [&](const effect& b) {
            return plan.whole(a.slot) == plan.whole(b.slot) && (a.writes || b.writes);
        });
    });
}

}  // namespace ricci::plan
