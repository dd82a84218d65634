// Matrices that have no factors: which one of a batch is told, where and why; what is read of each
// kind; determinants of all sizes; matrices at the ends of the range.
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/unit/contract/settings.hpp"
#include "tests/unit/linear/matrices.hpp"

namespace {

using namespace ricci;
using namespace ricci::testing;
using linear::failure_reason;
using steps::determinant_part;
using steps::factor_kind;

// One, or interleaved ones, by their size.
constexpr std::int64_t sizes[] = {1, 2, 4, 5, 16, 20, 40, 100};

template <class T>
matrices<T> random_matrices(std::int64_t count, std::int64_t n, factor_kind kind, unsigned seed) {
    std::mt19937 random(seed);
    matrices<T> k(count, n, n, 0);
    randomise(k, kind, random);
    return k;
}

void check_told(const linear::failure& failed, std::int64_t matrix, std::int64_t column,
                failure_reason reason) {
    CHECK(failed.matrix == matrix);
    CHECK(failed.column == column);
    CHECK(failed.reason == reason);
}

template <class T>
void check_failures() {
    for (const std::int64_t n : sizes)
        for (const std::int64_t count : {1, 40}) {
            CAPTURE(n, count, sizeof(T));
            const std::int64_t bad = count / 2, place = n / 2;
            {
                auto k = random_matrices<T>(count, n, factor_kind::lu, 1);
                for (const std::int64_t b : {bad, count - 1})
                    for (std::int64_t i = 0; i < n; ++i) k.at(b, i, place) = T{};
                check_told(factored<T>(k, factor_kind::lu).failed, bad, place,
                           failure_reason::singular);
            }
            {
                auto k = random_matrices<T>(count, n, factor_kind::lu, 2);
                k.at(bad, 0, n - 1) = std::numeric_limits<kernels::part_type<T>>::quiet_NaN();
                check_told(factored<T>(k, factor_kind::lu).failed, bad, n - 1,
                           failure_reason::not_finite);
                k.at(bad, 0, n - 1) = std::numeric_limits<kernels::part_type<T>>::infinity();
                const auto failed = factored<T>(k, factor_kind::lu).failed;
                CHECK(failed.matrix == bad);
                CHECK(failed.reason == failure_reason::not_finite);
            }
            {
                auto k = random_matrices<T>(count, n, factor_kind::cholesky, 3);
                k.at(bad, place, place) = T{-1};
                check_told(factored<T>(k, factor_kind::cholesky).failed, bad, place,
                           failure_reason::not_positive_definite);
                k.at(bad, place, 0) = std::numeric_limits<kernels::part_type<T>>::quiet_NaN();
                check_told(factored<T>(k, factor_kind::cholesky).failed, bad, place,
                           failure_reason::not_finite);
            }
            for (const factor_kind kind : {factor_kind::lower, factor_kind::upper}) {
                auto k = random_matrices<T>(count, n, kind, 4);
                k.at(bad, place, place) = T{};
                check_told(factored<T>(k, kind).failed, bad, place, failure_reason::singular);
                const bool lower = kind == factor_kind::lower;
                k.at(bad, lower ? n - 1 : 0, lower ? 0 : n - 1) =
                    std::numeric_limits<kernels::part_type<T>>::quiet_NaN();
                CHECK(factored<T>(k, kind).failed.reason == (lower || place == n - 1
                                                                 ? failure_reason::not_finite
                                                                 : failure_reason::singular));
            }
        }
}

}  // namespace

TEST_CASE("the first matrix that fails is told, with its column and the reason") {
    on_every_target([] {
        check_failures<float>();
        check_failures<double>();
        check_failures<std::complex<float>>();
        check_failures<std::complex<double>>();
    });
}

TEST_CASE("failures in words") {
    linear::failure failed{7, 3, failure_reason::singular};
    CHECK(failed.words() == "is singular: its pivot in column 3 is 0");
    const std::int64_t batch[] = {2, 5};
    CHECK(failed.words(batch) ==
          "is singular: its pivot in column 3 is 0, at place (1, 2) of its batch");
    failed.reason = failure_reason::not_positive_definite;
    CHECK(failed.words() == "is not positive definite: its pivot in column 3 is not positive");
    failed.reason = failure_reason::not_finite;
    CHECK(failed.words() == "has no finite factors: its pivot in column 3 is no finite number");
}

