// What a fused group costs.
#include "src/plan/schedule/group_price.hpp"

#include <vector>

#include "src/plan/schedule/nominal_core.hpp"

namespace ricci::plan {
namespace {

double iterations_of(const std::vector<inner_loop>& loops) {
    double count = 1;
    for (const auto& l : loops) count *= static_cast<double>(l.extent);
    return count;
}

double vectors_of(const tile_operation& made, const numbers& of) {
    // The largest score, the weights and their sum; of those made again the weights alone.
    double vectors = made.kind == operation_kind::values ? 0 : price_of(opcode::exp, of) + 1;
    if (made.kind == operation_kind::weights) vectors += 2;
    for (const auto& i : made.program)
        if (arity(i.code) > 0) vectors += price_of(i.code, of);
    return vectors;
}

}  // namespace

group_price price_of(const fused_step& step) {
    const fused_group& group = step.group;
    const numbers of(group.type);
    double pairs = 1, multiplied = 0, operated = 0;
    for (const auto& l : group.loops) pairs *= static_cast<double>(l.extent);
    for (const auto& p : group.products)
        multiplied += (p.is_distance ? 2 : 1) * iterations_of(p.contracted);
    for (const auto& c : group.consumers) {
        if (c.b >= 0) multiplied += iterations_of(c.values);
        else operated += static_cast<double>(numbers_carried(c));
    }
    for (const auto& o : group.operations) operated += vectors_of(o, of);
    const double a_cycle = of.lanes * vectors_a_cycle;
    return {pairs * multiplied * of.multiplications / a_cycle, pairs * operated / a_cycle,
            step.bytes / bytes_a_cycle};
}

}  // namespace ricci::plan
