// Weighed unions of bit sets against one bit at a time, on every SIMD target of this CPU.
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/catch.hpp"

#include "src/kernels/bits/bit_sets.hpp"
#include "src/kernels/targets.hpp"

using namespace ricci;

namespace {

constexpr std::size_t most_words = 24;

struct alignas(64) aligned_row {
    std::array<std::uint64_t, most_words> word{};
};

std::int64_t weigh(const std::vector<bool>& bits, const aligned_row& weights) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < bits.size(); ++i)
        if (bits[i]) sum += static_cast<std::int64_t>(weights.word[i / 64]);
    return sum;
}

std::vector<bool> bits_of(const aligned_row& row) {
    std::vector<bool> bits(most_words * 64);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = (row.word[i / 64] >> (i % 64) & 1) != 0;
    return bits;
}

template <class Function>
std::vector<bool> each(const Function& function) {
    std::vector<bool> bits(most_words * 64);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = function(i);
    return bits;
}

void check_functions(std::size_t words, unsigned seed) {
    std::mt19937_64 random(seed);
    std::array<aligned_row, 5> row;
    aligned_row weights, first, second;
    for (std::size_t k = 0; k < words; ++k) {
        for (auto& r : row) r.word[k] = random() & random();
        weights.word[k] = random() >> (32 + random() % 20);
    }
    const kernels::bit_weights all{weights.word.data(), words};
    std::array<std::vector<bool>, 5> has;
    std::array<const std::uint64_t*, 5> data{};
    for (std::size_t k = 0; k < 5; ++k) has[k] = bits_of(row[k]), data[k] = row[k].word.data();
    const auto& functions = kernels::bit_sets();

    CHECK(functions.weigh_union(all, data[0], data[1]) ==
          weigh(each([&](std::size_t i) { return has[0][i] || has[1][i]; }), weights));

    const auto turned =
        functions.rotate(all, data[0], data[1], data[2], data[4], first.word.data());
    const auto inner = each([&](std::size_t i) { return has[1][i] || has[2][i]; });
    const auto kept = each([&](std::size_t i) { return inner[i] && (has[0][i] || has[4][i]); });
    CHECK(bits_of(first) == kept);
    CHECK(turned.inner == weigh(inner, weights));
    CHECK(turned.kept == weigh(kept, weights));
    CHECK(turned.outer ==
          weigh(each([&](std::size_t i) { return has[0][i] || kept[i]; }), weights));

    const auto changed = functions.exchange(all, data[0], data[1], data[2], data[3], data[4],
                                            first.word.data(), second.word.data());
    const auto ac = each([&](std::size_t i) { return has[0][i] || has[2][i]; });
    const auto bd = each([&](std::size_t i) { return has[1][i] || has[3][i]; });
    const auto left = each([&](std::size_t i) { return ac[i] && (bd[i] || has[4][i]); });
    const auto right = each([&](std::size_t i) { return bd[i] && (ac[i] || has[4][i]); });
    CHECK(bits_of(first) == left);
    CHECK(bits_of(second) == right);
    CHECK(changed.left_inner == weigh(ac, weights));
    CHECK(changed.right_inner == weigh(bd, weights));
    CHECK(changed.left == weigh(left, weights));
    CHECK(changed.right == weigh(right, weights));
    CHECK(changed.outer ==
          weigh(each([&](std::size_t i) { return left[i] || right[i]; }), weights));
}

}  // namespace

TEST_CASE("bit sets are weighed alike on every target") {
    auto targets = kernels::supported_targets();
    targets.push_back("");  // a CPU with none of them
    for (const auto& target : targets) {
        INFO(target);
        if (target.empty()) kernels::force_lesser_cpu();
        else REQUIRE(kernels::force_target(target));
        for (unsigned seed = 0; seed < 6; ++seed)
            for (std::size_t words = 8; words <= most_words; words += 8)
                check_functions(words, seed);
    }
    kernels::reset_target();
}
