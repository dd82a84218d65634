// Sums that equations have in common: found whatever the letters, computed once, the right values.
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/unit/bound_program.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

using named_shapes = std::vector<std::pair<std::string, shape>>;

struct planned {
    std::string words;     // how it is planned, every intermediate stored
    std::string mistakes;  // what is wrong with its values, stored and fused
};

planned plan_and_run(ir::program program, const named_shapes& inputs) {
    planned result;
    for (const bool fuse : {false, true}) {
        bound_program p(ir::program(program.view()), element::f64, 3);
        for (const auto& [name, extents] : inputs)
            if (p.name(name) != ir::none) p.input(name, extents);
        p.fuse = fuse;
        if (!fuse) result.words = p.prepare().explain();
        result.mistakes += p.compare(0, 2);
    }
    return result;
}
planned plan_and_run(const std::string& text, const named_shapes& inputs) {
    return plan_and_run(program_of(read_equations(text)), inputs);
}

/// How many steps of a plan begin with these words.
int step_count(const std::string& words, const std::string& kind) {
    int count = 0;
    for (std::size_t at = words.find("\n  " + kind); at != std::string::npos;
         at = words.find("\n  " + kind, at + 1))
        ++count;
    return count;
}

}  // namespace

TEST_CASE("a sum in two equations is one step, whatever its letters and the order of its factors") {
    const named_shapes shapes{{"A", {5, 4}}, {"B", {4, 6}}, {"b", {6}}};
    const auto p = plan_and_run(R"(
        Y^{ik} = \exp(A^{ij} B^{jk})
        Z^{nm} = \sin(\sum_{l} B^{ln} A^{ml}) + b^n)",
                                shapes);
    CHECK(p.mistakes == "");
    CHECK(step_count(p.words, "contract") == 1);

    const auto twice =
        plan_and_run(R"(Y^{ik} = \exp(A^{ij} B^{jk}) + \sin(A^{ia} B^{ak}))", shapes);
    CHECK(twice.mistakes == "");
    CHECK(step_count(twice.words, "contract") == 1);
}

TEST_CASE("a sum times numbers, and a sum in a longer one, are the sum") {
    const named_shapes shapes{{"A", {5, 4}}, {"B", {4, 6}}, {"C", {6, 4}}, {"x", {6}}};
    const auto p = plan_and_run(R"(
        Y^{ik} = \exp(2 A^{ij} B^{jk})
        Z^{ik} = \sin(A^{ij} B^{jk}) - A^{ij} B^{jk})",
                                shapes);
    CHECK(p.mistakes == "");
    CHECK(step_count(p.words, "contract") == 1);

    // What is shared with its number is not the pair of factors of a longer product, which lacks
    // it.
    for (const char* text : {R"(
        Y^{ik} = \exp(2 A^{ij} B^{jk})
        Z^{ik} = \sin(2 A^{ij} B^{jk})
        W^{im} = A^{ij} B^{jk} D^{km})",
                             R"(
        Y^{ik} = \exp(A^{ij} B^{jk})
        Z^{ik} = \sin(A^{ij} B^{jk})
        W^{im} = 2 A^{ij} B^{jk} D^{km})"}) {
        INFO(text);
        CHECK(plan_and_run(text, {{"A", {5, 4}}, {"B", {4, 6}}, {"D", {6, 7}}}).mistakes == "");
    }

    // A sum of three factors joins the sum that it stands in, if nobody else needs it.
    const auto inner = plan_and_run(R"(
        Y^i = (A^{ij} B^{jk} C^{kl}) (\sum_m B^{lm} x^m)
        Z^{il} = \exp(A^{ij} B^{jk} C^{kl}))",
                                    shapes);
    CHECK(inner.mistakes == "");
    CHECK(step_count(inner.words, "contract") == 4);

    // Of terms that have different loops each is a sum; their sum is the tensor.
    const auto terms = plan_and_run(R"(
        Y^i = \exp(\sum_j (A^{ij} + B^{ji}) x^j)
        Z^i = \sin(\sum_j (A^{ij} + B^{ji}) x^j))",
                                    {{"A", {5, 4}}, {"B", {4, 5}}, {"x", {4}}});
    CHECK(terms.mistakes == "");
}

TEST_CASE("sums are shared in terms whose order says nothing") {
    const auto p = plan_and_run(R"(
        Y^i = \exp(\sum_j \tanh(a^i b^j + c^j + d^i) b^j)
        Z^k = \sin(\sum_m b^m \tanh(c^m + d^k + b^m a^k)))",
                                {{"a", {5}}, {"b", {4}}, {"c", {4}}, {"d", {5}}});
    CHECK(p.mistakes == "");
    CHECK(step_count(p.words, "contract") == 1);
}

