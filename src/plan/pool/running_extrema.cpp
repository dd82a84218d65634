// Tensors that are maxima or minima by their definition.
#include "src/plan/pool/running_extrema.hpp"

#include <algorithm>

namespace ricci::plan {

bool running_extrema::is_extremum(expr e) const {
    const auto& node = values_[e];
    return node.kind == kind::fold &&
           (node.folding == fold::maximum || node.folding == fold::minimum);
}

void running_extrema::add(const access& target, expr value) {
    const bool first = !known_.contains(target.slot);
    auto& known = known_[target.slot];
    known.target = target;
    const bool whole = std::all_of(target.at.begin(), target.at.end(), is_whole_axis);
    known.value =
        first && whole && is_extremum(value) ? value : expr::none;  // other parts: other values
}

expr running_extrema::value_of(expr e) const {
    loop_map names;
    expr value = e;
    if (values_[e].kind == kind::load) {
        const access& read = values_[e].source;
        const auto found = known_.find(read.slot);
        if (found == known_.end() || !found->second.value) return expr::none;
        const access& target = found->second.target;
        for (std::size_t axis = 0; axis < target.at.size(); ++axis) {
            if (target.at[axis].terms.empty()) continue;
            if (read.at[axis].terms.empty() || !is_whole_axis(read.at[axis])) return expr::none;
            names.emplace_back(target.at[axis].terms[0].over, read.at[axis].terms[0].over);
        }
        value = found->second.value;
    }
    if (!is_extremum(value)) return expr::none;
    for (const loop l : values_[value].over)
        names.emplace_back(l, values_.loops().fresh(values_.loops().letter(l), values_.extent(l)));
    return values_.renamed(value, names);
}

}  // namespace ricci::plan
