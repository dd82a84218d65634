// Products of rows that tensors look up.
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <ricci/error.hpp>

#include "tests/unit/front/texts.hpp"

using namespace ricci;
using namespace ricci::testing;

namespace {

array numbers_below(std::size_t count, std::size_t bound, std::size_t step) {
    array a(element::i32, {count});
    for (std::size_t k = 0; k < count; ++k)
        static_cast<int*>(a.data())[k] = static_cast<int>((k * step + 1) % bound);
    return a;
}
std::size_t number(const array& a, std::size_t k) {
    return static_cast<std::size_t>(static_cast<const int*>(a.data())[k]);
}

}  // namespace

TEST_CASE("a product of looked up rows is made of whichever rows are fewer", "[lookups]") {
    const std::size_t inner = 6, columns = 4;
    const program p = text("Y^{ic} = 2 E^{x_i a} W^{ac}");
    for (const auto& [rows, looked_up] : {std::pair{5, 40}, std::pair{40, 5}, std::pair{7, 14}}) {
        const auto v = static_cast<std::size_t>(rows), n = static_cast<std::size_t>(looked_up);
        INFO(v << " rows, " << n << " looked up");
        const array e = drawn({v, inner}, 1), w = drawn({inner, columns}, 2);
        const array x = numbers_below(n, v, 3);
        const std::vector<named> operands{{"E", e}, {"W", w}, {"x", x}};
        const array y = run(p, operands)["Y"];
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t c = 0; c < columns; ++c) {
                double sum = 0;
                for (std::size_t a = 0; a < inner; ++a)
                    sum += 2 * entry(e, number(x, i) * inner + a) * entry(w, a * columns + c);
                CHECK(std::abs(entry(y, i * columns + c) - sum) < 1e-12);
            }
        const std::string words = explain(p, operands);
        INFO(words);
        CHECK((words.find("t1[.,c]") != std::string::npos) == (2 * v <= n));
    }
}

TEST_CASE("rows that two tensors look up, of a product in a batch", "[lookups]") {
    const std::size_t u = 3, v = 4, n = 50, heads = 2, inner = 5, columns = 3;
    const program p = text(
        "Y^{hic} = E^{x_i y_i h a} W^{hac}\n Z^{ic} = \\sum_h Y^{hic} + \\sum_{h,a} E^{x_i y_i h "
        "a} "
        "W^{hac}");
    const array e = drawn({u, v, heads, inner}, 1), w = drawn({heads, inner, columns}, 2);
    const array x = numbers_below(n, u, 2), y = numbers_below(n, v, 3);
    const arrays got = run(p, {{"E", e}, {"W", w}, {"x", x}, {"y", y}});
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < columns; ++c) {
            double all = 0;
            for (std::size_t h = 0; h < heads; ++h) {
                double sum = 0;
                for (std::size_t a = 0; a < inner; ++a)
                    sum += entry(e, ((number(x, i) * v + number(y, i)) * heads + h) * inner + a) *
                           entry(w, (h * inner + a) * columns + c);
                all += 2 * sum;
            }
            CHECK(std::abs(entry(got["Z"], i * columns + c) - all) < 1e-12);
        }
}

TEST_CASE("a number that is no row is refused before a product of rows is written", "[lookups]") {
    const program p = text("Y^{ic} = E^{x_i a} W^{ac}");
    array x = numbers_below(20, 4, 1);
    static_cast<int*>(x.data())[7] = 4;
    CHECK_THROWS_WITH(run(p, {{"E", drawn({4, 3}, 1)}, {"W", drawn({3, 2}, 2)}, {"x", x}}),
                      Contains("E"));
    // What nobody looks up does not count.
    array e = drawn({4, 3}, 1);
    for (std::size_t a = 0; a < 3; ++a) entry(e, 9 + a) = std::nan("");
    const array y =
        run(p, {{"E", e}, {"W", drawn({3, 2}, 2)}, {"x", numbers_below(20, 3, 1)}})["Y"];
    for (const double v : values_of(y)) CHECK(!std::isnan(v));
}

TEST_CASE("numbers called n are printed as they are read", "[lookups]") {
    const program p = text("Y^{bc} = E^{n^b a} W^{ac}");
    const std::string printed = to_latex(p);
    INFO(printed);
    CHECK(to_latex(text(printed)) == printed);
    const auto refused = parse("Y^{bc} = E^{n_b a} W^{ac}");
    REQUIRE(!refused.has_value());
    CHECK_THAT(refused.error().message, Contains("E^{n^b a}"));
}
