// What folds that are no sums carry and give: of each row or column a value, perhaps how many equal
// it, and where the first of these stands.
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/kernels/fused/fused.hpp"
#include "src/steps/monoid.hpp"

namespace ricci::fused {

template <class T>
struct folded {
    T value = 0;
    T count = 0;
    std::int64_t place = kernels::no_place<T>;
};

/// Nothing, yet.
template <class T>
folded<T> nothing_folded(steps::monoid by) {
    folded<T> f;
    f.value = static_cast<T>(steps::entry_of(by).identity);
    return f;
}

/// What was folded of different rows or columns, together.
template <class T>
folded<T> joined(steps::monoid by, const folded<T>& a, const folded<T>& b) {
    folded<T> both;
    both.value = steps::joined(by, a.value, b.value);
    both.count =
        (a.value == both.value ? a.count : T{0}) + (b.value == both.value ? b.count : T{0});
    both.place = steps::stands_for_both(by, a.value, a.place, b.value, b.place) ? b.place : a.place;
    return both;
}

/// Where such numbers lie, each kind by itself; nullptr: there are none.
template <class T, class Place>
struct fold_numbers {
    T* values = nullptr;
    std::int64_t value_step = 1;
    T* counts = nullptr;
    std::int64_t count_step = 1;
    Place* places = nullptr;
    std::int64_t place_step = 1;

    folded<T> operator[](std::int64_t k) const {
        folded<T> f;
        f.value = values[k * value_step];
        if (counts != nullptr) f.count = counts[k * count_step];
        if (places != nullptr) f.place = places[k * place_step];
        return f;
    }
    void set(std::int64_t k, const folded<T>& f) const {
        values[k * value_step] = f.value;
        if (counts != nullptr) counts[k * count_step] = f.count;
        if (places != nullptr) places[k * place_step] = static_cast<Place>(f.place);
    }
    /// The first `count` ones, which lie side by side, are nothing yet.
    void clear(steps::monoid by, std::int64_t count) const {
        const auto nothing = nothing_folded<T>(by);
        std::fill_n(values, count, nothing.value);
        if (counts != nullptr) std::fill_n(counts, count, nothing.count);
        if (places != nullptr) std::fill_n(places, count, static_cast<Place>(nothing.place));
    }
};

/// Those of a worker: `all` of one kind behind those of another.
template <class T>
fold_numbers<T, kernels::lane_place<T>> carried_numbers(T* first, std::int64_t all, bool counts,
                                                        bool places) {
    fold_numbers<T, kernels::lane_place<T>> n;
    n.values = first;
    if (counts) n.counts = first += all;
    // Lanes of the same size, which nobody looks at as numbers.
    if (places) n.places = reinterpret_cast<kernels::lane_place<T>*>(first + all);
    return n;
}

/// Joins what was folded to the result number k, unless it is the first that there is of it. Where
/// the extremum is what a fold begins with, all values are that, those too that no tile was made
/// for: the first place has it.
template <class T>
void write_result(steps::monoid by, const fold_numbers<T, std::int32_t>& results, std::int64_t k,
                  folded<T> f, bool first) {
    if (!first) f = joined(by, results[k], f);
    if (f.value == nothing_folded<T>(by).value) f.place = 0;
    results.set(k, f);
}

}  // namespace ricci::fused
