// Sums of many products of rows in one pass, in registers.

#if defined(RICCI_KERNELS_TERMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RICCI_KERNELS_TERMS_INL_H
#undef RICCI_KERNELS_TERMS_INL_H
#else
#define RICCI_KERNELS_TERMS_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "src/kernels/elementwise/elementwise.hpp"
#include "src/kernels/gemm/tail-inl.h"
#include "src/kernels/stored-vector-inl.h"
#include "src/kernels/unroll.hpp"

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// `Count` vectors of sums from i on. `load(from, v)` reads the v-th one, which is there.
template <std::size_t Count, class D, class T, class Load>
HWY_INLINE void add_up_terms(D d, stored<hn::Vec<D>> (&sums)[Count], const sum_term<T>* terms,
                             std::size_t count, std::size_t i, Load load) {
    using V = hn::Vec<D>;
    constexpr std::size_t lanes = hn::MaxLanes(D());
    const auto add = [&](const sum_term<T>& x, auto join) HWY_ATTR RICCI_INLINE_LAMBDA {
        const T* const b = x.b + i;
        if (x.a_moves) {
            const T* const a = x.a + i;
            RICCI_UNROLL
            for (std::size_t v = 0; v < Count; ++v)
                join(v, static_cast<V>(load(a + v * lanes, v)),
                     static_cast<V>(load(b + v * lanes, v)));
            return;
        }
        const V factor = hn::Set(d, *x.a);
        RICCI_UNROLL
        for (std::size_t v = 0; v < Count; ++v)
            join(v, factor, static_cast<V>(load(b + v * lanes, v)));
    };
    add(terms[0], [&](std::size_t v, V x, V y) HWY_ATTR { sums[v] = hn::Mul(x, y); });
    for (std::size_t t = 1; t < count; ++t)
        add(terms[t],
            [&](std::size_t v, V a, V b) HWY_ATTR { sums[v] = hn::MulAdd(a, b, sums[v]); });
}

/// The last of `Count` vectors has `rest` numbers, of which there are fewer than lanes; 0: all.
template <std::size_t Count, class T>
HWY_INLINE void sum_vectors(T* to, const sum_term<T>* terms, std::size_t count, std::size_t i,
                            std::size_t rest) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    constexpr std::size_t lanes = hn::MaxLanes(hn::ScalableTag<T>());
    constexpr std::size_t last = Count - 1;
    stored<V> sums[Count];
    if (rest == 0) {
        add_up_terms<Count>(d, sums, terms, count, i, [=](const T* from, std::size_t) HWY_ATTR {
            return hn::LoadU(d, from);
        });
        RICCI_UNROLL
        for (std::size_t v = 0; v < Count; ++v)
            hn::StoreU(static_cast<V>(sums[v]), d, to + i + v * lanes);
        return;
    }
    add_up_terms<Count>(d, sums, terms, count, i, [=](const T* from, std::size_t v) HWY_ATTR {
        return v == last ? load_first(d, from, rest) : hn::LoadU(d, from);
    });
    RICCI_UNROLL
    for (std::size_t v = 0; v < last; ++v)
        hn::StoreU(static_cast<V>(sums[v]), d, to + i + v * lanes);
    store_first(static_cast<V>(sums[last]), d, to + i + last * lanes, rest);
}

template <class T>
void sum_terms(T* out, const sum_term<T>* terms, std::size_t count, std::size_t n) {
    constexpr std::size_t lanes = hn::MaxLanes(hn::ScalableTag<T>()), abreast = 8;
    std::size_t i = 0;
    for (; i + abreast * lanes <= n; i += abreast * lanes)
        sum_vectors<abreast>(out, terms, count, i, 0);
    // What is left at once: one vector alone would wait for itself at every term.
    const std::size_t rest = (n - i) % lanes;
    switch ((n - i + lanes - 1) / lanes) {
#define RICCI_CASE(COUNT)                               \
    case COUNT:                                         \
        sum_vectors<COUNT>(out, terms, count, i, rest); \
        break
        RICCI_CASE(1);
        RICCI_CASE(2);
        RICCI_CASE(3);
        RICCI_CASE(4);
        RICCI_CASE(5);
        RICCI_CASE(6);
        RICCI_CASE(7);
        RICCI_CASE(8);
#undef RICCI_CASE
        default:
            break;
    }
}

}  // namespace ricci::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
