// What is done to the numbers of blocks: measured, multiplied by powers of two, added up. The first
// tensor of a walk is written, the second one read. `type`: f32, f64, c64 or c128.
#pragma once

#include <cstdint>

#include <ricci/element.hpp>

#include "src/network/scaled/block_walk.hpp"

namespace ricci::networks {

/// largest[b] = the largest finite magnitude of a real number in block b of the first tensor.
void measure_blocks(const block_walk& walk, element type, const void* tensor, double* largest);

/// tensor = tensor * 2^powers[b] in block b of the first tensor.
void multiply_blocks(const block_walk& walk, element type, void* tensor,
                     const std::int64_t* powers);

/// to = from * 2^powers[b]. Memory of `to` may be written more than once, with the same numbers.
void copy_blocks(const block_walk& walk, element type, const void* from, void* to,
                 const std::int64_t* powers);

/// to = to + from * 2^powers[b].
void add_blocks(const block_walk& walk, element type, const void* from, void* to,
                const std::int64_t* powers);

/// tensor = tensor * 2^powers[b] * by, or / by.
void multiply_blocks(const block_walk& walk, element type, void* tensor, const std::int64_t* powers,
                     double by, bool divides);

}  // namespace ricci::networks
