// Exponentials out of the range of numbers, whose quotients and logarithms stand over several
// equations: the values are those of the stable functions, and of nothing else.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/catch.hpp"
#include "tests/unit/bound_program.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

using named_shapes = std::vector<std::pair<std::string, shape>>;
using results = std::map<std::string, std::vector<double>>;

/// A number for each element of each input, the same in every program. The scores S reach from
/// -3000 to 3000, beyond what the exponentials of any type hold; y says places.
double value_of(const std::string& name, std::int64_t k) {
    if (name == "y") return static_cast<double>(k % 3);
    const double x = std::sin(1.7 * static_cast<double>(k) + static_cast<double>(name.size()) +
                              static_cast<double>(name.front()));
    return name == "S" ? 3000 * x : x;
}

results run(const ir::program& program, const named_shapes& shapes, element type, bool fuse,
            const std::vector<std::string>& kept) {
    bound_program p(ir::program(program.view()), type, 1);
    for (const auto& name : kept) p.keep(name);
    for (const auto& [name, extents] : shapes) {
        if (p.name(name) == ir::none || p.view().definition(p.name(name)) != ir::none) continue;
        auto& m = p.allocate(extents, layout::row_major);
        std::int64_t k = 0;
        m.each([&](std::int64_t offset) { m.set(offset, value_of(name, k++)); });
        p.input(name, m);
    }
    p.fuse = fuse;
    auto step = p.prepare();
    step.run();
    results all;
    for (const ir::ref n : p.output_names()) {
        const auto name = p.view().name(n);
        const auto values = p.result(n).values().values;
        all[std::string(name.data, static_cast<std::size_t>(name.size))].assign(values.begin(),
                                                                                values.end());
    }
    return all;
}

ir::program read(const std::string& text) { return program_of(read_equations(text)); }

/// Every output that two programs have in common has the same finite numbers.
void check_same(const ir::program& pieces, const ir::program& whole, const named_shapes& shapes,
                const std::vector<std::string>& kept = {}) {
    for (const element type : {element::f64, element::f32})
        for (const bool fuse : {false, true}) {
            const auto got = run(pieces, shapes, type, fuse, kept);
            const auto want = run(whole, shapes, type, fuse, {});
            const double tolerance = type == element::f64 ? 1e-11 : 1e-4;
            int compared = 0;
            for (const auto& [name, values] : want) {
                const auto found = got.find(name);
                if (found == got.end()) continue;
                ++compared;
                INFO(name << (fuse ? ", fused" : ""));
                REQUIRE(found->second.size() == values.size());
                double largest = 1;
                for (const double x : values) largest = std::max(largest, std::abs(x));
                for (std::size_t k = 0; k < values.size(); ++k) {
                    REQUIRE(std::isfinite(values[k]));
                    CHECK(std::abs(found->second[k] - values[k]) <= tolerance * largest);
                }
            }
            CHECK(compared > 0);
        }
}

void check_values(const std::string& pieces, const std::string& whole, const named_shapes& shapes,
                  const std::vector<std::string>& kept = {}) {
    INFO(pieces);
    check_same(read(pieces), read(whole), shapes, kept);
}
void check_gradients(const std::string& pieces, const std::string& whole, const std::string& of,
                     const std::vector<std::string>& by, const named_shapes& shapes) {
    INFO(pieces);
    check_same(program_of(gradient_of(read(pieces), of, by)),
               program_of(gradient_of(read(whole), of, by)), shapes);
}

const named_shapes attention{{"S", {5, 7}}, {"V", {7, 3}}, {"dL/dO", {5, 3}}, {"dL/dA", {5, 7}}};

}  // namespace

