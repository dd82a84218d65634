// Places with subtracted letters: from 0 as written, or a table of differences. Beside plain loops
// in long double over what the text says.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <ricci/error.hpp>

#include "tests/unit/front/texts.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

std::string refusal(const std::string& equation, const std::vector<named>& operands) {
    try {
        run(text(equation), operands);
    } catch (const error& e) {
        return e.what();
    }
    return "";
}

using numbers = std::vector<double>;
/// y[i] of the w and the x that are bound.
using oracle = std::function<long double(const numbers& w, const numbers& x, int i)>;

struct subtracted_case {
    const char* equation;
    std::size_t w, x, y;  // extents
    oracle value;
};

long double convolved(const numbers& w, const numbers& x, int t, int from = 0) {
    long double sum = 0;
    for (int k = from; k <= t && k < static_cast<int>(w.size()); ++k)
        sum += static_cast<long double>(w[std::size_t(k)]) * x[std::size_t(t - k)];
    return sum;
}

const std::vector<subtracted_case> cases{
    {"y_t = \\sum_{k=0}^{t} w_k x_{t-k}", 6, 6, 6,
     [](auto& w, auto& x, int t) { return convolved(w, x, t); }},
    {"y_t = \\sum_{k=0}^{t} w_k x_{t-k}", 3, 6, 6,
     [](auto& w, auto& x, int t) { return convolved(w, x, t); }},
    {"y^i = \\sum_{k} [i - k \\ge 0] x^{i-k} w^k", 3, 6, 6,
     [](auto& w, auto& x, int t) { return convolved(w, x, t); }},
    {"y^i = \\sum_{k} \\begin{cases} x^{i-k} w^k & \\text{if } \\lnot (i < k) \\\\ 0 & "
     "\\text{otherwise} \\end{cases}",
     3, 6, 6, [](auto& w, auto& x, int t) { return convolved(w, x, t); }},
    {"y_i = \\sum_{j < i} w_{i-j} x_j", 6, 6, 6,
     [](auto& w, auto& x, int i) {
         return convolved(w, x, i) - (long double)(w[0]) * x[std::size_t(i)];
     }},
    {"y^i = x^{3-i} w^i", 4, 4, 4,
     [](auto& w, auto& x, int i) {
         return (long double)(x[std::size_t(3 - i)]) * w[std::size_t(i)];
     }},
    {"y^i = x^{3-i} w", 0, 6, 4,
     [](auto& w, auto& x, int i) { return (long double)(x[std::size_t(3 - i)]) * w[0]; }},
    {"y^i = [i \\ge 1] x^{i-1} w", 0, 5, 5,
     [](auto& w, auto& x, int i) {
         return i > 0 ? (long double)(x[std::size_t(i - 1)]) * w[0] : 0;
     }},
    {"y^i = w^k x^{i-k+2}", 3, 6, 4,
     [](auto& w, auto& x, int i) {
         long double sum = 0;
         for (int k = 0; k < 3; ++k)
             sum += (long double)(w[std::size_t(k)]) * x[std::size_t(i - k + 2)];
         return sum;
     }},
    {"T^{ik} = x^{i-k}\ny^i = T^{ik} w^k", 3, 6, 4,
     [](auto& w, auto& x, int i) {
         long double sum = 0;
         for (int k = 0; k < 3; ++k)
             sum += (long double)(w[std::size_t(k)]) * x[std::size_t(i - k + 2)];
         return sum;
     }},
};

array numbers_of(std::size_t n, unsigned seed) {
    return n == 0 ? drawn({}, seed) : drawn({n}, seed);
}

}  // namespace

TEST_CASE("subtracted letters count from where the text says", "[places]") {
    for (const auto& c : cases) {
        INFO(c.equation);
        const array w = numbers_of(c.w, 1), x = numbers_of(c.x, 2);
        std::vector<named> operands{{"w", w}, {"x", x}};
        // i ends where x does, of what is written as a table
        const program p = text(c.equation);
        if (std::string(c.equation).find("T^") == 0) operands.push_back({"i", extent(4)});
        for (const program& q : {p, text(to_latex(p))}) {
            const array y = run(q, operands)["y"];
            REQUIRE(y.size() == c.y);
            for (std::size_t i = 0; i < c.y; ++i)
                CHECK(std::abs(entry(y, i) - double(c.value(values_of(w), values_of(x), int(i)))) <=
                      1e-13);
        }
        for (const char* by : {"w", "x"}) {
            std::vector<named> others;
            for (const named& o : operands)
                if (o.name != by) others.push_back(o);
            auto all = operands;
            all.push_back({"dL/dy", doubles({c.y}, numbers(c.y, 1))});
            const program g = gradient(p, "y", {by});
            const array want = differences(p, others, "y", by, by[0] == 'w' ? w : x);
            CHECK(near(run(g, all)[std::string("dL/d") + by], want, 1e-7));
            CHECK(near(run(text(to_latex(g)), all)[std::string("dL/d") + by], want, 1e-7));
        }
    }
}

