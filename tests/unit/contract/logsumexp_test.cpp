// Products over (logsumexp, +) on every SIMD target, against sums of long double: within the bound
// that is promised, and right where there are infinities and NaN.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <ricci/ricci.hpp>

#include "src/kernels/targets.hpp"
#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/unit/contract/algebra_check.hpp"

namespace {

using namespace ricci::testing;
using ricci::contractions::prepared_algebra_product;

constexpr long double long_infinity = std::numeric_limits<long double>::infinity();

long double logsumexp_of(const std::vector<long double>& terms) {
    long double most = -long_infinity;
    for (const long double x : terms) {
        if (std::isnan(x)) return x;
        most = std::max(most, x);
    }
    if (!std::isfinite(most)) return most;
    long double sum = 0;
    for (const long double x : terms) sum += std::exp(x - most);
    return most + std::log(sum);
}

// How far a result may be from `exact`, of so many terms, where the maxima of its row and column
// are r and c.
template <class T>
long double bound(long double exact, long double r, long double c, std::size_t count) {
    const long double u = std::numeric_limits<T>::epsilon() / 2;
    const long double terms = 2 * static_cast<long double>(count) + 16;
    const long double folded = terms + 4 * std::abs(exact);
    const long double log_p = exact - r - c;
    const long double least =
        std::log(static_cast<long double>(count) * 4 * std::numeric_limits<T>::min() / u);
    if (!(log_p >= least)) return u * folded;
    return u * std::max(folded, terms + 4 * std::abs(log_p) + 2 * std::abs(r + c));
}

template <class T>
int wrong_sums(const algebra_case& shape, const contents& what, unsigned seed, bool joins) {
    std::mt19937 random(seed);
    const auto a = random_operand<T>(shape.a_size, what, random);
    const auto b = random_operand<T>(shape.b_size, what, random);
    const auto before = random_operand<T>(shape.c_size, {2, 0.1, 0.01, 0.01}, random);
    auto to = before;
    const prepared_algebra_product product(product_of<T>(shape, sum_algebra::logsumexp, false));
    const T* const a_first = a.data() + shape.a_first;
    const T* const b_first = b.data() + shape.b_first;
    if (joins) product.join(a_first, b_first, to.data() + shape.c_first);
    else product.run(a_first, b_first, to.data() + shape.c_first);

    const auto a_k = places_of(shape.k, &contraction_loop::a);
    const auto b_k = places_of(shape.k, &contraction_loop::b);
    std::vector<bool> written(to.size(), false);
    int wrong = 0;
    for_each_element(shape, [&](std::int64_t at, std::int64_t a_at, std::int64_t b_at) {
        const auto place_of = static_cast<std::size_t>(at);
        written[place_of] = true;
        std::vector<long double> terms;
        long double r = -long_infinity, c = -long_infinity;
        for (std::size_t k = 0; k < a_k.size(); ++k) {
            const long double x = a[static_cast<std::size_t>(a_at + a_k[k])];
            const long double y = b[static_cast<std::size_t>(b_at + b_k[k])];
            terms.push_back(x + y);
            r = std::max(r, x);
            c = std::max(c, y);
        }
        if (joins) terms.push_back(before[place_of]);
        const long double exact = logsumexp_of(terms);
        const long double found = to[place_of];
        if (std::isnan(exact)) wrong += std::isnan(found) ? 0 : 1;
        else if (!std::isfinite(exact)) wrong += exact == found ? 0 : 1;
        // Where C is one more term, the others' fold is rounded before.
        else if (!(std::abs(found - exact) <=
                   (joins ? 2 : 1) * bound<T>(exact, r, c, terms.size())))
            ++wrong;
    });
    for (std::size_t i = 0; i < written.size(); ++i)
        if (!written[i] && std::memcmp(&to[i], &before[i], sizeof(T)) != 0) ++wrong;
    return wrong;
}

template <class T>
void check_sums(const algebra_case& c, const contents& what, unsigned seed) {
    CHECK(wrong_sums<T>(c, what, seed, false) == 0);
    CHECK(wrong_sums<T>(c, what, seed, true) == 0);
}

// Some beyond the range in which exponentials that are shifted by rows and columns keep digits.
const contents all_contents[] = {
    {2, 0, 0, 0},           {2, 0.3, 0, 0}, {2, 0.01, 0.01, 0}, {2, 0, 0, 0.002},
    {2, 0.1, 0.001, 0.001}, {40, 0, 0, 0},  {300, 0.1, 0, 0},   {3000, 0, 0.001, 0.001},
    {2, 1, 0, 0},           {2, 0, 1, 0},   {2, 0.97, 0, 0},
};

algebra_case extents(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k) {
    return {{{batch, 0, 0, 0}}, {{m, 0, 0, 0}}, {{n, 0, 0, 0}}, {{k, 0, 0, 0}}};
}

template <class Go>
void for_each_target(Go go) {
    for (const std::string& target : ricci::kernels::supported_targets()) {
        CAPTURE(target);
        REQUIRE(ricci::kernels::force_target(target));
        go();
    }
    ricci::kernels::force_lesser_cpu();
    go();
    ricci::kernels::reset_target();
}

}  // namespace

