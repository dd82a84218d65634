// Planes that are stored for some rows at a time: gradients of products over pairs, against plain
// loops in long double that multiply all factors but one.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <ricci/program.hpp>

#include "tests/catch.hpp"
#include "tests/unit/fused/all_pairs.hpp"
#include "tests/unit/small_panels.hpp"

namespace {

using namespace ricci::testing::pairs;

using ricci::testing::with_small_panels;

/// Gradients of s^i = \prod_j (1 + c Q^{ia} K^{ja}) for cotangents g, perhaps without j = i.
struct oracle {
    matrix of_rows, of_columns;

    oracle(const matrix& q, const matrix& k, const matrix& g, long double c, bool others_only)
        : of_rows{q.rows, q.columns, numbers(q.values.size())},
          of_columns{k.rows, k.columns, numbers(k.values.size())} {
        const std::size_t n = k.rows;
        numbers factor(n), before(n + 1, 1), behind(n + 1, 1);
        for (std::size_t i = 0; i < q.rows; ++i) {
            for (std::size_t j = 0; j < n; ++j)
                factor[j] = others_only && i == j ? 1 : 1 + c * dot(q, i, k, j);
            for (std::size_t j = 0; j < n; ++j) before[j + 1] = before[j] * factor[j];
            for (std::size_t j = n; j-- > 0;) behind[j] = behind[j + 1] * factor[j];
            for (std::size_t j = 0; j < n; ++j) {
                if (others_only && i == j) continue;
                const long double slope = g(i) * c * before[j] * behind[j + 1];
                for (std::size_t a = 0; a < q.columns; ++a) {
                    of_rows(i, a) += slope * k(j, a);
                    of_columns(j, a) += slope * q(i, a);
                }
            }
        }
    }
};

ricci::program gradients(bool others_only) {
    const std::string text = others_only ? "s^i = \\prod_{j \\ne i} (1 + c Q^{ia} K^{ja})"
                                         : "s^i = \\prod_j (1 + c Q^{ia} K^{ja})";
    return ricci::gradient(ricci::parse(text).value(), "s", {"Q", "K"});
}

std::vector<ricci::named> operands(const matrix& q, const matrix& k, const matrix& g, double c) {
    return {{"Q", array_of<double>(q)},
            {"K", array_of<double>(k)},
            {"c", c},
            {"dL/ds", array_of<double>(g, 1)}};
}

/// The same numbers, NaN and infinities too.
void check_same(const ricci::array& got, const matrix& expected) {
    REQUIRE(got.size() == expected.values.size());
    const double* const data = static_cast<const double*>(got.data());
    for (std::size_t k = 0; k < got.size(); ++k) {
        const auto x = static_cast<double>(expected.values[k]);
        INFO(k << ": " << data[k] << ", not " << x);
        if (std::isfinite(x)) CHECK(data[k] == Approx(x).epsilon(1e-12).margin(1e-12));
        else CHECK((std::isnan(x) ? std::isnan(data[k]) : data[k] == x));
    }
}

/// Whether every tensor that is said to be stored stands in a step before.
bool shows_what_is_stored(const std::string& text) {
    const std::string word = "stored: ";
    bool all = true;
    for (std::size_t at = text.find("\n" + word); at != std::string::npos;
         at = text.find("\n" + word, at + 1)) {
        const std::size_t first = at + 1 + word.size();
        const std::string tensor = text.substr(first, text.find_first_of("[,", first) - first);
        all = all && text.find(" " + tensor + "[") < at;
    }
    return all;
}

}  // namespace

TEST_CASE("gradients of products over pairs store a panel of rows at a time") {
    constexpr std::size_t n = 2900;
    const auto q = random_matrix<double>(n, 2, 1), k = random_matrix<double>(n, 2, 2),
               g = random_matrix<double>(n, 1, 3);
    constexpr double c = 0.0078125;
    const oracle expected(q, k, g, c, false);
    const auto p = gradients(false);
    const auto all = operands(q, k, g, c);
    const std::string words = ricci::explain(p, all);
    CHECK(words.find("the steps above for other rows, ") != std::string::npos);
    CHECK(shows_what_is_stored(words));
    const auto got = run_everywhere<double>(p, all, n * n);
    check_close<double>(got["dL/dQ"], expected.of_rows);
    check_close<double>(got["dL/dK"], expected.of_columns);
}

