// Weighed unions of bit sets for every SIMD target.
#include "src/kernels/bits/bit_sets.hpp"

#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/bits/bit_sets.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ricci::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using word = std::uint64_t;

#if HWY_TARGET == HWY_SCALAR

// One word at a time.
struct bit_lanes {
    using vector = word;
    static constexpr std::size_t count = 1;
    static vector zero() { return 0; }
    static vector load(const word* from) { return *from; }
    static void store(vector v, word* to) { *to = v; }
    static vector either(vector a, vector b) { return a | b; }
    static vector both(vector a, vector b) { return a & b; }
    static vector weighed(vector sum, vector bits, vector weight) {
        return sum + static_cast<word>(std::popcount(bits)) * weight;
    }
    static std::int64_t total(vector v) { return static_cast<std::int64_t>(v); }
};

#else

struct bit_lanes {
    static constexpr hn::CappedTag<word, bit_set_words> d{};
    using vector = hn::Vec<hn::CappedTag<word, bit_set_words>>;
    static constexpr std::size_t count = HWY_MIN(HWY_LANES(word), bit_set_words);
    static HWY_INLINE vector zero() { return hn::Zero(d); }
    static HWY_INLINE vector load(const word* from) { return hn::Load(d, from); }
    static HWY_INLINE void store(vector v, word* to) { hn::Store(v, d, to); }
    static HWY_INLINE vector either(vector a, vector b) { return hn::Or(a, b); }
    static HWY_INLINE vector both(vector a, vector b) { return hn::And(a, b); }
    static HWY_INLINE vector weighed(vector sum, vector bits, vector weight) {
        const hn::Repartition<std::uint8_t, decltype(d)> bytes;
        const hn::Repartition<std::uint32_t, decltype(d)> halves;
        const auto ones = hn::SumsOf8(hn::PopulationCount(hn::BitCast(bytes, bits)));
        // Counts and weights are below 2^32, and have their lanes' even halves to themselves.
        return hn::Add(sum, hn::MulEven(hn::BitCast(halves, ones), hn::BitCast(halves, weight)));
    }
    static HWY_INLINE std::int64_t total(vector v) {
        return static_cast<std::int64_t>(hn::GetLane(hn::SumOfLanes(d, v)));
    }
};

#endif

using l = bit_lanes;

HWY_ATTR rotated_weights rotate(const bit_weights& weights, const word* a, const word* b,
                                const word* c, const word* outside, word* kept) {
    auto inner = l::zero(), kept_sum = l::zero(), outer = l::zero();
    for (std::size_t k = 0; k < weights.words; k += l::count) {
        const auto weight = l::load(weights.weight + k);
        const auto up = l::load(a + k);
        const auto joined = l::either(l::load(b + k), l::load(c + k));
        const auto left = l::both(joined, l::either(up, l::load(outside + k)));
        l::store(left, kept + k);
        inner = l::weighed(inner, joined, weight);
        kept_sum = l::weighed(kept_sum, left, weight);
        outer = l::weighed(outer, l::either(up, left), weight);
    }
    return {l::total(inner), l::total(kept_sum), l::total(outer)};
}

HWY_ATTR exchanged_weights exchange(const bit_weights& weights, const word* a, const word* b,
                                    const word* c, const word* d, const word* outside, word* left,
                                    word* right) {
    auto left_inner = l::zero(), right_inner = l::zero(), outer = l::zero();
    auto left_sum = l::zero(), right_sum = l::zero();
    for (std::size_t k = 0; k < weights.words; k += l::count) {
        const auto weight = l::load(weights.weight + k);
        const auto beyond = l::load(outside + k);
        const auto ac = l::either(l::load(a + k), l::load(c + k));
        const auto bd = l::either(l::load(b + k), l::load(d + k));
        const auto kept_left = l::both(ac, l::either(bd, beyond));
        const auto kept_right = l::both(bd, l::either(ac, beyond));
        l::store(kept_left, left + k);
        l::store(kept_right, right + k);
        left_inner = l::weighed(left_inner, ac, weight);
        right_inner = l::weighed(right_inner, bd, weight);
        left_sum = l::weighed(left_sum, kept_left, weight);
        right_sum = l::weighed(right_sum, kept_right, weight);
        outer = l::weighed(outer, l::either(kept_left, kept_right), weight);
    }
    return {l::total(left_inner), l::total(right_inner), l::total(left_sum), l::total(right_sum),
            l::total(outer)};
}

HWY_ATTR std::int64_t weigh_union(const bit_weights& weights, const word* a, const word* b) {
    auto sum = l::zero();
    for (std::size_t k = 0; k < weights.words; k += l::count)
        sum =
            l::weighed(sum, l::either(l::load(a + k), l::load(b + k)), l::load(weights.weight + k));
    return l::total(sum);
}

const bit_set_functions* table_of_bit_sets() {
    static constexpr bit_set_functions table{rotate, exchange, weigh_union};
    return &table;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace ricci::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace ricci::kernels {
namespace {

HWY_EXPORT(table_of_bit_sets);

}  // namespace

const bit_set_functions& bit_sets() { return *HWY_DYNAMIC_DISPATCH(table_of_bit_sets)(); }

}  // namespace ricci::kernels

#endif
