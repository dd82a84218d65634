// What a bracket excludes does not touch a result, in a map, a fold, a contraction or a fused
// group: neither infinities nor what is no number.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <ricci/engine/executable.hpp>

#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/front.hpp"
#include "tests/unit/bound_program.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

struct shaped {
    const char* name;
    shape extents;
    std::int64_t line = -1;  // along axis 0: what stands there is `value`
    double value = not_a_number;
};

void spoil(memory& m, std::int64_t line, double value) {
    shape at(m.extents.size(), 0);
    std::int64_t k = 0, size = 1;
    for (std::size_t axis = 1; axis < m.extents.size(); ++axis) size *= m.extents[axis];
    m.each([&](std::int64_t offset) {
        if (k++ / size == line) m.set(offset, value);
    });
}

void bind(bound_program& p, const std::vector<shaped>& inputs, layout l) {
    for (const auto& i : inputs) {
        if (p.name(i.name) == ir::none) continue;
        memory& m = p.allocate(i.extents, l);
        if (i.line >= 0) spoil(m, i.line, i.value);
        p.input(i.name, m);
    }
}

/// What differs from the meaning.
std::string run(const std::string& text, const std::vector<shaped>& inputs,
                const std::vector<element>& types = {element::f32, element::f64, element::c64}) {
    std::string words;
    for (const element type : types)
        for (const layout l : {layout::row_major, layout::shuffled})
            for (const bool fuse : {true, false}) {
                bound_program p(text, type, 5);
                bind(p, inputs, l);
                p.fuse = fuse;
                words += p.compare(type == element::c64 ? 2e-4 : 0);
            }
    return words;
}

const std::vector<element> real{element::f32, element::f64};

/// What a bracket must not let through.
std::vector<double> hidden_values() {
    return testing::few_or<std::vector<double>>({not_a_number}, {not_a_number, infinity});
}

}  // namespace

TEST_CASE("a bracket of numbers alone is strongly zero", "[brackets]") {
    CHECK(run("Y^{i} = [1 \\ge 2] S^{i}", {{"S", {7}, 3}}) == "");
    const std::vector<shaped> s{{"S", {7}, 3}, {"v", {0}}};
    CHECK(run("Y^{i} = [1 \\ge 2] \\log(\\sum_k v^k) + [i \\ne 3] S^{i}", s) == "");
    CHECK(run("Y^{i} = ([1 \\ne 1] \\operatorname{mean}_k(v^k) i) S^{i}", s) == "");
    CHECK(run("Y^{i} = \\frac{S^{i} [1 \\ne 1]}{\\sum_k v^k}", s) == "");
    CHECK(run("Y = \\sum_i (S^{i} [1 < 0]) \\min_k(v^k)", s, real) == "");
    CHECK(run("Y^{i} = S^{i} [1 \\le 2]", {{"S", {7}}}) == "");
}

TEST_CASE("a bracket is strongly zero in what it multiplies", "[brackets]") {
    const std::vector<shaped> s{{"S", {7, 9}}};
    CHECK(run("Y^{ij} = S^{ij} - \\infty \\cdot [j > i]", s, real) == "");
    CHECK(run("Y^{ij} = [j < i] \\log(i - j) + S^{ij}", s) == "");
    CHECK(run("Y^{ij} = [j < i] \\frac{S^{ij}}{i - j}", s) == "");
    CHECK(run("Y^{ij} = \\frac{[j < i]}{i - j} S^{ij}", s) == "");
    CHECK(run("Y^{ij} = -\\frac{S^{ij}}{i - j} [j < i] [i < 5]", s) == "");
    CHECK(run("Y^{i} = \\sum_j [j < i] \\log(i - j) S^{ij}", s) == "");
    CHECK(run("Y^{i} = \\sum_j [j < i \\land j \\ne 2] \\log(i - j) S^{ij}", s) == "");
    CHECK(run("Y^{i} = \\max_j ([j < i] \\sqrt{i - j - 1} S^{ij})", s, real) == "");
    CHECK(run("Y^{ij} = [S^{ij} > 0] \\log S^{ij}", s, real) == "");
    CHECK(run("Y^{ij} = [S^{ij} > 0] [j \\le i] \\log S^{ij}", s, real) == "");
    CHECK(run("P^{ij} = \\operatorname{softmax}_j(S^{ij} - \\infty \\cdot [j > i])", s, real) ==
          "");
    for (const double value : {not_a_number, infinity, -infinity}) {
        CHECK(run("Y^{ij} = [i \\ne 3] S^{ij}", {{"S", {7, 9}, 3, value}}, real) == "");
        CHECK(run("Y^{j} = \\sum_i [i \\ne 3] S^{ij}", {{"S", {7, 9}, 3, value}}, real) == "");
        CHECK(run("P^{ji} = \\operatorname{softmax}_i(S^{ij} - \\infty \\cdot [i = 3])",
                  {{"S", {7, 9}, 3, value}}, real) == "");
    }
}

