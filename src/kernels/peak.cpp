// The highest rate of fused multiply-adds this CPU reaches, for every SIMD target.
#include "src/kernels/peak.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/peak.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// More chains than latency times throughput of any CPU so far, fewer than the registers.
constexpr int chains = 12;

template <class T>
std::int64_t rounds_of(std::int64_t rounds) {
    const hn::ScalableTag<T> d;
    using vector = hn::Vec<decltype(d)>;
    const vector factor = hn::Set(d, T{0.5});
    const vector term = hn::Set(d, T{0.25});
    vector value[chains];
    RICCI_UNROLL
    for (int i = 0; i < chains; ++i) value[i] = hn::Set(d, static_cast<T>(i));
    for (std::int64_t round = 0; round < rounds; ++round) {
        RICCI_UNROLL
        for (int i = 0; i < chains; ++i) value[i] = hn::MulAdd(value[i], factor, term);
    }
    // The values are used, so that the loop is not left out.
    vector sum = hn::Zero(d);
    RICCI_UNROLL
    for (int i = 0; i < chains; ++i) sum = hn::Add(sum, value[i]);
    const bool ran = hn::GetLane(sum) >= T{0};
    return ran ? rounds * chains * 2 * static_cast<std::int64_t>(hn::Lanes(d)) : 0;
}

std::int64_t rounds_f32(std::int64_t rounds) { return rounds_of<float>(rounds); }
std::int64_t rounds_f64(std::int64_t rounds) { return rounds_of<double>(rounds); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace ricci::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace ricci::kernels {
namespace {

HWY_EXPORT(rounds_f32);
HWY_EXPORT(rounds_f64);

}  // namespace

template <>
std::int64_t multiply_add_rounds<float>(std::int64_t rounds) {
    return HWY_DYNAMIC_DISPATCH(rounds_f32)(rounds);
}

template <>
std::int64_t multiply_add_rounds<double>(std::int64_t rounds) {
    return HWY_DYNAMIC_DISPATCH(rounds_f64)(rounds);
}

}  // namespace ricci::kernels

#endif
