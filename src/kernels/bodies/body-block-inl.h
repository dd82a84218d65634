// The accumulator of the register machine, and where the arguments of instructions are. The
// including file defines RICCI_BODY_TYPE.
#if defined(RICCI_KERNELS_BODY_BLOCK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_BODY_BLOCK_INL_H
#undef RICCI_KERNELS_BODY_BLOCK_INL_H
#else
#define RICCI_KERNELS_BODY_BLOCK_INL_H
#endif

#include <cstdint>

#include <hwy/highway.h>

#include "src/kernels/bodies/body-operations-inl.h"
#include "src/kernels/stored-vector-inl.h"

// Half of the registers are the accumulator's. Targets without vectors have no registers to keep,
// and long code to compile.
#undef RICCI_BODY_EACH
#undef RICCI_BODY_NAMES
#undef RICCI_BODY_PARAMETERS
#undef RICCI_BODY_ZEROS
#undef RICCI_BODY_VECTORS
#if HWY_TARGET <= HWY_AVX3
#define RICCI_BODY_VECTORS 16
#define RICCI_BODY_EACH(X) \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define RICCI_BODY_NAMES(v)                                                                        \
    v##0, v##1, v##2, v##3, v##4, v##5, v##6, v##7, v##8, v##9, v##10, v##11, v##12, v##13, v##14, \
        v##15
#define RICCI_BODY_PARAMETERS(v)                                                              \
    vector &v##0, vector &v##1, vector &v##2, vector &v##3, vector &v##4, vector &v##5,       \
        vector &v##6, vector &v##7, vector &v##8, vector &v##9, vector &v##10, vector &v##11, \
        vector &v##12, vector &v##13, vector &v##14, vector &v##15
#define RICCI_BODY_ZEROS(v)                                                                        \
    v##0 = zero, v##1 = zero, v##2 = zero, v##3 = zero, v##4 = zero, v##5 = zero, v##6 = zero,     \
    v##7 = zero, v##8 = zero, v##9 = zero, v##10 = zero, v##11 = zero, v##12 = zero, v##13 = zero, \
    v##14 = zero, v##15 = zero
#elif HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
#define RICCI_BODY_VECTORS 2
#define RICCI_BODY_EACH(X) X(0) X(1)
#define RICCI_BODY_NAMES(v) v##0, v##1
#define RICCI_BODY_PARAMETERS(v) vector &v##0, vector &v##1
#define RICCI_BODY_ZEROS(v) v##0 = zero, v##1 = zero
#else
#define RICCI_BODY_VECTORS 8
#define RICCI_BODY_EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define RICCI_BODY_NAMES(v) v##0, v##1, v##2, v##3, v##4, v##5, v##6, v##7
#define RICCI_BODY_PARAMETERS(v)                                                        \
    vector &v##0, vector &v##1, vector &v##2, vector &v##3, vector &v##4, vector &v##5, \
        vector &v##6, vector &v##7
#define RICCI_BODY_ZEROS(v)                                                                    \
    v##0 = zero, v##1 = zero, v##2 = zero, v##3 = zero, v##4 = zero, v##5 = zero, v##6 = zero, \
    v##7 = zero
#endif

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {
namespace {

constexpr int block_vectors = RICCI_BODY_VECTORS;
constexpr int row_vectors = 2;
constexpr int block_columns = block_vectors / row_vectors;
constexpr int row_elements = row_vectors * lane_count;
constexpr int block_elements = block_vectors * lane_count;

/// An argument of an instruction: of vector u of a block.
template <body_place place>
struct argument;

template <>
struct argument<body_place::rows> {
    stored<vector> even, odd;
    HWY_INLINE argument(const number* frame, std::uint32_t at, std::int64_t)
        : even(hn::Load(tag(), frame + at)), odd(hn::Load(tag(), frame + at + lane_count)) {}
    template <int u>
    HWY_INLINE vector get() const {
        return u % row_vectors == 0 ? even : odd;
    }
};

template <>
struct argument<body_place::columns> {
    const number* from;
    HWY_INLINE argument(const number* frame, std::uint32_t at, std::int64_t j)
        : from(frame + at + j) {}
    template <int u>
    HWY_INLINE vector get() const {
        return hn::Set(tag(), from[u / row_vectors]);
    }
};

template <>
struct argument<body_place::block> {
    const number* from;
    // Without a branch: which of both an instruction has changes from one to the next.
    HWY_INLINE argument(const number* frame, std::uint32_t at, std::int64_t j)
        : from(frame + (at & ~body_plane) +
               (-static_cast<std::int64_t>(at / body_plane) & (j * row_elements))) {}
    template <int u>
    HWY_INLINE vector get() const {
        return hn::Load(tag(), from + u * lane_count);
    }
};

}  // namespace
}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
