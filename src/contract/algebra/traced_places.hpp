// Where the extremum of a whole network is: the places that its steps have kept, followed back from
// the result to every index.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/contract/algebra/algebra_strategy.hpp"

namespace ricci::contractions {

/// An index of C: its number, and how far C moves when it advances by one. Of k: its extent.
struct traced_axis {
    std::int64_t index = 0;
    std::int64_t stride = 0;
};
struct traced_sum {
    std::int64_t index = 0;
    std::int64_t extent = 1;
};

/// A step C = extremum over k of (A + B) that was run with places, as it was given: the loops of C
/// in any order, those of k in theirs. places[0] is that of C's first element.
struct traced_step {
    const place* places = nullptr;
    std::vector<traced_axis> axes;
    std::vector<traced_sum> sums;
};

/// The place of every index of a tree of steps, which run from the first to the last: `found` maps
/// an index number to its place, -1 where that is not known yet, and holds those of the last step's
/// axes. The indices that a step sums get their places from the element of C at the places of its
/// axes, which steps behind it have found. Throws ricci::error where an axis of a step has no place
/// or an index no number in `found`, and where an element is a sum of nothing.
void trace_places(std::span<const traced_step> steps, std::span<std::int64_t> found);

}  // namespace ricci::contractions
