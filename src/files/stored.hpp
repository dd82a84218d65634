// How a tensor stands in a file: what an element is, how many there are, and the array that it
// becomes.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <ricci/array.hpp>

#include "src/files/words.hpp"

namespace ricci::files {

/// No file that numpy reads has more axes.
inline constexpr std::size_t most_axes = 64;

/// An element as a file holds it. Whole numbers of fewer bits are read as i32.
struct stored_type {
    element type = element::f64;
    std::size_t bytes = 8;
    bool is_signed = true;

    bool operator==(const stored_type&) const = default;
};
inline constexpr stored_type stored_i8{element::i32, 1, true}, stored_u8{element::i32, 1, false},
    stored_i16{element::i32, 2, true}, stored_u16{element::i32, 2, false};
constexpr stored_type stored_as(element type) { return {type, size_of(type), true}; }

/// A tensor in a file, without its place there.
struct stored_tensor {
    stored_type type;
    std::vector<std::size_t> extents;
    bool column_major = false;

    /// Bytes that it takes in the file. Throws where they are more than memory has addresses, or
    /// axes too many.
    std::size_t bytes(const place& where) const;
};

/// Bytes of a file in memory that `owner` keeps; an array over them may be written if `writable`.
struct file_memory {
    std::shared_ptr<void> owner;
    std::byte* data = nullptr;
    bool writable = true;
};

/// Memory to read so many bytes into, 64-byte aligned. Throws where the machine has less.
file_memory new_memory(std::size_t bytes, const place& where);
/// Throws where the machine has less memory than so many bytes, rather than have it taken away from
/// others.
void check_memory(std::size_t bytes, const place& where);

/// The array of a tensor whose bytes stand at `offset` in memory; they have been counted. It looks
/// at them where they are elements as they stand, and has a copy otherwise.
array array_in(const file_memory& memory, std::size_t offset, const stored_tensor& tensor,
               const place& where);

/// Throws for an array that no file can hold: one without elements of its own, or of too many axes.
void check_savable(const array& tensor, const place& where);
/// The same tensor row-major and without gaps: itself, or a copy.
array contiguous(const array& tensor);

}  // namespace ricci::files
