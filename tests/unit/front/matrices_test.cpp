// Functions of matrices: what they are, their gradients, and what is refused.
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "tests/unit/front/texts.hpp"
#include "tests/unit/slopes.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

struct matrix_case {
    const char* text;
    const char* of;
    std::vector<shaped_input> inputs;
};

const std::vector<matrix_case> cases{
    {"x^j = \\operatorname{solve}_{ij}(K^{ij} + 3 \\delta^{ij}, y^i)",
     "x",
     {{"K", {4, 4}}, {"y", {4}}}},
    {"x^j = \\operatorname{solve}_{ij}(K^{ji}, y^i)", "x", {{"K", {3, 3}}, {"y", {3}}}},
    {"X^{bjr} = \\operatorname{solve}_{ij}(K^{bij}, Y^{bir})",
     "X",
     {{"K", {2, 3, 3}}, {"Y", {2, 3, 2}}}},
    {"X^{rjb} = \\operatorname{solve}_{ij}(K^{ibj}, Y^{ir})",
     "X",
     {{"K", {3, 2, 3}}, {"Y", {3, 4}}}},
    {"x^j = \\operatorname{solve}_{ij}(A^{ia} A^{ja} + \\delta^{ij}, B^{ia} c^a)",
     "x",
     {{"A", {4, 2}}, {"B", {4, 2}}, {"c", {2}}}},
    {"V^{ij} = (K^{-1})^{ij}", "V", {{"K", {3, 3}}}},
    {"t = (K^{-1})^{ii}", "t", {{"K", {3, 3}}}},
    {"d^i = (K^{-1})^{ii}", "d", {{"K", {3, 3}}}},
    {"V^{jk} = \\operatorname{solve}_{ij}(K^{bij}, \\delta^{ik}) w^b",
     "V",
     {{"K", {2, 3, 3}}, {"w", {2}}}},
    {"z = y^i (K^{-1})^{ij} y^j", "z", {{"K", {3, 3}}, {"y", {3}}}},
    {"V^{ab} = (K^{-1})^{ai} M^{ij} (K^{-1})^{jb}", "V", {{"K", {3, 3}}, {"M", {3, 3}}}},
    {"V^{ij} = \\exp((K^{-1})^{ij}) + (K^{-1})^{ji}", "V", {{"K", {3, 3}}}},
    {"d = \\det_{ij}(K^{ij})", "d", {{"K", {4, 4}}}},
    {"d^b = 2 \\det_{ij}(K^{ibj}) \\sin(\\det_{ij}(K^{ibj}))", "d", {{"K", {3, 2, 3}}}},
    {"d^b = \\operatorname{logdet}_{ij}(K^{bij} + s \\delta^{ij})",
     "d",
     {{"K", {2, 3, 3}}, {"s", {}}}},
    {"d = \\log \\det_{ij}(A^{ia} A^{ja} + \\delta^{ij})", "d", {{"A", {4, 3}}}},
    {"L^{ij} = \\operatorname{chol}_{ij}(A^{ia} A^{ja} + \\delta^{ij})", "L", {{"A", {4, 3}}}},
    {"L^{bij} = \\operatorname{chol}_{ij}(A^{bia} A^{bja} + \\delta^{ij})\n"
     "x^{bj} = \\operatorname{solve}_{ij}(L^{bij}, y^{bi})\n"
     "z = x^{bj} x^{bj} + \\sum_{bi} \\log(\\sum_j \\delta^{ij} L^{bij})",
     "z",
     {{"A", {2, 3, 3}}, {"y", {2, 3}}}},
    {"K^{ij} = \\exp(-(x^i - x^j)^2 s) + 0.5 \\delta^{ij}\n"
     "a^j = \\operatorname{solve}_{ij}(K^{ij}, y^i)\n"
     "L = y^i a^i + \\operatorname{logdet}_{ij}(K^{ij})",
     "L",
     {{"x", {5}}, {"s", {}}, {"y", {5}}}},
    {"x = \\operatorname{solve}_{ij}(K^{ij}, y^i) c^j",
     "x",
     {{"K", {1, 1}}, {"y", {1}}, {"c", {1}}}},
    {"d = \\det_{ij}(K^{ij}) + \\operatorname{logdet}_{ij}(K^{ij})", "d", {{"K", {1, 1}}}},
};

