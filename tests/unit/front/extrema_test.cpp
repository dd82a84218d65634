// The gradient of a maximum goes to the places where the maximum is, in every type: who that is, is
// decided on the values of which it was taken.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/unit/front/texts.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

/// Texts of y^k, which has one maximum, or minimum, over i in each column of a^{ik}.
const std::vector<std::string> extrema{
    "y^k = \\max_i(a^{ik} b^i)",
    "y^k = \\min_i(a^{ik} b^i)",
    "y^k = \\max_i(a^{ik} + b^i)",
    "y^k = \\max_i(\\frac{a^{ik}}{b^i + 3})",
    "y^k = \\max_i(a^{ik} \\frac{1}{b^i + 3})",
    "y^k = \\max_i(\\tanh(a^{ik} b^i + b^i))",
    "y^k = \\max_i(a^{ik} b^i + \\exp(a^{ik} b^i))",
    "y^k = \\max_i(\\sum_c a^{ik} w^{ic} + b^i)",
    "y^k = \\max_i(|a^{ik} b^i|)",
    "t^{ik} = a^{ik} b^i\ny^k = \\max_i(t^{ik})",
    "y^k = 2 \\max_i(a^{ik} b^i) + \\max_i(a^{ik} + b^i)",
    "y^k = \\max_i(\\max(a^{ik} b^i, 0.1))",
};

std::vector<named> operands(const array& a, element type, std::vector<named> more) {
    std::vector<named> all{{"a", a.converted(type)}, {"b", drawn({50}, 2).converted(type)}};
    for (auto& m : more) all.push_back(std::move(m));
    return all;
}

}  // namespace

TEST_CASE("one place of each column has the slope, in every type", "[extrema]") {
    for (const auto& equation : extrema)
        for (const element type : {element::f64, element::f32, element::f16, element::bf16}) {
            if (equation.find("0.1") != std::string::npos) continue;
            INFO(equation << ", " << name_of(type));
            const program p = text(equation);
            const bool sum = equation.find("w^") != std::string::npos;
            const array a = drawn({50, 20}, 1), ones = doubles({20}, std::vector<double>(20, 1));
            auto all = operands(a, type, {{"dL/dy", ones.converted(type)}});
            if (sum) all.push_back({"w", drawn({50, 3}, 3).converted(type)});
            const array g = run(gradient(p, "y", {"a"}), all)["dL/da"].converted(element::f64);
            // In 16 bits several may be the largest, and share.
            const bool narrow = size_of(type) == 2,
                       twice = equation.find("2 \\max") != std::string::npos;
            for (std::size_t k = 0; k < 20; ++k) {
                int places = 0;
                for (std::size_t i = 0; i < 50; ++i) places += entry(g, 20 * i + k) != 0;
                CHECK(places >= 1);
                if (!narrow) CHECK(places <= (twice ? 2 : 1));
            }
        }
}

TEST_CASE("the slopes of extrema are those of differences", "[extrema]") {
    for (const auto& equation : extrema) {
        INFO(equation);
        const program p = text(equation);
        const array a = drawn({50, 20}, 1), ones = doubles({20}, std::vector<double>(20, 1));
        auto others = std::vector<named>{{"b", drawn({50}, 2)}};
        if (equation.find("w^") != std::string::npos) others.push_back({"w", drawn({50, 3}, 3)});
        auto all = others;
        all.push_back({"a", a});
        auto of_gradient = all, of_tangent = all;
        of_gradient.push_back({"dL/dy", ones});
        of_tangent.push_back({"d/dt a", doubles({50, 20}, std::vector<double>(1000, 1))});
        const array got = run(gradient(p, "y", {"a"}), of_gradient)["dL/da"];
        const array jacobian_of = run(jacobian(p, "y", {"a"}), all)["dy/da"];
        const array along = run(tangent(p, {"a"}), of_tangent)["d/dt y"];
        // one column is enough: the others have the same equations
        for (std::size_t k = 0; k < 3; ++k) {
            double sum = 0;
            for (std::size_t i = 0; i < 50; ++i) {
                sum += entry(got, 20 * i + k);
                CHECK(std::abs(entry(jacobian_of, (k * 50 + i) * 20 + k) -
                               entry(got, 20 * i + k)) <= 1e-12);
            }
            CHECK(std::abs(entry(along, k) - sum) <= 1e-9 * (1 + std::abs(sum)));
        }
        array small = doubles({50, 1}, std::vector<double>(50, 0));
        for (std::size_t i = 0; i < 50; ++i) entry(small, i) = entry(a, 20 * i);
        const array want = differences(p, others, "y", "a", small, 1e-7);
        for (std::size_t i = 0; i < 50; ++i)
            CHECK(std::abs(entry(want, i) - entry(got, 20 * i)) <= 1e-5);
    }
}