TEST_CASE("a bracket stays beside what it hides where exponentials cancel", "[brackets]") {
    const std::vector<shaped> s{{"S", {5}}, {"F", {4, 5}}, {"w", {}}};
    CHECK(run("Y^{ik} = -\\frac{[0 < i] \\exp(S^k) F^{ik}}{(0.5 + \\exp(S^k))^2 i}", s, real) ==
          "");
    CHECK(run("Y^{ik} = \\frac{[0 < i] \\exp(S^k)}{(0.5 + \\exp(S^k)) i} F^{ik}", s, real) == "");
    CHECK(run("Y = \\sum_{i,k} F^{ik} [1 < 0] \\frac{1}{(0.5 + \\exp(w)) [1 < 0]} \\exp(w)", s,
              real) == "");
    CHECK(run("Y^i = \\sum_k \\log(i \\exp(1)) [0 < i] \\exp(S^k) F^{ik}", s, real) == "");
    CHECK(run("X^{ik} = F^{ik} \\frac{[i \\ne k]}{(0.5 + \\exp(w)) [i \\ne k]}\n"
              "Y^{k} = \\exp(w) \\sum_i X^{ik}",
              s, real) == "");
}

TEST_CASE("a bracket stays beside what it hides where sums are shared", "[brackets]") {
    CHECK(run("Y = \\sum_{i,j} [0 < j] \\frac{1}{j} (n + 1) F^{ij} + "
              "\\sum_{i,j} F^{ij} \\frac{1}{j} [0 < j] n",
              {{"F", {4, 5}}, {"n", {}}}) == "");
    CHECK(run("Y = \\sum_{i,j} [i < j] \\frac{1}{j} (n + 1) F^{ij} + "
              "\\sum_{i,j} F^{ij} \\frac{1}{j} [i < j] n",
              {{"F", {4, 5}}, {"n", {}}}) == "");
}

TEST_CASE("whole numbers under a bracket", "[brackets]") {
    CHECK(run("Y^{ij} = [j < i] \\frac{S^{ij}}{i - j}", {{"S", {5, 6}}}, {element::i64}) == "");
}

