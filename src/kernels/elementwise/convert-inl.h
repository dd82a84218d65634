// Loading and storing the 16-bit floating-point types as vectors of float: by the processor's own
// instructions where it has them, otherwise by operations on whole numbers.

#if defined(RICCI_KERNELS_CONVERT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_CONVERT_INL_H
#undef RICCI_KERNELS_CONVERT_INL_H
#else
#define RICCI_KERNELS_CONVERT_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/kernels/elementwise/convert.hpp"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Where Highway's own conversions of f16 are instructions, which round as asked and know subnormal
// numbers, infinities and NaN; its emulations do not.
#undef RICCI_NATIVE_F16
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_F16C)) || HWY_ARCH_ARM_A64
#define RICCI_NATIVE_F16 1
#else
#define RICCI_NATIVE_F16 0
#endif

template <class D>
using words_of = hn::Rebind<std::uint16_t, D>;

/// The 16-bit patterns at p, one in each 32-bit lane.
template <class D, class S>
HWY_INLINE auto load_patterns(D, const S* p) {
    const words_of<D> words;
    const hn::RebindToUnsigned<D> bits;
    return hn::PromoteTo(bits, hn::LoadU(words, reinterpret_cast<const std::uint16_t*>(p)));
}

/// Stores the low half of every 32-bit lane; the upper halves are 0.
template <class D, class U, class S>
HWY_INLINE void store_patterns(D, U patterns, S* p) {
    const words_of<D> words;
    const hn::RebindToSigned<D> whole;
    hn::StoreU(hn::DemoteTo(words, hn::BitCast(whole, patterns)), words,
               reinterpret_cast<std::uint16_t*>(p));
}

template <class D>
HWY_INLINE hn::Vec<D> load_wide(D d, const bf16* p) {
    return hn::BitCast(d, hn::ShiftLeft<16>(load_patterns(d, p)));
}

template <class D>
HWY_INLINE void store_narrow(D d, hn::Vec<D> v, bf16* p) {
    const hn::RebindToUnsigned<D> bits;
    const auto u = hn::BitCast(bits, v);
    const auto odd = hn::And(hn::ShiftRight<16>(u), hn::Set(bits, 1u));
    const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(u, hn::Set(bits, 0x7fffu)), odd));
    // A NaN keeps its sign and becomes quiet; adding to it might give an infinity.
    const auto nan = hn::Or(hn::ShiftRight<16>(u), hn::Set(bits, 0x40u));
    const auto is_nan = hn::MaskFromVec(hn::BitCast(bits, hn::VecFromMask(d, hn::IsNaN(v))));
    store_patterns(d, hn::IfThenElse(is_nan, nan, rounded), p);
}

#if RICCI_NATIVE_F16

template <class D>
HWY_INLINE hn::Vec<D> load_wide(D d, const f16* p) {
    const hn::Rebind<hwy::float16_t, D> halves;
    return hn::PromoteTo(d, hn::LoadU(halves, reinterpret_cast<const hwy::float16_t*>(p)));
}

template <class D>
HWY_INLINE void store_narrow(D, hn::Vec<D> v, f16* p) {
    const hn::Rebind<hwy::float16_t, D> halves;
    hn::StoreU(hn::DemoteTo(halves, v), halves, reinterpret_cast<hwy::float16_t*>(p));
}

#else

template <class D>
HWY_INLINE hn::Vec<D> load_wide(D d, const f16* p) {
    const hn::RebindToUnsigned<D> bits;
    const auto u = load_patterns(d, p);
    const auto sign = hn::ShiftLeft<16>(hn::And(u, hn::Set(bits, 0x8000u)));
    const auto size = hn::ShiftLeft<13>(hn::And(u, hn::Set(bits, 0x7fffu)));
    // The exponent is 112 too small now; multiplying by 2^112 mends that, for subnormals too.
    const auto scaled = hn::BitCast(bits, hn::Mul(hn::BitCast(d, size), hn::Set(d, 0x1p112f)));
    // Infinity and NaN had the largest exponent, and get float's.
    const auto special = hn::Gt(hn::BitCast(d, scaled), hn::Set(d, 65504.0f));
    const auto largest = hn::Or(scaled, hn::Set(bits, 0x7f800000u));
    const auto is_special = hn::MaskFromVec(hn::BitCast(bits, hn::VecFromMask(d, special)));
    return hn::BitCast(d, hn::Or(sign, hn::IfThenElse(is_special, largest, scaled)));
}

template <class D>
HWY_INLINE void store_narrow(D d, hn::Vec<D> v, f16* p) {
    const hn::RebindToUnsigned<D> bits;
    const auto as_bits = [=](auto mask) HWY_ATTR {
        return hn::MaskFromVec(hn::BitCast(bits, hn::VecFromMask(d, mask)));
    };
    const auto u = hn::BitCast(bits, v);
    const auto sign = hn::And(hn::ShiftRight<16>(u), hn::Set(bits, 0x8000u));
    const auto magnitude = hn::Abs(v);
    const auto size = hn::BitCast(bits, magnitude);
    // Subnormal results: a float whose last place is worth the smallest f16 does the rounding.
    const auto magic = hn::Set(d, 0.5f);
    const auto small =
        hn::Sub(hn::BitCast(bits, hn::Add(magnitude, magic)), hn::BitCast(bits, magic));
    // Others: change the exponent's bias, round the 13 bits that are dropped.
    const auto odd = hn::And(hn::ShiftRight<13>(size), hn::Set(bits, 1u));
    const auto normal = hn::ShiftRight<13>(
        hn::Add(hn::Sub(hn::Add(size, hn::Set(bits, 0xfffu)), hn::Set(bits, 112u << 23)), odd));
    const auto infinity = hn::Set(bits, 0x7c00u);
    auto result = hn::IfThenElse(as_bits(hn::Lt(magnitude, hn::Set(d, 0x1p-14f))), small, normal);
    result = hn::IfThenElse(as_bits(hn::Ge(magnitude, hn::Set(d, 65520.0f))), infinity, result);
    const auto nan =
        hn::Or(hn::Set(bits, 0x7e00u), hn::And(hn::ShiftRight<13>(size), hn::Set(bits, 0x3ffu)));
    result = hn::IfThenElse(as_bits(hn::IsNaN(v)), nan, result);
    store_patterns(d, hn::Or(result, sign), p);
}

