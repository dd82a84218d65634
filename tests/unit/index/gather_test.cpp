// Positions that a tensor says: rows read and added up, against the interpreter; numbers out of
// range.
#include <cstdint>
#include <random>
#include <string>

#include <ricci/ricci.hpp>

#include "tests/catch.hpp"
#include "tests/unit/bound_program.hpp"

using namespace ricci;
using namespace ricci::literals;
using namespace ricci::testing;

namespace {

/// Memory of whole numbers in [0, most), or one more at either end.
memory& numbers(bound_program& p, const shape& extents, std::int64_t most, bool stray = false) {
    auto& m = p.allocate(extents);
    const std::int64_t beyond = stray ? 1 : 0;
    m.each([&](std::int64_t at) {
        const auto drawn = p.random()() % static_cast<unsigned>(most + 2 * beyond);
        m.set(at, static_cast<double>(static_cast<std::int64_t>(drawn) - beyond));
    });
    return m;
}

struct gather_case {
    const char* text;
    bool scatters;          // adds up where a tensor says
    bool looks_up = false;  // sums what it reads there without storing it
};
constexpr gather_case cases[] = {
    {"Y^{ia} = E^{x_i a}", false},
    {"Y^{bia} = E^{x_{bi} a} + P^{ia}", false},
    {"Y^{ai} = 2 E^{x_i a} W^{a}", false},
    {"Y^{ib} = E^{x_i a} U^{ab}", false},
    {"Y^{i} = E^{x_i x_i}", false},
    {"Y^{ij} = E^{x_i x_j}", false},
    {"Y = \\sum_i Z^{i x_i}", false},
    {"Y^{a} = w^i E^{x_i a}", false},
    {"Y^{a} = E^{x_{kk} a}", false},
    {"Y^{a} = 2 E^{x_{kk} a} w^k", false},
    {"Y^{va} = \\sum_i [v = x_i] P^{ia} + E^{va}", true},
    {"Y^{av} = \\sum_i [x_i = v] P^{ia} w^i + E^{va}", true},
    {"Y^{va} = 3 \\sum_{b,i} [v = x_{bi}] P^{ia} + E^{va}", true},
    {"Y^{v} = \\sum_i [v = x_i] + 0 E^{va} q^a", true},
    {"Y^{vb} = \\sum_i [v = x_i] P^{ia} U^{ab} + E^{va} U^{ab}", true},
    {"Y^{ia} = \\exp(\\sum_v [v = x_i] E^{va})", true},
    {"Y^{biv} = [v = x_{bi}] - Z^{iv}", false},
    {"Y^{ba} = \\sum_i R^{bi} E^{x_{bi} a}", false, true},
    {"Y^{ba} = 2 \\sum_i E^{x_{bi} a}", false, true},
    {"Y^{ba} = W^a \\sum_i R^{bi} E^{x_{bi} a}", false, true},
    {"Y^{bi} = S^{ba} E^{x_{bi} a}", false, true},
    {"Y^{i} = E^{x_i a} E^{y_i a}", false, true},
    {"Y^{i} = 3 w^i E^{x_i a} E^{y_i a} W^a", false, true},
    {"Y^{b} = R^{bi} E^{x_{bi} a} W^{a}", false, true},
    {"Y^{va} = \\sum_i [v = x_i] w^i E^{y_i a} + E^{va}", true},
    {"Y^{vb} = \\sum_{i,a} [v = x_i] w^i E^{y_i a} U^{ab} + E^{va} U^{ab}", true},
    {"Y^{v} = \\sum_{i,a} [v = x_i] E^{y_i a} P^{ia} + 0 E^{va} q^a", true},
    {"Y^{va} = \\sum_i [v = x_i] \\exp(P^{ia}) w^i w^i E^{y_i a} + E^{va}", true},
    {"Y^{bva} = \\sum_i [v = x_{bi}] R^{bi} P^{ia} + E^{va}", true},
    {"Y^{ia} = \\sum_v [v = x_i] E^{va} w^i", false, true},
    {"Y^{ia} = \\sum_v [v = x_i] E^{va} P^{ia}", false, true},
    {"Y^{i} = \\sum_{v,a} [v = x_i] E^{va} E^{y_i a}", false, true},
    {"Y^{pa} = \\sum_{i,v} [p = x_i] [v = y_i] w^i E^{va} + E^{pa}", true, true},
    {"Y^{vja} = \\sum_{i,u} [v = x_i] w^i [u = y_j] E^{ua} + E^{va}", true},
    {"Y^{va} = \\sum_{i,u} [v = x_i] [u = y_i] [w^i > 0] w^i E^{ua} + E^{va}", true},
    {"Y^{bv} = \\sum_i [v = x_{bi}] R^{bi} + 0 E^{va} q^a", true},
};

void bind(bound_program& p, std::int64_t rows, std::int64_t n) {
    const auto has = [&](const char* name) { return p.name(name) != ir::none; };
    const std::int64_t width = 5;
    const std::string text = p.text();
    const bool square = text.find("x_i x") != std::string::npos;
    const bool batched = text.find("x_{bi}") != std::string::npos;
    const bool compared = text.find("{x_") == std::string::npos && text.find('[') < text.size() &&
                          text.find("x_i x") == std::string::npos;
    const bool diagonal = text.find("x_{kk}") != std::string::npos;
    if (has("E")) p.input("E", square ? shape{rows, rows} : shape{rows, width});
    if (has("x"))
        p.input("x", numbers(p,
                             batched    ? shape{2, n}
                             : diagonal ? shape{n, n}
                                        : shape{n},
                             rows, compared));
    if (has("y")) p.input("y", numbers(p, {n}, rows, text.find("[u = y") != std::string::npos));
    if (has("R")) p.input("R", {2, n});
    if (has("S")) p.input("S", {2, width});
    if (has("P")) p.input("P", {n, width});
    if (has("W")) p.input("W", {width});
    if (has("U")) p.input("U", {width, 3});
    if (has("Z")) p.input("Z", {n, rows});
    if (has("w")) p.input("w", {n});
    if (has("q")) p.input("q", {width});
}

}  // namespace

