// Networks from equations, compared with what the equations are when they are run.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <ricci/network.hpp>
#include <ricci/program.hpp>

#include "tests/catch.hpp"
#include "tests/words_of.hpp"

using namespace ricci;
using ricci::testing::Contains;
using ricci::testing::words_of;

namespace {

using complex = std::complex<double>;

array drawn(std::vector<std::size_t> extents, unsigned seed) {
    std::mt19937 random(seed);
    array a(element::c128, extents);
    for (std::size_t k = 0; k < a.size(); ++k)
        static_cast<complex*>(a.data())[k] = {static_cast<double>(random() % 9) / 4 - 1,
                                              static_cast<double>(random() % 9) / 4 - 1};
    return a;
}

}  // namespace

TEST_CASE("a network from an equation is what the equation is") {
    const std::vector<std::pair<std::string, array>> tensors = {{"A", drawn({3, 4}, 1)},
                                                                {"B", drawn({4, 5}, 2)},
                                                                {"S", drawn({4, 4}, 3)},
                                                                {"v", drawn({4}, 4)},
                                                                {"s", drawn({}, 5)}};
    for (const char* text : {
             "C^{ik} = A^{ij} B^{jk}",
             "C^{ki} = -\\frac{3}{2} A^{ij} S^{jm} B^{mk}",
             "C = S^{ii}",
             "C^{ij} = \\operatorname{conj}(A^{ij}) v^{j} v^{j} / 4",
             "C^{i} = A^{ij} \\sum_k B^{jk}",
             "C = \\left(\\sum_i v^{i}\\right) \\left(\\sum_i v^{i} s\\right)",
             "C^{im} = A^{ij} S^{jm} \\delta^{im}",
             "C^{ij} = A^{ij}",
             "C = 2 s s",
         }) {
        INFO(text);
        const program p = parse(text).value();
        std::vector<named> bound;
        std::vector<std::pair<std::string, array>> used;
        for (const tensor_info& t : p.inputs())
            for (const auto& [name, value] : tensors)
                if (name == t.name) bound.push_back({name, value}), used.emplace_back(name, value);
        const array right = run(p, bound)["C"];
        const network n = network::from_equation(text, used);
        const array r = contract(n, find_order(n));
        REQUIRE(r.size() == right.size());
        CHECK(std::vector(r.extents().begin(), r.extents().end()) ==
              std::vector(right.extents().begin(), right.extents().end()));
        for (std::size_t k = 0; k < r.size(); ++k)
            CHECK(std::abs(static_cast<const complex*>(r.data())[k] -
                           static_cast<const complex*>(right.data())[k]) < 1e-12);
        CHECK(network::from_equation(p, used).kept() == n.kept());
    }
}

TEST_CASE("indices are numbered as they come, the left side's first") {
    const array a = shape(element::f32, {3, 4}), b = shape(element::f32, {4, 5});
    const network n = network::from_equation("C^{ki} = A^{ij} B^{jk}", {{"A", a}, {"B", b}});
    CHECK(n.kept() == std::vector<std::int64_t>{0, 1});
    CHECK(n.indices(0) == std::vector<std::int64_t>{1, 2});
    CHECK(n.indices(1) == std::vector<std::int64_t>{2, 0});
    CHECK(n.is_shape());
}

TEST_CASE("whole numbers stay whole") {
    const std::vector<std::int64_t> v = {1, 2, 3};
    const tensor_view<const std::int64_t, 1> view(v.data(), {3});
    const network n = network::from_equation("c = 3 v^i v^i", {{"v", view}});
    CHECK(*static_cast<const std::int64_t*>(contract(n).data()) == 42);
    CHECK_THAT(words_of([&] {
                   network::from_equation("c = \\frac{1}{2} v^i v^i", {{"v", view}});
               }),
               Contains("0.5 is no number of"));
}

TEST_CASE("an equation that is no network is refused in one sentence") {
    const array a = shape(element::f64, {3, 4}), b = shape(element::f64, {4, 5});
    const auto refused = [&](const char* text, const char* words) {
        INFO(text);
        CHECK_THAT(words_of([&] {
                       network::from_equation(text, {{"A", a}, {"B", b}});
                   }),
                   Contains(words));
    };
    refused("C^{ik} = \\exp(A^{ij}) B^{jk}", "no sum of products");
    refused("C^{ij} = A^{ij} + 1", "no sum of products");
    refused("C^{ik} = A^{ij} B^{jk}\nD^{ik} = C^{ik}", "several equations");
    refused("C^{i} = \\max_j A^{ij}", "no sum of products");
    refused("C^{i} = A^{ij} B^{jj}", "extent 4, and 5 in B");
    refused("C^{ik} = A^{ij} D^{jk}", "D of the equation is not given");
    refused("C^{ij} = A^{ij}", "B is given and stands nowhere");
    refused("C^{ikl} = A^{ijl} B^{jk}", "A has 3 indices in the equation, and 2 axes");
    refused("C^{ik} = A^{ij} B^{j", "line 1, column");
    CHECK_THAT(words_of([&] {
                   network::from_equation("C^{ij} = A^{ij}", {{"A", a}, {"A", b}});
               }),
               Contains("A is given twice"));
}