std::string refusal(const program& p, const std::vector<named>& operands) {
    try {
        run(p, operands);
    } catch (const error& e) {
        return e.what();
    }
    return "";
}
bool has(const std::string& text, const char* words) {
    return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("functions of matrices and their gradients are what they mean", "[matrices]") {
    for (const auto& c : cases)
        for (const unsigned seed : {1u, 2u}) {
            INFO(c.text << ", seed " << seed);
            auto read = parse(c.text);
            REQUIRE(read.has_value());
            slopes s(ir::program(read->view()), c.of, c.inputs, seed);
            CHECK(s.check_values() == "");
            CHECK(s.check_gradients() == "");
        }
}

TEST_CASE("one factor serves all that needs it", "[matrices]") {
    const program p = text(
        "a^j = \\operatorname{solve}_{ij}(K^{ij}, y^i)\n"
        "b^q = \\operatorname{solve}_{pq}(K^{qp}, y^p)\n"
        "l = \\operatorname{logdet}_{mn}(K^{mn})\n"
        "V^{ij} = (K^{-1})^{ij}");
    const std::string words = explain(p, {{"K", drawn({4, 4}, 1)}, {"y", drawn({4}, 2)}});
    std::size_t factored = 0;
    for (std::size_t at = words.find("factors  "); at != std::string::npos;
         at = words.find("factors  ", at + 1))
        ++factored;
    INFO(words);
    CHECK(factored == 1);
}

TEST_CASE("no inverse is made that a sum multiplies by something", "[matrices]") {
    array k = drawn({4, 4}, 1);
    const array y = drawn({4}, 2), w = drawn({3}, 3);
    for (std::size_t n = 0; n < 16; n += 5) entry(k, n) += 4;
    const auto steps_of = [&](const program& p) {
        std::vector<named> used;
        for (const named& operand :
             std::vector<named>{{"K", k}, {"y", y}, {"w", w}, {"s", 2.0}, {"dL/dz", one()}})
            for (const auto& input : p.inputs())
                if (input.name == operand.name) used.push_back(operand);
        return explain(p, used);
    };
    for (const char* const equation :
         {"z = \\sum_{ij} \\frac{(K^{-1})^{ij} y^j}{s} y^i", "z = \\sum_{ij} (K^{-1})^{ij}",
          "x^j = \\operatorname{solve}_{ij}(K^{ij}, y^i)\nz = \\sum_j [j = 2] x^j",
          "x^{jk} = \\operatorname{solve}_{ij}(K^{ij}, y^i - w^k)\nz = x^{jk} x^{jk}"}) {
        INFO(equation);
        const program p = text(equation);
        CHECK_FALSE(has(steps_of(p), "inverse  "));
        CHECK_FALSE(has(steps_of(gradient(p, "z", {"K"})), "inverse  "));
    }
    // a right-hand side is not taken apart, and what is a solution has no other tensor
    const program p = text("x^{jk} = \\operatorname{solve}_{ij}(K^{ij}, y^i - w^k)");
    CHECK(has(steps_of(p), "solve  x[j,k]"));
}

TEST_CASE("what is written symmetric is tried by Cholesky", "[matrices]") {
    const array x = drawn({6}, 1), y = drawn({6}, 2);
    for (const char* const k :
         {"K^{ij} = \\exp(-(x^i - x^j)^2) + s \\delta^{ij}", "K^{ij} = x^i x^j + s \\delta^{ij}"})
        for (const double s : {1.5, -1.5}) {
            const program p = text(std::string(k) +
                                   "\na^j = \\operatorname{solve}_{ij}(K^{ij}, y^i)\n"
                                   "r^i = K^{ij} a^j\nd = \\operatorname{logdet}_{ij}(K^{ij})\n"
                                   "e = \\log |\\det_{ij}(K^{ij})|");
            const std::vector<named> operands{{"x", x}, {"y", y}, {"s", s}};
            CHECK(has(explain(p, operands), "Cholesky, or LU"));
            const arrays got = run(p, operands);
            CHECK(near(got["r"], y, 1e-12));
            CHECK(entry(got["d"], 0) == Approx(entry(got["e"], 0)));
        }
    // what one half says is not taken for the whole
    const program p = text(
        "L^{ij} = \\operatorname{chol}_{ij}(K^{ij})\n"
        "x^j = \\operatorname{solve}_{ij}(K^{ij}, y^i)\nr^i = K^{ij} x^j\n"
        "l^j = \\operatorname{solve}_{ij}(L^{ij}, y^i)\nt^i = L^{ij} l^j");
    const array skew = doubles({2, 2}, {4, 3, 1, 5}), two = drawn({2}, 5);
    const arrays got = run(p.keep({"L"}), {{"K", skew}, {"y", two}});
    CHECK(near(got["r"], two, 1e-12));
    CHECK(near(got["t"], two, 1e-12));
}

TEST_CASE("what is symmetric is found through equations and signs", "[matrices]") {
    const std::vector<named> operands{{"x", drawn({5, 2}, 1)},
                                      {"v", drawn({5}, 2)},
                                      {"y", drawn({5}, 3)},
                                      {"M", drawn({5, 5}, 4)}};
    const auto tries_cholesky = [&](const std::string& k) {
        const program p = text(k + "\na^j = \\operatorname{solve}_{ij}(K^{ij}, y^i)");
        std::vector<named> used;
        for (const auto& t : p.inputs())
            for (const named& o : operands)
                if (o.name == t.name) used.push_back(o);
        return has(explain(p, used), "Cholesky, or LU");
    };
    for (const char* const k :
         {"D^{ij} = \\sum_a (x^{ia} - x^{ja})^2\nK^{ij} = \\exp(-D^{ij}) + \\delta^{ij}",
          "C^{pq} = |v^p - v^q|\nB^{ij} = C^{ji} + C^{ij} v^i v^j\nK^{ij} = e^{-B^{ij}} + B^{ji}",
          "K^{ij} = M^{ij} + M^{ji}", "K^{ij} = \\sum_{ab} x^{ia} x^{jb} + \\cos(v^i - v^j)",
          "K^{ij} = (v^i - v^j) (y^i - y^j) + \\delta^{ij}", "K^{ij} = \\sum_a M^{ai} M^{aj}"}) {
        INFO(k);
        CHECK(tries_cholesky(k));
    }
    for (const char* const k :
         {"K^{ij} = 2 M^{ij}", "K^{ij} = \\sin(v^i - v^j) + \\delta^{ij}", "K^{ij} = v^i y^j",
          "K^{ij} = (v^i - v^j) (y^i + y^j) + \\delta^{ij}", "K^{ij} = \\sum_a M^{ia} M^{aj}",
          "B^{ij} = M^{ij} + v^i v^j\nK^{ij} = B^{ij} + \\delta^{ij}",
          "K^{ij} = (v^i - v^j)^3 + \\delta^{ij}"}) {
        INFO(k);
        CHECK_FALSE(tries_cholesky(k));
    }
}

TEST_CASE("matrices that are singular, or not positive definite, are named", "[matrices]") {
    const program solve = text("x^{bj} = \\operatorname{solve}_{ij}(K^{bij}, y^{bi})");
    const array k = doubles({2, 2, 2}, {1, 2, 3, 4, 1, 2, 2, 4}), y = drawn({2, 2}, 1);
    const std::string words = refusal(solve, {{"K", k}, {"y", y}});
    CHECK(has(words, "solve"));
    CHECK(has(words, "1"));
    CHECK(has(words, "singular"));
    const program chol = text("L^{ij} = \\operatorname{chol}_{ij}(K^{ij})");
    CHECK(has(refusal(chol, {{"K", doubles({2, 2}, {1, 2, 2, 1})}}), "positive definite"));
    const program inverse = text("V^{ij} = (K^{-1})^{ij}");
    CHECK(refusal(inverse, {{"K", doubles({2, 2}, {1, NAN, 2, 1})}}) != "");
    // a determinant is what it is
    const program det = text("d = \\det_{ij}(K^{ij})");
    CHECK(entry(run(det, {{"K", doubles({2, 2}, {1, 2, 2, 4})}})["d"], 0) == 0);
    CHECK(has(refusal(det, {{"K", drawn({2, 3}, 1)}}), "square"));
    CHECK(has(refusal(det, {{"K", drawn({2, 2}, 1).converted(element::f16)}}), "float"));
}

TEST_CASE("nothing is written where a matrix has no inverse", "[matrices]") {
    const program p = text(
        "z^j = 2 y^j\n"
        "x^{j} = \\operatorname{solve}_{ij}(K^{ij}, y^{i})");
    array x = doubles({2}, {7, 7});
    CHECK_THROWS_AS(run(p, {{"K", doubles({2, 2}, {1, 2, 2, 4})}, {"y", drawn({2}, 1)}, {"x", x}}),
                    error);
    CHECK(entry(x, 0) == 7);
}

TEST_CASE("logarithms of determinants have no overflow", "[matrices]") {
    const std::size_t n = 400;
    array k(element::f64, {n, n});
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) entry(k, n * i + j) = i == j ? 1e5 : 0;
    const program p = text(
        "d = \\det_{ij}(K^{ij})\nl = \\operatorname{logdet}_{ij}(K^{ij})\n"
        "m = \\log \\det_{ij}(K^{ij})");
    arrays got = run(p, {{"K", k}});
    CHECK(std::isinf(entry(got["d"], 0)));
    const double wanted = static_cast<double>(n) * std::log(1e5);
    CHECK(entry(got["l"], 0) == Approx(wanted));
    CHECK(entry(got["m"], 0) == Approx(wanted));
    entry(k, 0) = -1e5;
    got = run(p, {{"K", k}});
    CHECK(entry(got["l"], 0) == Approx(wanted));
    CHECK(std::isnan(entry(got["m"], 0)));
}

