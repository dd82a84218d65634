// What arrays and classes hold where a kernel computes with vectors: the vectors of SVE have no
// size that the language knows of, so these hold others that do, and turn into them and back
// without instructions.
#if defined(RICCI_KERNELS_STORED_VECTOR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_STORED_VECTOR_INL_H
#undef RICCI_KERNELS_STORED_VECTOR_INL_H
#else
#define RICCI_KERNELS_STORED_VECTOR_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SVE_256

// They take -msve-vector-bits=256, which src/meson.build adds.
template <class V>
struct vector_storage;

#define RICCI_STORAGE_OF(V)                                       \
    template <>                                                   \
    struct vector_storage<V> {                                    \
        typedef V type __attribute__((arm_sve_vector_bits(256))); \
    }

RICCI_STORAGE_OF(svfloat32_t);
RICCI_STORAGE_OF(svfloat64_t);
RICCI_STORAGE_OF(svint32_t);
RICCI_STORAGE_OF(svint64_t);
RICCI_STORAGE_OF(svuint32_t);
RICCI_STORAGE_OF(svuint64_t);

#undef RICCI_STORAGE_OF

#else

template <class V>
struct vector_storage {
    using type = V;
};

#endif

/// Converts from V and to V. Where a function's parameter is to be deduced as V, an element of an
/// array is copied into a V first.
template <class V>
using stored = typename vector_storage<V>::type;

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
