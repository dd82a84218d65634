// Several folds over one letter: each is a loop of its own, in whatever product, fold or condition
// they meet, as are their derivatives.
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"
#include "tests/unit/bound_program.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

using named_shapes = std::vector<std::pair<std::string, shape>>;

/// What is wrong with the values, fused and not, of long loops and of short ones.
std::string wrong_in(const ir::program& program, std::int64_t n, std::int64_t m) {
    const named_shapes inputs{{"A", {m}},     {"B", {m}},    {"C", {n, m}},   {"D", {n, m}},
                              {"x", {n}},     {"dL/dF", {}}, {"d/dt x", {n}}, {"d/dt A", {m}},
                              {"dL/dy", {n}}, {"w", {n}}};
    std::string words;
    for (const bool fuse : {false, true}) {
        bound_program p(ir::program(program.view()), element::f64, 5);
        for (const auto& [name, extents] : inputs)
            if (p.name(name) != ir::none) p.input(name, extents);
        for (const auto& [letter, extent] : {std::pair{"k", n}, {"i", n}})
            if (program.find_index({letter, 1}) != ir::none) p.extent(letter, extent);
        p.fuse = fuse;
        words += p.compare();
    }
    return words;
}
void check(const ir::program& program) {
    CHECK(wrong_in(program, 3, 3) == "");
    CHECK(wrong_in(program, 12, 12) == "");
    CHECK(wrong_in(program, 4, 13) == "");
    CHECK(wrong_in(program, 13, 4) == "");
}
void check(const std::string& text) {
    INFO(text);
    check(program_of(read_equations(text)));
}

}  // namespace

TEST_CASE("two sums over one letter under conditions are two loops") {
    // 5 * 110 + 3 * 100, and not the sum over l of A^l B^l by how many k are less.
    bound_program p(R"(F = \sum_k (\sum_{l>k} A^{l}) (\sum_{l>k} B^{l}))", element::f64, 1);
    auto &a = p.allocate({3}, layout::row_major), &b = p.allocate({3}, layout::row_major);
    const double first[] = {1, 2, 3}, second[] = {1, 10, 100};
    for (int k = 0; k < 3; ++k) a.set(k, first[k]), b.set(k, second[k]);
    p.input("A", a).input("B", b).extent("k", 3);
    p.prepare().run();
    CHECK(p.compare() == "");
    CHECK(p.result(p.name("F")).get(0) == 850);
}

TEST_CASE("products of folds over one letter") {
    const std::string sums[] = {
        R"((\sum_{l>k} A^l) (\sum_{l>k} B^l))",
        R"((\sum_{l \le k} A^l) (\sum_{l>k} B^l))",
        R"((\sum_{l>k} A^l) (\sum_{l>k} B^l) (\sum_{l \ge k} A^l B^l))",
        R"((\sum_{l \ne k} A^l) (\sum_l [l = k + 1] B^l))",
        R"((\sum_{l>k} C^{kl}) (\sum_{l>k} D^{kl}))",
        R"(w^k (\sum_{l<k} A^l) (\sum_{l<k} \sin(B^l)))",
        R"((\sum_{l>k} A^l)^2)",
        R"((\sum_{l>k} A^l \sum_{m>l} B^m) (\sum_{l>k} B^l \sum_{m>l} A^m))",
        R"((\sum_{l>k} A^l) \max_l(\begin{cases} B^l & \text{if } l > k \\ 0 & \text{otherwise} \end{cases}))",
        R"((\sum_{l>k} A^l) \operatorname{logsumexp}_l(B^l))",
        R"(\operatorname{logsumexp}_l(A^l) (\sum_{l>k} \operatorname{softmax}_l(A^l) B^l))",
        R"((\operatorname{mean}_l([l>k] A^l)) (\operatorname{mean}_l([l>k] B^l)))",
        R"((\sum_{l>k} B^l) \prod_l (\begin{cases} A^l & \text{if } l > k \\ 1 & \text{otherwise} \end{cases}))",
    };
    for (const std::string& s : sums) {
        check("F = \\sum_k " + s);
        check("y^k = " + s);
        check("F = \\operatorname{mean}_k(" + s + ")");
        check("F = \\max_k(" + s + ")");
    }
}

TEST_CASE("derivatives of a sum of squares of sums up to an index") {
    const auto program = program_of(read_equations(R"(F = \sum_i (\sum_{j<i} x^j)^2)"));
    check(ir::program(program.view()));
    check(program_of(tangent_of(program.view(), "x")));
    check(program_of(gradient_of(program.view(), "F", {"x"})));
    const auto other = program_of(read_equations(R"(
        F = \sum_k (\sum_{l>k} A^l) (\sum_{l>k} A^l B^l) w^k)"));
    check(program_of(gradient_of(other.view(), "F", {"A"})));
    check(program_of(tangent_of(other.view(), "A")));
}
