// Magnitudes and powers of two for every SIMD target.
#include "src/kernels/range/range.hpp"

#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/range/range.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using range_tag = hn::ScalableTag<T>;

template <class T>
HWY_INLINE hn::Vec<range_tag<T>> finite_magnitude(hn::Vec<range_tag<T>> x) {
    const auto magnitude = hn::Abs(x);
    const auto most = hn::Set(range_tag<T>(), std::numeric_limits<T>::max());
    return hn::IfThenElseZero(hn::Le(magnitude, most), magnitude);
}

template <class T>
HWY_ATTR T largest(std::int64_t n, const T* x) {
    const range_tag<T> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    // Four at a time: a maximum waits for the one before it.
    auto a = hn::Zero(d), b = a, c = a, e = a;
    std::int64_t k = 0;
    for (; k + 4 * lanes <= n; k += 4 * lanes) {
        a = hn::Max(a, finite_magnitude<T>(hn::LoadU(d, x + k)));
        b = hn::Max(b, finite_magnitude<T>(hn::LoadU(d, x + k + lanes)));
        c = hn::Max(c, finite_magnitude<T>(hn::LoadU(d, x + k + 2 * lanes)));
        e = hn::Max(e, finite_magnitude<T>(hn::LoadU(d, x + k + 3 * lanes)));
    }
    for (; k + lanes <= n; k += lanes) a = hn::Max(a, finite_magnitude<T>(hn::LoadU(d, x + k)));
    T most = 0;
    if (k > 0) most = hn::GetLane(hn::MaxOfLanes(d, hn::Max(hn::Max(a, b), hn::Max(c, e))));
    for (; k < n; ++k) {
        const T magnitude = std::abs(x[k]);
        if (magnitude <= std::numeric_limits<T>::max() && magnitude > most) most = magnitude;
    }
    return most;
}

template <class T>
HWY_ATTR void multiply(std::int64_t n, const T* from, T first, T second, T* to) {
    const range_tag<T> d;
    const auto f = hn::Set(d, first), s = hn::Set(d, second);
    std::int64_t k = 0;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (; k + lanes <= n; k += lanes)
        hn::StoreU(hn::Mul(hn::Mul(hn::LoadU(d, from + k), f), s), d, to + k);
    for (; k < n; ++k) to[k] = from[k] * first * second;
}

template <class T>
HWY_ATTR void divide(std::int64_t n, const T* from, T first, T divisor, T* to) {
    const range_tag<T> d;
    const auto f = hn::Set(d, first), s = hn::Set(d, divisor);
    std::int64_t k = 0;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (; k + lanes <= n; k += lanes)
        hn::StoreU(hn::Div(hn::Mul(hn::LoadU(d, from + k), f), s), d, to + k);
    for (; k < n; ++k) to[k] = from[k] * first / divisor;
}

template <class T>
HWY_ATTR void add(std::int64_t n, const T* from, T first, T second, T* to) {
    const range_tag<T> d;
    const auto f = hn::Set(d, first), s = hn::Set(d, second);
    std::int64_t k = 0;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (; k + lanes <= n; k += lanes) {
        const auto term = hn::Mul(hn::Mul(hn::LoadU(d, from + k), f), s);
        hn::StoreU(hn::Add(hn::LoadU(d, to + k), term), d, to + k);
    }
    for (; k < n; ++k) to[k] = to[k] + from[k] * first * second;
}

template <class T>
const range_table<T>* table_of_range() {
    static const range_table<T> table{hwy::TargetName(HWY_TARGET), &largest<T>, &multiply<T>,
                                      &divide<T>, &add<T>};
    return &table;
}
const range_table<float>* float_range_table() { return table_of_range<float>(); }
const range_table<double>* double_range_table() { return table_of_range<double>(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace ricci::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace ricci::kernels {
namespace {

HWY_EXPORT(float_range_table);
HWY_EXPORT(double_range_table);

}  // namespace

template <>
const range_table<float>& range_kernels<float>() {
    return *HWY_DYNAMIC_DISPATCH(float_range_table)();
}
template <>
const range_table<double>& range_kernels<double>() {
    return *HWY_DYNAMIC_DISPATCH(double_range_table)();
}

}  // namespace ricci::kernels

#endif
