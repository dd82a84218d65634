// Results of blocks that ranks have, told to all of them.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <ricci/array.hpp>

#include "src/mpi/long_types.hpp"

namespace ricci::mpi {

/// f(first byte, how many elements), piece by piece: MPI counts to 2^31.
template <class F>
void in_pieces(const array& a, const F& f) {
    for (std::size_t k = 0; k < a.size(); k += longest)
        f(k * size_of(a.type()), static_cast<int>(std::min(longest, a.size() - k)));
}

/// Results of block `first` and of those behind it, as many as are little together, which are one
/// message then: on every rank they are in `results` afterwards. `owners`: which rank has them;
/// `room_for(block)`: an array for one, row-major as those that are there. Gives where they end.
std::int64_t tell_blocks(MPI_Comm comm, const std::vector<int>& owners, std::vector<array>& results,
                         std::int64_t first, const std::function<array(std::int64_t)>& room_for);

}  // namespace ricci::mpi
