// Groups over pairs that the register machine runs: against the same programs with every
// intermediate stored, and against themselves on other numbers of threads.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <ricci/derivatives.hpp>
#include <ricci/program.hpp>

#include "tests/catch.hpp"
#include "tests/unit/bound_program.hpp"
#include "tests/unit/fused/all_pairs.hpp"
#include "tests/unit/fused/chains.hpp"

namespace {

using namespace ricci::testing;
using ricci::element;

const std::string distance = "D^{ij} = \\sum_d (x^{id} - z^{jd})^2\n";

std::vector<chain> bodies() {
    return {
        {"forces",
         R"(F^{id} = \sum_j p^j \frac{x^{jd} - x^{id}}{(\sum_b (x^{jb} - x^{ib})^2 + 1)^{3/2}})"},
        {"forces of batches",
         R"(F^{hid} = \sum_j p^j \frac{x^{hjd} - x^{hid}}{(\sum_b (x^{hjb} - x^{hib})^2 + 1)^{3/2}})"},
        {"sums of kernels", distance + R"(f^{id} = \sum_j \exp(-D^{ij}) V^{jd})"},
        {"of columns alone", distance + R"(f^{jd} = \sum_i \exp(-D^{ij}) V^{id})"},
        {"of both sides", distance + R"(F^{id} = \sum_j \exp(-D^{ij}) (x^{id} - z^{jd})
                                         G^{jd} = \sum_i \exp(-D^{ij}) (x^{id} - z^{jd}))"},
        {"of products", R"(S^{ij} = \frac{1}{3} q^{id} k^{jd}
                           f^i = \sum_j \operatorname{softplus}(S^{ij}) p^j
                           g^j = \sum_i \tanh(S^{ij}))"},
        {"nearest", distance + R"(m^i = \min_j(D^{ij}))"},
        {"farthest of columns", distance + R"(m^j = \max_i(\sqrt{D^{ij}} r^i))"},
        {"nearest of both sides", distance + R"(m^i = \min_j(D^{ij})
                                                 n^j = \min_i(D^{ij}))"},
        {"places of both sides", distance + R"(m^i = \min_j(D^{ij})
                                                 y_i = \operatorname{argmin}_j(D^{ij})
                                                 w_j = \operatorname{argmax}_i(D^{ij}))"},
        {"without a line", distance + R"(f^i = \sum_j [i \ne j] \frac{p^j}{\sqrt{D^{ij} + 0.1}}
                                         n^j = \sum_i [i \ne j] \frac{r^i}{D^{ij} + 0.1})"},
        {"two loops of rows",
         R"(D^{gij} = \sum_d (x^{gid} - z^{jd})^2
            f^{gi} = \sum_j \exp(-D^{gij} q^g) p^j)"},
        {"two loops of columns",
         R"(D^{igj} = \sum_d (x^{id} - z^{gjd})^2
            f^{i} = \sum_{gj} \exp(-D^{igj}) p^{gj}
            n^{i} = \max_{gj}(q^g - D^{igj}))"},
        {"log-sum-exps", distance + R"(u^i = -\operatorname{logsumexp}_j(p^j - 3 D^{ij}))"},
        {"log-sum-exps of columns", distance + R"(u^j = \log \sum_i \exp(r^i - D^{ij}))"},
        {"log-sum-exps of all columns",
         R"(D^{igj} = \sum_d (x^{id} - z^{gjd})^2
            l^{i} = \operatorname{logsumexp}_{gj}(q^g - D^{igj}))"},
        {"planes", distance + R"(f^i = \sum_j P^{ij} \log(1 + D^{ij})
                                 g^j = \sum_i \frac{P^{ij} R^{ij} r^i}{1 + D^{ij}})"},
        {"planes of batches", R"(D^{hij} = \sum_d (x^{hid} - z^{hjd})^2
                                 f^{hi} = \max_j(D^{hij} P^{ji} - B^{hij}))"},
        {"a table of differences", distance + R"(f^i = \sum_j \exp(b_{i-j} - D^{ij}) p^j
                                                 n^j = \min_i(D^{ij} + b_{i-j}))"},
        {"log-sum-exps with a bias",
         distance + R"(l^i = \operatorname{logsumexp}_j(B^{ij} - D^{ij}))"},
        {"where a plane says", distance + R"(f^i = \sum_j [P^{ij} > 0] \frac{p^j}{1 + D^{ij}})"},
        {"weights of columns",
         R"(D^{ij} = \sum_d (w^{jd})^2 (x^{id} - z^{jd})^2
            f^i = \sum_j \exp(-D^{ij}) p^j
            g^{jd} = \sum_i \exp(-D^{ij}) x^{id})"},
        {"weights of rows",
         R"(D^{ij} = \sum_d w^{id} (x^{id} - z^{jd})^2
            m^i = \min_j(D^{ij} + p^j))"},
        {"a number for each batch",
         R"(D^{hij} = \sum_d (x^{hid} - z^{hjd})^2
            f^{hi} = \sum_j \frac{1}{1 + (q^h)^2 D^{hij}} p^{hj})"},
    };
}

std::vector<sizes> all_sizes() {
    return {{2, 2, 131, 147, 5, 3},  // a part of a block each way
            {1, 2, 640, 96, 3, 2},   // several tasks, whole blocks
            {1, 1, 75, 1100, 3, 2},  // several tiles of columns
            {17, 1, 40, 60, 3, 1}};  // batches that are tasks
}

}  // namespace

