// Sets as rows of bits, each bit with a weight: unions and what is kept of them, weighed at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ricci::kernels {

/// Rows are aligned to 64 bytes and hold a multiple of so many words.
inline constexpr std::size_t bit_set_words = 8;

/// What all bits of a row have in common: the weight of each bit of word k is weight[k], less than
/// 2^32; sums stay below 2^63.
struct bit_weights {
    const std::uint64_t* weight = nullptr;
    std::size_t words = 0;
};

/// (a (b c)) made of ((a b) c): kept = (b | c) & (a | outside).
struct rotated_weights {
    std::int64_t inner = 0;  // of b | c
    std::int64_t kept = 0;   // of kept
    std::int64_t outer = 0;  // of a | kept
};

/// ((a c) (b d)) made of ((a b) (c d)): left = (a | c) & (b | d | outside), right the other way
/// round.
struct exchanged_weights {
    std::int64_t left_inner = 0;   // of a | c
    std::int64_t right_inner = 0;  // of b | d
    std::int64_t left = 0, right = 0;
    std::int64_t outer = 0;  // of left | right
};

/// One table for each SIMD target.
struct bit_set_functions {
    rotated_weights (*rotate)(const bit_weights& weights, const std::uint64_t* a,
                              const std::uint64_t* b, const std::uint64_t* c,
                              const std::uint64_t* outside, std::uint64_t* kept);
    exchanged_weights (*exchange)(const bit_weights& weights, const std::uint64_t* a,
                                  const std::uint64_t* b, const std::uint64_t* c,
                                  const std::uint64_t* d, const std::uint64_t* outside,
                                  std::uint64_t* left, std::uint64_t* right);
    std::int64_t (*weigh_union)(const bit_weights& weights, const std::uint64_t* a,
                                const std::uint64_t* b);
};

/// The functions for this CPU.
const bit_set_functions& bit_sets();

}  // namespace ricci::kernels
