// How a contraction is cut into blocks that fit the caches; depends on shapes, on the kernels' tile
// and on the machine's caches, never on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/kernels/gemm/gemm.hpp"
#include "src/runtime/cache_sizes.hpp"

namespace ricci::contractions {

/// What the sizes are chosen for: the flattened groups, the kernels' tile and the element's size.
struct problem_size {
    std::int64_t batch = 1;
    std::int64_t m = 1;
    std::int64_t n = 1;
    std::int64_t k = 1;
    int lanes = 1;
    int mr = 1;
    int vectors = 1;
    std::size_t element_bytes = 4;
    bool complete_sums = false;  // no sum is written before all blocks of k have been added
    bool b_in_place = false;     // every panel of B can be read where it lies
    bool b_dense = false;        // and it lies there as if it were packed
    bool long_lines = false;     // B is packed best in many panels at a time
    std::int64_t k_unit = 16;    // blocks of k are cut at multiples of this
    std::int64_t most_depth = kernels::most_depth<double>;  // and hold no more
    runtime::cache_sizes caches = runtime::caches();
};

/// k is cut at multiples of this where elements that are adjacent in memory are `stretch`
/// iterations of k apart: packing then transposes whole blocks.
constexpr std::int64_t block_unit(std::int64_t stretch) { return stretch == 1 ? 16 : 4 * stretch; }

struct block_sizes {
    std::int64_t panels = 1;    // column panels of B, each up to `vectors` vectors wide
    std::int64_t k_blocks = 1;  // blocks of k, each packed and multiplied at once
    std::int64_t m_tiles = 1;   // tiles of rows; with a tile of columns and a batch, one task
    std::int64_t n_tiles = 1;   // tiles of columns in a chunk
    std::int64_t k_splits = 1;  // partial sums of k that are computed independently
    bool sums_apart = false;    // sums of several blocks of k are kept apart from C until complete
    std::int64_t n_chunks = 1;  // chunks of B packed at the same time ...
    std::int64_t k_chunks = 1;
    std::int64_t batch_chunk = 1;     // ... and batches of such chunks
    std::int64_t units_per_task = 1;  // tiles given to a worker at once, when they are small
    std::int64_t packed_columns = 1;  // columns of the widest chunk, padded to whole vectors
    std::int64_t packed_depth = 1;    // k of the deepest chunk
    bool in_place = false;            // B is read where it lies, or each unit packs it for itself
    bool serial = false;              // too little work to wake other threads
};

block_sizes choose_blocks(const problem_size& size);

}  // namespace ricci::contractions
