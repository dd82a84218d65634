// Vectors of complex numbers in Highway, real and imaginary parts apart, for the kernels of
// contractions. The including file defines RICCI_GEMM_PART, the type of a part.
#if defined(RICCI_KERNELS_COMPLEX_PAIR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_COMPLEX_PAIR_INL_H
#undef RICCI_KERNELS_COMPLEX_PAIR_INL_H
#else
#define RICCI_KERNELS_COMPLEX_PAIR_INL_H
#endif

#include <complex>

#include <hwy/highway.h>

#include "src/kernels/stored-vector-inl.h"

HWY_BEFORE_NAMESPACE();
// Unnamed: the same names are compiled once for each element type.
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using part = RICCI_GEMM_PART;
using number = std::complex<part>;
using part_tag = hn::ScalableTag<part>;
using part_vector = hn::Vec<part_tag>;

constexpr int lane_count = static_cast<int>(HWY_LANES(part));

/// A vector of complex numbers.
struct pair {
    stored<part_vector> re, im;
};

HWY_INLINE const part* parts(const number* p) { return reinterpret_cast<const part*>(p); }
HWY_INLINE part* parts(number* p) { return reinterpret_cast<part*>(p); }

HWY_INLINE pair load(const number* p) {
    part_vector re, im;
    hn::LoadInterleaved2(part_tag(), parts(p), re, im);
    return {re, im};
}

HWY_INLINE void store(pair z, number* p) {
    hn::StoreInterleaved2(z.re, z.im, part_tag(), parts(p));
}

HWY_INLINE pair broadcast(number z) {
    return {hn::Set(part_tag(), z.real()), hn::Set(part_tag(), z.imag())};
}

/// x * y + z.
HWY_INLINE pair multiply_and_add(pair x, pair y, pair z) {
    return {hn::NegMulAdd(x.im, y.im, hn::MulAdd(x.re, y.re, z.re)),
            hn::MulAdd(x.im, y.re, hn::MulAdd(x.re, y.im, z.im))};
}

HWY_INLINE pair multiply(pair x, pair y) {
    return {hn::NegMulAdd(x.im, y.im, hn::Mul(x.re, y.re)),
            hn::MulAdd(x.im, y.re, hn::Mul(x.re, y.im))};
}

/// The product of two numbers, without the search for infinities that the operator makes.
HWY_INLINE number times(number x, number y) {
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

template <bool conjugate>
HWY_INLINE number maybe_conjugated(number z) {
    return conjugate ? std::conj(z) : z;
}

template <bool negate>
HWY_INLINE part_vector maybe_negated(part_vector x) {
    return negate ? hn::Neg(x) : x;
}

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
