// Holds a sequence that grows against the same sequence as a prompt.
#include "examples/gpt/check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fmt/core.h>

#include "examples/gpt/session.hpp"

namespace gpt {
namespace {

template <int Rank>
void randomise(ricci::tensor<float, Rank>& t, const std::array<std::size_t, Rank>& extents,
               float offset, std::uint64_t& state) {
    t = ricci::tensor<float, Rank>(extents);
    for (float& x : t) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x = offset + 0.2f * (static_cast<float>(state >> 40) * 0x1p-23f - 1);
    }
}

}  // namespace

int check() {
    constexpr std::size_t layers = 3, width = 24, vocabulary = 17, places = 12;
    weights m;
    std::uint64_t state = 1;
    m.heads = 4;
    randomise(m.tokens, {vocabulary, width}, 0, state);
    randomise(m.places, {places, width}, 0, state);
    for (auto* t : {&m.scale_1, &m.scale_2}) randomise(*t, {layers, width}, 1, state);
    for (auto* t : {&m.shift_1, &m.shift_2, &m.bias_o, &m.bias_w})
        randomise(*t, {layers, width}, 0, state);
    randomise(m.bias_a, {layers, 3 * width}, 0, state);
    randomise(m.bias_u, {layers, 4 * width}, 0, state);
    randomise(m.w_a, {layers, width, 3 * width}, 0, state);
    randomise(m.w_o, {layers, width, width}, 0, state);
    randomise(m.u, {layers, width, 4 * width}, 0, state);
    randomise(m.w, {layers, 4 * width, width}, 0, state);
    randomise(m.scale, {width}, 1, state);
    randomise(m.shift, {width}, 0, state);
    std::vector<std::int32_t> tokens;
    for (std::size_t k = 0; k < places; ++k)
        tokens.push_back(static_cast<std::int32_t>(5 * k % 17));
    session grows(m, places), whole(m, places);
    double worst = 0, largest = 0;
    for (std::size_t n = 4; n <= places; ++n) {
        const std::vector<std::int32_t> first(tokens.begin(),
                                              tokens.begin() + static_cast<std::ptrdiff_t>(n));
        const ricci::tensor<float, 1>& a = n == 4 ? grows.prompt(first) : grows.next(first.back());
        const ricci::tensor<float, 1>& b = whole.prompt(first);
        for (std::size_t v = 0; v < vocabulary; ++v) {
            worst = std::max(worst, std::abs(static_cast<double>(a(v)) - b(v)));
            largest = std::max(largest, std::abs(static_cast<double>(b(v))));
        }
    }
    fmt::print("logits token by token and of the whole differ by {:.1e} of {:.2f}\n", worst,
               largest);
    return worst < 1e-5 * (1 + largest) ? 0 : 1;
}

}  // namespace gpt