TEST_CASE("only the half of a matrix that counts is read") {
    std::mt19937 random(8);
    for (const std::int64_t count : {1, 30})
        for (const std::int64_t n : {3, 17, 64, 150})
            for (const factor_kind kind :
                 {factor_kind::cholesky, factor_kind::lower, factor_kind::upper}) {
                matrices<double> k(count, n, n, 0), y(count, n, 2, 0), x(count, n, 2, 0);
                randomise(k, kind, random);
                y.randomise(random);
                matrices<double> half = k;
                for (std::int64_t b = 0; b < count; ++b)
                    for (std::int64_t i = 0; i < n; ++i)
                        for (std::int64_t j = 0; j < n; ++j)
                            if (kind == factor_kind::upper ? i > j : i < j)
                                half.at(b, i, j) = std::numeric_limits<double>::quiet_NaN();
                const factored<double> f(half, kind);
                CAPTURE(count, n, static_cast<int>(kind));
                REQUIRE_FALSE(f.failed);
                steps::linear_solve what;
                what.kind = kind;
                f.solve(what, y, x);
                CHECK(residual(k, what, x, y) <= 1);
            }
}

TEST_CASE("a triangle whose diagonal is taken for 1") {
    std::mt19937 random(9);
    for (const std::int64_t count : {1, 20})
        for (const std::int64_t n : {6, 90}) {
            matrices<double> k(count, n, n, 0), y(count, n, 1, 0), x(count, n, 1, 0);
            randomise(k, factor_kind::lower, random);
            y.randomise(random);
            for (std::int64_t b = 0; b < count; ++b)
                for (std::int64_t i = 0; i < n; ++i)
                    for (std::int64_t j = 0; j <= i; ++j)
                        k.at(b, i, j) = i == j ? 0 : k.at(b, i, j) / static_cast<double>(n);
            const steps::matrix_loop batch{count, k.step};
            const factor_memory memory(
                linear::factor_bytes(element::f64, factor_kind::lower, n, count));
            const linear::prepared_factorization factors(
                {element::f64, factor_kind::lower, n, k.row, k.column, {&batch, 1}, true});
            REQUIRE_FALSE(factors.run(k.data(), memory.data()));
            steps::linear_solve what;
            const steps::side_loop sides{count, x.step, y.step};
            what.kind = factor_kind::lower;
            what.size = n;
            what.batch = {&sides, 1};
            linear::prepared_solve(what).run(memory.data(), y.data(), x.data());
            for (std::int64_t b = 0; b < count; ++b)
                for (std::int64_t i = 0; i < n; ++i) k.at(b, i, i) = 1;
            CHECK(residual(k, what, x, y) <= 1);
        }
}

namespace {

// By cofactors.
template <class T>
exact<T> determinant_of(const std::vector<std::vector<exact<T>>>& a) {
    if (a.empty()) return exact<T>{1};
    exact<T> sum{};
    for (std::size_t j = 0; j < a.size(); ++j) {
        std::vector<std::vector<exact<T>>> rest;
        for (std::size_t i = 1; i < a.size(); ++i) {
            rest.push_back(a[i]);
            rest.back().erase(rest.back().begin() + static_cast<std::ptrdiff_t>(j));
        }
        const exact<T> one = a[0][j] * determinant_of<T>(rest);
        sum += j % 2 == 0 ? one : -one;
    }
    return sum;
}

template <class T>
void check_determinants(std::int64_t count, std::int64_t n, factor_kind kind) {
    const auto k = random_matrices<T>(count, n, kind, static_cast<unsigned>(n));
    const factored<T> f(k, kind);
    REQUIRE_FALSE(f.failed);
    const auto values = f.determinants(determinant_part::value);
    const auto logarithms = f.determinants(determinant_part::logarithm);
    const auto signs = f.determinants(determinant_part::sign);
    for (std::int64_t b = 0; b < count; ++b) {
        std::vector<std::vector<exact<T>>> a(static_cast<std::size_t>(n));
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                steps::linear_solve what;
                what.kind = kind;
                a[static_cast<std::size_t>(i)].push_back(number_of(k, what, b, i, j));
            }
        const exact<T> wanted = determinant_of<T>(a);
        const auto at = static_cast<std::size_t>(b);
        const long double allowed = 200 * epsilon_of<T>() * (1 + std::abs(wanted));
        CAPTURE(count, n, b, static_cast<int>(kind), sizeof(T));
        CHECK(std::abs(exact_of(values[at]) - wanted) <= allowed);
        CHECK(std::abs(exact_of(signs[at]) - wanted / std::abs(wanted)) <=
              allowed / std::abs(wanted));
        CHECK(std::abs(exact_of(logarithms[at]) - std::log(std::abs(wanted))) <=
              allowed / std::abs(wanted));
    }
}

}  // namespace

