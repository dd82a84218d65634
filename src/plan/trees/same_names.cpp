// Tensors that are read alike by two assignments whose loops have different names.
#include "src/plan/trees/same_names.hpp"

namespace ricci::plan {

loop_map same_but_for(const access& first, const access& second, const loop_list& own) {
    loop_map names;
    if (first.slot != second.slot) return {};
    for (std::size_t axis = 0; axis < first.at.size(); ++axis)
        for (const auto& t : first.at[axis].terms) {
            if (!contains(own, t.over)) continue;
            for (const auto& other : second.at[axis].terms)
                if (other.factor == t.factor) names.emplace_back(t.over, other.over);
        }
    if (renamed(first, names).at != second.at) return {};
    return names;
}

}  // namespace ricci::plan
