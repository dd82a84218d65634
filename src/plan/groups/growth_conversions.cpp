// What a fused group of a plan of 16 bits reads: floats, which are written before it runs.
#include <algorithm>
#include <vector>

#include "src/plan/groups/growth.hpp"

namespace ricci::plan {
namespace {

// For each element of a plane, which would be written and read, rounded and widened, a few times.
constexpr double most_converted = 4;

}  // namespace

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
            const assign* a = plan.steps[writers[0]].as_assign();
            if (a == nullptr || a->kind != assignment_kind::gather) return;
            const expression& of = plan.values[a->body];
            if (of.kind == kind::load && is_narrow(plan.type_of(of.source.slot)))
                converted += plan.values.size(a->loops);
        });
    if (converted <= most_converted * plane) return true;
    fail(refused_, "its operands of 16 bits have many more elements than it has");
    return false;
}

}  // namespace ricci::plan
