// Whether a group that has grown is worth being one.
#include <algorithm>
#include <vector>

#include <fmt/core.h>

#include "src/plan/groups/growth.hpp"

namespace ricci::plan {
namespace {

// Of one consumer: products of more values are faster where the plane is stored. Of exponentials
// sums over columns are as fast in a group, and what takes more memory than `large_bytes` is not
// stored to be faster. What a task has room for is found once the group is made.
constexpr double most_values = 512;
constexpr double large_bytes = 64 << 20;
// What is stored in less stays in the caches.
constexpr double near_bytes = 1 << 16;
// For each element of a plane, which would be written and read, rounded and widened, a few times.
constexpr double most_converted = 4;

}  // namespace

// False, with the reason, where sums of a plane have so many values that it is better stored.
bool growth::sums_few_values() {
    const auto has_exponentials = [&](std::size_t step) {
        return sums_exponentials(group_.at(step).folding);
    };
    const bool weights = std::ranges::any_of(group_.members, has_exponentials);
    double bytes = static_cast<double>(size_of(group_.plan->computed_type()));
    for (std::size_t l = 0; l < group_.loops.size(); ++l)
        bytes *= static_cast<double>(group_.extent(l));
    if (weights && bytes > large_bytes) return true;
    for (const std::size_t step : group_.consumers) {
        const assign& a = group_.at(step);
        if (a.kind != assignment_kind::contract ||
            group_.plan->values.size(group_.own_loops(step)) <= most_values ||
            (weights && covers(a.over, group_.matched.at(step), true)))
            continue;
        const auto f = factors_of(group_.plan->values, a);
        const bool is_a = group_.is_plane(f.a->source.slot);
        fail((is_a ? f.a : f.b)->source.slot,
             fmt::format("its product has more than {} values a row", most_values));
        return false;
    }
    return true;
}

// What is fused is larger than what it is made of: a product, or any other function of tensors that
// lack rows or columns, under a softmax or where it would not stay in the caches.
bool growth::makes_more_than_it_reads() {
    const auto& values = group_.plan->values;
    const auto is_softmax = [&](std::size_t step) {
        return group_.at(step).kind == assignment_kind::map &&
               group_.at(step).folding == fold::softmax;
    };
    const bool softmax = std::ranges::any_of(group_.members, is_softmax);
    const auto reads_large = [&](std::size_t step) {
        return any_load(values, group_.at(step), [&](const access& from) {
            return !group_.is_plane(from.slot) &&
                   group_.spans_tile(group_.walked(group_.matched.at(step), from));
        });
    };
    bool products = false, from_small = false;
    double bytes = 0;
    for (const std::size_t step : group_.members) {
        const assign& a = group_.at(step);
        const bool large = reads_large(step);
        group_.reads_large = group_.reads_large || large;
        if (!group_.is_plane(a.target.slot)) continue;
        products = products || group_.is_product(step);
        const bool planes =
            any_load(values, a, [&](const access& from) { return group_.is_plane(from.slot); });
        const bool makes = a.kind == assignment_kind::map || a.kind == assignment_kind::gather;
        if (!makes || large || planes) continue;
        from_small = true;
        bytes += values.size(a.loops) * static_cast<double>(size_of(group_.plan->computed_type()));
    }
    return products || (from_small && (softmax || bytes >= near_bytes));
}

// False where operands of 16 bits, of which floats are written beforehand, have many more elements
// than a plane: those of one row, which are read once.
bool growth::makes_more_than_it_converts() {
    const program_plan& plan = *group_.plan;
    if (!is_narrow(plan.type)) return true;
    std::vector<slot_number> seen;
    double converted = 0, plane = 1;
    for (std::size_t l = 0; l < group_.loops.size(); ++l)
        plane *= static_cast<double>(group_.extent(l));
    for (const std::size_t step : group_.members)
        for_each_load(plan.values, group_.at(step), [&](const access& from) {
            const auto& writers = uses_[from.slot.index()].writers;
            if (writers.size() != 1 || std::ranges::find(seen, from.slot) != seen.end()) return;
            seen.push_back(from.slot);
            const assign* a = plan.steps[writers[0]].as(assignment_kind::gather);
            if (a == nullptr) return;
            const expression& of = plan.values[a->body];
            if (of.kind == kind::load && is_narrow(plan.type_of(of.source.slot)))
                converted += plan.values.size(a->loops);
        });
    if (converted <= most_converted * plane) return true;
    fail(refused_, "its operands of 16 bits have many more elements than it has");
    return false;
}

}  // namespace ricci::plan
