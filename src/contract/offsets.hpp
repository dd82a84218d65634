// An index group flattened to one offset for each of its iterations, as one operand is walked.
#pragma once

#include <cstdint>
#include <vector>

#include "src/contract/index_groups.hpp"
#include "src/kernels/gemm/gemm.hpp"

namespace ricci::contractions {

/// offset[i]: where iteration i of the group is. run[i]: how many iterations from i on, i included,
/// follow each other at unit stride.
struct offset_vector {
    std::vector<std::int64_t> offset;
    std::vector<std::int32_t> run;
    // Iterations between the members of a run: 1, unless find_stretch() found another distance.
    std::int64_t stretch = 1;
};

/// The largest distance that is looked for along k: in B, where packing transposes a vector of
/// columns for all k between, and in A, where it transposes a row at a time.
inline constexpr std::int64_t most_stretch = 24, most_row_stretch = 128;

/// Where neighbouring iterations are not adjacent in memory, looks for a distance of at most
/// `furthest` at which iterations are, and makes `run` count those.
void find_stretch(offset_vector& offsets, std::int64_t furthest);

/// `stride`: of the operand, one of &contraction_loop::a, b, c. The last loop varies fastest.
offset_vector flatten(const loop_list& loops, std::int64_t steps::contraction_loop::*stride);

/// The step between iterations [first, end) when it is always the same; 0 when steps differ, 1 when
/// there is no step.
std::int64_t uniform_step(const offset_vector& offsets, std::int64_t first, std::int64_t end);

/// The same for all iterations of a group whose loops have more than one iteration each.
std::int64_t uniform_step(const loop_list& loops, std::int64_t steps::contraction_loop::*stride);

/// Where one iteration of a group is in each operand.
struct position {
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::int64_t c = 0;
};

/// What is packed at once: iterations [first, first + width) of one group side by side, and
/// [k, k + depth) along the other.
template <class Stored>
kernels::pack_source<Stored> pack_source(const Stored* origin, const offset_vector& across,
                                         std::int64_t first, std::int64_t width,
                                         const offset_vector& along, std::int64_t k,
                                         std::int64_t depth) {
    kernels::pack_source<Stored> from;
    from.origin = origin;
    from.across = across.offset.data() + first;
    from.across_run = across.run.data() + first;
    from.along = along.offset.data() + k;
    from.along_run = along.run.data() + k;
    from.along_stretch = along.stretch;
    from.width = static_cast<int>(width);
    from.depth = depth;
    return from;
}

/// The position of iteration `index`, without a table.
position locate(const loop_list& loops, std::int64_t index);

}  // namespace ricci::contractions
