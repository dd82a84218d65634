// A list that is nearly always short: its first few elements need no memory of their own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <vector>

namespace ricci {

/// Up to `Few` elements lie in the object; more of them in a vector.
template <class T, std::size_t Few>
class short_list {
public:
    short_list() = default;
    short_list(std::initializer_list<T> all) {
        for (const T& x : all) push_back(x);
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* begin() { return size_ <= Few ? few_.data() : many_.data(); }
    T* end() { return begin() + size_; }
    const T* begin() const { return size_ <= Few ? few_.data() : many_.data(); }
    const T* end() const { return begin() + size_; }
    T& operator[](std::size_t k) { return begin()[k]; }
    const T& operator[](std::size_t k) const { return begin()[k]; }

    void push_back(const T& x) { insert(end(), x); }
    void insert(const T* before, const T& x) {
        const auto at = before - begin();
        if (size_ < Few) {
            std::copy_backward(few_.begin() + at, few_.begin() + static_cast<std::ptrdiff_t>(size_),
                               few_.begin() + static_cast<std::ptrdiff_t>(size_) + 1);
            few_[static_cast<std::size_t>(at)] = x;
        } else {
            if (size_ == Few) many_.assign(few_.begin(), few_.end());
            many_.insert(many_.begin() + at, x);
        }
        ++size_;
    }
    void erase(const T* at) {
        std::copy(at + 1, static_cast<const T*>(end()), begin() + (at - begin()));
        shrink(size_ - 1);
    }
    template <class Predicate>
    void erase_if(Predicate is_gone) {
        T* const kept = std::remove_if(begin(), end(), is_gone);
        shrink(static_cast<std::size_t>(kept - begin()));
    }

    bool operator==(const short_list& other) const {
        return std::equal(begin(), end(), other.begin(), other.end());
    }

private:
    void shrink(std::size_t size) {
        if (size_ > Few) {
            many_.resize(size);
            if (size <= Few) {
                std::copy(many_.begin(), many_.end(), few_.begin());
                many_.clear();
            }
        }
        size_ = size;
    }

    std::array<T, Few> few_{};
    std::vector<T> many_;  // all of them, where they are more than few
    std::size_t size_ = 0;
};

}  // namespace ricci