TEST_CASE("a softmax over three equations, over two, and its gradients") {
    const std::string whole = R"(
        A^{ij} = \operatorname{softmax}_j(S^{ij})
        O^{ic} = A^{ij} V^{jc})";
    const std::string texts[] = {
        R"(E^{ij} = \exp(S^{ij})
           Z^i = \sum_j E^{ij}
           A^{ij} = \frac{E^{ij}}{Z^i}
           O^{ic} = A^{ij} V^{jc})",
        R"(E^{ij} = e^{S^{ij}}
           A^{ij} = E^{ij} / \sum_{k} E^{ik}
           O^{ic} = A^{ij} V^{jc})",
        R"(Z^i = \sum_k \exp(S^{ik})
           A^{ij} = \exp(S^{ij}) (Z^i)^{-1}
           O^{ic} = A^{ij} V^{jc})",
        R"(Z^i = \sum_k \exp(S^{ik})
           w^i = \frac{1}{Z^i}
           E^{nk} = \exp(S^{nk})
           A^{ij} = w^i E^{ij}
           O^{ic} = A^{ij} V^{jc})",
    };
    for (const auto& text : texts) {
        check_values(text, whole, attention);
        check_gradients(text, whole, "O", {"S", "V"}, attention);
        check_gradients(text, whole, "A", {"S"}, attention);
    }
}

TEST_CASE("values that are divided by the sum of their weights after they are summed") {
    const std::string whole = R"(O^{ic} = \operatorname{softmax}_j(S^{ij}) V^{jc})";
    const std::string texts[] = {
        R"(E^{ij} = \exp(S^{ij})
           N^{ic} = E^{ij} V^{jc}
           O^{ic} = \frac{N^{ic}}{\sum_j E^{ij}})",
        R"(O^{ic} = \frac{\sum_j \exp(S^{ij}) V^{jc}}{\sum_j \exp(S^{ij})})",
        R"(E^{ij} = \exp(S^{ij})
           N^{ic} = \frac{1}{2} E^{ij} V^{jc}
           Z^i = \frac{1}{2} \sum_j E^{ij}
           O^{ic} = N^{ic} / Z^i)",
    };
    for (const auto& text : texts) {
        check_values(text, whole, attention);
        check_gradients(text, whole, "O", {"S", "V"}, attention);
    }
}

TEST_CASE("masked weights") {
    const std::string whole = R"(
        A^{ij} = \operatorname{softmax}_j(\begin{cases} S^{ij} & \text{if } j \le i \\ -\infty & \text{otherwise} \end{cases})
        O^{ic} = A^{ij} V^{jc})";
    const std::string texts[] = {
        R"(E^{ij} = [j \le i] \exp(S^{ij})
           Z^i = \sum_j E^{ij}
           A^{ij} = \frac{E^{ij}}{Z^i}
           O^{ic} = A^{ij} V^{jc})",
        R"(A^{ij} = \frac{[j \le i] \exp(S^{ij})}{\sum_k [k \le i] \exp(S^{ik})}
           O^{ic} = A^{ij} V^{jc})",
    };
    for (const auto& text : texts) {
        check_values(text, whole, attention);
        check_gradients(text, whole, "O", {"S", "V"}, attention);
    }
    // A bracket that the sum lacks chooses among weights that do not change.
    check_values(R"(E^{ij} = \exp(S^{ij})
                    B^{ij} = \frac{[j \le i] E^{ij}}{\sum_k E^{ik}})",
                 R"(B^{ij} = [j \le i] \operatorname{softmax}_j(S^{ij}))", attention);
}

