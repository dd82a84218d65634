// Vectors of a few lanes in the user's file, as wide as its flags allow.
#pragma once

#include <cstddef>
#include <utility>

#include <ricci/detail/inline.hpp>

namespace ricci::small {

// What the flags of this file allow. Where a number is broadcast by two instructions, as many
// vectors as possible are multiplied by it.
#if defined(__AVX512F__)
inline constexpr std::size_t vector_bytes = 64;
inline constexpr std::size_t accumulators = 28;
inline constexpr std::size_t most_vectors = 2;
#elif defined(__AVX__)
inline constexpr std::size_t vector_bytes = 32;
inline constexpr std::size_t accumulators = 12;
inline constexpr std::size_t most_vectors = 2;
#else
inline constexpr std::size_t vector_bytes = 16;
inline constexpr std::size_t accumulators = 12;
inline constexpr std::size_t most_vectors = 4;
#endif

/// Whether any order of a vector's lanes takes one instruction. AVX alone moves none between its
/// halves.
#if defined(__AVX__) && !defined(__AVX2__)
inline constexpr bool lanes_move = false;
#else
inline constexpr bool lanes_move = true;
#endif

template <class T>
inline constexpr std::size_t widest = vector_bytes / sizeof(T);

constexpr std::size_t power_of_two_below(std::size_t n) {
    std::size_t p = 1;
    while (2 * p <= n) p *= 2;
    return p;
}

/// `Lanes` numbers: `value` in a register, `type` at any address in memory.
template <class T, std::size_t Lanes>
struct vector_of {
    typedef T value __attribute__((vector_size(Lanes * sizeof(T))));
    typedef T type __attribute__((vector_size(Lanes * sizeof(T)), aligned(alignof(T)), may_alias));
};
template <class T>
struct vector_of<T, 1> {
    using value = T;
    using type = T;
};

template <std::size_t... K, class F>
RICCI_INLINE void repeat(std::index_sequence<K...>, F f) {
    (f(std::integral_constant<std::size_t, K>{}), ...);
}
template <std::size_t Count, class F>
RICCI_INLINE void repeat(F f) {
    repeat(std::make_index_sequence<Count>{}, f);
}

/// Vectors that follow each other: the first lane's place, the lanes of each and their number.
struct vector_run {
    std::size_t first, lanes, vectors;

    constexpr std::size_t end() const { return first + lanes * vectors; }
};

/// The next vectors of `total` lanes, of which `done` are done. The last one may begin before that:
/// to do some lanes twice is less work than several narrow vectors.
template <class T>
constexpr vector_run next_vectors(std::size_t done, std::size_t total, std::size_t most) {
    const std::size_t full = power_of_two_below(total < widest<T> ? total : widest<T>);
    const std::size_t left = total - done;
    if (left >= full) return {done, full, left / full < most ? left / full : most};
    if (left == power_of_two_below(left)) return {done, left, 1};
    return {total - full, full, 1};
}

/// Rows of the next tile of so many vectors across: what is left is spread evenly over tiles.
constexpr std::size_t rows_of_tile(std::size_t left, std::size_t vectors) {
    const std::size_t most = accumulators / vectors;
    return left / ((left + most - 1) / most);
}

/// Where the lanes of a vector come from, counted in numbers from one address.
template <std::size_t Lanes>
struct lane_places {
    std::size_t at[Lanes];

