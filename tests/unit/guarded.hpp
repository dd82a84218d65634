// Memory of exactly so many bytes, with pages that nobody may touch before it and behind it: what
// reads or writes beside an operand ends the test, on any machine and in any build.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace ricci::testing {

/// Which end of the memory lies at the edge of a page; the other is as near to one as alignment
/// allows.
enum class guarded_end { first, last };

class guarded_memory {
public:
    guarded_memory() = default;
    explicit guarded_memory(std::size_t bytes, guarded_end end = guarded_end::last)
        : bytes_(bytes), end_(end) {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        const std::size_t inside = (bytes + page - 1) / page * page;
        mapped_ = inside + 2 * page;
        void* const all = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (all == MAP_FAILED) throw std::bad_alloc();
        pages_ = static_cast<std::byte*>(all);
        if (inside > 0 && mprotect(pages_ + page, inside, PROT_READ | PROT_WRITE) != 0)
            throw std::bad_alloc();
        data_ = pages_ + page + (end == guarded_end::last ? inside - bytes : 0);
    }
    guarded_memory(const guarded_memory& other) : guarded_memory(other.bytes_, other.end_) {
        std::copy_n(other.data_, bytes_, data_);
    }
    guarded_memory(guarded_memory&& other) noexcept { swap(other); }
    guarded_memory& operator=(guarded_memory other) noexcept {
        swap(other);
        return *this;
    }
    ~guarded_memory() {
        if (pages_ != nullptr) munmap(pages_, mapped_);
    }

    /// Of no bytes: an address that cannot be read or written.
    std::byte* data() { return data_; }
    const std::byte* data() const { return data_; }
    std::size_t size() const { return bytes_; }
    bool operator==(const guarded_memory& other) const {
        return bytes_ == other.bytes_ && std::equal(data_, data_ + bytes_, other.data_);
    }

private:
    void swap(guarded_memory& other) noexcept {
        std::swap(bytes_, other.bytes_);
        std::swap(end_, other.end_);
        std::swap(mapped_, other.mapped_);
        std::swap(pages_, other.pages_);
        std::swap(data_, other.data_);
    }

    std::size_t bytes_ = 0, mapped_ = 0;
    guarded_end end_ = guarded_end::last;
    std::byte* pages_ = nullptr;
    std::byte* data_ = nullptr;
};

/// An array of T in guarded memory.
template <class T>
class guarded_array {
public:
    guarded_array() = default;
    explicit guarded_array(std::size_t count, guarded_end end = guarded_end::last)
        : memory_(count * sizeof(T), end) {}
    /// The same elements elsewhere.
    guarded_array(const std::vector<T>& from) : guarded_array(from.size()) {
        std::copy(from.begin(), from.end(), data());
    }
    operator std::vector<T>() const { return {begin(), end()}; }

    T* data() { return reinterpret_cast<T*>(memory_.data()); }
    const T* data() const { return reinterpret_cast<const T*>(memory_.data()); }
    std::size_t size() const { return memory_.size() / sizeof(T); }
    T* begin() { return data(); }
    T* end() { return data() + size(); }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size(); }
    T& operator[](std::size_t k) { return data()[k]; }
    const T& operator[](std::size_t k) const { return data()[k]; }

private:
    guarded_memory memory_;
};

}  // namespace ricci::testing
