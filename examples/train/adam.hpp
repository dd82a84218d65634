// Adam, the step that changes a parameter by its gradient, as equations.
#pragma once

#include <cstddef>
#include <utility>

#include <ricci/ricci.hpp>

namespace train {

using namespace ricci::literals;

// t counts steps from 1; p, m and n are read and written in place.
inline constexpr auto adam = R"(
    m'^k = b m^k + (1 - b) G^k
    n'^k = c n^k + (1 - c) (G^k)^2
    p'^k = p^k - \eta \frac{m'^k / (1 - (b)^{t})}{\sqrt{n'^k / (1 - (c)^{t})} + 10^{-8}}
)"_eq.keep("m'"_t, "n'"_t);

using line = ricci::tensor_view<float, 1>;
inline line all_of(float* data, std::size_t size) { return {data, {size}, {1}}; }

/// What Adam needs besides the parameters.
struct schedule {
    ricci::tensor<float, 0> t, rate;
};

inline auto adam_step(const schedule& s, float* p, const float* g, float* m, float* n,
                      std::size_t size) {
    const ricci::tensor_view<const float, 1> slope(g, {size}, {1});
    return ricci::prepare(adam, "p"_t = all_of(p, size), "m"_t = all_of(m, size),
                          "n"_t = all_of(n, size), "G"_t = slope, "p'"_t = all_of(p, size),
                          "m'"_t = all_of(m, size), "n'"_t = all_of(n, size), "t"_t = s.t,
                          "\\eta"_t = s.rate, "b"_t = 0.9, "c"_t = 0.99);
}
using adam_program =
    decltype(adam_step(std::declval<const schedule&>(), nullptr, nullptr, nullptr, nullptr, 0));

}  // namespace train