TEST_CASE("complex matrices are solved", "[matrices]") {
    const program p = text(
        "x^j = \\operatorname{solve}_{ij}(K^{ij}, y^i)\nr^i = K^{ij} x^j\nd = \\det_{ij}(K^{ij})");
    array k(element::c128, {3, 3}), y(element::c128, {3});
    auto* const a = static_cast<std::complex<double>*>(k.data());
    auto* const b = static_cast<std::complex<double>*>(y.data());
    for (int i = 0; i < 9; ++i) a[i] = {std::sin(1.0 + i), std::cos(2.0 * i)};
    for (int i = 0; i < 3; ++i) b[i] = {1.0 * i, 2.0 - i};
    const arrays got = run(p.keep({"x", "r"}), {{"K", k}, {"y", y}});
    const auto* const r = static_cast<const std::complex<double>*>(got["r"].data());
    for (int i = 0; i < 3; ++i) CHECK(std::abs(r[i] - b[i]) < 1e-12);
    CHECK(has(refusal(text("d = \\operatorname{logdet}_{ij}(K^{ij})"), {{"K", k}}), "real"));
}

TEST_CASE("texts of functions of matrices that mean nothing are refused", "[matrices]") {
    const auto message = [](const char* t) {
        auto read = parse(t);
        return read.has_value() ? std::string() : std::string(read.error().message);
    };
    CHECK(has(message("x^j = \\operatorname{solve}_{ij}(K^{ij}, y)"), "nowhere on the right-hand"));
    CHECK(has(message("x^j = \\operatorname{solve}_{ij}(K^{ij}, y^{ij})"), "another letter"));
    CHECK(has(message("x = \\operatorname{solve}_{ij}(K^{ij}, y^i)"), "nowhere else"));
    CHECK(has(message("x^j = \\operatorname{solve}_{ij}(K^{ij})"), "right-hand side"));
    CHECK(has(message("d = \\det(K^{ij})"), "rows and columns"));
    CHECK(has(message("d = \\det_{ii}(K^{ii})"), "different"));
    CHECK(has(message("d = \\det_{ij}(K^{ik})"), "nowhere in the matrix"));
    CHECK(has(message("d^i = K^{-1}_{ij} y^j"), "(K^{-1})_{ij}"));
}

