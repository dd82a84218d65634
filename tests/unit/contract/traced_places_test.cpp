// The most likely state of a chain and of a small tree, against all states tried.
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <ricci/error.hpp>

#include "src/contract/algebra/algebra_product.hpp"
#include "src/contract/algebra/traced_places.hpp"
#include "tests/catch.hpp"

namespace {

using namespace ricci;
using namespace ricci::contractions;
using steps::contraction_loop;

steps::algebra_product extremum(const loop_list& m, const loop_list& n, const loop_list& k) {
    steps::algebra_product what;
    what.algebra = steps::sum_algebra::maximum;
    what.m = m;
    what.n = n;
    what.k = k;
    what.places = true;
    return what;
}

std::vector<double> random_table(std::size_t size, std::mt19937& random) {
    std::normal_distribution<double> normal;
    std::vector<double> x(size);
    for (double& each : x) each = normal(random);
    return x;
}

}  // namespace

TEST_CASE("places of a tree of steps are followed back to every index", "[algebra]") {
    // f(0, 1) + g(1, 2) + h(2, 3, 0) over indices of 3, 4, 5 and 2 places: first index 1, then the
    // other three at once.
    constexpr std::int64_t n0 = 3, n1 = 4, n2 = 5, n3 = 2;
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937 random(seed);
        const auto f = random_table(n0 * n1, random), g = random_table(n1 * n2, random);
        const auto h = random_table(n2 * n3 * n0, random);
        std::vector<double> fg(n0 * n2);
        std::vector<place> fg_places(fg.size());
        double best = 0;
        place best_place = 0;
        const loop_list m{{n0, n1, 0, n2}}, n{{n2, 0, 1, 1}}, k{{n1, 1, n2, 0}};
        prepared_algebra_product(extremum(m, n, k))
            .run(f.data(), g.data(), fg.data(), fg_places.data());
        // h is read as (2, 3, 0); fg lacks index 3.
        const loop_list all{{n2, 1, n3 * n0, 0}, {n3, 0, n0, 0}, {n0, n2, 1, 0}};
        prepared_algebra_product(extremum({}, {}, all))
            .run(fg.data(), h.data(), &best, &best_place);

        const std::vector<traced_step> steps = {
            {fg_places.data(), {{0, n2}, {2, 1}}, {{1, n1}}},
            {&best_place, {}, {{2, n2}, {3, n3}, {0, n0}}},
        };
        std::vector<std::int64_t> found(4, -1);
        trace_places(steps, found);
        double tried = -1e300;
        std::vector<std::int64_t> where;
        for (std::int64_t a = 0; a < n0; ++a)
            for (std::int64_t b = 0; b < n1; ++b)
                for (std::int64_t c = 0; c < n2; ++c)
                    for (std::int64_t d = 0; d < n3; ++d) {
                        const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
                        const double value =
                            f[at(a * n1 + b)] + g[at(b * n2 + c)] + h[at((c * n3 + d) * n0 + a)];
                        if (value <= tried) continue;
                        tried = value;
                        where = {a, b, c, d};
                    }
        CHECK(found == where);
        CHECK(best == Approx(tried));
    }
}

TEST_CASE("places that nobody has found are refused", "[algebra]") {
    const place at = 1;
    std::vector<std::int64_t> found(2, -1);
    const std::vector<traced_step> open = {{&at, {{0, 1}}, {{1, 2}}}};
    CHECK_THROWS_AS(trace_places(open, found), error);
    const std::vector<traced_step> beyond = {{&at, {}, {{7, 2}}}};
    CHECK_THROWS_AS(trace_places(beyond, found), error);
    const place none = -1;
    const std::vector<traced_step> nothing = {{&none, {}, {{1, 2}}}};
    CHECK_THROWS_AS(trace_places(nothing, found), error);
}