TEST_CASE("equal values share, whatever computes them", "[extrema]") {
    // A softmax does not change when a number is added: the rows of its Jacobian sum to 0.
    const program p =
        text("B^{lc} = \\max_{k}(\\log(1 + (\\operatorname{softmax}_{k}(S^{klc}))^2))");
    const array s = drawn({24, 8, 8}, 3);
    const array j = run(jacobian(p, "B", {"S"}), {{"S", s}})["dB/dS"];
    for (std::size_t l = 0; l < 8; ++l)
        for (std::size_t c = 0; c < 8; ++c) {
            double total = 0, largest = 0;
            for (std::size_t k = 0; k < 24; ++k) {
                const double slope = entry(j, (((l * 8 + c) * 24 + k) * 8 + l) * 8 + c);
                total += slope;
                largest = std::max(largest, std::abs(slope));
            }
            CHECK(std::abs(total) <= 1e-12);
            CHECK(largest > 0);
        }
    const program ties = text("y = \\max_i(a^i b^i)");
    for (const element type : {element::f64, element::f32, element::f16, element::bf16}) {
        INFO(name_of(type));
        const array a = doubles({4}, {0.3, 0.1, 0.3, -1}), b = doubles({4}, {0.7, 0.7, 0.7, 0.7});
        const array g = run(gradient(ties, "y", {"a"}), {{"a", a.converted(type)},
                                                         {"b", b.converted(type)},
                                                         {"dL/dy", one().converted(type)}})["dL/da"]
                            .converted(element::f64);
        CHECK(near(g, doubles({4}, {0.35, 0, 0.35, 0}), 2e-3));
    }
}

TEST_CASE("the greatest sum over all pairs is not stored for its gradient", "[extrema]") {
    const program p = text("y^{ik} = \\max_j(a^{ij} + b^{jk})");
    const std::size_t n = 9;
    const array a = drawn({n, n}, 4), b = drawn({n, n}, 5);
    const array ones = doubles({n, n}, std::vector<double>(n * n, 1));
    const array g = run(gradient(p, "y", {"a"}), {{"a", a}, {"b", b}, {"dL/dy", ones}})["dL/da"];
    double total = 0;
    for (const double v : values_of(g)) total += v;
    CHECK(std::abs(total - static_cast<double>(n * n)) <= 1e-12);
    const auto words = explain(gradient(p, "y", {"a"}), {{"a", a}, {"b", b}, {"dL/dy", ones}});
    CHECK(words.find("T_1") == std::string::npos);
}

TEST_CASE("pairs share one gradient between them", "[extrema]") {
    for (const element type : {element::f64, element::f32, element::f16})
        for (const char* equation : {"y^i = \\max(a^i b^i, c^i)",
                                     "y^i = \\min(\\frac{a^i}{b^i}, a^i \\frac{1}{b^i}) + 0 c^i",
                                     "y^i = \\max(a^i, \\max(b^i, c^i))",
                                     "y^i = \\max(\\tanh(a^i), \\tanh(a^i)) + 0 b^i c^i"}) {
            INFO(equation << ", " << name_of(type));
            const program p = text(equation);
            const array a = drawn({40}, 6), b = drawn({40}, 7), c = drawn({40}, 8);
            std::vector<named> others{{"b", b}, {"c", c}};
            std::vector<named> all{
                {"a", a.converted(type)}, {"b", b.converted(type)}, {"c", c.converted(type)}};
            all.push_back({"dL/dy", doubles({40}, std::vector<double>(40, 1)).converted(type)});
            const array got = run(gradient(p, "y", {"a"}), all)["dL/da"].converted(element::f64);
            const array want = differences(p, others, "y", "a", a);
            for (std::size_t i = 0; i < 40; ++i)
                CHECK(std::abs(entry(got, i) - entry(want, i)) <=
                      (type == element::f16 ? 0.05 : 1e-4) * (1 + std::abs(entry(want, i))));
        }
}

// Tensors that are introduced for it may be of other ranks, in whatever order they are defined.
TEST_CASE("an extremum of an extremum of merged axes has a gradient", "[extrema]") {
    const program p = text("y^{li} = \\min_j (\\min_m (\\tanh(a^{(il)}) d^m))");
    const array a = drawn({4}, 1), d = drawn({2}, 2);
    const std::vector<named> others{{"d", d}, {"i", extent(4)}, {"l", extent(1)}, {"j", extent(7)}};
    auto all = others;
    all.push_back({"a", a});
    all.push_back({"dL/dy", doubles({1, 4}, {1, 1, 1, 1})});
    CHECK(near(run(gradient(p, "y", {"a"}), all)["dL/da"], differences(p, others, "y", "a", a),
               1e-7));
}

