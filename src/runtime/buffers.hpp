// Memory for packed panels and tiles: a fixed piece for each worker, and larger pieces that are
// lent.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ricci::runtime {

/// Bytes a worker has: in contractions for the panels of A and, in its second half, small panels of
/// B.
inline constexpr std::size_t worker_bytes = std::size_t{2} << 20;

/// The memory of one worker; 2 MiB aligned, never moved or given back. The first call reserves
/// addresses for all workers; pages come into being when they are touched.
std::byte* worker_memory(int worker);

/// A piece of memory of at least some size, returned to the pool at the end.
class lent_memory {
public:
    explicit lent_memory(std::size_t bytes);
    ~lent_memory();
    lent_memory(const lent_memory&) = delete;
    lent_memory& operator=(const lent_memory&) = delete;
    std::byte* data() const { return data_; }

    /// Makes sure the pool has so many pieces of this size, so that later loans need not allocate;
    /// one does only when more are lent at the same time than ever before.
    static void reserve(std::size_t bytes, std::int64_t pieces = 1);

private:
    std::byte* data_ = nullptr;
};

}  // namespace ricci::runtime
