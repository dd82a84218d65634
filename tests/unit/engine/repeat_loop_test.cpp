// Layers as loops around steps: what is left outside, what is added up, what is refused before
// anything is written.
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <ricci/program.hpp>

#include "tests/catch.hpp"
#include "tests/unit/engine/repeat_support.hpp"
#include "tests/unit/parts_of_arrays.hpp"

using namespace ricci;
using namespace ricci::testing;
using ricci::testing::Contains;

namespace {

program repeated(const std::string& text, std::size_t count, const names& shared,
                 bool recompute = false) {
    return repeat(parsed(text), count,
                  {.from = "Y", .to = "X", .index = "l", .shared = shared, .recompute = recompute});
}

template <class T>
T* numbers(const array& a) {
    return static_cast<T*>(const_cast<void*>(a.data()));
}

array of_double(const extents& e, const std::vector<double>& values) {
    array a(element::f64, e);
    for (std::size_t k = 0; k < values.size(); ++k) numbers<double>(a)[k] = values[k];
    return a;
}

}  // namespace

TEST_CASE("what does not depend on the layers runs in the first pass only", "[repeat][loop]") {
    const char* const text = "P^{a} = \\sin(g^m v^{ma})\nY^{a} = \\tanh(X^b W^{ba} + P^a) + c^a";
    const names shared{"g", "v"};
    const std::size_t count = 4;
    std::uint64_t state = 9;
    const array x = filled<double>({5}, state), w = filled<double>({count, 5, 5}, state),
                g = filled<double>({3}, state), v = filled<double>({3, 5}, state),
                c = filled<double>({count, 5}, state), dy = filled<double>({5}, state);
    std::vector<named> bound{{"X", x}, {"W", w}, {"g", g}, {"v", v}, {"c", c}};
    const program layers = repeated(text, count, shared);
    const std::string words = explain(layers, bound);
    CHECK_THAT(words, Contains("loop: 4 passes\n"));
    CHECK_THAT(words, Contains("bytes from pass to pass: "));
    CHECK_THAT(words, Contains("W +200"));
    CHECK_THAT(words, Contains("in two places by turns: X, Y"));
    CHECK_THAT(words, Contains("in the first pass only"));

    // The same with a tensor for each layer, all of them alike.
    array vs(element::f64, {count, 3, 5}), gs(element::f64, {count, 3});
    for (std::size_t l = 0; l < count; ++l) {
        for (std::size_t k = 0; k < 15; ++k)
            numbers<double>(vs)[15 * l + k] = numbers<double>(v)[k];
        for (std::size_t k = 0; k < 3; ++k) numbers<double>(gs)[3 * l + k] = numbers<double>(g)[k];
    }
    const program apart = repeated(text, count, {});
    const std::vector<named> copies{{"X", x}, {"W", w}, {"g", gs}, {"v", vs}, {"c", c}};
    CHECK_THAT(explain(apart, copies), !Contains("in the first pass only"));
    compare_part<double>(run(layers, bound)["Y"], 0, run(apart, copies)["Y"], "Y");

    for (const bool recompute : {false, true}) {
        std::vector<named> with = bound, without = copies;
        with.push_back({"dL/dY", dy}), without.push_back({"dL/dY", dy});
        const program back = gradient(repeated(text, count, shared, recompute), "Y", {"g", "v"});
        const program each = gradient(repeated(text, count, {}, recompute), "Y", {"g", "v"});
        // What is computed once is not stored for each layer.
        CHECK_THAT(explain(back, with), !Contains("way back: X, P"));
        CHECK_THAT(explain(back, with), Contains("added up over the passes: dL/dg, dL/dv"));
        CHECK_THAT(explain(back, with), Contains("loop: 4 passes, from the last to the first"));
        runner step = prepare(back, with);
        const arrays expected = run(each, without);
        for (int again = 0; again < 2; ++again) {
            step();
            for (const auto& [name, size] : {std::pair("dL/dg", 3), {"dL/dv", 15}})
                for (int k = 0; k < size; ++k) {
                    double sum = 0;
                    for (std::size_t l = 0; l < count; ++l)
                        sum += numbers<double>(expected[name])[l * static_cast<std::size_t>(size) +
                                                               static_cast<std::size_t>(k)];
                    CHECK(std::abs(numbers<double>(step[name])[k] - sum) < 1e-12);
                }
        }
    }
}

TEST_CASE("sums over the layers go to views of the caller's", "[repeat][loop]") {
    const program back = gradient(repeated("Y^i = X^j w^{ij} + w^{ii}", 3, {"w"}), "Y", {"w", "X"});
    std::uint64_t state = 4;
    const array x = filled<double>({4}, state), w = filled<double>({4, 4}, state),
                dy = filled<double>({4}, state);
    const arrays plain = run(back, {{"X", x}, {"w", w}, {"dL/dY", dy}});
    std::vector<double> wide(8 * 9, -1.0);
    const tensor_view<double, 2> into(wide.data() + 1, {4, 4}, {2, 16});  // turned, with gaps
    runner step = prepare(back, {{"X", x}, {"w", w}, {"dL/dY", dy}, {"dL/dw", into}});
    step();
    step();
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j)
            CHECK(std::abs(into(i, j) - plain["dL/dw"].as<double, 2>()(i, j)) < 1e-13);
    int untouched = 0;
    for (const double e : wide) untouched += e == -1.0 ? 1 : 0;
    CHECK(untouched == 72 - 16);
}