TEST_CASE("batches and layers of functions of matrices are each by itself", "[matrices]") {
    const program p = text(
        "x^j = \\operatorname{solve}_{ij}(A^{ia} A^{ja} + \\delta^{ij}, y^i)\n"
        "d = \\operatorname{logdet}_{ij}(A^{ia} A^{ja} + \\delta^{ij})");
    const array a = drawn({3, 4, 2}, 1), y = drawn({4}, 2);
    const auto part = [&](std::size_t k) {
        std::vector<double> values;
        for (std::size_t e = 0; e < 8; ++e) values.push_back(entry(a, 8 * k + e));
        return doubles({4, 2}, values);
    };
    const arrays all = run(batch(p, {.of = {"A"}, .index = "b"}), {{"A", a}, {"y", y}});
    array state = y;
    for (std::size_t k = 0; k < 3; ++k) {
        const arrays one = run(p, {{"A", part(k)}, {"y", y}});
        for (std::size_t j = 0; j < 4; ++j)
            CHECK(entry(all["x"], 4 * k + j) == Approx(entry(one["x"], j)));
        CHECK(entry(all["d"], k) == Approx(entry(one["d"], 0)));
        state = run(p, {{"A", part(k)}, {"y", state}})["x"];
    }
    const program layer =
        text("x^j = \\operatorname{solve}_{ij}(A^{ia} A^{ja} + \\delta^{ij}, y^i)");
    const program layers = repeat(layer, 3, {.from = "x", .to = "y", .index = "l"});
    CHECK(near(run(layers, {{"A", a}, {"y", y}})["x"], state, 1e-12));
    const array ones = doubles({4}, {1, 1, 1, 1});
    const arrays slopes = run(gradient(layers, "x", {"A"}), {{"A", a}, {"y", y}, {"dL/dx", ones}});
    CHECK(near(slopes["dL/dA"], differences(layers, {{"y", y}}, "x", "A", a), 1e-7));
}