TEST_CASE("log-sum-exp of random loops", "[algebra]") {
    for_each_target([] {
        for (unsigned seed = 0; seed < few_or(77u, 154u); ++seed) {
            CAPTURE(seed);
            std::mt19937 random(seed);
            algebra_case c;
            c.batch = random_loops(4, random);
            c.m = random_loops(seed % 3 == 0 ? 40 : 9, random);
            c.n = random_loops(seed % 3 == 0 ? 40 : 12, random);
            c.k = random_loops(seed % 4 == 0 ? 90 : 7, random);
            c = laid_out(c, random, seed % 5 != 0, seed % 4 == 1);
            const contents& what = all_contents[seed % std::size(all_contents)];
            check_sums<float>(c, what, seed);
            check_sums<double>(c, what, seed);
        }
    });
}

TEST_CASE("log-sum-exp as a product of exponentials", "[algebra]") {
    for_each_target([] {
        for (unsigned seed = 0; seed < 22; ++seed) {
            CAPTURE(seed);
            std::mt19937 random(seed);
            const auto up_to = [&](std::int64_t least, std::int64_t most) {
                return least + static_cast<std::int64_t>(random()) % (most - least + 1);
            };
            const auto c =
                laid_out(extents(1 + seed % 3, up_to(4, 40), up_to(4, 40), up_to(8, 200)), random,
                         seed % 2 == 1, false);
            REQUIRE(prepared_algebra_product(product_of<double>(c, sum_algebra::logsumexp, false))
                        .words() == "a product of shifted exponentials");
            const contents& what = all_contents[seed % std::size(all_contents)];
            check_sums<float>(c, what, seed);
            check_sums<double>(c, what, seed);
        }
    });
}

TEST_CASE("log-sum-exp of rows and columns that meet nowhere", "[algebra]") {
    // Row 0 and column 0 have their only finite elements at different k.
    std::mt19937 random(3);
    const auto c = laid_out(extents(1, 16, 16, 16), random, false, false);
    std::vector<double> a(256, 0), b(256, 0), to(256);
    const double none = -std::numeric_limits<double>::infinity();
    for (std::int64_t k = 0; k < 16; ++k) {
        if (k != 3) a[static_cast<std::size_t>(k * c.k[0].a)] = none;
        if (k != 5) b[static_cast<std::size_t>(k * c.k[0].b)] = none;
    }
    prepared_algebra_product(product_of<double>(c, sum_algebra::logsumexp, false))
        .run(a.data(), b.data(), to.data());
    CHECK(to[0] == none);
    for (std::size_t i = 1; i < to.size(); ++i) CHECK(std::isfinite(to[i]));
}

TEST_CASE("log-sum-exp of one term is the term", "[algebra]") {
    std::mt19937 random(4);
    const auto c = laid_out(extents(3, 20, 30, 1), random, true, false);
    const auto a = random_operand<float>(c.a_size, {50, 0, 0, 0}, random);
    const auto b = random_operand<float>(c.b_size, {50, 0, 0, 0}, random);
    std::vector<float> sums(static_cast<std::size_t>(c.c_size)), maxima(sums.size());
    prepared_algebra_product(product_of<float>(c, sum_algebra::logsumexp, false))
        .run(a.data() + c.a_first, b.data() + c.b_first, sums.data() + c.c_first);
    prepared_algebra_product(product_of<float>(c, sum_algebra::maximum, false))
        .run(a.data() + c.a_first, b.data() + c.b_first, maxima.data() + c.c_first);
    CHECK(sums == maxima);
}

TEST_CASE("log-sum-exp of many terms", "[algebra]") {
    std::mt19937 random(9);
    for (algebra_case c : few_or<std::vector<algebra_case>>(
             {extents(1, 1, 1, 140001)}, {extents(1, 1, 1, 300001), extents(2, 3, 5, 140000)})) {
        c.k.push_back({2, 0, 0, 0});
        c = laid_out(c, random, true, false);
        for (const auto& what : {all_contents[1], all_contents[3], all_contents[6]}) {
            check_sums<float>(c, what, 9);
            check_sums<double>(c, what, 9);
        }
    }
}

TEST_CASE("log-sum-exp is the same on any number of threads", "[algebra]") {
    std::mt19937 random(6);
    for (const auto& extents_of :
         {extents(1, 200, 210, 140), extents(7, 60, 50, 40), extents(1, 1, 5000, 90),
          extents(1, 900, 1, 700), extents(1, 2, 1, 500000)}) {
        const auto c = laid_out(extents_of, random, false, false);
        for (const contents& what : {all_contents[0], all_contents[4], all_contents[7]}) {
            const auto a = random_operand<double>(c.a_size, what, random);
            const auto b = random_operand<double>(c.b_size, what, random);
            std::vector<double> to(static_cast<std::size_t>(c.c_size)), first;
            const prepared_algebra_product product(
                product_of<double>(c, sum_algebra::logsumexp, false));
            for (const int threads : {1, 2, 5}) {
                ricci::threads(threads);
                product.run(a.data(), b.data(), to.data());
                if (first.empty()) first = to;
                CHECK(std::memcmp(first.data(), to.data(), to.size() * sizeof(double)) == 0);
            }
            ricci::threads(0);
        }
    }
}
