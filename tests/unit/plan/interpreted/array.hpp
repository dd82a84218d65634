// The memory of a plan as its interpreter has it: each tensor by its extents, apart from all
// others.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/plan/schedule/plan.hpp"
#include "tests/unit/bound_program.hpp"

namespace ricci::testing {

/// A number of the arithmetic of T, which is double, std::complex<double> or std::int64_t.
template <class T>
T number_from(double x) {
    if constexpr (std::is_integral_v<T>) {
        if (!(x > -0x1p63)) return std::numeric_limits<T>::lowest();
        if (!(x < 0x1p63)) return std::numeric_limits<T>::max();
    }
    return static_cast<T>(x);
}

/// The elements of a tensor, the last axis fastest. One that nobody has written is not read.
template <class T>
class array {
public:
    explicit array(std::vector<std::int64_t> extents = {}) : extents_(std::move(extents)) {
        std::size_t count = 1;
        for (const auto n : extents_) count *= static_cast<std::size_t>(n);
        values_.resize(count);
        written_.resize(count, false);
    }
    const std::vector<std::int64_t>& extents() const { return extents_; }
    std::size_t size() const { return values_.size(); }
    bool is_written(std::size_t k) const { return written_.at(k); }
    T operator[](std::size_t k) const {
        if (!written_.at(k)) throw std::logic_error("an element is read that nobody has written");
        return values_[k];
    }
    void set(std::size_t k, T value) {
        values_.at(k) = value;
        written_[k] = true;
    }

private:
    std::vector<std::int64_t> extents_;
    std::vector<T> values_;
    std::vector<bool> written_;
};

/// One element of the caller's memory.
template <class T>
T element_at(const void* memory, element type, std::int64_t at) {
    T result{};
    const auto* const from =
        static_cast<const std::byte*>(memory) + at * static_cast<std::int64_t>(size_of(type));
    with_element_type(type, [&]<class Stored>(Stored x) {
        if constexpr (std::is_same_v<Stored, bool>) {
            result = number_from<T>(*from != std::byte{0} ? 1 : 0);
            return;
        }
        std::memcpy(&x, from, sizeof x);
        if constexpr (is_complex(element_v<Stored>)) {
            if constexpr (std::is_same_v<T, std::complex<double>>) result = T(x.real(), x.imag());
            else throw std::logic_error("a complex number among others");
        } else if constexpr (std::is_integral_v<Stored> && std::is_integral_v<T>) {
            result = x;
        } else {
            result = number_from<T>(engine::number(x).real);
        }
    });
    return result;
}

/// What the caller bound, element by element.
template <class T>
array<T> elements_of(const void* memory, element type, const std::vector<std::int64_t>& extents,
                     const std::vector<std::int64_t>& strides) {
    array<T> result(extents);
    std::vector<std::int64_t> at(extents.size(), 0);
    for (std::size_t k = 0; k < result.size(); ++k) {
        std::int64_t offset = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis) offset += at[axis] * strides[axis];
        result.set(k, element_at<T>(memory, type, offset));
        for (std::size_t axis = at.size(); axis-- > 0 && ++at[axis] == extents[axis];) at[axis] = 0;
    }
    return result;
}

}  // namespace ricci::testing