TEST_CASE("sums over the layers of all element types", "[repeat][loop]") {
    const auto check = [](auto zero, double tolerance) {
        using T = decltype(zero);
        const std::size_t count = 5, n = 3;
        const program back = gradient(repeated("Y^i = X^i + w^i u^i", count, {"w"}), "Y", {"w"});
        array x(element_v<T>, {n}), w(element_v<T>, {n}), u(element_v<T>, {count, n}),
            dy(element_v<T>, {n});
        for (std::size_t k = 0; k < n; ++k)
            numbers<T>(dy)[k] = static_cast<T>(static_cast<float>(k + 1));
        for (std::size_t k = 0; k < u.size(); ++k)
            numbers<T>(u)[k] = static_cast<T>(static_cast<float>(k % 7));
        const array got = run(back, {{"X", x}, {"w", w}, {"u", u}, {"dL/dY", dy}})["dL/dw"];
        for (std::size_t k = 0; k < n; ++k) {
            double sum = 0;
            for (std::size_t l = 0; l < count; ++l)
                sum += static_cast<double>((l * n + k) % 7) * static_cast<double>(k + 1);
            CHECK(std::abs(static_cast<std::complex<double>>(numbers<T>(got)[k]) - sum) <=
                  tolerance * sum);
        }
    };
    check(0.0F, 1e-6);
    check(0.0, 1e-14);
    check(std::complex<float>(), 1e-6);
    check(std::complex<double>(), 1e-14);
}

// A product under a bracket is one by zeros until it gives no number; then all of the layer is
// computed again, and what is added up must not be added twice.
TEST_CASE("layers are computed again where a bracket hides what is no number", "[repeat][loop]") {
    const char* const text = "Y^i = \\sum_j [j \\le i] W^{ij} X^j + b^i";
    const std::size_t count = 3, n = 3;
    const double inf = std::numeric_limits<double>::infinity();
    for (const bool bad_last : {false, true}) {
        std::vector<double> ws(count * n * n);
        for (std::size_t k = 0; k < ws.size(); ++k) ws[k] = 0.1 * static_cast<double>(k % 5) - 0.2;
        ws[(bad_last ? 2 : 0) * n * n + 2] = inf;  // W^{02}, which nothing reads
        const array w = of_double({count, n, n}, ws), x = of_double({n}, {1, 2, 3}),
                    b = of_double({n}, {.5, .25, -1}), dy = of_double({n}, {1, -1, 2});
        std::vector<std::vector<double>> xs{{1, 2, 3}};
        for (std::size_t l = 0; l < count; ++l) {
            std::vector<double> y(n);
            for (std::size_t i = 0; i < n; ++i) {
                y[i] = numbers<double>(b)[i];
                for (std::size_t j = 0; j <= i; ++j) y[i] += ws[(l * n + i) * n + j] * xs[l][j];
            }
            xs.push_back(y);
        }
        std::vector<double> db(n, 0), d{1, -1, 2};
        for (std::size_t l = count; l-- > 0;) {
            std::vector<double> dx(n, 0);
            for (std::size_t i = 0; i < n; ++i) {
                db[i] += d[i];
                for (std::size_t j = 0; j <= i; ++j) dx[j] += ws[(l * n + i) * n + j] * d[i];
            }
            d = dx;
        }
        const program layers = repeated(text, count, {"b"});
        runner step = prepare(value_and_gradient(layers, "Y", {"b", "X"}),
                              {{"X", x}, {"W", w}, {"b", b}, {"dL/dY", dy}});
        step();
        step();
        for (std::size_t i = 0; i < n; ++i) {
            CHECK(std::abs(numbers<double>(step["Y"])[i] - xs[count][i]) < 1e-13);
            CHECK(std::abs(numbers<double>(step["dL/db"])[i] - db[i]) < 1e-13);
            CHECK(std::abs(numbers<double>(step["dL/dX"])[i] - d[i]) < 1e-13);
        }
    }
}

TEST_CASE("operands of all layers are checked before anything is written", "[repeat][loop]") {
    const program layers = repeated("Y^i = 2 X^i + E^{n^i}", 3, {"E"});
    const array x = of_double({2}, {1, 2}), e = of_double({4}, {1, 2, 3, 4});
    array n(element::i32, {3, 2});
    for (const bool kept : {false, true}) {
        const program p = kept ? value_and_gradient(layers, "Y", {"E"}) : layers;
        array y = of_double({2}, {7, 7}), de = of_double({4}, {7, 7, 7, 7});
        std::vector<named> bound{{"X", x}, {"E", e}, {"n", n}};
        if (kept) bound.push_back({"dL/dY", x}), bound.push_back({"dL/dE", de});
        else bound.push_back({"Y", y});
        numbers<std::int32_t>(n)[5] = 4;
        runner step = prepare(p, bound);
        CHECK_THROWS_WITH(step(),
                          Contains("axis 0 of E has the places 0 to 3, and a number of n is 4"));
        for (std::size_t k = 0; k < 2; ++k) CHECK(numbers<double>(y)[k] == 7);
        for (std::size_t k = 0; k < 4; ++k) CHECK(numbers<double>(de)[k] == 7);
        numbers<std::int32_t>(n)[5] = 3;
        step();
        if (kept) {
            CHECK(numbers<double>(de)[0] == 4 * 3 + 2 * 3 + 1);
            CHECK(numbers<double>(de)[3] == 2);
        } else {
            CHECK(numbers<double>(y)[1] != 7);
        }
    }
}
