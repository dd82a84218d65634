// Tensors without elements: nothing is read or written where they are said to lie, and sums over
// nothing are what sums of nothing are.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <ricci/einsum.hpp>
#include <ricci/engine/executable.hpp>
#include <ricci/tensor.hpp>

#include "tests/catch.hpp"
#include "tests/unit/bound_program.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

struct shaped {
    const char* name;
    shape extents;
};

/// Strides that views of nothing have: 0 along all axes, or all but the first or the last.
void stand_still(memory& m, unsigned which) {
    if (std::find(m.extents.begin(), m.extents.end(), 0) == m.extents.end()) return;
    std::fill(m.strides.begin(), m.strides.end(), 0);
    if (m.strides.empty() || which == 2) return;
    (which == 0 ? m.strides.back() : m.strides.front()) = 1;
}

/// What differs when the program runs on operands whose pages end where they do, scaled or not.
std::string run(const std::string& text, const std::vector<shaped>& inputs,
                const std::vector<shaped>& outputs = {}) {
    std::string words;
    for (const element type : {element::f32, element::f64})
        for (unsigned seed = 0; seed < 8; ++seed) {
            bound_program p(text, type, seed);
            const layout l = seed == 0 ? layout::row_major : layout::shuffled;
            for (const auto& i : inputs) p.input(i.name, i.extents, l);
            for (const auto& o : outputs) p.output(o.name, o.extents, l);
            if (seed >= 4) {
                for (const auto& i : inputs) stand_still(p.operand(p.name(i.name)), seed - 4);
                for (const auto& o : outputs) stand_still(p.result(p.name(o.name)), seed - 4);
            }
            if (!outputs.empty() && seed % 2 == 1) p.alpha = 2, p.beta = 0.5;
            words += p.compare();
        }
    return words;
}

constexpr std::size_t none = 0;

}  // namespace

TEST_CASE("results without elements are not written", "[empty]") {
    const std::vector<shaped> out{{"Y", {0, 4}}};
    CHECK(run("Y^{ij} = 2 X^{ij} + 1", {{"X", {0, 4}}}, out) == "");
    CHECK(run("Y^{ij} = \\operatorname{softmax}_j(X^{ij})", {{"X", {0, 4}}}, out) == "");
    CHECK(run("Y^{ij} = \\operatorname{softmax}_i(X^{ij})", {{"X", {0, 4}}}, out) == "");
    CHECK(run("Y^{ij} = A^{ik} B^{kj}", {{"A", {0, 3}}, {"B", {3, 4}}}, out) == "");
    CHECK(run("Y^{ij} = A^{ijk} B^{kij}", {{"A", {0, 4, 3}}, {"B", {3, 0, 4}}}, out) == "");
    CHECK(run("Y^{ij} = A^{jk} B^{ki}", {{"A", {4, 3}}, {"B", {3, 0}}}, out) == "");
    CHECK(run("Y^{ij} = \\sum_k A^{ijk}", {{"A", {0, 4, 3}}}, out) == "");
    CHECK(run("Y^{ij} = [j \\le i] X^{ji}", {{"X", {4, 0}}}, out) == "");
    CHECK(run("S^{ij} = Q^{ia} K^{ja}\nP^{ij} = \\operatorname{softmax}_j(S^{ij})\n"
              "Y^{ia} = P^{ij} V^{ja}",
              {{"Q", {0, 4}}, {"K", {6, 4}}, {"V", {6, 4}}}, out) == "");
}

TEST_CASE("a row of values that sees no columns is a sum of nothing", "[empty]") {
    CHECK(run("S^{ij} = Q^{ia} K^{ja}\nP^{ij} = \\operatorname{softmax}_j(S^{ij})\n"
              "Y^{ia} = P^{ij} V^{ja}",
              {{"Q", {5, 4}}, {"K", {0, 4}}, {"V", {0, 4}}}) == "");
    CHECK(run("Y^{ij} = A^{ik} B^{kj} + C^{ij}", {{"A", {3, 0}}, {"B", {0, 4}}, {"C", {3, 4}}}) ==
          "");
    CHECK(run("Y^i = \\max_j X^{ij}", {{"X", {3, 0}}}) == "");
    CHECK(run("Y^i = \\operatorname{logsumexp}_j X^{ij}", {{"X", {3, 0}}}) == "");
    CHECK(run("Y^i = \\operatorname{mean}_j X^{ij}", {{"X", {3, 0}}}) == "");
}

