// A list that is nearly always short: its first few elements need no memory of their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace ricci {

/// A vector of which up to `Few` elements lie in the object, and more of them elsewhere. What it
/// can is what std::vector can under the same name; but when it moves, its elements may.
template <class T, std::size_t Few>
class short_list {
public:
    using value_type = T;
    using iterator = T*;
    using const_iterator = const T*;

    short_list() noexcept {
        // Few bytes are copied sooner than as many of them as hold elements.
        if constexpr (is_bytes) std::memset(static_cast<void*>(few_), 0, sizeof few_);
    }
    short_list(std::initializer_list<T> all) : short_list(all.begin(), all.end()) {}
    explicit short_list(std::size_t count, const T& value = T()) : short_list() {
        resize(count, value);
    }
    template <std::input_iterator It>
    short_list(It first, It last) : short_list() {
        insert(end(), first, last);
    }
    short_list(const short_list& other) : short_list() { copy(other); }
    short_list(short_list&& other) noexcept : short_list() { take(other); }
    short_list& operator=(const short_list& other) {
        if (this == &other) return *this;
        clear();
        copy(other);
        return *this;
    }
    short_list& operator=(short_list&& other) noexcept {
        if (this == &other) return *this;
        release();
        take(other);
        return *this;
    }
    ~short_list() { release(); }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* data() { return all_; }
    const T* data() const { return all_; }
    T* begin() { return all_; }
    T* end() { return all_ + size_; }
    const T* begin() const { return all_; }
    const T* end() const { return all_ + size_; }
    auto rbegin() const { return std::reverse_iterator(end()); }
    auto rend() const { return std::reverse_iterator(begin()); }
    T& operator[](std::size_t k) { return all_[k]; }
    const T& operator[](std::size_t k) const { return all_[k]; }
    T& front() { return all_[0]; }
    const T& front() const { return all_[0]; }
    T& back() { return all_[size_ - 1]; }
    const T& back() const { return all_[size_ - 1]; }

    void reserve(std::size_t count) {
        if (count > capacity_) grow(count);
    }
    void clear() {
        std::destroy(begin(), end());
        size_ = 0;
    }
    void resize(std::size_t count, const T& value = T()) {
        if (count < size_) {
            std::destroy(begin() + count, end());
        } else {
            reserve(count);
            std::uninitialized_fill(end(), begin() + count, value);
        }
        size_ = static_cast<std::uint32_t>(count);
    }
    template <class It>
    void assign(It first, It last) {
        clear();
        insert(end(), first, last);
    }

    void push_back(const T& x) { emplace_back(x); }
    void push_back(T&& x) { emplace_back(std::move(x)); }
    template <class... From>
    T& emplace_back(From&&... from) {
        if (size_ == capacity_) {
            T made(std::forward<From>(from)...);  // of an element here, perhaps, which will move
            grow(size_ + std::size_t{1});
            ::new (static_cast<void*>(end())) T(std::move(made));
        } else {
            ::new (static_cast<void*>(end())) T(std::forward<From>(from)...);
        }
        return all_[size_++];
    }
    void pop_back() { std::destroy_at(all_ + --size_); }

    /// As vectors do: before the element at `before`; gives the first of what is new.
    T* insert(const T* before, const T& x) {
        const auto at = before - begin();
        emplace_back(x);
        std::rotate(begin() + at, end() - 1, end());
        return begin() + at;
    }
    template <std::input_iterator It>
    T* insert(const T* before, It first, It last) {
        const auto at = before - begin(), old = end() - begin();
        if constexpr (std::forward_iterator<It>)
            reserve(size_ + static_cast<std::size_t>(std::distance(first, last)));
        for (; first != last; ++first) emplace_back(*first);
        std::rotate(begin() + at, begin() + old, end());
        return begin() + at;
    }
    T* erase(const T* at) { return erase(at, at + 1); }
    T* erase(const T* first, const T* last) {
        T* const at = begin() + (first - begin());
        if (first == last) return at;
        T* const kept = std::move(begin() + (last - begin()), end(), at);
        std::destroy(kept, end());
        size_ = static_cast<std::uint32_t>(kept - begin());
        return at;
    }

    friend bool operator==(const short_list& a, const short_list& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    static constexpr bool is_bytes = std::is_trivially_copyable_v<T>;

    bool is_short() const { return all_ == few_; }

    /// Of an empty list.
    void copy(const short_list& other) {
        if (is_bytes && other.is_short()) {
            copy_few(other);
        } else {
            reserve(other.size_);
            std::uninitialized_copy(other.begin(), other.end(), all_);
        }
        size_ = other.size_;
    }
    void copy_few(const short_list& other) {
        std::memcpy(static_cast<void*>(all_), other.few_, sizeof few_);
    }
    /// Of a list without elements and memory; leaves such a one.
    void take(short_list& other) noexcept {
        if (other.is_short()) {
            if constexpr (is_bytes) copy_few(other);
            else std::uninitialized_move(other.begin(), other.end(), few_);
            size_ = other.size_;
            other.clear();
        } else {
            all_ = std::exchange(other.all_, other.few_);
            size_ = std::exchange(other.size_, 0);
            capacity_ = std::exchange(other.capacity_, static_cast<std::uint32_t>(Few));
        }
    }
    /// Destroys the elements and gives their memory back.
    void release() {
        clear();
        if (!is_short()) std::allocator<T>().deallocate(all_, capacity_);
        all_ = few_;
        capacity_ = Few;
    }
    void grow(std::size_t least) {
        const std::size_t capacity = std::max(least, std::size_t{2} * capacity_);
        T* const all = std::allocator<T>().allocate(capacity);
        std::uninitialized_move(begin(), end(), all);
        const auto size = size_;
        release();
        all_ = all;
        size_ = size;
        capacity_ = static_cast<std::uint32_t>(capacity);
    }

    T* all_ = few_;
    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = Few;
    union {
        T few_[Few];
    };
};

template <class T, std::size_t Few, class Predicate>
void erase_if(short_list<T, Few>& list, Predicate is_gone) {
    list.erase(std::remove_if(list.begin(), list.end(), is_gone), list.end());
}

}  // namespace ricci