TEST_CASE("what is read at another place is no sum, and has no tensor") {
    // Beside a maximum that is compared, too, where conditions are solved last.
    for (const std::string more : {"", R"(; m = \max_i x^i ; c^i = [x^i = m])"}) {
        INFO(more);
        const auto p = plan_and_run(R"(
            Y^i = x^i \exp(\sum_p [p = i + 1] x^p)
            Z^i = x^i \sin(\sum_p [p = i + 1] x^p))" +
                                        more,
                                    {{"x", {7}}});
        CHECK(p.mistakes == "");
        // Two of each, as what lies beyond the last place is a step of its own.
        CHECK(step_count(p.words, "map") == (more.empty() ? 4 : 5));
    }
}

TEST_CASE("an equation that is the sum and nothing else serves the others, and stays an output") {
    const auto p = plan_and_run(R"(
        C^{ik} = A^{ij} B^{jk}
        Y^{ki} = \exp(A^{ij} B^{jk}))",
                                {{"A", {5, 4}}, {"B", {4, 6}}});
    CHECK(p.mistakes == "");
    CHECK(step_count(p.words, "contract") == 1);

    // As an output it is scaled; what others read of it is not.
    bound_program scaled(R"(
        C^{ik} = A^{ij} B^{jk}
        Y^{ki} = \exp(A^{ij} B^{jk}))",
                         element::f64, 3);
    scaled.input("A", {5, 4}).input("B", {4, 6}).output("C", {5, 6}).output("Y", {6, 5});
    scaled.alpha = 0.5, scaled.beta = -2;
    CHECK(scaled.compare(0, 2) == "");
}

TEST_CASE("two factors of longer products are shared") {
    const auto p = plan_and_run(R"(
        Y^{il} = A^{ij} B^{jk} C^{kl}
        Z^{im} = A^{ij} B^{jk} D^{km})",
                                {{"A", {9, 2}}, {"B", {2, 8}}, {"C", {8, 7}}, {"D", {8, 5}}});
    CHECK(p.mistakes == "");
    CHECK(step_count(p.words, "contract") <= 4);
}

TEST_CASE("sums that only look alike are not shared") {
    // Other extents, another diagonal, an index that is bound twice, a position, another operand.
    const named_shapes shapes{{"A", {4, 4}}, {"B", {4, 4}}, {"v", {4}}, {"w", {6}}};
    for (
        const char* text :
        {R"(Y = \exp(\sum_j v^j) ; Z = \exp(\sum_k w^k))",
         R"(Y^i = \exp(A^{ij} v^j) ; Z^i = \exp(A^{ji} v^j))",
         R"(Y^i = \exp(A^{ij} B^{jj}) ; Z^i = \exp(A^{ij} B^{ij}))",
         R"(Y^i = \exp(\sum_j A^{ij} v^j) ; Z^i = \exp(\sum_j A^{ij} v^i))",
         R"(Y^i = v^i \exp(\sum_j [j \le i] v^j) ; Z^i = v^i \exp(\sum_j [i \le j] v^j))",
         R"(Y^{ij} = \operatorname{softmax}_j(A^{ij}) + 1; Z^{ij} = \operatorname{softmax}_i(A^{ij}) + 1)",
         R"(Y^i = \exp((\sum_k A^{ik}) (\sum_k B^{ik})) ; Z^i = \exp(\sum_k A^{ik} B^{ik}))"}) {
        INFO(text);
        CHECK(plan_and_run(text, shapes).mistakes == "");
    }
}

TEST_CASE("attention in one equation and its gradients are fused like the written out ones") {
    const auto program = program_of(gradient_of(
        program_of(read_equations(
            R"(O^{hic} = \operatorname{softmax}_j(\frac{1}{4} Q^{hia} K^{hja}) V^{hjc})")),
        "O", {"Q", "K", "V"}, true));
    const auto shapes = [](std::int64_t i, std::int64_t j) {
        return named_shapes{
            {"Q", {2, i, 3}}, {"K", {2, j, 3}}, {"V", {2, j, 5}}, {"dL/dO", {2, i, 5}}};
    };
    CHECK(plan_and_run(ir::program(program.view()), shapes(4, 3)).mistakes == "");
    bound_program p(ir::program(program.view()), element::f32, 1);
    for (const auto& [name, extents] : shapes(70, 90)) p.input(name, extents);
    const auto words = p.prepare().explain();
    INFO(words);
    CHECK(step_count(words, "contract") == 0);
    CHECK(step_count(words, "fused") == 2);
    CHECK(words.find("not fused") == std::string::npos);
}
