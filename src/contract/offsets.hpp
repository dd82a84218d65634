// An index group flattened to one offset for each of its iterations, as one operand is walked.
#pragma once

#include <cstdint>
#include <vector>

#include "src/contract/index_groups.hpp"

namespace ricci::contract {

/// offset[i]: where iteration i of the group is. run[i]: how many iterations from i on, i included,
/// follow each other at unit stride.
struct offset_vector {
    std::vector<std::int64_t> offset;
    std::vector<std::int32_t> run;
    // How far apart the runs' members are: 1, unless find_stretch() found a distance.
    std::int64_t stretch = 1;
};

/// The furthest that is looked for along k: in B, where a vector of columns is transposed for all k
/// between, and in A, which is transposed a row at a time.
inline constexpr std::int64_t most_stretch = 24, most_row_stretch = 128;

/// Where neighbours are not adjacent in memory but iterations some distance apart are, at most
/// `furthest`, `run` is made to count those.
void find_stretch(offset_vector& offsets, std::int64_t furthest);

/// `stride`: of the operand, one of &contraction_loop::a, b, c. The last loop varies fastest.
offset_vector flatten(const loop_list& loops, std::int64_t steps::contraction_loop::*stride);

/// The step between iterations [first, end) when it is always the same, 1 when there is none; 0
/// when they differ.
std::int64_t uniform_step(const offset_vector& offsets, std::int64_t first, std::int64_t end);

/// Where one iteration of a group is in each operand.
struct position {
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::int64_t c = 0;
};

/// The position of iteration `index`, without a table.
position locate(const loop_list& loops, std::int64_t index);

}  // namespace ricci::contract
