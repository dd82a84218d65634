// Of the words that are known, the one that a misspelt word is near.
#pragma once

#include <cstdint>

#include <ricci/detail/text.hpp>

namespace ricci::detail {

/// Letters to insert, remove, replace or swap with a neighbour to get from one word to the other.
constexpr std::int32_t edit_distance(text_view a, text_view b) {
    constexpr std::int32_t limit = 24;
    if (a.size > limit || b.size > limit) return limit;
    std::int32_t rows[3][limit + 2] = {};
    for (std::int32_t j = 0; j <= b.size; ++j) rows[0][j] = j;
    for (std::int32_t i = 1; i <= a.size; ++i) {
        auto& row = rows[i % 3];
        const auto& above = rows[(i + 2) % 3];
        const auto& before = rows[(i + 1) % 3];
        row[0] = i;
        for (std::int32_t j = 1; j <= b.size; ++j) {
            std::int32_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[a.size % 3][b.size];
}

/// Keeps the candidate nearest to a word; of two as near, the first.
struct nearest {
    text_view word;
    text_view best;
    std::int32_t distance = 24;

    constexpr explicit nearest(text_view wanted) : word(wanted) {}
    constexpr void offer(text_view candidate) {
        const std::int32_t d = edit_distance(word, candidate);
        if (d < distance) best = candidate, distance = d;
    }
    template <class List>
    constexpr void offer_all(const List& list) {
        for (const text_view& entry : list) offer(entry);
    }
    /// Near enough to be worth suggesting: of a single letter, the one in the other case.
    constexpr bool found() const {
        if (word.size == 1 && best.size == 1) return (word[0] ^ best[0]) == ('a' ^ 'A');
        return distance <= 1 + word.size / 5 && distance < word.size;
    }
};

}  // namespace ricci::detail
