#include "src/plan/pool/definitions.hpp"

namespace ricci::plan {

namespace {

/// The loops of a definition and those at which its tensor is read; the others are at one place.
std::optional<loop_map> names_at(const access& defined, const access& read,
                                 std::vector<moved_loop>& fixed) {
    loop_map names;
    for (std::size_t axis = 0; axis < defined.at.size(); ++axis) {
        const place &mine = defined.at[axis], &there = read.at[axis];
        if (mine.terms.empty()) continue;
        const loop l = mine.terms[0].over;
        if (there.terms.empty()) fixed.push_back({l, {there.offset, {}}});
        else if (is_whole_axis(there)) names.emplace_back(l, there.terms[0].over);
        else return {};
    }
    return names;
}

}  // namespace

std::optional<loop_map> names_at(const access& defined, const access& read) {
    std::vector<moved_loop> fixed;
    auto names = names_at(defined, read, fixed);
    return fixed.empty() ? names : std::nullopt;
}

std::optional<defined_reading> reading_at(graph& values, const access& defined,
                                          const access& read) {
    defined_reading found;
    for (std::size_t axis = 0; axis < defined.at.size(); ++axis) {
        const place &mine = defined.at[axis], &there = read.at[axis];
        if (mine.terms.empty()) continue;
        const loop l = mine.terms[0].over;
        if (!there.terms.empty() && is_whole_axis(there)) {
            found.names.emplace_back(l, there.terms[0].over);
            continue;
        }
        if (there.edge != edge::none) return {};
        const loop fresh = values.loops().fresh(values.loops().letter(l), values.extent(l));
        found.names.emplace_back(l, fresh);
        found.moved.push_back({fresh, there});
    }
    return found;
}

expr value_at(graph& values, const defined_reading& read, expr part) {
    const expr there = values.renamed(part, read.names);
    return read.moved.empty() ? there : values.moved(there, read.moved);
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
    std::vector<moved_loop> fixed;
    const auto names = names_at(d.target, read, fixed);
    if (!names) return expr::none;
    const loop_list taken = united(loops_of(read), loops_of(d.target));
    const expr there = values_.moved(values_.apart(taken, part), fixed);
    return there ? values_.renamed(there, *names) : expr(expr::none);
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
    if (d == nullptr) return expr::none;
    const access& read = values_[load].source;
    const auto there = reading_at(values_, d->target, read);
    const loop_list taken = united(loops_of(read), loops_of(d->target));
    return there ? value_at(values_, *there, values_.apart(taken, d->written)) : expr(expr::none);
}

}  // namespace ricci::plan
