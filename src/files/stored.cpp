// Bytes of files become arrays: as they stand, or widened and set right.
#include "src/files/stored.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>

#include <unistd.h>

namespace ricci::files {
namespace {

static_assert(std::endian::native == std::endian::little, "files hold their bytes in this order");

/// What the address of an element has to be a multiple of.
std::size_t alignment_of(element type) {
    return is_complex(type) ? size_of(type) / 2 : size_of(type);
}

std::size_t elements_of(const stored_tensor& tensor) {
    std::size_t n = 1;
    for (const std::size_t e : tensor.extents) n *= e;
    return n;
}

std::vector<std::int64_t> strides_of(const stored_tensor& tensor) {
    const std::size_t rank = tensor.extents.size();
    std::vector<std::int64_t> strides(rank);
    std::int64_t step = 1;
    for (std::size_t n = 0; n < rank; ++n) {
        const std::size_t axis = tensor.column_major ? n : rank - 1 - n;
        strides[axis] = step;
        step *= static_cast<std::int64_t>(std::max<std::size_t>(tensor.extents[axis], 1));
    }
    return strides;
}

template <class From>
void widen(const std::byte* from, std::size_t n, std::byte* to) {
    for (std::size_t k = 0; k < n; ++k) {
        From x;
        std::memcpy(&x, from + k * sizeof(From), sizeof(From));
        const std::int32_t wide = x;
        std::memcpy(to + k * sizeof(wide), &wide, sizeof(wide));
    }
}

// Elements as the library has them: i32 of what has fewer bits, 0 and 1 of what is false and true.
void set_right(const stored_type& type, const std::byte* from, std::size_t n, std::byte* to) {
    if (type == stored_i8) return widen<std::int8_t>(from, n, to);
    if (type == stored_u8) return widen<std::uint8_t>(from, n, to);
    if (type == stored_i16) return widen<std::int16_t>(from, n, to);
    if (type == stored_u16) return widen<std::uint16_t>(from, n, to);
    if (type.type == element::boolean)
        for (std::size_t k = 0; k < n; ++k) to[k] = std::byte{from[k] != std::byte{0}};
    else if (n > 0) std::memcpy(to, from, n * type.bytes);
}

}  // namespace

std::size_t stored_tensor::bytes(const place& where) const {
    if (extents.size() > most_axes)
        fail(where, "it has {} axes, and no tensor may have more than {}", extents.size(),
             most_axes);
    // An extent of 0 hides how large the others are; strides would overflow all the same.
    std::size_t positive = size_of(type.type);
    for (const std::size_t e : extents)
        if (__builtin_mul_overflow(positive, std::max<std::size_t>(e, 1), &positive) ||
            positive > PTRDIFF_MAX)
            fail(where, "its extents are too large: it has more bytes than memory has addresses");
    return elements_of(*this) * type.bytes;
}

void check_memory(std::size_t bytes, const place& where) {
    const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    if (bytes / page > pages)
        fail(where, "it takes {}, more than the memory of this machine", count(bytes, "byte"));
}

file_memory new_memory(std::size_t bytes, const place& where) {
    check_memory(bytes, where);
    try {
        void* data = detail::allocate_elements(&bytes, 1, 1);
        return {{data, &detail::release_elements}, static_cast<std::byte*>(data), true};
    } catch (const std::bad_alloc&) {
        fail(where, "there is no memory for its {}", count(bytes, "byte"));
    }
}

array array_in(const file_memory& memory, std::size_t offset, const stored_tensor& tensor,
               const place& where) {
    const std::vector<std::int64_t> strides = strides_of(tensor);
    const element type = tensor.type.type;
    std::byte* const data = memory.data + offset;
    const bool aligned = reinterpret_cast<std::uintptr_t>(data) % alignment_of(type) == 0;
    if (aligned && type != element::boolean && tensor.type == stored_as(type))
        return array::over(memory.owner, type, data, tensor.extents, strides, memory.writable);
    const std::size_t n = elements_of(tensor);
    const file_memory copy = new_memory(n * size_of(type), where);
    set_right(tensor.type, data, n, copy.data);
    return array::over(copy.owner, type, copy.data, tensor.extents, strides);
}

void check_savable(const array& tensor, const place& where) {
    if (tensor.is_shape()) fail(where, "it is a shape, and has no elements to write");
    if (tensor.rank() > most_axes)
        fail(where, "it has {} axes, and no file holds more than {}", tensor.rank(), most_axes);
}

array contiguous(const array& tensor) { return tensor.is_contiguous() ? tensor : tensor.clone(); }

}  // namespace ricci::files
