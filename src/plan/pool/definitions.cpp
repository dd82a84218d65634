#include "src/plan/pool/definitions.hpp"

namespace ricci::plan {

std::optional<loop_map> names_at(const access& defined, const access& read) {
    loop_map names;
    for (std::size_t axis = 0; axis < defined.at.size(); ++axis) {
        const place &mine = defined.at[axis], &there = read.at[axis];
        if (mine.terms.empty()) continue;
        if (there.terms.empty() || !is_whole_axis(there)) return {};
        names.emplace_back(mine.terms[0].over, there.terms[0].over);
    }
    return names;
}

void definitions::add(const access& target, const std::vector<std::int64_t>& extents, expr value) {
    if (value && is_whole_tensor(values_, target, extents)) known_[target.slot] = {target, value};
}

const definition* definitions::of(slot_number tensor) const {
    const auto found = known_.find(tensor);
    return found == known_.end() ? nullptr : &found->second;
}

expr definitions::part_at(const definition& d, expr part, const access& read) const {
    auto names = names_at(d.target, read);
    if (!names) return expr::none;
    return values_.renamed(values_.apart(loops_of(read), part), *names);
}

expr definitions::value_of(expr load) const {
    const auto& node = values_[load];
    const definition* const d = node.kind == kind::load ? of(node.source.slot) : nullptr;
    return d == nullptr ? expr::none : part_at(*d, d->value, node.source);
}

}  // namespace ricci::plan