TEST_CASE("panels of rows leave factors that are 0, infinite or no numbers as they are") {
    const with_small_panels small;
    for (const bool others_only : {false, true})
        for (const std::size_t rows : {4u, 7u, 12u, 33u})
            for (int special = 0; special < 6; ++special) {
                INFO(rows << " rows, special " << special << (others_only ? ", others only" : ""));
                auto q = random_matrix<double>(rows, 1, 4), k = random_matrix<double>(rows, 1, 5);
                const auto g = random_matrix<double>(rows, 1, 6);
                constexpr double c = 0.5, none = std::numeric_limits<double>::quiet_NaN();
                if (special > 0) q.values.assign(rows, 1);
                for (int zero = 0; zero < std::min(special, 2); ++zero)
                    k(static_cast<std::size_t>(zero) * 2 + 1) = -2;  // 1 + c k = 0
                if (special == 3) k(0) = std::numeric_limits<double>::infinity();
                if (special == 4) k(rows - 1) = none;
                if (special == 5) k(2) = 1e300, k(0) = 1e-300;
                const oracle expected(q, k, g, c, others_only);
                const auto got = ricci::run(gradients(others_only), operands(q, k, g, c));
                check_same(got["dL/dQ"], expected.of_rows);
                check_same(got["dL/dK"], expected.of_columns);
            }
}

TEST_CASE("panels of rows fold what is folded over them, extrema and products too") {
    const with_small_panels small;
    constexpr std::size_t rows = 11, columns = 5;
    const auto x = random_matrix<double>(rows, columns, 7);
    for (const std::string fold : {"\\sum_i", "\\max_i", "\\min_i", "\\prod_i"}) {
        INFO(fold);
        const auto p = ricci::parse("P^{ij} = \\sum_{k \\le j} x^{ik}\n m^j = " + fold + " P^{ij}");
        const auto got = ricci::run(p.value(), {{"x", array_of<double>(x)}});
        matrix expected{columns, 1, numbers(columns)};
        numbers so_far(rows);
        for (std::size_t j = 0; j < columns; ++j)
            for (std::size_t i = 0; i < rows; ++i) {
                const long double p_ij = so_far[i] += x(i, j);
                long double& m = expected(j);
                if (i == 0) m = p_ij;
                else if (fold == "\\sum_i") m += p_ij;
                else if (fold == "\\prod_i") m *= p_ij;
                else m = fold == "\\max_i" ? std::max(m, p_ij) : std::min(m, p_ij);
            }
        check_close<double>(got["m"], expected);
    }
}

TEST_CASE("numbers are looked at under conditions that are made panel by panel") {
    // the condition of a lookup, whose numbers are looked at before anything is written
    const with_small_panels small;
    const auto p = ricci::parse(
                       "Q^i = \\sum_l \\sum_j [0 \\le t_{lj}] B^{\\operatorname{wrap}(2i+j+2), "
                       "t_{lj}, \\operatorname{clamp}(-i+l-1)}")
                       .value();
    constexpr std::size_t rows = 3, columns = 9, places = 4;
    const auto b = random_matrix<double>(3 * 3, 5, 8);
    ricci::array table(ricci::element::f64, {3, 3, 5}), t(ricci::element::i32, {rows, columns});
    for (std::size_t k = 0; k < 45; ++k)
        static_cast<double*>(table.data())[k] = static_cast<double>(b.values[k]);
    const auto number = [&](std::size_t l, std::size_t j) -> std::int32_t& {
        return static_cast<std::int32_t*>(t.data())[l * columns + j];
    };
    for (std::size_t l = 0; l < rows; ++l)
        for (std::size_t j = 0; j < columns; ++j)
            number(l, j) = static_cast<std::int32_t>((l + 2 * j) % 4) - 1;  // -1 is left out
    const std::vector<ricci::named> operands{
        {"B", table}, {"t", t}, {"i", ricci::extent(std::int64_t{places})}};
    matrix expected{places, 1, numbers(places)};
    for (std::size_t i = 0; i < places; ++i)
        for (std::size_t l = 0; l < rows; ++l)
            for (std::size_t j = 0; j < columns; ++j) {
                if (number(l, j) < 0) continue;
                const auto at = static_cast<std::size_t>(number(l, j));
                const std::size_t last = l > i + 1 ? l - i - 1 : 0;
                expected(i) += b((2 * i + j + 2) % 3 * 3 + at, last);
            }
    check_close<double>(ricci::run(p, operands)["Q"], expected);
    for (const std::size_t j : {std::size_t{0}, columns - 1}) {  // of the first panel and the last
        const std::int32_t before = std::exchange(number(1, j), 3);
        CHECK_THROWS_AS(ricci::run(p, operands), ricci::error);
        number(1, j) = before;
    }
}