#endif

/// Calls body(i, load, store) for vectors of the n elements; the last ones go through a buffer.
template <class S, class Body>
HWY_INLINE void for_halves(std::size_t n, Body body) {
    const hn::ScalableTag<float> d;
    using V = hn::Vec<decltype(d)>;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        body(
            i, [=](const S* p) HWY_ATTR { return load_wide(d, p); },
            [=](const float* p) HWY_ATTR { return hn::LoadU(d, p); },
            [=](V v, S* p) HWY_ATTR { store_narrow(d, v, p); },
            [=](V v, float* p) HWY_ATTR { hn::StoreU(v, d, p); });
    }
    if (i == n) return;
    const std::size_t rest = n - i;
    body(
        i,
        [=](const S* p) HWY_ATTR {
            S buffer[HWY_MAX_BYTES / sizeof(float)] = {};
            std::memcpy(buffer, p, rest * sizeof(S));
            return load_wide(d, buffer);
        },
        [=](const float* p) HWY_ATTR {
            float buffer[HWY_MAX_BYTES / sizeof(float)] = {};
            std::memcpy(buffer, p, rest * sizeof(float));
            return hn::LoadU(d, buffer);
        },
        [=](V v, S* p) HWY_ATTR {
            S buffer[HWY_MAX_BYTES / sizeof(float)];
            store_narrow(d, v, buffer);
            std::memcpy(p, buffer, rest * sizeof(S));
        },
        [=](V v, float* p) HWY_ATTR {
            float buffer[HWY_MAX_BYTES / sizeof(float)];
            hn::StoreU(v, d, buffer);
            std::memcpy(p, buffer, rest * sizeof(float));
        });
}

template <class S>
void widen(float* to, const S* from, std::size_t n) {
    for_halves<S>(n, [=](std::size_t i, auto load, auto, auto, auto store)
                         HWY_ATTR { store(load(from + i), to + i); });
}

template <class S>
void narrow(S* to, const float* from, std::size_t n) {
    for_halves<S>(n, [=](std::size_t i, auto, auto load, auto store, auto)
                         HWY_ATTR { store(load(from + i), to + i); });
}

template <class S>
void write(S* c, float alpha, const float* sums, float beta, std::size_t n) {
    const hn::ScalableTag<float> d;
    if (beta == 0) {
        for_halves<S>(n, [=](std::size_t i, auto, auto load, auto store, auto) HWY_ATTR {
            store(hn::Mul(hn::Set(d, alpha), load(sums + i)), c + i);
        });
        return;
    }
    for_halves<S>(n, [=](std::size_t i, auto load_old, auto load, auto store, auto) HWY_ATTR {
        const auto old = hn::Mul(hn::Set(d, beta), load_old(c + i));
        store(hn::MulAdd(hn::Set(d, alpha), load(sums + i), old), c + i);
    });
}

template <class S>
float dot(const S* x, const S* y, std::size_t n) {
    const hn::ScalableTag<float> d;
    const std::size_t lanes = hn::Lanes(d);
    auto s0 = hn::Zero(d), s1 = hn::Zero(d), s2 = hn::Zero(d), s3 = hn::Zero(d);
    std::size_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
        s0 = hn::MulAdd(load_wide(d, x + i), load_wide(d, y + i), s0);
        s1 = hn::MulAdd(load_wide(d, x + i + lanes), load_wide(d, y + i + lanes), s1);
        s2 = hn::MulAdd(load_wide(d, x + i + 2 * lanes), load_wide(d, y + i + 2 * lanes), s2);
        s3 = hn::MulAdd(load_wide(d, x + i + 3 * lanes), load_wide(d, y + i + 3 * lanes), s3);
    }
    for (; i + lanes <= n; i += lanes)
        s0 = hn::MulAdd(load_wide(d, x + i), load_wide(d, y + i), s0);
    float rest = 0;
    for (; i < n; ++i) rest += static_cast<float>(x[i]) * static_cast<float>(y[i]);
    const auto sum = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
    return rest + hn::GetLane(hn::SumOfLanes(d, sum));
}

/// Full vectors: what a row writes past `width` is written over by the next.
template <class S>
void widen_rows(float* to, std::int64_t step, const S* from, const std::int64_t* along,
                std::int64_t depth) {
    const hn::ScalableTag<float> d;
    for (std::int64_t k = 0; k < depth; ++k) {
        hn::StoreU(load_wide(d, from + along[k]), d, to + k * step);
    }
}

template <class S>
constexpr convert_table<S> make_convert_table() {
    return {widen<S>, narrow<S>, write<S>, dot<S>, widen_rows<S>};
}

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
