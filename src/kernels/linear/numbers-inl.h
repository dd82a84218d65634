// Vectors of real or complex numbers in Highway, for the kernels of factorisations and triangular
// solves. The including file defines RICCI_LINEAR_TYPE, the type of a number.
#if defined(RICCI_KERNELS_LINEAR_NUMBERS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_LINEAR_NUMBERS_INL_H
#undef RICCI_KERNELS_LINEAR_NUMBERS_INL_H
#else
#define RICCI_KERNELS_LINEAR_NUMBERS_INL_H
#endif

#include <complex>
#include <cstdint>
#include <type_traits>

#include <hwy/highway.h>

#include "src/kernels/linear/linear.hpp"
#include "src/kernels/stored-vector-inl.h"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using number = RICCI_LINEAR_TYPE;
using part = part_type<number>;
constexpr bool has_imaginary = parts<number> == 2;

using part_tag = hn::ScalableTag<part>;
using part_vector = hn::Vec<part_tag>;
using bits_tag = hn::RebindToSigned<part_tag>;
using bits_vector = hn::Vec<bits_tag>;
constexpr int lane_count = static_cast<int>(HWY_LANES(part));

/// A vector of numbers, real and imaginary parts apart.
template <bool imaginary>
struct numbers_of {
    stored<part_vector> re;
};
template <>
struct numbers_of<true> {
    stored<part_vector> re, im;
};
using real_numbers = numbers_of<false>;
using complex_numbers = numbers_of<true>;
using numbers = numbers_of<has_imaginary>;

HWY_INLINE const part* as_parts(const number* p) { return reinterpret_cast<const part*>(p); }
HWY_INLINE part* as_parts(number* p) { return reinterpret_cast<part*>(p); }

/// As they lie in memory.
template <class N = numbers>
HWY_INLINE N load(const number* p) {
    N x;
    if constexpr (std::is_same_v<N, complex_numbers>) {
        part_vector re, im;
        hn::LoadInterleaved2(part_tag(), as_parts(p), re, im);
        x.re = re;
        x.im = im;
    } else {
        x.re = hn::LoadU(part_tag(), as_parts(p));
    }
    return x;
}

HWY_INLINE void store(real_numbers x, number* p) { hn::StoreU(x.re, part_tag(), as_parts(p)); }
HWY_INLINE void store(complex_numbers x, number* p) {
    hn::StoreInterleaved2(x.re, x.im, part_tag(), as_parts(p));
}

/// With imaginary parts so many parts behind real ones.
template <class N = numbers>
HWY_INLINE N load_apart(const part* p, [[maybe_unused]] std::int64_t apart) {
    N x;
    x.re = hn::LoadU(part_tag(), p);
    if constexpr (std::is_same_v<N, complex_numbers>) x.im = hn::LoadU(part_tag(), p + apart);
    return x;
}

HWY_INLINE void store_apart(real_numbers x, part* p, std::int64_t) {
    hn::StoreU(x.re, part_tag(), p);
}
HWY_INLINE void store_apart(complex_numbers x, part* p, std::int64_t apart) {
    hn::StoreU(x.re, part_tag(), p);
    hn::StoreU(x.im, part_tag(), p + apart);
}

template <class N = numbers>
HWY_INLINE N broadcast(const number& z) {
    N x;
    x.re = hn::Set(part_tag(), as_parts(&z)[0]);
    if constexpr (std::is_same_v<N, complex_numbers>) x.im = hn::Set(part_tag(), as_parts(&z)[1]);
    return x;
}

HWY_INLINE real_numbers multiply(real_numbers x, real_numbers y) { return {hn::Mul(x.re, y.re)}; }
HWY_INLINE complex_numbers multiply(complex_numbers x, complex_numbers y) {
    return {hn::NegMulAdd(x.im, y.im, hn::Mul(x.re, y.re)),
            hn::MulAdd(x.im, y.re, hn::Mul(x.re, y.im))};
}

/// z - x * y.
HWY_INLINE real_numbers subtract_product(real_numbers z, real_numbers x, real_numbers y) {
    return {hn::NegMulAdd(x.re, y.re, z.re)};
}
HWY_INLINE complex_numbers subtract_product(complex_numbers z, complex_numbers x,
                                            complex_numbers y) {
    return {hn::MulAdd(x.im, y.im, hn::NegMulAdd(x.re, y.re, z.re)),
            hn::NegMulAdd(x.im, y.re, hn::NegMulAdd(x.re, y.im, z.im))};
}

HWY_INLINE real_numbers scale(real_numbers x, part_vector by) { return {hn::Mul(x.re, by)}; }
HWY_INLINE complex_numbers scale(complex_numbers x, part_vector by) {
    return {hn::Mul(x.re, by), hn::Mul(x.im, by)};
}

HWY_INLINE real_numbers conjugate(real_numbers x) { return x; }
HWY_INLINE complex_numbers conjugate(complex_numbers x) { return {x.re, hn::Neg(x.im)}; }

/// |real part| + |imaginary part|.
HWY_INLINE part_vector magnitude(real_numbers x) { return hn::Abs(x.re); }
HWY_INLINE part_vector magnitude(complex_numbers x) {
    return hn::Add(hn::Abs(x.re), hn::Abs(x.im));
}

/// x / y. Nothing is squared that is not near 1: it neither overflows nor vanishes on the way.
HWY_INLINE real_numbers divide(real_numbers x, real_numbers y) { return {hn::Div(x.re, y.re)}; }
HWY_INLINE complex_numbers divide(complex_numbers x, complex_numbers y) {
    const part_vector largest = hn::Max(hn::Abs(y.re), hn::Abs(y.im));
    const part_vector re = hn::Div(y.re, largest), im = hn::Div(y.im, largest);
    const part_vector square = hn::MulAdd(re, re, hn::Mul(im, im));
    const complex_numbers product = multiply(x, complex_numbers{re, hn::Neg(im)});
    return {hn::Div(hn::Div(product.re, square), largest),
            hn::Div(hn::Div(product.im, square), largest)};
}

template <class Mask>
HWY_INLINE real_numbers select(Mask mask, real_numbers yes, real_numbers no) {
    return {hn::IfThenElse(mask, part_vector(yes.re), part_vector(no.re))};
}
template <class Mask>
HWY_INLINE complex_numbers select(Mask mask, complex_numbers yes, complex_numbers no) {
    return {hn::IfThenElse(mask, part_vector(yes.re), part_vector(no.re)),
            hn::IfThenElse(mask, part_vector(yes.im), part_vector(no.im))};
}

/// The bits of numbers that are not negative compare as they do, and those of a NaN as the largest.
HWY_INLINE bits_vector bits_of(part_vector x) { return hn::BitCast(bits_tag(), x); }
HWY_INLINE bits_vector larger(bits_vector x, bits_vector y) {
    return hn::IfThenElse(hn::Gt(x, y), x, y);
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