TEST_CASE("bodies over pairs in registers") {
    unsigned seed = 7100;
    for (const auto& which : bodies())
        for (const element type : {element::f32, element::f64})
            for (const sizes& s : all_sizes()) {
                INFO(which.name << " " << ricci::name_of(type) << " " << s.i << " " << s.j);
                bound_program p(which.text, type, 1);
                bind(p, s, layout::row_major);
                const auto words = p.prepare().explain();
                INFO(words);
                if (words.find("  fused  ") == std::string::npos) continue;
                CHECK(words.find("in registers") != std::string::npos);
                const layout l = seed % 2 == 0 ? layout::shuffled : layout::row_major;
                CHECK(against_unfused(which, s, type, l, seed++,
                                      type == element::f32 ? 1e-4 : 1e-12) == "");
            }
}

TEST_CASE("bodies over pairs on any number of threads") {
    for (const std::string tail : {R"(f^{id} = \sum_j \exp(-D^{ij}) V^{jd})",
                                   R"(f^{id} = \sum_j \exp(-D^{ij}) V^{jd}
                                      g^{jd} = \sum_i \exp(-D^{ij}) x^{id}
                                      m^i = \min_j(D^{ij}))"}) {
        const auto p = ricci::parse(distance + tail).value();
        const auto x = pairs::random_matrix<float>(1500, 3, 3);
        const auto z = pairs::random_matrix<float>(1100, 3, 4);
        const auto v = pairs::random_matrix<float>(1100, 3, 5);
        const auto results = pairs::run_everywhere<float>(p,
                                                          {{"x", pairs::array_of<float>(x)},
                                                           {"z", pairs::array_of<float>(z)},
                                                           {"V", pairs::array_of<float>(v)}},
                                                          x.rows * z.rows);
        pairs::matrix f{x.rows, 3, pairs::numbers(x.rows * 3)};
        for (std::size_t i = 0; i < x.rows; ++i)
            for (std::size_t j = 0; j < z.rows; ++j) {
                long double d = 0;
                for (std::size_t k = 0; k < 3; ++k) d += (x(i, k) - z(j, k)) * (x(i, k) - z(j, k));
                for (std::size_t k = 0; k < 3; ++k) f(i, k) += std::exp(-d) * v(j, k);
            }
        pairs::check_close<float>(results["f"], f);
    }
}

// Least values may be counted in tiles or in registers. Whoever asks elsewhere which pairs have them
// finds the same bits.
TEST_CASE("distances in registers have the bits of those in tiles") {
    for (const int axes : {1, 2, 3, 4, 7}) {
        const auto x = pairs::random_matrix<float>(700, static_cast<std::size_t>(axes), 6);
        const auto z = pairs::random_matrix<float>(300, static_cast<std::size_t>(axes), 7);
        const auto seed = pairs::random_matrix<float>(700, 1, 8);
        std::vector<ricci::named> operands = {{"x", pairs::array_of<float>(x)},
                                              {"z", pairs::array_of<float>(z)}};
        const auto least = ricci::parse(distance + "m^i = \\min_j(D^{ij})").value();
        INFO(ricci::explain(least, operands));
        CHECK(ricci::explain(least, operands).find("in registers") != std::string::npos);
        const auto alone = ricci::run(least, operands);
        operands.push_back({"dL/dm", pairs::array_of<float>(seed, 1)});
        const auto both = ricci::value_and_gradient(least, "m", {"x"});
        const auto counted = ricci::run(both, operands);
        CHECK(ricci::explain(both, operands).find("tiles of") != std::string::npos);
        CHECK(std::memcmp(alone["m"].data(), counted["m"].data(), 700 * sizeof(float)) == 0);
        pairs::matrix slope{700, static_cast<std::size_t>(axes), {}};
        for (std::size_t i = 0; i < 700; ++i) {
            std::size_t nearest = 0;
            const auto far = [&](std::size_t j) {
                long double d = 0;
                for (std::size_t k = 0; k < slope.columns; ++k)
                    d += (x(i, k) - z(j, k)) * (x(i, k) - z(j, k));
                return d;
            };
            for (std::size_t j = 1; j < 300; ++j)
                if (far(j) < far(nearest)) nearest = j;
            for (std::size_t k = 0; k < slope.columns; ++k)
                slope.values.push_back(2 * seed(i) * (x(i, k) - z(nearest, k)));
        }
        pairs::check_close<float>(counted["dL/dx"], slope);
    }
}

