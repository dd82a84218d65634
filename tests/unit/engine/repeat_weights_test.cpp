// Layers that are differentiated by what each has of its own, or what they share, alone: what goes
// from layer to layer and back is nobody's output then. Compared with layers written out.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <ricci/program.hpp>
#include <ricci/repeat.hpp>
#include <ricci/ricci.hpp>

#include "tests/catch.hpp"
#include "tests/unit/dense.hpp"

namespace {

using namespace ricci::literals;
using ricci::testing::random_tensor;

constexpr auto layer = R"(
    H^{if} = \tanh(X^{ia} U^{af} + u^f)
    Y^{ia} = X^{ia} + H^{if} W^{fa}
)"_eq;
constexpr auto three = ricci::repeat(layer, 3, "l"_i, ricci::from("Y"_t), ricci::to("X"_t));
constexpr auto written_out = R"(
    G^{if} = \tanh(X^{ia} U^{0af} + u^{0f})
    A^{ia} = X^{ia} + G^{if} W^{0fa}
    K^{if} = \tanh(A^{ia} U^{1af} + u^{1f})
    B^{ia} = A^{ia} + K^{if} W^{1fa}
    M^{if} = \tanh(B^{ia} U^{2af} + u^{2f})
    Y^{ia} = B^{ia} + M^{if} W^{2fa}
)"_eq;

// What lies between is a copy of what goes from layer to layer.
constexpr auto copying = R"(
    P^{bac} = Z^{0bac}
    N^{0bac} = F^{ad} P^{bde} F^{ce}
    N^{1bac} = Z^{1bac}
)"_eq;
constexpr auto copying_twice =
    ricci::repeat(copying, 2, "t"_i, ricci::from("N"_t), ricci::to("Z"_t), ricci::shared("F"_t));
// What only the value of a layer reads, which its gradient by v does not.
constexpr auto beside = R"(
    P^{i} = u^{i} + v^{i}
    Q^{i} = \exp(P^i)
    Y^{i} = X^{i} + Q^{i} + 2 v^{i}
    E^{i} = w^i + X^i
    Z^{i} = Y^i + E^i
)"_eq;
constexpr auto beside_thrice =
    ricci::repeat(beside, 3, "l"_i, ricci::from("Z"_t), ricci::to("X"_t), ricci::shared("u"_t));

template <class A, class B>
double distance(const A& a, const B& b) {
    REQUIRE(a.size() == b.size());
    double most = 0;
    for (std::size_t k = 0; k < a.size(); ++k)
        most = std::max(most, std::abs(a.data()[k] - b.data()[k]));
    return most;
}

}  // namespace

TEST_CASE("layers are differentiated by their weights alone", "[repeat]") {
    const auto x = random_tensor<double, 2>({5, 4}, 1), dy = random_tensor<double, 2>({5, 4}, 2),
               u = random_tensor<double, 2>({3, 6}, 3);
    const auto U = random_tensor<double, 3>({3, 4, 6}, 4),
               W = random_tensor<double, 3>({3, 6, 4}, 5);
    const auto all = ricci::gradient(written_out, "Y"_t, ricci::wrt("U"_t, "u"_t, "W"_t))(
        "X"_t = x, "U"_t = U, "u"_t = u, "W"_t = W, "dL/dY"_t = dy);
    const auto of = [&](const auto& slopes) {
        return slopes("X"_t = x, "U"_t = U, "u"_t = u, "W"_t = W, "dL/dY"_t = dy);
    };
    CHECK(distance(of(ricci::gradient(three, "Y"_t, ricci::wrt("W"_t)))["dL/dW"_t],
                   all["dL/dW"_t]) < 1e-12);
    CHECK(distance(of(ricci::gradient(three, "Y"_t, ricci::wrt("U"_t)))["dL/dU"_t],
                   all["dL/dU"_t]) < 1e-12);
    CHECK(distance(of(ricci::gradient(three, "Y"_t, ricci::wrt("u"_t)))["dL/du"_t],
                   all["dL/du"_t]) < 1e-12);
    const auto both = of(ricci::value_and_gradient(three, "Y"_t, ricci::wrt("W"_t)));
    CHECK(distance(both["dL/dW"_t], all["dL/dW"_t]) < 1e-12);
    CHECK(distance(both["Y"_t], written_out("X"_t = x, "U"_t = U, "u"_t = u, "W"_t = W)["Y"_t]) <
          1e-12);
}

