// The highest rates of fused multiply-adds, and of additions and maxima, that this CPU reaches, for
// every SIMD target.
#include "src/kernels/peak.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/peak.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "src/kernels/stored-vector-inl.h"
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
    stored<vector> value[chains];
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

// A tile of a product: every step loads vectors of B and single elements of A, both a few
// kilobytes.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr int tile_rows = 8, tile_vectors = 3;
#else
constexpr int tile_rows = 6, tile_vectors = 2;
#endif
constexpr std::int64_t steps = 64;

template <class T>
std::int64_t loading_rounds_of(std::int64_t rounds) {
    const hn::ScalableTag<T> d;
    using vector = hn::Vec<decltype(d)>;
    constexpr auto lanes = static_cast<std::int64_t>(HWY_LANES(T));
    alignas(64) static const T a[steps * tile_rows] = {};
    alignas(64) static const T b[steps * tile_vectors * lanes] = {};
    stored<vector> sum[tile_rows][tile_vectors];
    RICCI_UNROLL
    for (int i = 0; i < tile_rows; ++i) {
        RICCI_UNROLL
        for (int v = 0; v < tile_vectors; ++v) sum[i][v] = hn::Set(d, static_cast<T>(i));
    }
    for (std::int64_t round = 0; round < rounds; ++round) {
        const T* left = a;
        const T* right = b;
        // The compiler may not know what is there, or it would keep that in registers.
        asm volatile("" : "+r"(left), "+r"(right));
        for (std::int64_t k = 0; k < steps; ++k, left += tile_rows, right += tile_vectors * lanes) {
            stored<vector> row[tile_vectors];
            RICCI_UNROLL
            for (int v = 0; v < tile_vectors; ++v) row[v] = hn::LoadU(d, right + v * lanes);
            RICCI_UNROLL
            for (int i = 0; i < tile_rows; ++i) {
                const vector one = hn::Set(d, left[i]);
                RICCI_UNROLL
                for (int v = 0; v < tile_vectors; ++v)
                    sum[i][v] = hn::MulAdd(one, row[v], sum[i][v]);
            }
        }
    }
    vector total = hn::Zero(d);
    RICCI_UNROLL
    for (int i = 0; i < tile_rows; ++i) {
        RICCI_UNROLL
        for (int v = 0; v < tile_vectors; ++v) total = hn::Add(total, sum[i][v]);
    }
    const bool ran = hn::GetLane(total) >= T{0};
    return ran ? rounds * steps * tile_rows * tile_vectors * 2 * lanes : 0;
}

template <class T>
std::int64_t maximum_rounds_of(std::int64_t rounds) {
    const hn::ScalableTag<T> d;
    using vector = hn::Vec<decltype(d)>;
    const vector step = hn::Set(d, T{-0.25});
    const vector least = hn::Set(d, T{-1});
    stored<vector> value[chains];
    RICCI_UNROLL
    for (int i = 0; i < chains; ++i) value[i] = hn::Set(d, static_cast<T>(i));
    for (std::int64_t round = 0; round < rounds; ++round) {
        RICCI_UNROLL
        for (int i = 0; i < chains; ++i) value[i] = hn::Max(hn::Add(value[i], step), least);
    }
    vector sum = hn::Zero(d);
    RICCI_UNROLL
    for (int i = 0; i < chains; ++i) sum = hn::Add(sum, value[i]);
    const bool ran = hn::GetLane(sum) >= T{-chains};
    return ran ? rounds * chains * 2 * static_cast<std::int64_t>(hn::Lanes(d)) : 0;
}

std::int64_t rounds_f32(std::int64_t rounds, factors where) {
    return where == factors::in_registers ? rounds_of<float>(rounds)
                                          : loading_rounds_of<float>(rounds);
}
std::int64_t rounds_f64(std::int64_t rounds, factors where) {
    return where == factors::in_registers ? rounds_of<double>(rounds)
                                          : loading_rounds_of<double>(rounds);
}

std::int64_t maximum_rounds_f32(std::int64_t rounds) { return maximum_rounds_of<float>(rounds); }
std::int64_t maximum_rounds_f64(std::int64_t rounds) { return maximum_rounds_of<double>(rounds); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace ricci::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace ricci::kernels {
namespace {

HWY_EXPORT(rounds_f32);
HWY_EXPORT(rounds_f64);
HWY_EXPORT(maximum_rounds_f32);
HWY_EXPORT(maximum_rounds_f64);

}  // namespace

template <>
std::int64_t multiply_add_rounds<float>(std::int64_t rounds, factors where) {
    return HWY_DYNAMIC_DISPATCH(rounds_f32)(rounds, where);
}

template <>
std::int64_t multiply_add_rounds<double>(std::int64_t rounds, factors where) {
    return HWY_DYNAMIC_DISPATCH(rounds_f64)(rounds, where);
}

template <>
std::int64_t add_maximum_rounds<float>(std::int64_t rounds) {
    return HWY_DYNAMIC_DISPATCH(maximum_rounds_f32)(rounds);
}

template <>
std::int64_t add_maximum_rounds<double>(std::int64_t rounds) {
    return HWY_DYNAMIC_DISPATCH(maximum_rounds_f64)(rounds);
}

}  // namespace ricci::kernels

#endif