TEST_CASE("views of nothing, in every kind of step", "[empty]") {
    for (const bool first : {true, false}) {
        const auto of = [&](std::int64_t n) { return first ? shape{0, n} : shape{n, 0}; };
        const std::vector<shaped> out{{"Y", of(4)}};
        INFO((first ? "no rows" : "no columns"));
        CHECK(run("Y^{bi} = A^{bi} + 1", {{"A", of(4)}}, out) == "");
        CHECK(run("Y^{bi} = A^{bi}", {{"A", of(4)}}, out) == "");
        CHECK(run("Y^{bi} = A^{bi} v^i + w^b", {{"A", of(4)}, {"v", {of(4)[1]}}, {"w", {of(4)[0]}}},
                  out) == "");
        CHECK(run("Y^{bi} = \\operatorname{softmax}_i(A^{bi})", {{"A", of(4)}}, out) == "");
        CHECK(run("Y^{bi} = \\max_j A^{bij}", {{"A", {of(4)[0], of(4)[1], 3}}}, out) == "");
        CHECK(run("y^{b} = \\sum_i A^{bi}", {{"A", of(4)}}, {{"y", {of(4)[0]}}}) == "");
        CHECK(run("y^{b} = A^{bi} v^i", {{"A", of(4)}, {"v", {of(4)[1]}}}, {{"y", {of(4)[0]}}}) ==
              "");
        CHECK(run("y^{b} = A^{bi} B^{bi}", {{"A", of(4)}, {"B", of(4)}}, {{"y", {of(4)[0]}}}) ==
              "");
        CHECK(run("Y^{bi} = A^{bk} B^{ki}", {{"A", {of(4)[0], 3}}, {"B", {3, of(4)[1]}}}, out) ==
              "");
        CHECK(run("Y^{bi} = A^{bik} x^{bk}", {{"A", {of(4)[0], of(4)[1], 3}}, {"x", {of(4)[0], 3}}},
                  out) == "");
        CHECK(run("Y^{bik} = A^{bij} B^{bjk}",
                  {{"A", {of(4)[0], of(4)[1], 3}}, {"B", {of(4)[0], 3, 5}}},
                  {{"Y", {of(4)[0], of(4)[1], 5}}}) == "");
        CHECK(run("Y^{bi} = u^b v^i", {{"u", {of(4)[0]}}, {"v", {of(4)[1]}}}, out) == "");
        CHECK(run("Y = \\sum_{b,i} A^{bi}", {{"A", of(4)}}, {{"Y", {}}}) == "");
        CHECK(run("S^{ij} = Q^{ia} K^{ja}\nP^{ij} = \\operatorname{softmax}_j(S^{ij})\n"
                  "Y^{ic} = P^{ij} V^{jc}",
                  {{"Q", {of(6)[0], 4}}, {"K", {of(6)[1], 4}}, {"V", {of(6)[1], 5}}},
                  {{"Y", {of(6)[0], 5}}}) == "");
    }
    CHECK(run("Y^{bi} = \\sum_{k} A^{b,i+k} w^k", {{"A", {0, 8}}, {"w", {3}}}, {{"Y", {0, 6}}}) ==
          "");
    // Picked rows, and gradients added to them.
    for (const shape& e : {shape{0, 4}, shape{5, 0}}) {
        bound_program p("Y^{bi} = M^{g_b i}", element::f32, 1);
        p.input("M", {3, e[1]}).output("Y", e);
        std::mt19937 random(1);
        memory numbers(element::i32, {e[0]}, layout::row_major, random);
        numbers.each([&](std::int64_t at) { numbers.set(at, static_cast<double>(at % 3)); });
        for (auto* m : {&p.operand(p.name("M")), &p.result(p.name("Y")), &numbers})
            stand_still(*m, 2);
        p.inputs.push_back(
            {p.name("g"), 1, numbers.data(), numbers.extents.data(), numbers.strides.data(), 0});
        p.inputs.back().is_positions = true;
        p.inputs.back().positions = element::i32;
        auto step = p.prepare();
        step.run();
    }
}

