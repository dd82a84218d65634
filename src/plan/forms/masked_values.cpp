// What is known of values beyond a condition between two loops.
#include "src/plan/forms/masked_values.hpp"

#include "src/plan/pool/definitions.hpp"

namespace ricci::plan {

triangle exchanged(const triangle& t) { return {t.i, t.j, !t.up, -t.offset}; }

void masked_tensors::look(const step& s) {
    const assign* a = s.as_assign();
    const bool maps = a != nullptr && a->kind == assignment_kind::map;
    auto made = maps && plan_.is_whole(a->target) ? outside_of(*a) : outside_values{};
    for (const effect& t : s.effects) {
        if (!t.writes) continue;
        known_.erase(t.slot);
        const bool product = a != nullptr && a->kind == assignment_kind::contract;
        if (product) products_.insert(t.slot);
        else products_.erase(t.slot);
    }
    std::erase_if(made, [&](outside_value& v) {
        v.by_numbers = true;
        return !without(values_[v.condition].indices, a->loops).empty();
    });
    if (!made.empty()) known_[a->target.slot] = {a->target, std::move(made)};
}

outside_values masked_tensors::outside_of(expr e) const {
    return outside(values_, e, [&](expr load) { return of_load(load); });
}

outside_values masked_tensors::outside_of(const assign& map) const {
    return outside_of_fold(values_, map.folding, map.over, outside_of(map.body));
}

// The first of conditions between two loops; those that hide whatever else there is are before
// others.
std::optional<masked_value> masked_tensors::masked(const outside_values& all) const {
    std::optional<masked_value> found;
    for (const auto& v : all) {
        if (found && (v.by_numbers || !found->by_numbers)) continue;
        const auto& loops = values_[v.condition].indices;
        const auto pairs =
            loops.empty() ? std::nullopt : triangle_in(values_, v.condition, loops[0]);
        if (pairs)
            found = {pairs->j < pairs->i ? *pairs : exchanged(*pairs), v.number, v.by_numbers};
    }
    return found;
}

outside_values masked_tensors::of_load(expr load) const {
    const access read = values_[load].source;
    const auto found = known_.find(read.slot);
    if (found == known_.end() || values_[load].edged) return {};
    const auto names = names_at(found->second.target, read);
    if (!names) return {};
    outside_values here = found->second.beyond;
    for (auto& v : here) v.condition = values_.renamed(v.condition, *names);
    return here;
}

// What is no number beyond the condition comes from a row or a column of it, which has others.
bool masked_tensors::shows_elsewhere(expr body, const triangle& pairs) const {
    bool shows = true;
    values_.for_each_load({body}, [&](const access& read) {
        const auto loops = loops_of(read);
        if (contains(loops, pairs.i) && contains(loops, pairs.j))
            shows = shows && (known_.count(read.slot) > 0 || products_.count(read.slot) > 0);
    });
    return shows;
}

}  // namespace ricci::plan
