// Every pass of the planner whose work the notation shows, by its name: a program that it changes,
// and what it makes of that. What comes after them has tests of its own: join_test, step_loop_test,
// verify_compiled_test.
#include <string>
#include <vector>

#include <ricci/program.hpp>

#include "tests/catch.hpp"

using namespace ricci;

namespace {

/// The plan after a pass, as explain_passes() says it; empty where there was no such pass.
std::string after(const std::string& pass, const std::string& words) {
    const std::string first = "after " + pass;
    for (std::size_t at = words.find(first); at != std::string::npos;
         at = words.find(first, at + 1)) {
        const char next = words[at + first.size()];
        if ((at == 0 || words[at - 1] == '\n') && (next == '\n' || next == ':'))
            return words.substr(at, words.find("\nafter ", at) - at);
    }
    return {};
}

/// That `pass` changes the program, and that these lines are in what it makes of it.
void check_pass(const std::string& pass, const program& p, const std::vector<named>& operands,
                const std::vector<std::string>& lines) {
    const std::string words = explain_passes(p, operands);
    const std::string made = after(pass, words);
    INFO(words);
    REQUIRE_FALSE(made.empty());
    CHECK(made.find(": the same") == std::string::npos);
    for (const std::string& line : lines) {
        INFO(line);
        CHECK(made.find(line) != std::string::npos);
    }
}

program read(const char* text) { return parse(text).value(); }

array of_shape(std::vector<std::size_t> extents) { return shape(element::f64, extents); }

const char* const attention = R"(
    S^{ij} = Q^{ia} K^{ja}
    A^{ij} = \operatorname{softmax}_{j}(S^{ij})
    O^{ic} = A^{ij} V^{jc})";

std::vector<named> attention_operands() {
    const array x = of_shape({512, 64});
    return {{"Q", x}, {"K", x}, {"V", x}};
}

}  // namespace

TEST_CASE("split: a letter that is bound with two extents is two letters", "[each_pass]") {
    check_pass("split", read(R"(s = \sum_{i} x^{i} + \sum_{i} w^{i})"),
               {{"x", of_shape({6})}, {"w", of_shape({5})}},
               {R"(s = \sum_{i} x^{i} + \sum_{i'} w^{i'})"});
}

TEST_CASE("matrices: functions of them are equations, and inverses in sums solutions",
          "[each_pass]") {
    check_pass("matrices",
               read(R"(s = \operatorname{logdet}_{ij}(K^{ij}) + v^{i} (K^{-1})^{ij} v^{j})"),
               {{"K", of_shape({4, 4})}, {"v", of_shape({4})}},
               {R"(= \operatorname{logdet}_{i,j}(K^{ij}))",
                R"(= \operatorname{solve}_{j,i}(K^{ji}, v^{j}))"});
}

TEST_CASE("decide: a gradient asks who is the maximum of the values that it was taken of",
          "[each_pass]") {
    const program p = read(R"(m^{i} = \max_{a}(x^{ia} w^{a}); L = m^{i} m^{i})");
    check_pass("decide", gradient(p, "L", {"x"}),
               {{"x", of_shape({6, 4})}, {"w", of_shape({4})}, {"dL/dL", 1}},
               {R"(T_{\text{1}}^{ia} = x^{ia} w^{a})", R"(m^{i} = \max_{a}(T_{\text{1}}^{ia}))",
                R"([T_{\text{1}}^{ia} = m^{i}])"});
}

TEST_CASE("cancel: a softmax in parts makes no exponential that cancels", "[each_pass]") {
    check_pass("cancel", read(R"(
                   E^{ij} = \exp(S^{ij})
                   Z^{i} = \sum_{j} E^{ij}
                   A^{ij} = \frac{E^{ij}}{Z^{i}})"),
               {{"S", of_shape({4, 5})}}, {R"(A^{ij} = \operatorname{softmax}_{j}(S^{ij}))"});
}

TEST_CASE("share: a sum of two equations has one of its own", "[each_pass]") {
    check_pass("share", read(R"(
                   Y^{ic} = \frac{A^{ij} V^{jc}}{s}
                   Z^{ic} = A^{ij} V^{jc} + 1)"),
               {{"A", of_shape({4, 5})}, {"V", of_shape({5, 3})}, {"s", 2}},
               {R"(T_{\text{1}}^{ic} = A^{ij} V^{jc})", R"(Z^{ic} = T_{\text{1}}^{ic} + 1)"});
}

TEST_CASE("order: no sum is inside of an assignment", "[each_pass]") {
    check_pass("order", read(R"(y^{i} = \exp(A^{ij} x^{j}) + 1)"),
               {{"A", of_shape({4, 5})}, {"x", of_shape({5})}}, {"sum(j) A[i,j] x[j]", "y[i] = "});
}

TEST_CASE("apart: a logsumexp beside other terms is its maximum and what is beyond it",
          "[each_pass]") {
    check_pass("apart", read(R"(Y^{i} = \log \sum_{j} \exp(S^{ij}) + b^{i})"),
               {{"S", of_shape({4, 5})}, {"b", of_shape({4})}},
               {"= max(j) S[i,j]", "= logsumexp - max(j) S[i,j]"});
}

TEST_CASE("fuse: planes of scores are tiles and not stored", "[each_pass]") {
    check_pass("fuse", read(attention), attention_operands(),
               {"fused  rows i  columns j   not stored: S, A"});
}

TEST_CASE("chain: groups that make the same product run by blocks of rows", "[each_pass]") {
    auto operands = attention_operands();
    operands.push_back({"dL/dO", of_shape({512, 64})});
    check_pass("chain", gradient(read(attention), "O", {"Q", "K", "V"}), operands,
               {"by blocks of rows", "  0  S[i,j] = ", "  1  "});
}

TEST_CASE("pack: rows that are looked up for one contraction are not stored", "[each_pass]") {
    check_pass(
        "pack", read("Y^{ic} = E^{t_{i} a} W^{ac}"),
        {{"E", of_shape({50, 64})}, {"t", shape(element::i32, {32})}, {"W", of_shape({64, 32})}},
        {"Y[i,c] = sum(a) E[t[i],a] W[a,c]"});
}

TEST_CASE("protect: an output in an input's memory is written when nobody reads that any more",
          "[each_pass]") {
    const program p = read("y^{i} = 2 x^{i}; z^{i} = y^{i} x^{i}");
    const array x(element::f64, {6}), y(element::f64, {6});
    const std::string apart = explain_passes(p, {{"x", x}, {"y", y}});
    CHECK(apart.find("\n3    y[") == std::string::npos);
    // ordered again: y is computed, read, and then copied to where x was
    const std::string words = explain_passes(p, {{"x", x}, {"y", x}});
    INFO(words);
    const std::size_t again = words.rfind("after order");
    REQUIRE(again != words.find("after order"));
    const std::size_t z = words.find("z[i] = y[i] x[i]", again);
    const std::size_t copy = words.find("\n3    y[", again);
    REQUIRE(z != std::string::npos);
    REQUIRE(copy != std::string::npos);
    CHECK(z < copy);
}
