// Products over (maximum, +) and (minimum, +), with places and without, on every SIMD target: every
// element is what plain loops find.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <ricci/error.hpp>
#include <ricci/ricci.hpp>

#include "src/kernels/targets.hpp"
#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/unit/contract/algebra_check.hpp"

namespace {

using namespace ricci::testing;
using ricci::contractions::prepared_algebra_product;

template <class T>
struct extremum_operands {
    extremum_operands(const algebra_case& shape, const contents& what, std::mt19937& random)
        : a(random_operand<T>(shape.a_size, what, random)),
          b(random_operand<T>(shape.b_size, what, random)),
          c(static_cast<std::size_t>(shape.c_size), T{77}),
          places(c.size(), -7) {}
    std::vector<T> a, b, c;
    std::vector<place> places;
};

bool same(double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }

// Runs one product and counts the elements that are not what they have to be.
template <class T>
int wrong_extrema(const algebra_case& c, sum_algebra algebra, bool with_places,
                  const contents& what, unsigned seed, bool joins) {
    std::mt19937 random(seed);
    extremum_operands<T> x(c, what, random);
    const std::vector<T> before = x.c;
    const auto product = prepared_algebra_product(product_of<T>(c, algebra, with_places));
    const T* const a = x.a.data() + c.a_first;
    const T* const b = x.b.data() + c.b_first;
    place* const places = with_places ? x.places.data() + c.c_first : nullptr;
    constexpr place first = 1000;
    if (joins) product.join(a, b, x.c.data() + c.c_first, places, first);
    else product.run(a, b, x.c.data() + c.c_first, places);

    const auto a_k = places_of(c.k, &contraction_loop::a),
               b_k = places_of(c.k, &contraction_loop::b);
    std::vector<bool> written(x.c.size(), false);
    int wrong = 0;
    for_each_element(c, [&](std::int64_t at, std::int64_t a_at, std::int64_t b_at) {
        const auto to = static_cast<std::size_t>(at);
        const auto term = [&](std::size_t k) {
            return x.a[static_cast<std::size_t>(a_at + a_k[k])] +
                   x.b[static_cast<std::size_t>(b_at + b_k[k])];
        };
        written[to] = true;
        plain_extremum<T> best(algebra, joins ? before[to] : term(0), joins ? -7 : 0);
        for (std::size_t k = joins ? 0 : 1; k < a_k.size(); ++k)
            best.take(term(k), static_cast<place>(k) + (joins ? first : 0));
        if (!same(best.value, x.c[to])) ++wrong;
        else if (with_places && best.where != x.places[to]) ++wrong;
    });
    // What is between the elements of C stays as it was.
    for (std::size_t i = 0; i < written.size(); ++i)
        if (!written[i] && (x.c[i] != before[i] || x.places[i] != -7)) ++wrong;
    return wrong;
}

template <class T>
void check_case(const algebra_case& c, const contents& what, unsigned seed) {
    for (const auto algebra : {sum_algebra::maximum, sum_algebra::minimum})
        for (const bool places : {false, true})
            for (const bool joins : {false, true})
                CHECK(wrong_extrema<T>(c, algebra, places, what, seed, joins) == 0);
}

const contents all_contents[] = {
    {2, 0, 0, 0},           {2, 0.3, 0, 0}, {2, 0.01, 0.01, 0}, {2, 0, 0, 0.002},
    {2, 0.1, 0.001, 0.001}, {2, 1, 0, 0},   {2, 0, 1, 0},
};

algebra_case extents(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k) {
    return {{{batch, 0, 0, 0}}, {{m, 0, 0, 0}}, {{n, 0, 0, 0}}, {{k, 0, 0, 0}}};
}

struct each_target {
    template <class Go>
    explicit each_target(Go go) {
        for (const std::string& target : ricci::kernels::supported_targets()) {
            CAPTURE(target);
            REQUIRE(ricci::kernels::force_target(target));
            go();
        }
        ricci::kernels::force_lesser_cpu();
        go();
        ricci::kernels::reset_target();
    }
};

}  // namespace

TEST_CASE("extrema of random loops", "[algebra]") {
    each_target([] {
        for (unsigned seed = 0; seed < few_or(60u, 120u); ++seed) {
            CAPTURE(seed);
            std::mt19937 random(seed);
            algebra_case c;
            c.batch = random_loops(4, random);
            c.m = random_loops(seed % 3 == 0 ? 40 : 9, random);
            c.n = random_loops(seed % 3 == 0 ? 70 : 12, random);
            c.k = random_loops(seed % 4 == 0 ? 90 : 7, random);
            c = laid_out(c, random, seed % 5 != 0, seed % 4 == 1);
            const contents& what = all_contents[seed % std::size(all_contents)];
            check_case<float>(c, what, seed);
            check_case<double>(c, what, seed);
        }
    });
}

