// Numbers in memory, or rows of them, that are joined where others say, one after the other.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "src/index/numbers.hpp"
#include "src/steps/monoid.hpp"

namespace ricci::elementwise {

/// How the loops move what is joined, and the numbers that say where; slowest first.
struct joined_loops {
    const std::vector<std::int64_t>& extents;
    const std::vector<std::int64_t>& values;
    const std::vector<std::int64_t>& numbers;
    std::int64_t places = 0;  // numbers from 0 to this are places,
    std::int64_t stride = 0;  // so far apart
    std::int64_t length =
        1;  // of each row: its numbers are adjacent, and so they are where it goes
};

/// `length`: as of the loops, perhaps known to the compiler. What is joined lies elsewhere than
/// where it goes.
template <class T, class Number, class Join, class Length>
void join_each(const joined_loops& l, T* to, const T* values, const Number* numbers, Join join,
               Length length) {
    const bool inner = !l.extents.empty();
    const std::int64_t count = inner ? l.extents.back() : 1;
    const std::int64_t value_step = inner ? l.values.back() : 0,
                       number_step = inner ? l.numbers.back() : 0;
    std::int64_t rows = 1;
    for (std::size_t k = 0; k + 1 < l.extents.size(); ++k) rows *= l.extents[k];
    loop_counters at(l.extents, inner ? l.extents.size() - 1 : 0, 0);
    for (std::int64_t r = 0; r < rows; ++r, at.next(l.extents)) {
        const T* const x = values + at.along(l.values);
        const Number* const n = numbers + at.along(l.numbers);
        for (std::int64_t k = 0; k < count; ++k) {
            const std::int64_t place = place_of(n[k * number_step], l.places);
            if (place < 0) continue;
            T* const __restrict there = to + place * l.stride;
            const T* const __restrict row = x + k * value_step;
            for (std::int64_t c = 0; c < length; ++c) there[c] = join(there[c], row[c]);
        }
    }
}

/// Of rows the usual lengths are known to the compiler.
template <class T, class Number, class Join>
void join_lengths(const joined_loops& l, T* to, const T* values, const Number* numbers, Join join) {
    const auto go = [&](auto length) { join_each(l, to, values, numbers, join, length); };
    switch (l.length) {
        case 1:
            return go(std::integral_constant<std::int64_t, 1>{});
        case 4:
            return go(std::integral_constant<std::int64_t, 4>{});
        case 8:
            return go(std::integral_constant<std::int64_t, 8>{});
        case 16:
            return go(std::integral_constant<std::int64_t, 16>{});
        default:
            return go(l.length);
    }
}

template <class T, steps::monoid by>
constexpr auto joining = [](T a, T b) { return joined(by, a, b); };

/// Only sums are of rows.
template <class T, class Number>
void join_by(steps::monoid by, const joined_loops& l, T* to, const T* values,
             const Number* numbers) {
    using steps::monoid;
    constexpr std::integral_constant<std::int64_t, 1> one;
    switch (by) {
        case monoid::product:
            return join_each(l, to, values, numbers, joining<T, monoid::product>, one);
        case monoid::maximum:
            return join_each(l, to, values, numbers, joining<T, monoid::maximum>, one);
        case monoid::minimum:
            return join_each(l, to, values, numbers, joining<T, monoid::minimum>, one);
        default:
            return join_lengths(l, to, values, numbers, [](T a, T b) { return a + b; });
    }
}

/// Joins each value to what is where its number says; a number that is no place says nowhere.
template <class T>
void join_numbers(steps::monoid by, const joined_loops& l, T* to, const T* values, element type,
                  const void* numbers, std::int64_t first) {
    with_numbers(type, numbers, [&](auto n) { join_by(by, l, to, values, n + first); });
}

}  // namespace ricci::elementwise