TEST_CASE("what a bracket excludes from a contraction", "[brackets]") {
    for (const double value : hidden_values()) {
        const std::int64_t last = 36;
        CHECK(run("Y^i = \\sum_j [j \\le i] x^j Z^i", {{"x", {37}, last, value}, {"Z", {37}}},
                  real) == "");
        CHECK(run("Y^i = [j \\le i] A^{ij} x^j", {{"A", {37, 37}}, {"x", {37}, last, value}},
                  real) == "");
        CHECK(run("Y^{ic} = [j \\le i] A^{ij} X^{jc}",
                  {{"A", {37, 37}}, {"X", {37, 19}, last, value}}) == "");
        CHECK(run("Y^{ic} = [j \\le i] A^{ij} X^{jc} + B^{ic}",
                  {{"A", {37, 37}}, {"X", {37, 19}, last, value}, {"B", {37, 19}}}, real) == "");
        CHECK(run("Y^{ic} = [i \\ne 3] A^{ij} X^{jc}", {{"A", {37, 37}, 3, value}, {"X", {37, 19}}},
                  real) == "");
        CHECK(run("Y^{ic} = \\sum_{j} [j \\le i] Q^{ia} K^{ja} V^{jc}",
                  {{"Q", {150, 3}}, {"K", {150, 3}, 130, value}, {"V", {150, 3}}}, real) == "");
        CHECK(run("Y^{ic} = \\sum_{j} [j \\le i] Q^{ia} K^{ja} V^{jc}",
                  {{"Q", {150, 3}}, {"K", {150, 3}}, {"V", {150, 3}, 149, value}}, real) == "");
        CHECK(run("S^{ij} = Q^{ia} K^{ja}\nY^{ic} = [j \\le i] S^{ij} V^{jc}",
                  {{"Q", {150, 3}}, {"K", {150, 3}}, {"V", {150, 3}, 149, value}}, real) == "");
        CHECK(run("Y^{c} = [j < 5] A^{jk} B^{kl} C^{lc}",
                  {{"A", {9, 8}, 7, value}, {"B", {8, 7}}, {"C", {7, 6}}}, real) == "");
    }
}

TEST_CASE("what is computed again leaves operands and outputs as they were", "[brackets]") {
    for (const element type : {element::f32, element::f64}) {
        bound_program p("Y^{ic} = [j \\le i] A^{ij} X^{jc}", type, 3);
        bind(p, {{"A", {37, 37}}, {"X", {37, 19}, 36}}, layout::row_major);
        p.output("Y", {37, 19});
        p.alpha = 2, p.beta = 0.5;
        CHECK(p.compare(0, 3) == "");
    }
}

TEST_CASE("scores that a mask hides", "[brackets]") {
    for (const double value : hidden_values())
        for (const char* mask :
             {"M^{ij} = \\begin{cases} S^{ij} & \\text{if } j \\le i \\\\ -\\infty & "
              "\\text{otherwise} \\end{cases}\n",
              "M^{ij} = S^{ij} - \\infty \\cdot [j > i]\n"})
            for (const std::int64_t rows : {19, 51}) {
                CHECK(run("S^{ij} = Q^{ia} K^{ja}\n" + std::string(mask) +
                              "P^{ij} = \\operatorname{softmax}_j(M^{ij})\nO^{ic} = P^{ij} V^{jc}",
                          {{"Q", {rows, 8}}, {"K", {rows, 8}, rows - 1, value}, {"V", {rows, 16}}},
                          real) == "");
                CHECK(run("S^{ij} = Q^{ia} K^{ja}\n" + std::string(mask) +
                              "P^{ij} = \\operatorname{softmax}_j(M^{ij})\nO^{ic} = P^{ij} V^{jc}",
                          {{"Q", {rows, 8}, 5, value}, {"K", {rows, 8}}, {"V", {rows, 16}}},
                          real) == "");
            }
}

TEST_CASE("derivatives keep what a bracket excludes away", "[brackets]") {
    for (const char* text : {"L = \\sum_i [x^i > 0] \\log x^i", "L = \\sum_i [x^i > 0] \\sqrt{x^i}",
                             "Y^i = \\begin{cases} \\log x^i & \\text{if } x^i > 0 \\\\ 0 & "
                             "\\text{otherwise} \\end{cases}\nL = \\sum_i Y^i"}) {
        const auto program = program_of(read_equations(text));
        auto derived = gradient_of(program, "L", {"x"});
        REQUIRE(!derived.mistake);
        bound_program p(derived.program, element::f64, 1);
        memory& x = p.allocate({8}, layout::row_major);
        for (std::int64_t i = 0; i < 8; ++i) x.set(i, i < 4 ? 0.5 + double(i) : i < 6 ? 0 : -1);
        p.input("x", x);
        p.number("dL/dL", 1);
        p.prepare().run();
        const auto got = p.result(p.name("dL/dx")).values();
        for (std::size_t i = 4; i < 8; ++i) CHECK(got.values[i] == 0);
        CHECK(got.values[1] > 0);
    }
}