TEST_CASE("determinants, their logarithms and signs") {
    for (const factor_kind kind :
         {factor_kind::lu, factor_kind::cholesky, factor_kind::lower, factor_kind::upper})
        for (const std::int64_t n : {0, 1, 2, 3, 6})
            for (const std::int64_t count : {1, 21}) {
                check_determinants<float>(count, n, kind);
                check_determinants<double>(count, n, kind);
                check_determinants<std::complex<float>>(count, n, kind);
                check_determinants<std::complex<double>>(count, n, kind);
            }
}

TEST_CASE("a singular matrix has the determinant 0, and those beside it have theirs") {
    for (const std::int64_t n : {2, 5, 30, 70})
        for (const std::int64_t count : {1, 20}) {
            auto k = random_matrices<double>(count, n, factor_kind::lu, 10);
            const auto wanted =
                factored<double>(k, factor_kind::lu).determinants(determinant_part::logarithm);
            for (std::int64_t i = 0; i < n; ++i) k.at(count / 2, i, n / 2) = 0;
            const factored<double> f(k, factor_kind::lu);
            CHECK(f.failed.matrix == count / 2);
            const auto at = static_cast<std::size_t>(count / 2);
            CHECK(f.determinants(determinant_part::value)[at] == 0);
            CHECK(f.determinants(determinant_part::sign)[at] == 0);
            const auto logarithms = f.determinants(determinant_part::logarithm);
            CHECK(logarithms[at] == -std::numeric_limits<double>::infinity());
            for (std::size_t b = 0; b < wanted.size(); ++b)
                if (b != at) CHECK(logarithms[b] == wanted[b]);
        }
}

TEST_CASE("the logarithm of a determinant that no double holds") {
    // Triangles times a permutation: the determinant is known.
    std::mt19937 random(11);
    for (const std::int64_t n : {700, 2000}) {
        matrices<double> k(1, n, n, 0);
        long double wanted = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int64_t row = n - 1 - i;
            k.at(0, row, i) = 1e3 * (1 + static_cast<double>(i));
            wanted += std::log(static_cast<long double>(k.at(0, row, i)));
            for (std::int64_t j = 0; j < n; ++j)
                if (j != i) k.at(0, row, j) = j < i ? 0 : random_number<double>(random);
        }
        const factored<double> f(k, factor_kind::lu);
        REQUIRE_FALSE(f.failed);
        CHECK(std::abs(f.determinants(determinant_part::logarithm)[0] -
                       static_cast<double>(wanted)) < 1e-11 * static_cast<double>(wanted));
        const double sign = n * (n - 1) / 2 % 2 == 0 ? 1 : -1;
        CHECK(f.determinants(determinant_part::sign)[0] == sign);
        CHECK(f.determinants(determinant_part::value)[0] ==
              sign * std::numeric_limits<double>::infinity());
    }
}

