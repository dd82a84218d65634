// A growable array for compile-time and run-time code alike; std::vector costs users' files a
// header.
#pragma once

#include <cstdint>

namespace ricci::detail {

/// Holds trivially copyable values. Indices are 32-bit: programs are text, not data.
template <class T>
class buffer {
public:
    constexpr buffer() = default;
    constexpr buffer(const buffer& other) { append(other.data_, other.size_); }
    constexpr buffer(buffer&& other) noexcept
        : data_(other.data_), size_(other.size_), capacity_(other.capacity_) {
        other.data_ = nullptr;
        other.size_ = other.capacity_ = 0;
    }
    constexpr buffer& operator=(buffer other) noexcept {
        swap(other);
        return *this;
    }
    constexpr ~buffer() { delete[] data_; }

    constexpr void swap(buffer& other) noexcept {
        auto* data = data_;
        auto size = size_, capacity = capacity_;
        data_ = other.data_, size_ = other.size_, capacity_ = other.capacity_;
        other.data_ = data, other.size_ = size, other.capacity_ = capacity;
    }

    constexpr std::int32_t push(const T& value) {
        if (size_ == capacity_) {
            const T copy = value;  // `value` may live in the memory that is about to move
            grow(size_ + 1);
            data_[size_] = copy;
        } else {
            data_[size_] = value;
        }
        return size_++;
    }
    constexpr void append(const T* values, std::int32_t count) {
        if (size_ + count > capacity_) grow(size_ + count);
        for (std::int32_t k = 0; k < count; ++k) data_[size_ + k] = values[k];
        size_ += count;
    }
    /// Grows or shrinks to `size` entries; new ones are `value`.
    constexpr void resize(std::int32_t size, const T& value) {
        if (size > capacity_) grow(size);
        for (std::int32_t k = size_; k < size; ++k) data_[k] = value;
        size_ = size;
    }
    constexpr void shrink(std::int32_t size) { size_ = size; }
    constexpr void clear() { size_ = 0; }

    constexpr T& operator[](std::int32_t k) { return data_[k]; }
    constexpr const T& operator[](std::int32_t k) const { return data_[k]; }
    constexpr T* data() { return data_; }
    constexpr const T* data() const { return data_; }
    constexpr std::int32_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr T* begin() { return data_; }
    constexpr T* end() { return data_ + size_; }
    constexpr const T* begin() const { return data_; }
    constexpr const T* end() const { return data_ + size_; }
    constexpr T& back() { return data_[size_ - 1]; }

private:
    constexpr void grow(std::int32_t least) {
#ifdef RICCI_TIGHT_BUFFERS
        // Every element that is added moves the others, of hundreds every few: a sanitizer sees
        // each reference kept too long.
        const std::int32_t capacity = least + least / 128;
#else
        // By four: every element that moves costs the compiler time when it evaluates constants.
        std::int32_t capacity = capacity_ ? 4 * capacity_ : 16;
        if (capacity < least) capacity = least;
#endif
        T* data = new T[static_cast<std::uint32_t>(capacity)];
        for (std::int32_t k = 0; k < size_; ++k) data[k] = data_[k];
        delete[] data_;
        data_ = data;
        capacity_ = capacity;
    }

    T* data_ = nullptr;
    std::int32_t size_ = 0;
    std::int32_t capacity_ = 0;
};

}  // namespace ricci::detail