TEST_CASE("extrema of packed panels", "[algebra]") {
    each_target([] {
        for (unsigned seed = 0; seed < few_or(4u, 14u); ++seed) {
            CAPTURE(seed);
            std::mt19937 random(seed);
            const auto up_to = [&](std::int64_t least, std::int64_t most) {
                return least + static_cast<std::int64_t>(random()) % (most - least + 1);
            };
            // Some are deeper than one block of k.
            const std::int64_t k = seed % 3 == 0 ? up_to(513, 1100) : up_to(20, 130);
            const auto c = laid_out(extents(1 + seed % 2, up_to(12, 50), up_to(12, 80), k), random,
                                    seed % 2 == 1, false);
            const contents& what = all_contents[seed % std::size(all_contents)];
            check_case<float>(c, what, seed);
            check_case<double>(c, what, seed);
        }
    });
}

TEST_CASE("extrema of more rows and columns than a block has", "[algebra]") {
    std::mt19937 random(5);
    const auto c = laid_out(extents(1, 420, 300, 40), random, false, false);
    check_case<float>(c, all_contents[4], 5);
    const auto wide = laid_out(extents(1, 13, 3000, 600), random, false, false);
    CHECK(wrong_extrema<double>(wide, sum_algebra::maximum, true, all_contents[3], 5, false) == 0);
}

TEST_CASE("extrema of many terms", "[algebra]") {
    std::mt19937 random(9);
    for (algebra_case c : few_or<std::vector<algebra_case>>(
             {extents(1, 1, 1, 140001)}, {extents(1, 1, 1, 300001), extents(2, 3, 5, 140000)})) {
        c.k.push_back({2, 0, 0, 0});
        c = laid_out(c, random, true, false);
        check_case<float>(c, all_contents[1], 9);
        check_case<double>(c, all_contents[3], 9);
    }
}

TEST_CASE("extrema are the same on any number of threads", "[algebra]") {
    std::mt19937 random(6);
    for (const auto& c :
         {extents(1, 333, 210, 140), extents(7, 60, 50, 40), extents(1, 1, 5000, 90),
          extents(40000, 1, 1, 3), extents(1, 900, 1, 700)}) {
        const auto shape = laid_out(c, random, false, false);
        extremum_operands<double> x(shape, all_contents[4], random);
        const prepared_algebra_product product(
            product_of<double>(shape, sum_algebra::maximum, true));
        std::vector<double> first;
        std::vector<place> first_places;
        for (const int threads : {1, 2, 5}) {
            ricci::threads(threads);
            product.run(x.a.data(), x.b.data(), x.c.data(), x.places.data());
            if (first.empty()) {
                first = x.c;
                first_places = x.places;
            }
            CHECK(std::memcmp(first.data(), x.c.data(), x.c.size() * sizeof(double)) == 0);
            CHECK(first_places == x.places);
        }
        ricci::threads(0);
    }
}

TEST_CASE("the first of equal terms has the place", "[algebra]") {
    const auto c = extents(1, 20, 40, 100);
    std::mt19937 random(7);
    const auto shape = laid_out(c, random, false, false);
    std::vector<float> a(static_cast<std::size_t>(shape.a_size), 1),
        b(static_cast<std::size_t>(shape.b_size), 2);
    std::vector<float> to(static_cast<std::size_t>(shape.c_size));
    std::vector<place> places(to.size(), -7);
    prepared_algebra_product(product_of<float>(shape, sum_algebra::minimum, true))
        .run(a.data(), b.data(), to.data(), places.data());
    for (std::size_t i = 0; i < to.size(); ++i) CHECK((to[i] == 3 && places[i] == 0));
}

TEST_CASE("extrema of nothing", "[algebra]") {
    std::mt19937 random(8);
    const auto c = laid_out(extents(1, 3, 4, 0), random, false, false);
    std::vector<double> to(12, 5);
    std::vector<place> places(12, 5);
    const double infinity = std::numeric_limits<double>::infinity();
    prepared_algebra_product(product_of<double>(c, sum_algebra::minimum, true))
        .run(nullptr, nullptr, to.data(), places.data());
    for (std::size_t i = 0; i < 12; ++i) CHECK((to[i] == infinity && places[i] == -1));
    prepared_algebra_product(product_of<double>(c, sum_algebra::maximum, true))
        .run(nullptr, nullptr, to.data(), places.data());
    for (std::size_t i = 0; i < 12; ++i) CHECK(to[i] == -infinity);
    to.assign(12, 5);
    prepared_algebra_product(product_of<double>(c, sum_algebra::maximum, true))
        .join(nullptr, nullptr, to.data(), places.data());
    for (std::size_t i = 0; i < 12; ++i) CHECK(to[i] == 5);
}

TEST_CASE("products that cannot be are refused", "[algebra]") {
    const auto c = extents(1, 2, 2, 2);
    auto what = product_of<double>(c, sum_algebra::logsumexp, true);
    CHECK_THROWS_AS(prepared_algebra_product(what), ricci::error);
    what = product_of<double>(c, sum_algebra::maximum, false);
    what.type = ricci::element::c64;
    CHECK_THROWS_AS(prepared_algebra_product(what), ricci::error);
    const auto deep = extents(1, 1, 1, std::int64_t{1} << 31);
    what = product_of<double>(deep, sum_algebra::maximum, true);
    CHECK_THROWS_AS(prepared_algebra_product(what), ricci::error);
}