TEST_CASE("an axis that only subtracted letters read is as long as they reach", "[places]") {
    const array ten = drawn({10}, 1), six = drawn({6}, 2), plane = drawn({3, 4}, 3);
    CHECK_THAT(refusal("A^{ij} = B^{ij} + b^{i-j}", {{"B", plane}, {"b", ten}}),
               Contains("bind the part of 6 places around the middle"));
    CHECK(refusal("A^{ij} = B^{ij} + b^{i-j}", {{"B", plane}, {"b", six}}).empty());
    CHECK_THAT(refusal("A^{ij} = [j \\le i] B^{ij} b^{i-j}", {{"B", plane}, {"b", six}}),
               Contains("bind the part from place 0, of 3 places"));
    // a plain letter says what the other places are
    CHECK(refusal("A^{ij} = B^{ij} + b^{i-j}\nL = \\lambda b^k b^k",
                  {{"B", plane}, {"b", ten}, {"\\lambda", one()}})
              .empty());
    CHECK_THAT(refusal("A^{ij} = B^{ij} + b^{i-j}\nC^{ij} = D^{ij} + b^{i-j}",
                       {{"B", plane}, {"b", six}, {"D", drawn({4, 3}, 4)}}),
               Contains("an axis has one origin"));
}

TEST_CASE("what arithmetic would leave unread is said", "[places]") {
    const array x = drawn({6}, 1), z = drawn({3}, 2);
    CHECK_THAT(refusal("r_k = x_i x_{i+k}", {{"x", x}, {"k", extent(4)}}),
               Contains("\\operatorname{pad}(i+k)"));
    CHECK(refusal("r_k = x_i x_{i+k}", {{"x", x}, {"k", extent(4)}, {"i", extent(3)}}).empty());
    CHECK_THAT(refusal("y_i = z_i (x_{i+1} - x_i)", {{"x", x}, {"z", z}}),
               Contains("would never be read"));
    CHECK_THAT(refusal("y_t = \\sum_{k=0}^{t} w_k x_{t-k}", {{"w", x}, {"x", z}}),
               Contains("would never be read"));
    CHECK_THAT(refusal("y^i = x^{3-i} w^i", {{"x", x}, {"w", x}}), Contains("the place -"));
    // a text that says which axis t runs over leaves what it leaves
    const array y =
        run(text("y_t = \\sum_{k=0}^{t} w_k x_{t-k}, \\quad t \\in \\operatorname{axis}_0(x)"),
            {{"w", x}, {"x", z}})["y"];
    REQUIRE(y.size() == 3);
    CHECK(near(y,
               doubles({3}, {entry(x, 0) * entry(z, 0),
                             entry(x, 0) * entry(z, 1) + entry(x, 1) * entry(z, 0),
                             entry(x, 0) * entry(z, 2) + entry(x, 1) * entry(z, 1) +
                                 entry(x, 2) * entry(z, 0)}),
               1e-14));
}

TEST_CASE("second derivatives at subtracted letters are those of differences", "[places]") {
    // of the sum of \sin(y), and then of the sum of the sines of its gradient
    const std::pair<const char*, std::vector<std::size_t>> texts[] = {
        {"y_i = \\sum_{k=0}^{i} w_k x_{i-k} x_i", {4, 5}},
        {"y_i = \\sum_{j < i} w_{i-j} x_j x_i", {5, 5}},
        {"y_i = x_{3-i} w_i x_i", {4, 4}},
        {"y_i = w_k w_k x_{i-k+2}", {3, 6}},
        {"y_i = A_{ij} w_{i-j} w_{i-j} x_j", {5, 3}},
        {"y_i = \\sum_j \\begin{cases} w_{i-j} x_j x_i & \\text{if } j \\le i \\\\ w_{j-i} & "
         "\\text{otherwise} \\end{cases}",
         {4, 4}},
    };
    const array a = drawn({3, 3}, 3);
    for (const auto& [equation, extents] : texts)
        for (const std::string by : {"w", "x"})
            for (const std::string again : {"w", "x"}) {
                INFO(equation << " by " << by << " and " << again);
                const program p = text(std::string(equation) +
                                       "\nE = \\sum_i \\sin(y_i)\n"
                                       "M = \\sum_p \\sin(\\frac{\\partial E}{\\partial " +
                                       by + "_p})");
                const array w = drawn({extents[0]}, 1), x = drawn({extents[1]}, 2);
                std::vector<named> others;
                if (std::string(equation).find('A') != std::string::npos)
                    others.push_back({"A", a});
                others.push_back(again == "w" ? named{"x", x} : named{"w", w});
                auto all = others;
                all.push_back(again == "w" ? named{"w", w} : named{"x", x});
                all.push_back({"dL/dM", one()});
                const program g = gradient(p, "M", {again});
                const array want = differences(p, others, "M", again.c_str(), again == "w" ? w : x);
                for (const program& q : {g, text(to_latex(g))})
                    CHECK(near(run(q, all)["dL/d" + again], want, 1e-6));
            }
}