TEST_CASE("layers that copy what they take are differentiated by what they share", "[repeat]") {
    const auto f = random_tensor<double, 2>({4, 4}, 1);
    const auto z = random_tensor<double, 4>({2, 8, 4, 4}, 2),
               d = random_tensor<double, 4>({2, 8, 4, 4}, 3);
    constexpr auto slopes = ricci::gradient(copying_twice, "N"_t, ricci::wrt("F"_t));
    const auto found = slopes("F"_t = f, "Z"_t = z, "dL/dN"_t = d);
    // (F F Z F^T F^T)^{ac} d^{ac} by F, by differences
    const auto value = [&](const ricci::tensor<double, 2>& at) {
        const auto n = copying_twice("F"_t = at, "Z"_t = z);
        double sum = 0;
        const auto& y = n["N"_t];
        for (std::size_t k = 0; k < y.size(); ++k) sum += y.data()[k] * d.data()[k];
        return sum;
    };
    for (std::size_t k = 0; k < f.size(); ++k) {
        auto more = f.clone(), less = f.clone();
        more.data()[k] += 1e-5, less.data()[k] -= 1e-5;
        CHECK(std::abs((value(more) - value(less)) / 2e-5 - found["dL/dF"_t].data()[k]) < 1e-5);
    }
}

TEST_CASE("what the value of a layer alone reads is no output of its gradient", "[repeat]") {
    const auto x = random_tensor<double, 1>({4}, 1), u = random_tensor<double, 1>({4}, 2),
               d = random_tensor<double, 1>({4}, 3);
    const auto v = random_tensor<double, 2>({3, 4}, 4), w = random_tensor<double, 2>({3, 4}, 5);
    constexpr auto slopes = ricci::gradient(beside_thrice, "Z"_t, ricci::wrt("v"_t));
    auto step = ricci::prepare(slopes, "X"_t = x, "u"_t = u, "v"_t = v, "w"_t = w, "dL/dZ"_t = d);
    step();
    for (std::size_t l = 0; l < 3; ++l)
        for (std::size_t i = 0; i < 4; ++i) {
            const double expected =
                std::pow(2.0, static_cast<double>(2 - l)) * d(i) * (std::exp(u(i) + v(l, i)) + 2);
            CHECK(std::abs(step["dL/dv"_t](l, i) - expected) < 1e-12);
        }
}

TEST_CASE("the gradient of layers by weights alone is explained, with shapes or memory",
          "[repeat]") {
    const auto p = ricci::parse(
                       "P^{bac} = Z^{0bac}\nN^{0bac} = F^{ad} P^{bde} F^{ce}\n"
                       "N^{1bac} = Z^{1bac}")
                       .value();
    const auto g = ricci::gradient(
        ricci::repeat(p, 2, {.from = "N", .to = "Z", .index = "t", .shared = {"F"}}), "N", {"F"});
    const auto shape = [](std::initializer_list<ricci::detail::extent_value> extents) {
        return ricci::shape(ricci::element::f64, extents);
    };
    const std::string words = ricci::explain(
        g, {{"F", shape({4, 4})}, {"Z", shape({2, 8, 4, 4})}, {"dL/dN", shape({2, 8, 4, 4})}});
    CHECK(words.find("back, from the last layer") != std::string::npos);
    const auto outputs = g.outputs();
    REQUIRE(outputs.size() == 1);
    CHECK(outputs[0].name == "dL/dF");
}

TEST_CASE("a prepared output is bound to auto&", "[repeat]") {
    constexpr auto twice = "Y^i = c X^i"_eq;
    ricci::tensor<double, 1> x({3});
    x.fill(1);
    double c = 2;
    auto step = ricci::prepare(twice, "X"_t = x, "c"_t = std::cref(c));
    step();
    auto& y = step["Y"_t];
    CHECK(y(1) == 2);
    auto at_run_time =
        ricci::prepare(ricci::parse("Y^i = c X^i").value(), {{"X", x}, {"c", std::cref(c)}});
    c = 3;
    step();
    at_run_time();
    CHECK(y(1) == 3);
    CHECK(at_run_time["Y"].as<double, 1>()(1) == 3);
}
