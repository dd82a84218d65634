// Which place among all ranks' an extremum is at.
#pragma once

#include <memory>
#include <vector>

#include "src/mpi/collectives.hpp"

namespace ricci::mpi {

/// The extrema of a part of an axis, and where each of them is among that part's places.
struct places_found {
    array values, places;
    distribution parts;  // of the axis
    int part = 0;        // which of them this is
};

/// `to` = the place, in the axis, of the largest value that anybody has found, or of the smallest
/// one: the first of equals, and NaN is beyond all numbers. `mine`: of this rank's parts, all
/// row-major. In one reduction, of pairs; which is best does not depend on the order in which pairs
/// meet, so that places are the same on any number of ranks.
std::unique_ptr<collective> first_places(const exchange_settings& s, std::vector<places_found> mine,
                                         const array& to, element type, fold how);

}  // namespace ricci::mpi
