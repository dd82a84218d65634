// Solutions with factors: residuals in long double for all kinds, types, strides and sizes, one
// matrix or many, on every SIMD target.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <random>

#include "tests/catch.hpp"
#include "tests/unit/contract/settings.hpp"
#include "tests/unit/linear/matrices.hpp"

namespace {

using namespace ricci;
using namespace ricci::testing;
using steps::factor_kind;

constexpr factor_kind all_kinds[] = {factor_kind::lu, factor_kind::cholesky, factor_kind::lower,
                                     factor_kind::upper};

// A residual of 1 is n eps (|K| |x| + |y|).
constexpr long double residual_allowed = 1;

template <class T>
void check_solve(std::int64_t count, std::int64_t n, std::int64_t sides, factor_kind kind,
                 std::mt19937& random) {
    const auto layout = [&] { return static_cast<int>(random() % 6); };
    matrices<T> k(count, n, n, layout());
    matrices<T> y(count, n, sides, layout()), x(count, n, sides, layout());
    randomise(k, kind, random);
    y.randomise(random);
    const factored<T> f(k, kind);
    REQUIRE_FALSE(f.failed);
    steps::linear_solve what;
    what.kind = kind;
    what.transposed = random() % 2 == 0;
    what.conjugated = random() % 2 == 0;
    CAPTURE(count, n, sides, static_cast<int>(kind), what.transposed, what.conjugated, k.row,
            k.column, x.row, x.column, y.row, y.column, sizeof(T));
    f.solve(what, y, x);
    CHECK(residual(k, what, x, y) <= residual_allowed);
}

template <class T>
void check_sizes(unsigned seed) {
    std::mt19937 random(seed);
    for (const factor_kind kind : all_kinds) {
        for (const std::int64_t n : {0, 1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 64, 65, 100, 130})
            for (const std::int64_t sides : {1, 7, 40}) check_solve<T>(1, n, sides, kind, random);
        for (const std::int64_t count : {0, 2, 4, 7, 16, 33, 100})
            for (const std::int64_t n : {1, 2, 3, 4, 5, 9, 16, 17, 40})
                check_solve<T>(count, n, n % 2 == 0 ? 1 : 11, kind, random);
    }
}

}  // namespace

TEST_CASE("solutions of all kinds, sizes and strides") {
    on_every_target([] {
        check_sizes<float>(1);
        check_sizes<double>(2);
        check_sizes<std::complex<float>>(3);
        check_sizes<std::complex<double>>(4);
    });
}

TEST_CASE("a thousand small matrices") {
    std::mt19937 random(5);
    for (const std::int64_t n : {1, 4, 12, 25}) {
        check_solve<float>(1000, n, 1, factor_kind::lu, random);
        check_solve<double>(1000, n, 3, factor_kind::cholesky, random);
        check_solve<std::complex<double>>(1000, n, 1, factor_kind::lu, random);
    }
}

TEST_CASE("larger matrices, with blocks of several sizes") {
    std::mt19937 random(6);
    for (const std::int64_t n : {257, 400}) {
        check_solve<double>(1, n, 30, factor_kind::lu, random);
        check_solve<double>(1, n, 1, factor_kind::cholesky, random);
        check_solve<float>(1, n, 30, factor_kind::cholesky, random);
        check_solve<std::complex<float>>(2, n, 5, factor_kind::lu, random);
        check_solve<std::complex<double>>(1, n, 5, factor_kind::cholesky, random);
        check_solve<double>(3, n, 20, factor_kind::upper, random);
    }
}

namespace {

template <class T>
void check_inverse(std::int64_t count, std::int64_t n, factor_kind kind) {
    std::mt19937 random(static_cast<unsigned>(7 * n + count));
    matrices<T> k(count, n, n, 0), unit(count, n, n, 0), x(count, n, n, 2);
    randomise(k, kind, random);
    for (std::int64_t b = 0; b < count; ++b)
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j) unit.at(b, i, j) = i == j ? T{1} : T{0};
    const factored<T> f(k, kind);
    REQUIRE_FALSE(f.failed);
    steps::linear_solve what;
    what.kind = kind;
    what.of_identity = true;
    for (const bool transposed : {false, true}) {
        what.transposed = transposed;
        f.solve(what, matrices<T>(count, 0, 0, 0), x);
        CAPTURE(count, n, transposed, static_cast<int>(kind), sizeof(T));
        CHECK(residual(k, what, x, unit) <= residual_allowed);
    }
}