TEST_CASE("heights of inverses and solutions are those that were written", "[matrices]") {
    const array k = doubles({2, 2}, {4, 1, 2, 3}), v = drawn({2}, 1), w = drawn({2}, 2);
    // (K^{-1})^{ii} is one element for each i, and no sum of a pair
    const arrays diagonal =
        run(text("d^i = (K^{-1})^{ii}\nu = V_a W^a + W_a V^a"),
            {{"K", k}, {"V_lower", v}, {"W_upper", w}, {"W_lower", w}, {"V_upper", v}});
    CHECK(entry(diagonal["d"], 0) == Approx(0.3));
    CHECK(entry(diagonal["d"], 1) == Approx(0.4));
    const arrays trace =
        run(text("t = (K^{-1})^i{}_i\nu = V_a W^a + W_a V^a"),
            {{"K", k}, {"V_lower", v}, {"W_upper", w}, {"W_lower", w}, {"V_upper", v}});
    CHECK(entry(trace["t"], 0) == Approx(0.7));
    // the columns of g_{ij} are those of x^j
    const arrays solved = run(text("u = w_j \\operatorname{solve}_{ij}(g_{ij}, v_i)\ns = w_j w^j"),
                              {{"g", k}, {"w_lower", w}, {"w_upper", v}, {"v", v}});
    const double x0 = 0.3 * entry(v, 0) - 0.1 * entry(v, 1),
                 x1 = -0.2 * entry(v, 0) + 0.4 * entry(v, 1);
    CHECK(entry(solved["u"], 0) == Approx(entry(w, 0) * x0 + entry(w, 1) * x1));
    auto mixed = parse("u = w^j \\operatorname{solve}_{ij}(g_{ij}, v_i)\ns = w_j w^j");
    REQUIRE(!mixed.has_value());
    CHECK(has(std::string(mixed.error().message), "pair"));
    // where heights do not count, solutions do not make them count
    CHECK(text("u = z^j \\operatorname{solve}_{ij}(K^{ij}, y^i)\nt = z_i z_i").inputs().size() ==
          3);
}

TEST_CASE("a name that is an index or a label elsewhere stands there as none", "[matrices]") {
    const array k = doubles({2, 2}, {4, 1, 2, 3}), y = drawn({2, 3}, 1);
    const array index =
        run(text("s^{ix} = (x^{-1})^{ij} y^{jx}\nr^{ix} = x^{ij} s^{jx}").keep({"s"}),
            {{"x", k}, {"y", y}})["r"];
    CHECK(near(index, y, 1e-12));
    const array label =
        run(text("n_x = 3\nr^{ia} = x^{ij} (x^{-1})^{jk} y^{ka} n_x"), {{"x", k}, {"y", y}})["r"];
    for (std::size_t n = 0; n < y.size(); ++n) CHECK(entry(label, n) == Approx(3 * entry(y, n)));
}
