// Sums between two groups.
#include "src/fused/row_sums.hpp"

#include <array>
#include <cstdint>
#include <numeric>

namespace ricci::fused {
namespace {

// Several sums side by side, which the compiler makes a vector of.
template <class T>
T dot(const T* a, const T* b, std::int64_t count) {
    constexpr std::int64_t abreast = 16;
    std::array<T, abreast> sum{};
    std::int64_t k = 0;
    for (; k + abreast <= count; k += abreast)
        for (std::int64_t s = 0; s < abreast; ++s)
            sum[static_cast<std::size_t>(s)] += a[k + s] * b[k + s];
    for (; k < count; ++k) sum[0] += a[k] * b[k];
    return std::accumulate(sum.begin(), sum.end(), T{0});
}

}  // namespace

template <class T>
row_sum<T>::row_sum(const steps::row_dot& sum, const geometry& shape)
    : shape_(&shape),
      a_(static_cast<std::size_t>(sum.a)),
      b_(static_cast<std::size_t>(sum.b)),
      output_(static_cast<std::size_t>(sum.output)),
      summed_(flatten(sum.summed)),
      number_(static_cast<T>(sum.number)) {}

template <class T>
void row_sum<T>::run(const tile_task<T>& t) const {
    const auto& strides = shape_->row.strides;
    const auto& last = summed_.last;
    for (std::int64_t row = t.row; row < t.row + t.width.rows; ++row) {
        const T* const a = t.base(a_) + t.at[a_] + row * strides[a_];
        const T* const b = t.base(b_) + t.at[b_] + row * strides[b_];
        T sum = 0;
        for (std::size_t run = 0; run < summed_.a.size(); ++run) {
            const T* x = a + summed_.a[run];
            const T* y = b + summed_.b[run];
            if (last.a == 1 && last.b == 1) {
                sum += dot(x, y, last.extent);
                continue;
            }
            for (std::int64_t k = 0; k < last.extent; ++k, x += last.a, y += last.b) sum += *x * *y;
        }
        T* const to = static_cast<T*>(t.bases[output_]) + t.at[output_] + row * strides[output_];
        *to = number_ * sum;
    }
}

template class row_sum<float>;
template class row_sum<double>;

}  // namespace ricci::fused