namespace {

// Numbers that are scaled by rows and columns: the residual of LU is small for what it was made of.
template <class T>
void check_graded(std::int64_t count, std::int64_t n, double steepness, unsigned seed) {
    std::mt19937 random(seed);
    using part = kernels::part_type<T>;
    matrices<T> k(count, n, n, 0), y(count, n, 5, 0), x(count, n, 5, 0);
    k.randomise(random);
    y.randomise(random);
    for (std::int64_t b = 0; b < count; ++b)
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j)
                k.at(b, i, j) *= static_cast<part>(std::pow(
                    10.0, -steepness * static_cast<double>(i + j) / static_cast<double>(2 * n)));
    const factored<T> f(k, factor_kind::lu);
    REQUIRE_FALSE(f.failed);
    for (const bool transposed : {false, true}) {
        steps::linear_solve what;
        what.transposed = transposed;
        f.solve(what, y, x);
        CAPTURE(count, n, steepness, sizeof(T), transposed);
        CHECK(residual(k, what, x, y) <= 1);
    }
}

}  // namespace

TEST_CASE("graded matrices") {
    for (const std::int64_t n : {4, 30, 150}) {
        for (const double steepness : {-12.0, 6.0, 20.0}) {
            check_graded<double>(1, n, steepness, 12);
            check_graded<std::complex<double>>(n < 100 ? 12 : 1, n, steepness, 13);
        }
        check_graded<float>(n < 100 ? 20 : 1, n, 8, 14);
    }
}

TEST_CASE("nearly singular matrices") {
    std::mt19937 random(15);
    for (const std::int64_t n : {6, 50, 200}) {
        // Of rank n - 1 but for a part of 1e-13.
        matrices<double> k(1, n, n, 1), y(1, n, 3, 0), x(1, n, 3, 1);
        k.randomise(random);
        y.randomise(random);
        for (std::int64_t i = 0; i < n; ++i)
            k.at(0, i, n - 1) = k.at(0, i, 0) - 2 * k.at(0, i, n / 2) + 1e-13 * k.at(0, i, n - 1);
        const factored<double> f(k, factor_kind::lu);
        REQUIRE_FALSE(f.failed);
        f.solve({}, y, x);
        CHECK(residual(k, {}, x, y) <= 1);
        // The matrix of Hilbert with a little on its diagonal, by Cholesky.
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j)
                k.at(0, i, j) = 1.0 / static_cast<double>(i + j + 1) + (i == j ? 1e-12 : 0);
        const factored<double> h(k, factor_kind::cholesky);
        REQUIRE_FALSE(h.failed);
        steps::linear_solve what;
        what.kind = factor_kind::cholesky;
        h.solve(what, y, x);
        CHECK(residual(k, what, x, y) <= 1);
    }
}

TEST_CASE("numbers at the ends of the range") {
    std::mt19937 random(16);
    for (const double size : {1e-310, 1e-300, 1e300})
        for (const std::int64_t count : {1, 10})
            for (const std::int64_t n : {3, 40}) {
                matrices<double> k(count, n, n, 0), unit(count, n, n, 0), x(count, n, n, 0);
                randomise(k, factor_kind::upper, random);
                for (std::int64_t b = 0; b < count; ++b)
                    for (std::int64_t i = 0; i < n; ++i)
                        for (std::int64_t j = 0; j < n; ++j) {
                            k.at(b, i, j) *= size / static_cast<double>(n);
                            unit.at(b, i, j) = i == j ? size : 0;
                        }
                for (const factor_kind kind : {factor_kind::lu, factor_kind::upper}) {
                    const factored<double> f(k, kind);
                    REQUIRE_FALSE(f.failed);
                    steps::linear_solve what;
                    what.kind = kind;
                    f.solve(what, unit, x);
                    CAPTURE(size, count, n, static_cast<int>(kind));
                    // Numbers below the ordinary ones have fewer digits.
                    const double allowed = size < 1e-305 ? 1e-3 : 1e-12;
                    for (std::int64_t i = 0; i < n; ++i)
                        for (std::int64_t j = 0; j < n; ++j) {
                            long double sum = 0;
                            for (std::int64_t t = 0; t < n; ++t)
                                if (kind == factor_kind::lu || i <= t)
                                    sum += static_cast<long double>(k.at(0, i, t)) *
                                           static_cast<long double>(x.at(0, t, j));
                            CHECK(std::abs(static_cast<double>(sum / size) - (i == j ? 1 : 0)) <
                                  allowed);
                        }
                }
            }
}