TEST_CASE("logarithms of sums, and losses at places") {
    const named_shapes shapes{{"S", {5, 7}}, {"y", {5}}};
    const std::string whole = R"(
        L = \sum_i (\operatorname{logsumexp}_j(S^{ij}) - S^{i y_i}))";
    const std::string texts[] = {
        R"(E^{ij} = \exp(S^{ij})
           Z^i = \sum_j E^{ij}
           L = \sum_i (\log Z^i - S^{i y_i}))",
        R"(E^{ij} = \exp(S^{ij})
           Z^i = \sum_j E^{ij}
           L = -\sum_i \log(\frac{E^{i y_i}}{Z^i}))",
        R"(Z^i = \sum_j \exp(S^{ij})
           l^i = \log Z^i
           L = \sum_i (l^i - S^{i y_i}))",
        R"(E^{ij} = \exp(S^{ij})
           Z^i = \sum_j E^{ij}
           l^{ij} = \log \frac{E^{ij}}{Z^i}
           L = -\sum_i l^{i y_i})",
    };
    for (const auto& text : texts) check_values(text, whole, shapes);
    // The derivative of the logarithm of a quotient divides by the exponential itself, as it is
    // written.
    for (const auto& text : {texts[0], texts[2]})
        check_gradients(text, whole, "L", {"S"}, {{"S", {5, 7}}, {"y", {5}}, {"dL/dL", {}}});
    check_values(R"(Z = \sum_{ij} \exp(S^{ij})
                    F = -\frac{1}{2} \log Z)",
                 R"(F = -\frac{1}{2} \operatorname{logsumexp}_{ij}(S^{ij}))", {{"S", {3, 4}}});
    check_values(R"(E^{ij} = \exp(S^{ij})
                    Z^i = \sum_j E^{ij}
                    p^i = \frac{E^{i y_i}}{Z^i}
                    q^i = \frac{E^{i0}}{Z^i})",
                 R"(A^{ij} = \operatorname{softmax}_j(S^{ij})
                    p^i = A^{i y_i}
                    q^i = A^{i0})",
                 shapes);
}

TEST_CASE("what is kept is what the text says; what is no output stays none") {
    const auto p = read(R"(E^{ij} = \exp(S^{ij})
                           Z^i = \sum_j E^{ij}
                           A^{ij} = \frac{E^{ij}}{Z^i})");
    const named_shapes shapes{{"S", {2, 3}}};
    const auto got = run(p, shapes, element::f64, true, {"E"});
    CHECK(got.size() == 2);
    for (std::size_t k = 0; k < 6; ++k)
        CHECK(got.at("E")[k] == std::exp(value_of("S", static_cast<std::int64_t>(k))));
    CHECK(run(p, shapes, element::f64, true, {}).size() == 1);
}

TEST_CASE("exponentials that do not cancel are computed as they are written") {
    const named_shapes shapes{{"x", {4, 5}}, {"V", {5, 3}}, {"y", {4}}};
    for (const std::string text : {R"(E^{ij} = \exp(x^{ij})
             O^{ic} = E^{ij} V^{jc}
             Z^i = \sum_j E^{ij} + 1
             Y^{ic} = O^{ic} / Z^i)",
                                   R"(E^{ij} = \exp(x^{ij})
             Z^j = \sum_i E^{ij}
             A^{ij} = \frac{E^{ij}}{Z^j})",
                                   R"(E^{ij} = \exp(x^{ij})
             d^i = \sum_j (E^{ij})^2
             A^{ij} = \frac{(E^{ij})^2}{d^i} + \frac{E^{ij}}{\sqrt{d^i}})",
                                   R"(E^{ij} = \exp(x^{ij})
             A^i = \frac{E^{i0} - E^{i1}}{\sum_{j=0}^{1} E^{ij}})",
                                   R"(E^{ij} = \exp(x^{ij})
             t = \sum_{ij} E^{ij}
             A^{ij} = \frac{E^{ij} E^{ij}}{t \sum_k E^{ik}}
             B^{ij} = \frac{t}{E^{ij}})",
                                   R"(E^{ij} = \exp(x^{ij} + x^{0j})
             A^{i} = \sum_j \frac{E^{ij} E^{0j}}{\sum_k E^{ik}})"}) {
        for (const bool fuse : {false, true}) {
            INFO(text);
            bound_program p(text, element::f64, 4);
            for (const auto& [name, extents] : shapes)
                if (p.name(name) != ir::none) p.input(name, extents);
            p.fuse = fuse;
            CHECK(p.compare() == "");
        }
    }
}