TEST_CASE("what is no number stays in bodies over pairs") {
    auto x = pairs::random_matrix<float>(200, 3, 8), z = pairs::random_matrix<float>(150, 3, 9);
    x(17, 1) = std::numeric_limits<long double>::quiet_NaN();
    const auto p = ricci::parse(distance + R"(m^i = \min_j(D^{ij})
                                              n^j = \max_i(D^{ij})
                                              f^i = \sum_j \exp(-D^{ij}))")
                       .value();
    const auto r =
        ricci::run(p, {{"x", pairs::array_of<float>(x)}, {"z", pairs::array_of<float>(z)}});
    for (std::size_t i = 0; i < 200; ++i) {
        CHECK(std::isnan(static_cast<const float*>(r["m"].data())[i]) == (i == 17));
        CHECK(std::isnan(static_cast<const float*>(r["f"].data())[i]) == (i == 17));
    }
    for (std::size_t j = 0; j < 150; ++j)
        CHECK(std::isnan(static_cast<const float*>(r["n"].data())[j]));
}

TEST_CASE("log-sum-exps in registers at their edges") {
    const float infinity = std::numeric_limits<float>::infinity();
    const auto p =
        ricci::parse(distance + R"(l^i = \operatorname{logsumexp}_j(p^j + r^i - D^{ij}))").value();
    const auto x = pairs::random_matrix<float>(100, 3, 10),
               z = pairs::random_matrix<float>(90, 3, 11);
    auto add = pairs::random_matrix<float>(90, 1, 12),
         rows = pairs::random_matrix<float>(100, 1, 13);
    for (std::size_t j = 0; j < 90; j += 3) add(j) = -infinity;
    rows(3) = -infinity;
    rows(4) = std::numeric_limits<float>::quiet_NaN();
    rows(5) = 1e6L;
    rows(6) = -1e6L;
    rows(7) = 3e38L;
    const auto r = ricci::run(p, {{"x", pairs::array_of<float>(x)},
                                  {"z", pairs::array_of<float>(z)},
                                  {"p", pairs::array_of<float>(add, 1)},
                                  {"r", pairs::array_of<float>(rows, 1)}});
    for (std::size_t i = 0; i < 100; ++i) {
        long double sum = 0;
        for (std::size_t j = 0; j < 90; ++j) {
            long double d = 0;
            for (std::size_t k = 0; k < 3; ++k) d += (x(i, k) - z(j, k)) * (x(i, k) - z(j, k));
            sum += std::exp(add(j) - d);
        }
        const float got = static_cast<const float*>(r["l"].data())[i];
        CAPTURE(i, got);
        if (i == 4) CHECK(std::isnan(got));
        else if (i == 3) CHECK(got == -infinity);
        else {
            const long double want = std::log(sum) + rows(i);
            CHECK(std::abs(got - want) <= 2e-6L * (1 + std::abs(want)));
        }
    }
}

TEST_CASE("quotients of pairs keep floors, conditions and denormals") {
    const std::size_t n = 130, m = 90;
    pairs::matrix x{n, 1, {}}, y{m, 1, {}};
    for (std::size_t i = 0; i < n; ++i) x.values.push_back(static_cast<long double>(i % 97));
    for (std::size_t j = 0; j < m; ++j) y.values.push_back(static_cast<long double>(1 + j % 61));
    const auto of = [&](const char* text) {
        return ricci::run(ricci::parse(text).value(), {{"x", pairs::array_of<float>(x, 1)},
                                                       {"y", pairs::array_of<float>(y, 1)}});
    };
    const auto floors =
        of(R"(f^i = \sum_j (\lfloor \frac{x^i}{y^j} \rfloor + [\frac{x^i}{y^j} = 1]))");
    for (std::size_t i = 0; i < n; ++i) {
        long double want = 0;
        for (std::size_t j = 0; j < m; ++j)
            want += std::floor(x(i) / y(j)) + (x(i) == y(j) ? 1 : 0);
        CHECK(static_cast<const float*>(floors["f"].data())[i] == want);
    }
    // 1 / y is no float here.
    for (std::size_t i = 0; i < n; ++i) x(i) = static_cast<float>(0x1p-140L * (i % 5));
    for (std::size_t j = 0; j < m; ++j) y(j) = static_cast<float>(0x1p-138L * (1 + j % 3));
    const auto ratios = of(R"(f^i = \sum_j \tanh(\frac{x^i}{y^j}))");
    for (std::size_t i = 0; i < n; ++i) {
        long double want = 0;
        for (std::size_t j = 0; j < m; ++j) want += std::tanh(x(i) / y(j));
        CHECK(std::abs(static_cast<const float*>(ratios["f"].data())[i] - want) <= 1e-5L * want);
    }
}