TEST_CASE("who is the maximum of sums with lookups, in a gradient alone", "[extrema]") {
    // Places that brackets hide: -1 is no row, and is not looked for.
    const char* const texts[] = {
        "y^{i} = [0 \\le n^i] \\max_k(\\sum_a E^{n^i k a} w^{a})",
        "y^{i} = \\sum_j [j = n^i] \\max_k(\\sum_a E^{n^i k a} w^{a} v^{j})",
        "y = [0 \\le q] \\min_k(\\sum_a E^{q k a} w^{a})",
        "y^{i} = \\sum_k [k \\ge 1] \\max_a(\\exp(E^{m^k a k} w^{a}) u^{i})",
    };
    const array e = drawn({3, 3, 3}, 1), w = drawn({3}, 2), v = drawn({4}, 3), u = drawn({2}, 4);
    array n(element::i32, {5}), m(element::i32, {3});
    for (int k = 0; k < 5; ++k) static_cast<int*>(n.data())[k] = k % 4 - 1;
    for (int k = 0; k < 3; ++k) static_cast<int*>(m.data())[k] = 2 * k - 1;
    static_cast<int*>(m.data())[2] = 1;
    for (const char* const words : texts)
        for (const int q : {-1, 2}) {
            INFO(words << " q " << q);
            const program p = text(words);
            const auto has = [&](const char* name) {
                for (const auto& input : p.inputs())
                    if (input.name == name) return true;
                return false;
            };
            const auto others = [&](const char* but) {
                std::vector<named> all;
                const std::string_view out = but;
                if (out != "E") all.push_back({"E", e});
                if (out != "w") all.push_back({"w", w});
                if (has("v")) all.push_back({"v", v});
                if (has("u")) all.push_back({"u", u});
                if (has("n")) all.push_back({"n", n});
                if (has("m")) all.push_back({"m", m});
                if (has("q")) all.push_back({"q", static_cast<double>(q)});
                return all;
            };
            for (const char* const by : {"E", "w"}) {
                const array& at = *by == 'E' ? e : w;
                auto all = others("");
                const array y = run(p, all)["y"];
                array ones = y.clone();
                for (std::size_t k = 0; k < ones.size(); ++k) entry(ones, k) = 1;
                all.push_back({"dL/dy", ones});
                const array got = run(gradient(p, "y", {by}), all)[std::string("dL/d") + by];
                CHECK(near(got, differences(p, others(by), "y", by, at), 1e-6));
            }
        }
}

// A sum that the value has factored and its comparison had not was never the minimum, in float.
TEST_CASE("the sum in a minimum is the same number wherever it is compared", "[extrema]") {
    const program p = text(
        "P^{2c} = \\min_l((\\sum_{g,a} (\\lVert U^{hh} M^{g,u_{t_a,c}} \\rVert_h^2)) V^{lc})\n"
        "P^{2c+1} = w^c");
    constexpr std::size_t n = 7, rows = 4, columns = 2, minima = 3;
    const array u = drawn({n, n}, 21), m = drawn({rows, 1}, 22), v = drawn({minima, columns}, 23),
                du = drawn({n, n}, 24), dv = drawn({minima, columns}, 25);
    array t(element::i64, {3}), which(element::i64, {1, 2});
    std::fill_n(static_cast<std::int64_t*>(t.data()), 3, 0);
    std::fill_n(static_cast<std::int64_t*>(which.data()), 2, 0);
    long double sum = 0, slope = 0;
    for (std::size_t g = 0; g < rows; ++g)
        for (std::size_t h = 0; h < n; ++h) {
            const long double x = entry(u, h * n + h), y = entry(m, g);
            sum += 3 * x * x * y * y;
            slope += 6 * x * entry(du, h * n + h) * y * y;
        }
    for (const element type : {element::f64, element::f32}) {
        INFO(name_of(type));
        const std::vector<named> operands{{"U", u.converted(type)},
                                          {"M", m.converted(type)},
                                          {"V", v.converted(type)},
                                          {"t", t},
                                          {"u", which},
                                          {"w", array(type, {columns})}};
        auto moves = operands, seeds = operands;
        moves.push_back({"d/dt U", du.converted(type)});
        moves.push_back({"d/dt V", dv.converted(type)});
        const std::vector<double> ones(2 * columns, 1);
        seeds.push_back({"dL/dP", doubles({2 * columns}, ones).converted(type)});
        const array moved = run(tangent(p, {"V", "U"}), moves)["d/dt P"].converted(element::f64);
        const array by_v = run(gradient(p, "P", {"V"}), seeds)["dL/dV"].converted(element::f64);
        for (std::size_t c = 0; c < columns; ++c) {
            std::size_t least = 0;
            for (std::size_t l = 1; l < minima; ++l)
                if (entry(v, l * columns + c) < entry(v, least * columns + c)) least = l;
            const std::size_t at = least * columns + c;
            const auto want = static_cast<double>(slope * entry(v, at) + sum * entry(dv, at));
            CHECK(std::abs(entry(moved, 2 * c) - want) <= 1e-4 * (1 + std::abs(want)));
            for (std::size_t l = 0; l < minima; ++l)
                CHECK(std::abs(entry(by_v, l * columns + c) -
                               (l == least ? static_cast<double>(sum) : 0)) <= 1e-4);
        }
    }
}
