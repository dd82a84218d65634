// Transpositions whose rows are far apart on both sides, in tiles with long runs on both.
#pragma once

#include <cstddef>
#include <memory>

#include "src/copy/copy_strategy.hpp"
#include "src/tile/map_strategy.hpp"
#include "src/tile/loops.hpp"

namespace ricci::elementwise {

/// A strategy for a copy past the caches where q is the loop along which the output is contiguous,
/// p that of the source, and `others` the rest. None where tiles that are written as they are read
/// are as fast, or where runs would be too short to be worth a second copy. T: float, double, for
/// any element of that size.
template <class T>
std::unique_ptr<const map_strategy> make_staged_transposition(const loop_nest& nest,
                                                              std::size_t source, const loop& q,
                                                              const loop& p, loop_picker others);

}  // namespace ricci::elementwise
