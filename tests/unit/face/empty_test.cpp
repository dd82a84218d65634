// Tensors without elements: nothing is read or written where they are said to lie, and sums over
// nothing are what sums of nothing are.
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

/// What differs when the program runs on operands whose pages end where they do.
std::string run(const std::string& text, const std::vector<shaped>& inputs,
                const std::vector<shaped>& outputs = {}) {
    std::string words;
    for (const element type : {element::f32, element::f64})
        for (unsigned seed = 0; seed < 4; ++seed) {
            bound_program p(text, type, seed);
            const layout l = seed == 0 ? layout::row_major : layout::shuffled;
            for (const auto& i : inputs) p.input(i.name, i.extents, l);
            for (const auto& o : outputs) p.output(o.name, o.extents, l);
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
