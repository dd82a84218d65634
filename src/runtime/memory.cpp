// Memory of tensors: aligned, zeroed, and on large pages where it is large.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include <sys/mman.h>

#include <fmt/core.h>

#include <ricci/error.hpp>
#include <ricci/tensor.hpp>

#include "src/runtime/interruption.hpp"

namespace ricci::detail {

void* allocate_elements(const std::size_t* extents, std::size_t rank, std::size_t element_size) {
    constexpr std::size_t alignment = 64;
    constexpr std::size_t large = std::size_t{4} << 20;
    constexpr std::size_t page = std::size_t{2} << 20, piece = 8 * page;
    std::size_t bytes = element_size;
    for (std::size_t axis = 0; axis < rank; ++axis)
        if (__builtin_mul_overflow(bytes, extents[axis], &bytes) || bytes > PTRDIFF_MAX)
            throw error(
                fmt::format("a tensor of this shape has more bytes than memory has addresses: "
                            "extent {} in axis {}",
                            extents[axis], axis));
    if (bytes == 0) bytes = alignment;
    const std::size_t unit = bytes >= large ? page : alignment;
    const std::size_t rounded = (bytes + unit - 1) / unit * unit;
    void* memory = rounded < bytes ? nullptr : std::aligned_alloc(unit, rounded);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    if (unit == page) madvise(memory, rounded, MADV_HUGEPAGE);
#endif
    std::unique_ptr<std::byte, void (*)(void*)> made(static_cast<std::byte*>(memory), &std::free);
    for (std::size_t at = 0; at < rounded; at += piece) {
        // the pages of a large tensor may take a second to be had
        if (at > 0) runtime::interruption::poll();
        std::memset(made.get() + at, 0, std::min(piece, rounded - at));
    }
    return made.release();
}

void release_elements(void* memory) noexcept { std::free(memory); }

}  // namespace ricci::detail
