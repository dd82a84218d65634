// Steps of a plan, and what they touch.
#include "src/plan/plan.hpp"

#include <algorithm>
#include <utility>

namespace ricci::plan {
namespace {

class effects {
public:
    void add(slot_number slot, bool writes) {
        const bool known = std::any_of(all.begin(), all.end(), [&](const effect& t) {
            return t.slot == slot && t.writes == writes;
        });
        if (!known) all.push_back({slot, writes});
    }
    std::vector<effect> all;
};

/// Adds what a group touches, tiles apart.
void add_group(const graph& values, const fused& what, effects& reads, effects& writes) {
    std::vector<slot_number> tiles;
    const auto is_tile = [&](slot_number slot) {
        return std::find(tiles.begin(), tiles.end(), slot) != tiles.end();
    };
    for (const auto& m : what.members)
        if (is_product(m.kind) || m.kind == member_kind::weights ||
            m.kind == member_kind::recomputed || m.kind == member_kind::tile)
            tiles.push_back(m.what.target.slot);
    for (const auto& m : what.members) {
        if (m.kind == member_kind::ties) continue;  // it reads what the group has just written
        for_each_load(values, m.what, [&](const access& a) {
            if (!is_tile(a.slot)) reads.add(a.slot, false);
        });
    }
    for (const auto& m : what.members)
        if (!is_tile(m.what.target.slot)) writes.add(m.what.target.slot, true);
}

}  // namespace

bool step::hides() const {
    if (const auto* chain = std::get_if<chained>(&what))
        return chain->first.hides || chain->second.hides;
    return std::visit(
        [](const auto& w) {
            if constexpr (requires { w.hides; }) return w.hides;
            else return false;
        },
        what);
}

step make_step(const graph& values, assign what) {
    effects found;
    for_each_load(values, what, [&](const access& a) { found.add(a.slot, false); });
    found.add(what.target.slot, true);
    return {std::move(what), std::move(found.all)};
}

step make_step(const graph& values, fused what) {
    effects reads, writes;
    add_group(values, what, reads, writes);
    for (const effect& t : writes.all) reads.add(t.slot, true);
    return {std::move(what), std::move(reads.all)};
}

step make_step(const graph& values, chained what) {
    effects reads, writes;
    add_group(values, what.first, reads, writes);
    for (const auto& a : what.between) {
        for_each_load(values, a, [&](const access& from) { reads.add(from.slot, false); });
        writes.add(a.target.slot, true);
    }
    add_group(values, what.second, reads, writes);
    for (const effect& t : writes.all) reads.add(t.slot, true);
    return {std::move(what), std::move(reads.all)};
}

}  // namespace ricci::plan