    constexpr bool are_one() const { return repeat_after(1); }
    constexpr bool follow_each_other() const {
        for (std::size_t k = 1; k < Lanes; ++k)
            if (at[k] != at[0] + k) return false;
        return true;
    }
    constexpr bool repeat_after(std::size_t period) const {
        for (std::size_t k = period; k < Lanes; ++k)
            if (at[k] != at[k - period]) return false;
        return true;
    }
    constexpr std::size_t lowest() const {
        std::size_t n = at[0];
        for (std::size_t x : at) n = x < n ? x : n;
        return n;
    }
    constexpr std::size_t highest() const {
        std::size_t n = at[0];
        for (std::size_t x : at) n = x > n ? x : n;
        return n;
    }
    constexpr lane_places<(Lanes + 1) / 2> first_half() const {
        lane_places<(Lanes + 1) / 2> out{};
        for (std::size_t k = 0; k < Lanes / 2; ++k) out.at[k] = at[k];
        return out;
    }
};

/// A load: `lanes` numbers from `place` on; of no lanes when there is none.
struct vector_load {
    std::size_t place, lanes;
};

/// The narrowest load of at least `lanes` numbers that brings the places [lowest, highest] and none
/// from `reach` on. Neighbours choose the same place, to share the load.
template <class T>
constexpr vector_load load_of(std::size_t lowest, std::size_t highest, std::size_t lanes,
                              std::size_t reach) {
    for (; lanes <= widest<T> && lanes <= reach; lanes *= 2) {
        const std::size_t even = lowest / lanes * lanes;
        if (highest < even + lanes && even + lanes <= reach) return {even, lanes};
        const std::size_t last = lowest < reach - lanes ? lowest : reach - lanes;
        if (highest < last + lanes) return {last, lanes};
    }
    return {0, 0};
}

template <class T, std::size_t Lanes>
RICCI_INLINE auto load(const T* p) {
    const typename vector_of<T, Lanes>::value x =
        *reinterpret_cast<const typename vector_of<T, Lanes>::type*>(p);
    return x;
}

/// The lanes of x at `Places` - `Base`.
template <lane_places Places, std::size_t Base, class Vector, std::size_t... K>
RICCI_INLINE auto take_lanes(const Vector& x, std::index_sequence<K...>) {
    return __builtin_shufflevector(x, x, static_cast<int>(Places.at[K] - Base)...);
}

template <class T, lane_places Places, std::size_t... K>
RICCI_INLINE auto one_by_one(const T* p, std::index_sequence<K...>) {
    return typename vector_of<T, sizeof...(K)>::value{p[Places.at[K]]...};
}

/// Whether the numbers at `places` are one load, and one instruction that puts them in order at
/// most.
template <class T, std::size_t Lanes>
constexpr bool is_one_load(const lane_places<Lanes>& places, std::size_t reach) {
    if constexpr (Lanes > 1) {
        if (places.are_one() || places.follow_each_other()) return true;
        if (places.repeat_after(Lanes / 2)) return is_one_load<T>(places.first_half(), reach);
        return load_of<T>(places.lowest(), places.highest(), Lanes, reach).lanes > 0;
    }
    return true;
}

/// The numbers at `Places` from p on, where only the first `Reach` may be read.
template <class T, std::size_t Lanes, lane_places<Lanes> Places, std::size_t Reach>
RICCI_INLINE typename vector_of<T, Lanes>::value gather(const T* p) {
    constexpr std::make_index_sequence<Lanes> all;
    if constexpr (Lanes == 1) {
        return p[Places.at[0]];
    } else if constexpr (Places.are_one()) {
        // A number less zero is that number, in every lane.
        return p[Places.at[0]] - typename vector_of<T, Lanes>::value{};
    } else if constexpr (Places.follow_each_other()) {
        return load<T, Lanes>(p + Places.at[0]);
    } else if constexpr (Places.repeat_after(Lanes / 2)) {
        constexpr auto half = Places.first_half();
        constexpr lane_places<Lanes> twice = [] {
            lane_places<Lanes> out{};
            for (std::size_t k = 0; k < Lanes; ++k) out.at[k] = k % (Lanes / 2);
            return out;
        }();
        return take_lanes<twice, 0>(gather<T, Lanes / 2, half, Reach>(p), all);
    } else {
        constexpr auto from = load_of<T>(Places.lowest(), Places.highest(), Lanes, Reach);
        if constexpr (from.lanes == 0) return one_by_one<T, Places>(p, all);
        else return take_lanes<Places, from.place>(load<T, from.lanes>(p + from.place), all);
    }
}

}  // namespace ricci::small
