// Going over the elements of a view, whatever its strides: a forward iterator.
#pragma once

// The iterator tags come with <array>, whose own iterators need them: all of <iterator> would cost
// every user's file a twentieth of what this library does.
#include <array>
#include <cstddef>
#include <type_traits>

namespace ricci::detail {

/// Visits elements in row-major order. It keeps extents and strides itself, so that it outlives the
/// view, though not the memory.
template <class T, std::size_t Rank>
class element_iterator {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::remove_const_t<T>;
    using difference_type = std::ptrdiff_t;
    using pointer = T*;
    using reference = T&;

    constexpr element_iterator() = default;
    constexpr element_iterator(T* first, const std::array<std::size_t, Rank>& extents,
                               const std::array<std::ptrdiff_t, Rank>& strides)
        : first_(first), extents_(extents), strides_(strides) {}
    /// The end, behind as many elements as the view has.
    constexpr explicit element_iterator(std::size_t size) : passed_(size) {}

    constexpr T& operator*() const { return first_[offset_]; }
    constexpr T* operator->() const { return first_ + offset_; }
    constexpr element_iterator& operator++() {
        ++passed_;
        for (std::size_t axis = Rank; axis-- > 0;) {
            offset_ += strides_[axis];
            if (++at_[axis] < extents_[axis]) return *this;
            offset_ -= strides_[axis] * static_cast<std::ptrdiff_t>(extents_[axis]);
            at_[axis] = 0;
        }
        return *this;
    }
    constexpr element_iterator operator++(int) {
        const element_iterator before = *this;
        ++*this;
        return before;
    }
    friend constexpr bool operator==(const element_iterator& a, const element_iterator& b) {
        return a.passed_ == b.passed_;
    }

private:
    T* first_ = nullptr;
    std::ptrdiff_t offset_ =
        0;  // beyond the memory at the end of an axis, where a pointer may not be
    std::size_t passed_ = 0;
    std::array<std::size_t, Rank> at_{}, extents_{};
    std::array<std::ptrdiff_t, Rank> strides_{};
};

}  // namespace ricci::detail
