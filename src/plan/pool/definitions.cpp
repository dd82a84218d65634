#include "src/plan/pool/definitions.hpp"

namespace ricci::plan {

std::optional<loop_map> names_at(const access& defined, const access& read) {
    loop_map names;
    for (std::size_t axis = 0; axis < defined.at.size(); ++axis) {
        const place& mine = defined.at[axis];
        if (mine.terms.empty()) continue;
        const loop there = loop_at(read.at[axis]);
        if (!there) return {};
        names.emplace_back(mine.terms[0].over, there);
    }
    return names;
}

std::optional<defined_reading> reading_at(graph& values, const access& defined,
                                          const access& read) {
    defined_reading found;
    for (std::size_t axis = 0; axis < defined.at.size(); ++axis) {
        const place &mine = defined.at[axis], &there = read.at[axis];
        if (mine.terms.empty()) continue;
        const loop l = mine.terms[0].over;
        if (there.edge != edge::none) return {};
        if (const loop whole = loop_at(there)) {
            found.names.emplace_back(l, whole);
        } else if (there.terms.empty()) {
            found.fixed.push_back({l, there});
        } else {
            const loop fresh = values.loops().fresh(l);
            found.names.emplace_back(l, fresh);
            found.moved.push_back({fresh, there});
        }
    }
    return found;
}

expr value_at(graph& values, const defined_reading& read, expr part) {
    const expr fixed = values.moved(part, read.fixed);
    return fixed ? values.moved(values.renamed(fixed, read.names), read.moved) : fixed;
}

void definitions::add(const access& target, const std::vector<std::int64_t>& extents, expr value,
                      expr written) {
    if (is_whole_tensor(values_, target, extents))
        known_[target.slot] = {target, value, written ? written : value};
}

const definition* definitions::of(slot_number tensor) const {
    const auto found = known_.find(tensor);
    return found == known_.end() || !found->second.value ? nullptr : &found->second;
}

expr definitions::part_at(const definition& d, expr part, const access& read) const {
    const auto there = reading_at(values_, d.target, read);
    const loop_list taken = united(loops_of(read), loops_of(d.target));
    return there ? value_at(values_, *there, values_.apart(taken, part)) : expr(expr::none);
}

const definition* definitions::of_load(expr load) const {
    const auto& node = values_[load];
    return node.kind == kind::load ? of(node.source.slot) : nullptr;
}

expr definitions::value_of(expr load) const {
    const definition* const d = of_load(load);
    return d == nullptr ? expr::none : part_at(*d, d->value, values_[load].source);
}

expr definitions::written_of(expr load) const {
    const definition* const d = of_load(load);
    return d == nullptr ? expr::none : part_at(*d, d->written, values_[load].source);
}

}  // namespace ricci::plan