TEST_CASE("chains of products with one extent of 0", "[empty]") {
    for (std::size_t zero = 0; zero < 8; ++zero) {
        std::vector<std::int64_t> n{2, 3, 4, 5, 3, 2, 4, 3};
        n[zero] = 0;
        std::vector<shaped> inputs;
        static const char* const names[] = {"A", "B", "C", "D", "E", "F", "G"};
        for (std::size_t k = 0; k < 7; ++k) inputs.push_back({names[k], {n[k], n[k + 1]}});
        INFO("extent " << zero);
        CHECK(run("Y^{ap} = A^{ab} B^{bc} C^{cd} D^{dk} E^{kl} F^{lm} G^{mp}", inputs) == "");
    }
}

TEST_CASE("einsums without elements read nothing", "[empty]") {
    guarded_memory nothing(none);
    const auto at = reinterpret_cast<float*>(nothing.data());
    const tensor_view<const float, 2> rows(at, {0, 3}), columns(at, {3, 0});
    const tensor_view<const float, 1> empty(at, {0});
    tensor<float, 1> c({3});
    for (std::size_t k = 0; k < 3; ++k) c(k) = 1;
    CHECK(einsum<"ac->a">(rows).size() == 0);
    const auto sums = einsum<"ac->a">(columns);
    CHECK((sums(0) == 0 && sums(1) == 0 && sums(2) == 0));
    CHECK(einsum<"ac,c->a">(rows, c).size() == 0);
    const auto products = einsum<"ac,c->a">(columns, empty);
    CHECK((products(0) == 0 && products(1) == 0 && products(2) == 0));
    const tensor_view<const float, 3> batch(at, {0, 5, 4});
    tensor<float, 3> right({5, 3, 4});
    CHECK(einsum<"mkb,knb->mnb">(batch, right).size() == 0);
    CHECK(einsum<"mkb,knb->mnb">(tensor_view<const float, 3>(at, {2, 0, 4}),
                                 tensor_view<const float, 3>(at, {0, 3, 4}))(1, 2, 3) == 0);
    CHECK(einsum<"mkb,knb->mnb">(tensor_view<const float, 3>(at, {2, 5, 0}),
                                 tensor_view<const float, 3>(at, {5, 3, 0}))
              .size() == 0);
}

TEST_CASE("what is raised to the power 0 is 1 and is not read", "[empty]") {
    const std::vector<shaped> s{{"s", {3, 4}}};
    CHECK(run("Y^{ij} = (\\operatorname{softmax}_j(s^{ij}))^0", s) == "");
    CHECK(run("Y^{ij} = (\\operatorname{softmax}_j(s^{ij}))^0 s^{ij}", s) == "");
    CHECK(run("Y^{i} = (\\max_j s^{ij})^0 + (\\sum_j s^{ij})^0", s) == "");
    CHECK(run("Y = \\sum_{ij} (\\operatorname{softmax}_j(s^{ij}))^0", s) == "");
    CHECK(run("Y^{ij} = (\\operatorname{softmax}_j(s^{ij}))^0 (\\operatorname{softmax}_j(s^{ij}))",
              s) == "");
    CHECK(run("Y^{i} = (s^{ij} s^{ij})^0", s) == "");
    for (const char* base : {"\\operatorname{softmax}_j(s^{ij})", "s^{ij}", "\\sum_{i'} s^{i'j}",
                             "\\operatorname{softmax}_j(s^{ij}) - s^{ij}"}) {
        bound_program p("Y^{ij} = (" + std::string(base) + ")^{n} + 0 s^{ij}", element::f64, 1);
        p.input("s", {3, 4}).number("n", 0);
        CHECK(p.compare() == "");
    }
}
