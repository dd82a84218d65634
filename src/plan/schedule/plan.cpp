// Steps of a plan, and what they touch.
#include "src/plan/schedule/plan.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace ricci::plan {
namespace {

class effects {
public:
    void add(slot_number slot, bool writes) {
        const bool known = std::ranges::any_of(
            all, [&](const effect& t) { return t.slot == slot && t.writes == writes; });
        if (!known) all.push_back({slot, writes});
    }
    std::vector<effect> all;
};

/// Adds what a group touches, tiles apart.
void add_group(const graph& values, const fused& what, effects& reads, effects& writes) {
    std::vector<slot_number> tiles;
    const auto is_tile = [&](slot_number slot) {
        return std::ranges::find(tiles, slot) != tiles.end();
    };
    for (const auto& m : what.members)
        if (makes_tile(m.kind)) tiles.push_back(m.what.target.slot);
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

bool step::has(effect e) const { return std::ranges::find(effects, e) != effects.end(); }

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

access add_memory(program_plan& plan, const loop_list& axes, element type, bool is_truth) {
    std::vector<std::int64_t> extents;
    std::vector<ir::ref> letters;
    access whole;
    for (const loop l : axes) {
        extents.push_back(plan.values.extent(l));
        letters.push_back(plan.values.loops().letter(l));
        whole.at.push_back({0, {{l, 1}}});
    }
    whole.slot =
        plan.add(workspace_slot(plan, std::move(extents), std::move(letters), type, is_truth));
    return whole;
}

access all_of(program_plan& plan, slot_number tensor) {
    access whole;
    whole.slot = tensor;
    for (const std::int64_t extent : plan.slot_of(tensor).extents) {
        place& at = whole.at.emplace_back();
        if (extent != 1) at.terms = {{plan.values.loops().fresh(ir::none, extent), 1}};
    }
    return whole;
}

slot workspace_slot(const program_plan& plan, std::vector<std::int64_t> extents,
                    std::vector<ir::ref> letters, element type, bool is_truth) {
    slot memory;
    memory.kind = storage::workspace;
    memory.is_foreign = type != plan.type || is_truth;
    memory.own_type = type;
    memory.is_truth = is_truth;
    memory.axes = std::move(letters);
    memory.extents = std::move(extents);
    memory.strides.resize(memory.extents.size());
    std::int64_t stride = 1;
    for (std::size_t axis = memory.extents.size(); axis-- > 0 && stride >= 0;) {
        memory.strides[axis] = stride;
        if (__builtin_mul_overflow(stride, memory.extents[axis], &stride)) stride = -1;
    }
    const std::size_t size = is_truth ? 1 : size_of(type);
    if (stride < 0 || __builtin_mul_overflow(static_cast<std::size_t>(stride), size, &memory.bytes))
        memory.bytes = SIZE_MAX;  // refused when the workspace is laid out
    return memory;
}

}  // namespace ricci::plan
