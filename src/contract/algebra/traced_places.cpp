// Where the extremum of a whole network is.
#include "src/contract/algebra/traced_places.hpp"

#include <cstddef>

#include <ricci/error.hpp>

namespace ricci::contractions {
namespace {

std::int64_t& place_of_index(std::int64_t index, std::span<std::int64_t> found) {
    if (index < 0 || index >= static_cast<std::int64_t>(found.size()))
        throw error("ricci: a step has an index that the network does not have.");
    return found[static_cast<std::size_t>(index)];
}

}  // namespace

void trace_places(std::span<const traced_step> steps, std::span<std::int64_t> found) {
    for (std::size_t s = steps.size(); s-- > 0;) {
        const traced_step& step = steps[s];
        if (step.sums.empty()) continue;
        std::int64_t at = 0;
        for (const traced_axis& axis : step.axes) {
            const std::int64_t known = place_of_index(axis.index, found);
            if (known < 0)
                throw error("ricci: a step's result has an index that no later step places.");
            at += known * axis.stride;
        }
        std::int64_t rest = step.places[at];
        if (rest < 0) throw error("ricci: an extremum of nothing has no place.");
        for (std::size_t l = step.sums.size(); l-- > 0;) {
            place_of_index(step.sums[l].index, found) = rest % step.sums[l].extent;
            rest /= step.sums[l].extent;
        }
    }
}

}  // namespace ricci::contractions
