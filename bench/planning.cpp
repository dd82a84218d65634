// How long plans take, in microseconds: programs known at run time, planned anew each time; nothing
// is run but first calls.
#include <initializer_list>
#include <cstddef>
#include <chrono>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/prepared.hpp>
#include <ricci/program.hpp>

#include "bench/timing.hpp"

namespace {

using operands = std::vector<ricci::named>;

constexpr auto float_type = ricci::element::f32;

ricci::named shaped(const char* name, std::initializer_list<std::size_t> extents) {
    const std::vector<std::size_t> list(extents);
    return {name, ricci::shape(float_type, std::span<const std::size_t>(list))};
}

ricci::program parsed(const std::string& text) { return ricci::parse(text).value(); }

constexpr auto attention = R"(
    Q^{hia} = X^{ib} W_Q^{hba}
    K^{hja} = C^{jb} W_K^{hba}
    V^{hjc} = C^{jb} W_V^{hbc}
    S^{hij} = \frac{1}{\sqrt{d_k}} Q^{hia} K^{hja}
    A^{hij} = \frac{\exp(S^{hij})}{\sum_{j'} \exp(S^{hij'})}
    O^{hic} = A^{hij} V^{hjc}
    Y^{id}  = O^{hic} W_O^{hcd}
)";

/// A layer of `width` numbers in 8 heads: `keys` of them for each of `rows`.
operands of_attention(std::size_t keys, bool gradients = false, std::size_t rows = 256,
                      std::size_t width = 512) {
    const std::size_t head = width / 8;
    operands list = {shaped("X", {rows, width}),        shaped("C", {keys, width}),
                     shaped("W_Q", {8, width, head}),   shaped("W_K", {8, width, head}),
                     shaped("W_V", {8, width, head}),   shaped("W_O", {8, head, width}),
                     {"d_k", static_cast<double>(head)}};
    if (gradients) list.push_back(shaped("dL/dY", {rows, width}));
    return list;
}

/// A^{ab} B^{bc} ... of matrices whose sides are from 8 to 200.
std::string product_of(int factors) {
    std::string text = "Z^{a" + std::string(1, static_cast<char>('a' + factors)) + "} =";
    for (int k = 0; k < factors; ++k) {
        const char first = static_cast<char>('a' + k), second = static_cast<char>('b' + k);
        text += std::string(" M_{\\text{") + first + "}}^{" + first + second + "}";
    }
    return text;
}
operands of_product(int factors, std::size_t first) {
    const auto side = [&](int k) {
        return k == 0 ? first : 8 + static_cast<std::size_t>(k) * 83 % 193;
    };
    operands list;
    for (int k = 0; k < factors; ++k) {
        const std::string name = std::string("M_{\\text{") + static_cast<char>('a' + k) + "}}";
        list.push_back(shaped(name.c_str(), {side(k), side(k + 1)}));
    }
    return list;
}

/// Layers of two equations each, all with the same weights.
std::string deep(int equations) {
    std::string text = "h_{\\text{l0}}^{na} = X^{na}\n";
    for (int k = 1; 2 * k <= equations; ++k) {
        const std::string number = std::to_string(k), before = std::to_string(k - 1);
        text += "z_{\\text{l" + number + "}}^{nb} = h_{\\text{l" + before + "}}^{na} W^{ab}\n";
        text += "h_{\\text{l" + number + "}}^{nb} = \\operatorname{relu}(z_{\\text{l" + number +
                "}}^{nb} + p^b)\n";
    }
    return text;
}
operands of_deep(std::size_t rows, const std::string& cotangent = {}) {
    operands list = {shaped("X", {rows, 64}), shaped("W", {64, 64}), shaped("p", {64})};
    if (!cotangent.empty()) list.push_back(shaped(cotangent.c_str(), {rows, 64}));
    return list;
}

void print(const char* name, double seconds) {
    fmt::print("{:<44} {:12.2f}\n", name, seconds * 1e6);
    std::fflush(stdout);
}

/// The median of many, one after the other: each is another of two lists of operands, so that no
/// plan is remembered.
template <class Body>
void measure(const char* name, Body body) {
    const int repeat = ricci::bench::repetitions_for(2e-3, body);
    std::vector<double> times;
    for (int k = 0; k < 101; ++k) {
        const auto start = std::chrono::steady_clock::now();
        for (int r = 0; r < repeat; ++r) body();
        times.push_back(ricci::bench::seconds_since(start) / repeat);
    }
    print(name, ricci::bench::median(times));
}

/// Checks and plans alone: neither workspace nor kernels.
void measure_plan(const char* name, const ricci::program& p, const operands& first,
                  const operands& second) {
    bool other = false;
    measure(name, [&] { ricci::memory_of(p, (other = !other) ? second : first); });
}

/// Places that are more than a letter.
void measure_plans_of_places() {
    const auto convolution =
        parsed("Y^{noij} = X^{nc \\operatorname{pad}(i+k-1) \\operatorname{pad}(j+l-1)} W^{ockl}");
    const auto of_convolution = [](std::size_t side) {
        return operands{shaped("X", {8, 64, side, side}), shaped("W", {64, 64, 3, 3}),
                        shaped("dL/dY", {8, 64, side, side})};
    };
    measure_plan("plan: a convolution and its gradients",
                 ricci::value_and_gradient(convolution, "Y", {"X", "W"}), of_convolution(56),
                 of_convolution(57));
    const auto linear = parsed("O^{hic} = \\sum_{j \\le i} Q^{hia} K^{hja} V^{hjc}");
    const auto of_linear = [](std::size_t length) {
        operands list;
        for (const char* name : {"Q", "K", "V", "dL/dO"})
            list.push_back(shaped(name, {8, length, 64}));
        return list;
    };
    measure_plan("plan: causal linear attention and its gradients",
                 ricci::value_and_gradient(linear, "O", {"Q", "K", "V"}), of_linear(4096),
                 of_linear(4097));
}

