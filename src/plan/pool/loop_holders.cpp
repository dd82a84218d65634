#include "src/plan/pool/loop_holders.hpp"

#include <algorithm>
#include <cstddef>

namespace ricci::plan {

loop_holders::loop_holders(const graph& values, const expr_list& factors) {
    for (const expr f : factors) {
        const loop_list& own = values[f].indices;
        loops_.insert(loops_.end(), own.begin(), own.end());
    }
    std::ranges::sort(loops_);
    std::size_t kept = 0;
    for (const loop l : loops_) {
        if (kept > 0 && loops_[kept - 1] == l) {
            ++counts_.back();
        } else {
            loops_[kept++] = l;
            counts_.push_back(1);
        }
    }
    loops_.resize(kept);
}

std::size_t loop_holders::place_of(loop l) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(loops_, l) - loops_.begin());
}

void loop_holders::add(const loop_list& factor) {
    for (const loop l : factor) ++counts_[place_of(l)];
}

void loop_holders::remove(const loop_list& factor) {
    for (const loop l : factor) --counts_[place_of(l)];
}

}  // namespace ricci::plan
