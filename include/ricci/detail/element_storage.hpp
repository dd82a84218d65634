// Memory of tensors: owned, aligned, zeroed, and watched for prepared programs that use it.
#pragma once

#include <cstddef>

#include <ricci/detail/export.hpp>

namespace ricci {

/// Leaves elements as they are in memory.
struct uninitialised {};

namespace detail {

/// Zeroed memory for the product of `extents` elements, aligned to 64 bytes. Throws ricci::error
/// when the size in bytes is not representable, std::bad_alloc when there is no memory.
RICCI_EXPORT void* allocate_elements(const std::size_t* extents, std::size_t rank,
                                     std::size_t element_size);
RICCI_EXPORT void release_elements(void* memory) noexcept;

/// Says to prepared programs what has become of a tensor's memory. There is one only for a tensor
/// that was bound to such a program; both have a part in it. It goes with the memory where the
/// tensor is moved to, and stays with the tensor, too.
class memory_watch;
/// `to` takes part in what `from` watches, and gives up the memory that it had.
RICCI_EXPORT void follow_watch(memory_watch*& to, memory_watch* from) noexcept;
/// The tensor goes; `owner`: and memory with it.
RICCI_EXPORT void end_watch(memory_watch* watch, bool owner) noexcept;

/// Owned memory that moves and does not copy.
template <class T>
class element_storage {
public:
    element_storage() = default;
    element_storage(const std::size_t* extents, std::size_t rank)
        : data_(static_cast<T*>(allocate_elements(extents, rank, sizeof(T)))) {}
    element_storage(element_storage&& other) noexcept : data_(other.data_) {
        if (other.watch_ != nullptr) follow_watch(watch_, other.watch_);
        other.data_ = nullptr;
    }
    element_storage& operator=(element_storage&& other) noexcept {
        if (this == &other) return *this;
        if (watch_ != other.watch_) follow_watch(watch_, other.watch_);
        release_elements(data_);
        data_ = other.data_;
        other.data_ = nullptr;
        return *this;
    }
    ~element_storage() {
        if (watch_ != nullptr) end_watch(watch_, data_ != nullptr);
        release_elements(data_);
    }
    T* get() const { return data_; }
    memory_watch** watch() const { return &watch_; }

private:
    T* data_ = nullptr;
    mutable memory_watch* watch_ = nullptr;  // one may be set for a tensor that is only read
};

/// Fixed tensors up to this size are kept in the object itself.
inline constexpr std::size_t most_bytes_inside = 8192;

/// `Count` elements whose number is known, inside the object or in memory of their own.
template <class T, std::size_t Count, bool Inside = (Count * sizeof(T) <= most_bytes_inside)>
class fixed_storage {
public:
    fixed_storage() : storage_(&count, 1) {}
    explicit fixed_storage(uninitialised) : fixed_storage() {}
    T* get() { return storage_.get(); }
    const T* get() const { return storage_.get(); }
    memory_watch** watch() const { return storage_.watch(); }

private:
    static constexpr std::size_t count = Count;
    element_storage<T> storage_;
};
template <class T, std::size_t Count>
class fixed_storage<T, Count, true> {
public:
    fixed_storage() : elements_{} {}
    explicit fixed_storage(uninitialised) {}
    T* get() { return elements_; }
    const T* get() const { return elements_; }
    constexpr memory_watch** watch() const { return nullptr; }  // it has no other memory, ever

private:
    alignas(64) T elements_[Count > 0 ? Count : 1];
};

/// Where a tensor has its watch, if it ever has one.
struct watch_of {
    memory_watch** place;
    template <class Tensor>
    constexpr explicit watch_of(const Tensor& t) : place(t.storage_.watch()) {}
};

}  // namespace detail

}  // namespace ricci
