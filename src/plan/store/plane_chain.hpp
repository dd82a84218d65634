// Steps that hand each other planes row by row.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Steps, each with the loop that goes over its rows, and the planes that these alone touch, each
/// with the axis that has the rows. A panel of rows after the other they do what they do one after
/// the other for all rows.
struct plane_chain {
    std::map<std::size_t, loop> steps;  // by number
    std::map<slot_number, std::size_t> planes;
    std::vector<std::size_t> before, behind;  // steps in between, which run at either end
    std::int64_t rows = 0;
    double plane_elements = 0;  // of the largest plane
    double other_elements = 0;  // of the largest other tensor that the steps touch
};

/// Which tensors are planes: intermediates of so many elements, among the first slots of a plan.
struct plane_limits {
    double fewest_elements = 0;
    std::size_t slots = 0;

    bool holds(const program_plan&, slot_number) const;
};

/// The chain that has a plane with its rows along an axis. None: some step needs other rows than
/// its own.
std::optional<plane_chain> find_plane_chain(const program_plan&, slot_number plane,
                                            std::size_t axis, const plane_limits&);

}  // namespace ricci::plan
