// Products of rows that are looked up under conditions, and of bags of rows: packing reads them
// where they lie, and nothing of them is stored first.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <ricci/error.hpp>

#include "tests/unit/front/texts.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

constexpr std::size_t rows = 400, bags = 37, places = 5, inner = 12, columns = 21;
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// Numbers of rows, `stray` in every third place.
array numbers(std::vector<std::size_t> extents, std::int32_t stray) {
    array n(element::i32, std::move(extents));
    for (std::size_t k = 0; k < n.size(); ++k)
        static_cast<std::int32_t*>(n.data())[k] =
            k % 3 == 1 ? stray : static_cast<std::int32_t>(k * 37 % rows);
    return n;
}
/// A table of which a row that nobody looks up holds no numbers.
array table() {
    array e = drawn({rows, inner}, 1);
    for (std::size_t a = 0; a < inner; ++a) entry(e, 2 * inner + a) = nothing;
    return e;
}

/// Y^{bo} is the sum over k and a of the rows of b and k, and W^{kao}.
struct bag_of_rows {
    const char* equation;
    std::int32_t stray;
};
const std::vector<bag_of_rows> bags_of_rows{
    {"Y^{bo} = \\sum_{k,a} E^{n_{bk} a} W^{kao}", 5},
    {"Y^{bo} = 2 \\sum_{k,a} E^{n_{bk} a} W^{kao}", 5},
    {"Y^{bo} = \\sum_{k,a} [n_{bk} \\ge 0] E^{n_{bk} a} W^{kao}", -1},
    {"Y^{bo} = \\sum_{k,a,v} [v = n_{bk}] E^{va} W^{kao}", 4000},
    {"Y^{bo} = \\sum_{k,a} [n_{bk} \\ge 0] [n_{bk} < 1000] E^{n_{bk} a} W^{kao}", 4000},
};

double row_element(const array& e, const array& n, std::size_t at, std::size_t a) {
    const std::int32_t number = static_cast<const std::int32_t*>(n.data())[at];
    const bool exists = number >= 0 && number < static_cast<std::int32_t>(rows);
    return exists ? entry(e, static_cast<std::size_t>(number) * inner + a) : 0;
}

}  // namespace

TEST_CASE("bags of rows that are looked up are packed, and their derivatives", "[lookups]") {
    const array e = table(), w = drawn({places, inner, columns}, 2),
                slope = drawn({bags, columns}, 3);
    for (const auto& c : bags_of_rows) {
        INFO(c.equation);
        const double scale = std::string(c.equation).find("= 2") != std::string::npos ? 2 : 1;
        const program p = text(c.equation);
        const array n = numbers({bags, places}, c.stray);
        std::vector<named> operands{{"E", e}, {"W", w}, {"n", n}};
        const std::string words = explain(p, operands);
        INFO(words);
        CHECK(words.find("a] W[k,a,o], places n[b,k]") != std::string::npos);
        CHECK(words.find("gather") == std::string::npos);
        std::vector<double> y(bags * columns), of_w(w.size());
        for (std::size_t b = 0; b < bags; ++b)
            for (std::size_t k = 0; k < places; ++k)
                for (std::size_t a = 0; a < inner; ++a)
                    for (std::size_t o = 0; o < columns; ++o) {
                        const std::size_t at = (k * inner + a) * columns + o;
                        const double row = scale * row_element(e, n, b * places + k, a);
                        y[b * columns + o] += row * entry(w, at);
                        of_w[at] += row * entry(slope, b * columns + o);
                    }
        CHECK(near(run(p, operands)["Y"], doubles({bags, columns}, y), 1e-12));
        const program slopes = gradient(p, "Y", {"W"});
        operands.push_back({"dL/dY", slope});
        const std::string of_slopes = explain(slopes, operands);
        INFO(of_slopes);
        CHECK(of_slopes.find("places n[b,k]") != std::string::npos);
        CHECK(of_slopes.find("gather") == std::string::npos);
        CHECK(near(run(slopes, operands)["dL/dW"], doubles({places, inner, columns}, of_w), 1e-12));
    }
}

TEST_CASE("rows under a condition are packed on either side of a product", "[lookups]") {
    const array e = table(), n = numbers({bags}, -1);
    struct side {
        const char* equation;
        const char* line;
        bool sums_rows;
    };
    for (const side& c : std::vector<side>{
             {"Y^{bo} = \\sum_a [n^b \\ge 0] E^{n^b a} W^{ao}", "E[*,a] W[a,o], places n[b]",
              false},
             {"Y^{ob} = \\sum_a W^{oa} [n^b \\ge 0] E^{n^b a}", "E[*,a], places n[b]", false},
             {"Y^{ao} = \\sum_b [n^b \\ge 0] E^{n^b a} W^{bo}", "a] W[b,o], places n[b]", true},
             {"Y^{ao} = \\sum_{b,v} [v = n^b] E^{va} W^{bo}", "a] W[b,o], places n[b]", true},
         }) {
        INFO(c.equation);
        const bool turned = std::string(c.equation).find("Y^{ob}") != std::string::npos;
        const std::size_t depth = c.sums_rows ? bags : inner;
        const array w = turned ? drawn({columns, depth}, 2) : drawn({depth, columns}, 2);
        const std::vector<named> operands{{"E", e}, {"W", w}, {"n", n}};
        const program p = text(c.equation);
        const std::string words = explain(p, operands);
        INFO(words);
        CHECK(words.find(c.line) != std::string::npos);
        CHECK(words.find("gather") == std::string::npos);
        const std::size_t free = c.sums_rows ? inner : bags;
        std::vector<double> y(free * columns);
        for (std::size_t b = 0; b < bags; ++b)
            for (std::size_t a = 0; a < inner; ++a)
                for (std::size_t o = 0; o < columns; ++o) {
                    const std::size_t d = c.sums_rows ? b : a, f = c.sums_rows ? a : b;
                    y[turned ? o * free + f : f * columns + o] +=
                        row_element(e, n, b, a) *
                        entry(w, turned ? o * depth + d : d * columns + o);
                }
        const array got = run(p, operands)["Y"];
        CHECK(near(got, doubles({got.extents().begin(), got.extents().end()}, y), 1e-12));
    }
}

TEST_CASE("a wanted number that is no place is refused before anything is written", "[lookups]") {
    const program p =
        text("Z^{a} = \\exp(v^a)\n Y^{bo} = \\sum_{k,a} [m_{bk}] E^{n_{bk} a} W^{kao}");
    array n = numbers({bags, places}, -1), m(element::boolean, {bags, places});
    for (std::size_t k = 0; k < m.size(); ++k) static_cast<bool*>(m.data())[k] = k % 3 != 1;
    array z(element::f64, {6}), y(element::f64, {bags, columns});
    for (array* const out : {&z, &y})
        for (std::size_t k = 0; k < out->size(); ++k) entry(*out, k) = -7;
    static_cast<std::int32_t*>(n.data())[8] = 400;
    runner step = prepare(p, {{"E", table()},
                              {"W", drawn({places, inner, columns}, 2)},
                              {"v", drawn({6}, 3)},
                              {"n", n},
                              {"m", m},
                              {"Y", y},
                              {"Z", z}});
    CHECK_THROWS_WITH(step(), Contains("E") && Contains("400"));
    for (const double x : values_of(z)) CHECK(x == -7);
    for (const double x : values_of(y)) CHECK(x == -7);
    static_cast<bool*>(m.data())[8] = false;
    step();
    for (const double x : values_of(y)) CHECK(!std::isnan(x));
}
