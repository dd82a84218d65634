// The loops of bench_maps, beside the equations that mean the same.
#include "bench/maps_loops.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ricci::bench {
namespace {

template <class Body>
void each(const map_memory& m, Body body) {
    const float* const __restrict x = m.x, * const __restrict y = m.y, * const __restrict z = m.z, * const __restrict w = m.w;
    float* const __restrict r = m.r;
    for (std::size_t i = 0; i < m.count; ++i) r[i] = body(x[i], y[i], z[i], w[i]);
}

void scale(const map_memory& m) {
    each(m, [](float x, float, float, float) { return 3 * x; });
}
void add(const map_memory& m) {
    each(m, [](float x, float y, float, float) { return x + y; });
}
void multiply_add(const map_memory& m) {
    each(m, [](float x, float y, float z, float) { return x * y + z; });
}
void four_terms(const map_memory& m) {
    each(m, [](float x, float y, float z, float w) { return 2 * x + 3 * y - 0.5f * z + w; });
}
void first_moment(const map_memory& m) {
    each(m, [](float x, float y, float, float) { return 0.9f * x + 0.1f * y; });
}
void second_moment(const map_memory& m) {
    each(m, [](float x, float y, float, float) { return 0.999f * x + 0.001f * y * y; });
}
void adam_step(const map_memory& m) {
    each(m, [](float x, float y, float z, float) {
        return x - 0.001f * y / (std::sqrt(std::abs(z)) + 1e-8f);
    });
}
void gelu(const map_memory& m) {
    each(m, [](float x, float, float, float) {
        return 0.5f * x * (1 + std::tanh(0.7978845608f * (x + 0.044715f * x * x * x)));
    });
}
void huber(const map_memory& m) {
    each(m, [](float x, float y, float, float) {
        const float d = std::abs(x - y);
        return d < 1 ? 0.5f * d * d : d - 0.5f;
    });
}
void polynomial(const map_memory& m) {
    each(m, [](float x, float, float, float) {
        return 1 + x * (1 + x * (0.5f + x * (0.2f + x * (0.04f + x * (0.008f + x * 0.001f)))));
    });
}

}  // namespace

const map_case map_cases[] = {
    {"scale", R"(R^{i} = 3 X^{i})", 2, scale},
    {"add", R"(R^{i} = X^{i} + Y^{i})", 3, add},
    {"multiply-add", R"(R^{i} = X^{i} Y^{i} + Z^{i})", 4, multiply_add},
    {"four-terms", R"(R^{i} = 2 X^{i} + 3 Y^{i} - 0.5 Z^{i} + W^{i})", 5, four_terms},
    {"adam-first-moment", R"(R^{i} = 0.9 X^{i} + 0.1 Y^{i})", 3, first_moment},
    {"adam-second-moment", R"(R^{i} = 0.999 X^{i} + 0.001 (Y^{i})^2)", 3, second_moment},
    {"adam-step", R"(R^{i} = X^{i} - 0.001 \frac{Y^{i}}{\sqrt{|Z^{i}|} + 0.00000001})", 4,
     adam_step},
    {"gelu", R"(R^{i} = 0.5 X^{i} (1 + \tanh(0.7978845608 (X^{i} + 0.044715 (X^{i})^3))))", 2,
     gelu},
    {"huber",
     R"(R^{i} = \begin{cases} 0.5 (X^{i} - Y^{i})^2 & \text{if } |X^{i} - Y^{i}| < 1 \\ |X^{i} - Y^{i}| - 0.5 & \text{otherwise} \end{cases})",
     3, huber},
    {"polynomial",
     R"(R^{i} = 1 + X^{i} (1 + X^{i} (0.5 + X^{i} (0.2 + X^{i} (0.04 + X^{i} (0.008 + X^{i} 0.001))))))",
     2, polynomial},
};
const std::size_t map_case_count = std::size(map_cases);

}  // namespace ricci::bench
