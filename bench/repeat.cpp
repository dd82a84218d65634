// Layers: microseconds of each, forward and with gradients, for layers so small that what goes on
// between them counts and for those of a small transformer.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/array.hpp>
#include <ricci/program.hpp>
#include <ricci/ricci.hpp>

#include "bench/timing.hpp"

namespace {

using extents = std::vector<std::size_t>;

struct layer_case {
    const char* name;
    const char* text;
    std::vector<std::pair<std::string, extents>> inputs;  // X first
    std::vector<std::string> shared, by;
    std::size_t layers;
};

ricci::array numbers(const extents& e, double scale) {
    ricci::array a(ricci::element::f32, e);
    for (std::size_t k = 0; k < a.size(); ++k)
        static_cast<float*>(a.data())[k] =
            static_cast<float>(scale * (static_cast<double>((k * 2654435761u) % 1009) / 504 - 1));
    return a;
}

// The best of some measurements, in microseconds for a layer.
template <class Body>
double microseconds(std::size_t layers, Body body) {
    const int repetitions = ricci::bench::repetitions_for(0.02, body);
    double best = 1e9;
    for (int m = 0; m < 9; ++m) {
        const auto start = std::chrono::steady_clock::now();
        for (int r = 0; r < repetitions; ++r) body();
        best = std::min(best, ricci::bench::seconds_since(start) / repetitions);
    }
    return 1e6 * best / static_cast<double>(layers);
}

void run(const layer_case& c) {
    const ricci::program one = ricci::parse(c.text).value();
    const ricci::program all =
        ricci::repeat(one, c.layers, {.from = "Y", .to = "X", .index = "l", .shared = c.shared});
    std::vector<ricci::named> operands;
    for (const auto& [name, e] : c.inputs) {
        extents bound = e;
        const bool single =
            name == "X" || std::find(c.shared.begin(), c.shared.end(), name) != c.shared.end();
        if (!single) bound.insert(bound.begin(), c.layers);
        operands.push_back({name, numbers(bound, 0.2)});
    }
    auto forward = ricci::prepare(all, operands);
    operands.push_back({"dL/dY", numbers(c.inputs[0].second, 1)});
    auto both = ricci::prepare(ricci::value_and_gradient(all, "Y", c.by), operands);
    fmt::print("{:28} {:6} {:12.2f} {:12.2f}\n", c.name, c.layers,
               microseconds(c.layers, [&] { forward(); }), microseconds(c.layers, [&] { both(); }));
}

constexpr const char* transformer = R"(
    \mu^{i}  = \operatorname{mean}_a X^{ia}
    s^{i}    = \operatorname{mean}_a ((X^{ia} - \mu^{i})^2)
    N^{ia}   = g^a \frac{X^{ia} - \mu^{i}}{\sqrt{s^{i} + 10^{-5}}} + c^a
    Q^{hid}  = N^{ia} W_Q^{had}
    K^{hjd}  = N^{ja} W_K^{had}
    V^{hjd}  = N^{ja} W_V^{had}
    S^{hij}  = \begin{cases} t Q^{hid} K^{hjd} & \text{if } j \le i \\
                              -\infty & \text{otherwise} \end{cases}
    A^{hij}  = \operatorname{softmax}_j(S^{hij})
    Z^{ia}   = X^{ia} + A^{hij} V^{hjd} W_O^{hda}
    H^{if}   = Z^{ia} U^{af} + u^f
    Y^{ia}   = Z^{ia} + \operatorname{gelu}(H^{if}) D^{fa}
)";

}  // namespace

int main() {
    ricci::threads(1);
    fmt::print("{:28} {:>6} {:>12} {:>12}\n", "one thread, float", "layers", "forward us",
               "gradient us");
    run({"perceptron, 8",
         R"(Y^{i} = \tanh(W^{ij} X^{j} + b^i))",
         {{"X", {8}}, {"W", {8, 8}}, {"b", {8}}},
         {},
         {"W", "b"},
         64});
    run({"recurrent, 64, shared",
         R"(Y^{i} = \tanh(W^{ij} X^{j} + U^{ij} x^j))",
         {{"X", {64}}, {"W", {64, 64}}, {"U", {64, 64}}, {"x", {64}}},
         {"W", "U"},
         {"W", "U"},
         64});
    run({"shared part, 64",
         R"(P^{a} = g^m v^{ma}
Y^{ia} = \tanh(X^{ib} W^{ba} + P^a))",
         {{"X", {16, 64}}, {"W", {64, 64}}, {"g", {256}}, {"v", {256, 64}}},
         {"g", "v"},
         {"W", "v"},
         24});
    for (const auto& [name, n, d] : {std::tuple("transformer, 16 x 64", 16u, 16u),
                                     std::tuple("transformer, 128 x 256", 128u, 64u)}) {
        const std::size_t model = 4 * d, hidden = 4 * model;
        const extents into{4, model, d};
        run({name,
             transformer,
             {{"X", {n, model}},
              {"g", {model}},
              {"c", {model}},
              {"W_Q", into},
              {"W_K", into},
              {"W_V", into},
              {"W_O", {4, d, model}},
              {"t", {}},
              {"U", {model, hidden}},
              {"u", {hidden}},
              {"D", {hidden, model}}},
             {"t"},
             {"W_Q", "W_K", "W_V", "W_O", "U", "D"},
             6});
    }
}