TEST_CASE("rows are read and added up where a tensor says", "[gather]") {
    for (const auto& c : cases)
        for (const element type : {element::f32, element::f64})
            for (const std::int64_t n : {0, 1, 7, 300}) {
                // The interpreter goes over all of them for each.
                if (n > 100 && std::string(c.text).find("y_j") != std::string::npos) continue;
                bound_program p(c.text, type, static_cast<unsigned>(n) + 3);
                INFO(c.text << ", n " << n);
                bind(p, 6, n);
                CHECK(p.compare() == "");
            }
}

TEST_CASE("nothing that is looked up is stored first, nor a product over all rows", "[gather]") {
    for (const auto& c : cases) {
        if (!c.scatters && !c.looks_up) continue;
        bound_program p(c.text, element::f64, 5);
        bind(p, 6, 7);
        const std::string words = p.prepare().explain();
        INFO(c.text << "\n" << words);
        const bool forward = std::string(c.text).find("sum_v") != std::string::npos;
        CHECK((forward || words.find("lookups") != std::string::npos));
        if (c.looks_up) CHECK(words.find("gather") == std::string::npos);
    }
}

TEST_CASE("positions of 32 and 64 bits among floating-point numbers", "[gather]") {
    constexpr auto f = "Y^{ia} = E^{x_i a}; Z^{i} = G^{i y_i}"_eq;
    constexpr auto g = gradient(f, "Y"_t, wrt("E"_t));
    tensor<float, 2> E({5, 3}), G({4, 6}), dY({4, 3});
    tensor<std::int32_t, 1> x({4});
    tensor<std::int64_t, 1> y({4});
    for (std::size_t k = 0; k < E.size(); ++k) E.data()[k] = static_cast<float>(k);
    for (std::size_t k = 0; k < G.size(); ++k) G.data()[k] = static_cast<float>(k);
    for (std::size_t k = 0; k < dY.size(); ++k) dY.data()[k] = static_cast<float>(k + 1);
    for (std::size_t k = 0; k < 4; ++k) {
        x(k) = static_cast<std::int32_t>(3 * k % 5);
        y(k) = static_cast<std::int64_t>(5 - k);
    }
    const auto r = f("x"_t = x, "E"_t = E, "G"_t = G, "y"_t = y);
    const auto d = g("x"_t = x, "E"_t = E, "dL/dY"_t = dY);
    tensor<float, 2> expected({5, 3});
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t a = 0; a < 3; ++a) {
            CHECK(r["Y"_t](i, a) == E(static_cast<std::size_t>(x(i)), a));
            expected(static_cast<std::size_t>(x(i)), a) += dY(i, a);
        }
        CHECK(r["Z"_t](i) == G(i, static_cast<std::size_t>(y(i))));
    }
    for (std::size_t k = 0; k < expected.size(); ++k)
        CHECK(d["dL/dE"_t].data()[k] == expected.data()[k]);
}

