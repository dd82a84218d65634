// The loops of a product in another algebra, in the order in which memory is best walked.
#include "src/contract/algebra/algebra_groups.hpp"

#include <utility>

namespace ricci::contractions {
namespace {

// Loops in the order they have, those that go on where the next one ends made one with it.
loop_list joined_in_order(std::span<const steps::contraction_loop> loops) {
    loop_list joined;
    for (const steps::contraction_loop& inner : loops) {
        if (inner.extent == 1) continue;
        if (!joined.empty()) {
            steps::contraction_loop& outer = joined.back();
            if (outer.a == inner.a * inner.extent && outer.b == inner.b * inner.extent) {
                outer = {outer.extent * inner.extent, inner.a, inner.b, 0};
                continue;
            }
        }
        joined.push_back(inner);
    }
    return joined;
}

}  // namespace

index_groups make_algebra_groups(const steps::algebra_product& what, int lanes) {
    steps::contraction plain;
    plain.type = what.type;
    plain.batch = what.batch;
    plain.m = what.m;
    plain.n = what.n;
    if (!what.places) plain.k = what.k;
    index_groups groups = make_index_groups(plain, lanes);
    if (!what.places) return groups;
    groups.k = joined_in_order(what.k);
    if (groups.origin.swapped)
        for (steps::contraction_loop& loop : groups.k) std::swap(loop.a, loop.b);
    return groups;
}

}  // namespace ricci::contractions
