// The loops of a contraction, simplified and put in the order in which memory is best walked.
#pragma once

#include <cstdint>
#include <vector>

#include "src/steps/contraction.hpp"

namespace ricci::contractions {

using loop_list = std::vector<steps::contraction_loop>;

/// Where the walk of the loops starts in each operand, for operands that were given with negative
/// strides, and whether A and B, and with them m and n, have changed places.
struct walk_origin {
    std::int64_t a = 0, b = 0, c = 0;
    bool swapped = false;
};

/// A contraction without loops of extent 1, and without loops that go on where another one ends.
/// The slowest loop comes first in each group. Every loop of batch, m and n walks C upwards.
struct index_groups {
    loop_list batch;
    loop_list m;
    loop_list n;
    loop_list k;
    walk_origin origin;
    bool conjugate_a = false, conjugate_b = false;  // after operands have changed places
};

/// The number of iterations of a group; 1 when it is empty.
std::int64_t iterations(const loop_list& loops);

/// `lanes`: the length of a vector, which runs along n. A and B change places when C is contiguous
/// along m, or when n would leave most of a vector unused.
index_groups make_index_groups(const steps::contraction& what, int lanes);

/// The same contraction with A and B, and with them m and n, in each other's places.
index_groups exchanged(index_groups groups, int lanes);

}  // namespace ricci::contractions