TEST_CASE("a number that is no place of the axis is refused before anything is written",
          "[gather]") {
    constexpr auto f = "Z^{a} = 2 q^a; Y^{ia} = E^{x_i a}"_eq;
    tensor<double, 2> E({5, 3});
    tensor<double, 1> q({3}), Z({3});
    tensor<std::int32_t, 1> x({4});
    tensor<double, 1> halves({4});
    q(0) = 1;
    auto step = prepare(f, "E"_t = E, "q"_t = q, "x"_t = x, "Z"_t = Z);
    step();
    CHECK(Z(0) == 2);
    q(0) = 7;
    for (const std::int32_t wrong : {5, -1}) {
        x(2) = wrong;
        try {
            step();
            FAIL("not refused");
        } catch (const error& e) {
            const std::string words = e.what();
            CHECK(words.find("axis 0 of E has the places 0 to 4") != std::string::npos);
            CHECK(words.find(std::to_string(wrong)) != std::string::npos);
        }
        CHECK(Z(0) == 2);
    }
    halves(1) = 0.5;
    CHECK_THROWS_AS(f("E"_t = E, "q"_t = q, "x"_t = halves), error);
    // positions that the equations compute are checked where they are used
    constexpr auto computed = "p^i = 3 x^i; Y^{ia} = E^{p_i a}"_eq;
    halves(1) = 2;
    CHECK_THROWS_AS(computed("E"_t = E, "x"_t = halves), error);
    halves(1) = 1;
    E(3, 1) = 4;
    CHECK(computed("E"_t = E, "x"_t = halves)["Y"_t](1, 1) == 4);
}

TEST_CASE("rows are added up in one order for any number of threads", "[gather]") {
    constexpr auto f = "Y^{va} = \\sum_i [v = x_i] P^{ia} + E^{va}"_eq;
    const std::size_t rows = 50, n = 4000, width = 24;
    tensor<float, 2> E({rows, width}), P({n, width});
    tensor<std::int32_t, 1> x({n});
    std::mt19937 random(1);
    for (std::size_t k = 0; k < P.size(); ++k)
        P.data()[k] = static_cast<float>(random() % 1000) * 1e-3f;
    for (std::size_t k = 0; k < n; ++k) x(k) = static_cast<std::int32_t>(random() % rows);
    threads(1);
    const auto once = f("E"_t = E, "P"_t = P, "x"_t = x);
    threads(3);
    const auto again = f("E"_t = E, "P"_t = P, "x"_t = x);
    threads(0);
    bool same = true;
    for (std::size_t k = 0; k < E.size(); ++k)
        same = same && once["Y"_t].data()[k] == again["Y"_t].data()[k];
    CHECK(same);
}
