// Memory for packed panels and tiles: a fixed piece for each worker, and larger pieces that are
// lent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ricci::runtime {

/// Bytes a worker has: in contractions for the panels of A and, in its second half, small panels of
/// B.
inline constexpr std::size_t worker_bytes = std::size_t{2} << 20;

/// The memory of one worker; 2 MiB aligned, never moved or given back. The first call reserves
/// addresses for all workers; pages come into being when they are touched.
std::byte* worker_memory(int worker);

/// So many pieces of at least this size.
struct memory_pieces {
    std::size_t bytes = 0;
    std::int64_t count = 0;
};

/// A piece of memory of at least some size, returned to the pool at the end. Lending one allocates
/// where the pool has none that is free and large enough: never while what is lent has been held.
class lent_memory {
public:
    explicit lent_memory(std::size_t bytes);
    ~lent_memory();
    lent_memory(const lent_memory&) = delete;
    lent_memory& operator=(const lent_memory&) = delete;
    std::byte* data() const { return data_; }

    /// Makes sure that the pool has these pieces, sorted by size, the largest first, besides all
    /// others that are held, until they are let go. Throws std::bad_alloc, and then holds none. For
    /// held_memory alone.
    static void hold(std::span<const memory_pieces> pieces);
    static void let_go(std::span<const memory_pieces> pieces) noexcept;

private:
    std::byte* data_ = nullptr;
};

}  // namespace ricci::runtime