/// What memory_of takes beside the plan: a plan of one step.
void measure_plans() {
    const auto layer = parsed(attention);
    const std::vector<std::string> by = {"X", "C", "W_Q", "W_K", "W_V", "W_O"};
    const auto gradients = ricci::value_and_gradient(layer, "Y", by);
    measure_plan("plan: a copy", parsed("Y^{i} = X^{i}"), {shaped("X", {64})}, {shaped("X", {65})});
    measure_plan("plan: a product", parsed("C^{ik} = A^{ij} B^{jk}"),
                 {shaped("A", {64, 64}), shaped("B", {64, 64})},
                 {shaped("A", {65, 64}), shaped("B", {64, 64})});
    measure_plan("plan: attention, seven equations", layer, of_attention(256), of_attention(257));
    measure_plan("plan: attention and its gradients", gradients, of_attention(256, true),
                 of_attention(257, true));
    measure_plan("plan: 8 factors", parsed(product_of(8)), of_product(8, 64), of_product(8, 65));
    measure_plan("plan: 24 factors", parsed(product_of(24)), of_product(24, 64),
                 of_product(24, 65));
    measure_plan("plan: 50 equations", parsed(deep(50)), of_deep(32), of_deep(33));
    measure_plan("plan: 200 equations", parsed(deep(200)), of_deep(32), of_deep(33));
    const std::string last = "h_{\\text{l25}}";
    const auto deep_gradients = ricci::value_and_gradient(parsed(deep(50)), last, {"X", "W"});
    const std::string cotangent = "dL/dh_l25";
    measure_plan("plan: 50 equations and their gradients", deep_gradients, of_deep(32, cotangent),
                 of_deep(33, cotangent));
    measure_plans_of_places();
}

ricci::array filled(std::initializer_list<std::size_t> extents) {
    const std::vector<std::size_t> list(extents);
    return ricci::array(float_type, list);
}

/// Everything that a program needs before it runs, and calls that find no plan.
void measure_first_calls() {
    const auto layer = parsed(attention);
    const auto bound = [&](std::size_t keys) {
        operands list = of_attention(keys, false, 16, 64);
        for (auto& operand : list) {
            if (operand.value.kind() != ricci::detail::operand_kind::tensor) continue;
            const auto& value = operand.value.value();
            std::vector<std::size_t> extents;
            for (std::size_t axis = 0; axis < value.rank(); ++axis)
                extents.push_back(value.extent(axis));
            operand.value = ricci::array(float_type, extents);
        }
        return list;
    };
    const operands first = bound(16), second = bound(17);
    bool other = false;
    measure("prepare: a small attention",
            [&] { ricci::prepare(layer, (other = !other) ? second : first); });
    // More shapes than plans are remembered.
    constexpr std::size_t shapes = 64;
    std::vector<std::pair<ricci::array, ricci::array>> factors;
    for (std::size_t k = 0; k < shapes; ++k)
        factors.emplace_back(filled({2 + k % 8, 3 + k / 8}), filled({3 + k / 8, 4}));
    std::size_t next = 0;
    const auto product = parsed("C^{ik} = A^{ij} B^{jk}");
    measure("run: a small product, other shapes", [&] {
        const auto& [a, b] = factors[next++ % shapes];
        ricci::run(product, {{"A", a}, {"B", b}});
    });
    measure("einsum: a small product, other shapes", [&] {
        const auto& [a, b] = factors[next++ % shapes];
        ricci::einsum("ij,jk->ik", {a, b});
    });
    measure("einsum: a small product, the same shape", [&] {
        ricci::einsum("ij,jk->ik", {factors[0].first, factors[0].second});
    });
}

/// The label of index k: a letter of three bytes.
std::string label(std::size_t k) {
    const auto c = static_cast<unsigned>(0x4e00 + k);
    return {static_cast<char>(0xe0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 63)),
            static_cast<char>(0x80 | (c & 63))};
}

/// Strings of very many operands, read, planned and run: chains of 4 x 4 matrices.
void measure_long_strings() {
    for (const std::size_t count : {400U, 2001U, 5000U}) {
        std::string text;
        for (std::size_t k = 0; k < count; ++k)
            text += (k == 0 ? "" : ",") + label(k) + label(k + 1);
        text += "->" + label(0) + label(count);
        const std::vector<ricci::array> matrices(count, filled({4, 4}));
        std::vector<double> times;
        for (int k = 0; k < 5; ++k) {
            const auto start = std::chrono::steady_clock::now();
            ricci::einsum(text, matrices);
            times.push_back(ricci::bench::seconds_since(start));
        }
        print(fmt::format("einsum: {} operands", count).c_str(), ricci::bench::median(times));
    }
}

}  // namespace

int main() {
    ricci::threads(1);
    fmt::print("{:<44} {:>12}\n", "planning", "median us");
    measure_plans();
    measure_first_calls();
    measure_long_strings();
}
