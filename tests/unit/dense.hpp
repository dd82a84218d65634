// Tensors of the tests of the public face: random contents, and dense copies in long double to
// compare with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <ricci/tensor.hpp>

namespace ricci::testing {

/// A tensor of any rank, row-major, in long double.
struct dense_copy {
    std::vector<std::size_t> extents;
    std::vector<long double> values;
};

template <class T, int Rank>
dense_copy copy_of(const tensor_view<T, Rank>& view) {
    dense_copy out;
    out.extents.assign(view.extents().begin(), view.extents().end());
    std::vector<std::size_t> at(static_cast<std::size_t>(Rank), 0);
    for (std::size_t left = view.size(); left > 0; --left) {
        std::ptrdiff_t offset = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis)
            offset += static_cast<std::ptrdiff_t>(at[axis]) * view.strides()[axis];
        out.values.push_back(static_cast<long double>(view.data()[offset]));
        for (std::size_t axis = at.size(); axis-- > 0;) {
            if (++at[axis] < out.extents[axis]) break;
            at[axis] = 0;
        }
    }
    return out;
}
template <class Tensor>
dense_copy copy_of(const Tensor& t) {
    return copy_of(t.view());
}
inline dense_copy copy_of(double number) { return {{}, {number}}; }

/// Uniform in [low, high); the same for the same seed everywhere.
template <class Tensor>
void randomise(Tensor& t, std::uint32_t seed, double low = -1, double high = 1) {
    std::mt19937 generator(seed);
    for (std::size_t k = 0; k < t.size(); ++k)
        t.data()[k] = static_cast<typename Tensor::element_type>(
            low + (high - low) * static_cast<double>(generator()) / 4294967296.0);
}
template <class T, int Rank>
tensor<T, Rank> random_tensor(const std::array<std::size_t, Rank>& extents, std::uint32_t seed,
                              double low = -1, double high = 1) {
    tensor<T, Rank> t(extents);
    randomise(t, seed, low, high);
    return t;
}

/// Empty when `got` is `expected` up to `tolerance` of the largest expected value; else what
/// differs.
inline std::string difference(const dense_copy& got, const dense_copy& expected, double tolerance) {
    if (got.extents != expected.extents) return "the shapes differ";
    long double largest = 1, worst = 0;
    for (long double v : expected.values) largest = std::max(largest, std::abs(v));
    for (std::size_t k = 0; k < expected.values.size(); ++k) {
        const long double d = std::abs(got.values[k] - expected.values[k]);
        if (!(d <= worst)) worst = d;  // NaN counts as the worst
        if (!(d <= tolerance * largest))
            return "entry " + std::to_string(k) + " is " + std::to_string(got.values[k]) +
                   ", expected " + std::to_string(expected.values[k]);
    }
    return "";
}

/// Rounding of sums of a few hundred terms.
template <class T>
inline constexpr double tolerance_of = sizeof(T) == 4 ? 2e-5 : 1e-13;

}  // namespace ricci::testing