template <class T>
void check_triangle(std::int64_t count, std::int64_t n) {
    std::mt19937 random(static_cast<unsigned>(11 * n + count));
    matrices<T> k(count, n, n, 1), y(count, n, 3, 0), x(count, n, 3, 1);
    randomise(k, factor_kind::cholesky, random);
    y.randomise(random);
    const factored<T> f(k, factor_kind::cholesky);
    REQUIRE_FALSE(f.failed);
    const matrices<T> l = f.lower(0);
    CAPTURE(count, n, sizeof(T));
    long double error = 0, size = 0;
    for (std::int64_t b = 0; b < count; ++b)
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                exact<T> sum = -exact_of(k.at(b, i, j));
                for (std::int64_t t = 0; t < n; ++t)
                    sum += exact_of(l.at(b, i, t)) * conjugate_of<T>(exact_of(l.at(b, j, t)));
                error = std::max(error, std::abs(sum));
                size = std::max(size, std::abs(exact_of(k.at(b, i, j))));
                if (i < j) REQUIRE(l.at(b, i, j) == T{});
            }
    CHECK(error <= epsilon_of<T>() * static_cast<long double>(n + 1) * size);
    steps::linear_solve what;
    what.of_triangle = true;
    for (const bool transposed : {false, true})
        for (const bool conjugated : {false, true}) {
            what.transposed = transposed;
            what.conjugated = conjugated;
            f.solve(what, y, x);
            what.kind = factor_kind::lower;  // L is what is solved with
            CHECK(residual(l, what, x, y) <= residual_allowed);
            what.kind = factor_kind::cholesky;
        }
}

}  // namespace

TEST_CASE("inverses are solutions of the unit matrix") {
    for (const factor_kind kind : all_kinds) {
        check_inverse<double>(1, 70, kind);
        check_inverse<float>(40, 6, kind);
        check_inverse<std::complex<double>>(20, 16, kind);
        check_inverse<std::complex<float>>(3, 35, kind);
    }
}

TEST_CASE("Cholesky factors, and solutions with them alone") {
    check_triangle<double>(1, 150);
    check_triangle<float>(50, 7);
    check_triangle<std::complex<double>>(2, 45);
    check_triangle<std::complex<float>>(30, 12);
}

TEST_CASE("a batch that repeats matrices or right-hand sides") {
    // Two loops: of matrices that repeat along the first, right-hand sides along the second.
    std::mt19937 random(12);
    for (const std::int64_t n : {4, 20}) {
        matrices<double> k(5, n, n, 0), y(3, n, 1, 0), x(15, n, 1, 0);
        k.randomise(random);
        y.randomise(random);
        const steps::matrix_loop batch[] = {{3, 0}, {5, k.step}};
        const steps::side_loop sides[] = {{3, 5 * x.step, y.step}, {5, x.step, 0}};
        const factor_memory memory(linear::factor_bytes(element::f64, factor_kind::lu, n, 15));
        const linear::prepared_factorization factors(
            {element::f64, factor_kind::lu, n, k.row, k.column, batch});
        REQUIRE_FALSE(factors.run(k.data(), memory.data()));
        steps::linear_solve what;
        what.size = n;
        what.x_row = x.row;
        what.y_row = y.row;
        what.batch = sides;
        linear::prepared_solve(what).run(memory.data(), y.data(), x.data());
        for (std::int64_t a = 0; a < 3; ++a)
            for (std::int64_t b = 0; b < 5; ++b) {
                matrices<double> one(1, n, n, 0), from(1, n, 1, 0), to(1, n, 1, 0);
                for (std::int64_t i = 0; i < n; ++i) {
                    for (std::int64_t j = 0; j < n; ++j) one.at(0, i, j) = k.at(b, i, j);
                    from.at(0, i, 0) = y.at(a, i, 0);
                    to.at(0, i, 0) = x.at(a * 5 + b, i, 0);
                }
                CHECK(residual(one, {}, to, from) <= residual_allowed);
            }
    }
}
