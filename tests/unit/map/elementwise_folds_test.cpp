// Sums and other folds, of short rows, short runs and long ones.

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "src/runtime/parallel.hpp"
#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/unit/map/elementwise_problem.hpp"
#include "tests/unit/map/elementwise_targets.hpp"

namespace {

using namespace ricci::test;

/// Two blocks of rows, each a sum, or a mean over `outer` pieces that lie apart.
template <class T>
void check_short_rows(std::int64_t rows, std::int64_t outer, std::int64_t columns) {
    problem<T> p;
    p.folding = outer == 1 ? fold::sum : fold::mean;
    p.folded = 2;
    p.extents = {2, rows, outer, columns};
    p.set_operands(2);
    const std::int64_t step = columns + rows % 2, all = rows * step;
    p.strides = {{rows, 1, 0, 0}, {outer * all, step, all, 1}};
    p.program = {load(1)};
    std::mt19937 random(7);
    std::uniform_real_distribution<double> values(-4, 4);
    for (std::size_t k = 0; k < 2; ++k) p.allocate(k, [&] { return values(random); });
    check(p);
}

/// Sums of products of two operands, or of the squares of one, in rows of `outer` pieces.
template <class T>
void check_products(std::int64_t rows, std::int64_t outer, std::int64_t columns, bool squares) {
    problem<T> p;
    p.folding = fold::sum;
    p.folded = 2;
    p.extents = {rows, outer, columns};
    p.set_operands(squares ? 2 : 3);
    p.strides[0] = {1, 0, 0};
    p.strides[1] = {columns, rows * columns, 1};
    if (!squares) p.strides[2] = {outer * (columns + 3), columns + 3, 1};
    p.program = {load(1), load(squares ? 1 : 2), operation(opcode::multiply, 0, 1)};
    std::mt19937 random(7);
    std::uniform_real_distribution<double> values(-4, 4);
    for (std::size_t k = 0; k < p.memory.size(); ++k) p.allocate(k, [&] { return values(random); });
    check(p);
}

}  // namespace

TEST_CASE("long sums keep their digits", "[elementwise]") {
    ricci::test::every_target().run([&] {
        for (const bool inner : {true, false}) {
            CAPTURE(inner);
            auto p =
                matrix_fold<float>(fold::sum, inner ? 1 : 300000, inner ? 300000 : 1, inner, 3);
            for (float& x : p.memory[1]) x = 0.1f;
            prepared_map(p.map()).run(p.bases.data());
            const double expected = 300000 * static_cast<double>(0.1f);
            CHECK(std::abs(static_cast<double>(p.memory[0][0]) - expected) < 1e-6 * expected);
        }
    });
}

TEST_CASE("folds of short runs", "[elementwise]") {
    ricci::test::every_target().run([&] {
        for (const std::int64_t run : {2, 3, 4, 5, 7, 8, 9, 16, 17}) {
            for (const std::int64_t count : {1, 17, 300, 5000}) {
                for (const fold folding : {fold::sum, fold::mean, fold::maximum, fold::minimum}) {
                    CAPTURE(run, count, static_cast<int>(folding));
                    auto d = matrix_fold<double>(folding, count, run, true, 3);
                    check(d);
                    auto f = matrix_fold<float>(folding, count, run, true, 4);
                    check(f);
                }
            }
        }
    });
}

TEST_CASE("sums of short rows", "[elementwise]") {
    // With another folded loop around the rows, or none: a group of rows ends where the loop does.
    ricci::test::every_target().run([&] {
        for (const std::int64_t columns : {8, 13, 18, 64, 127, 256, 300, 512}) {
            for (const std::int64_t rows : {1, 3, 4, 15, 16, 17, 50, 301}) {
                for (const std::int64_t outer : {1, 3}) {
                    CAPTURE(columns, rows, outer);
                    check_short_rows<float>(rows, outer, columns);
                    check_short_rows<double>(rows, outer, columns);
                }
            }
        }
    });
}

TEST_CASE("sums of columns", "[elementwise]") {
    // Columns of one unit and of several; rows that are added several at a time, and what is left
    // of them.
    const auto widths = ricci::testing::few_or<std::vector<std::int64_t>>(
        {1, 65, 3073}, {1, 31, 64, 65, 1000, 3073, 6500});
    ricci::test::every_target().run([&] {
        for (const std::int64_t columns : widths) {
            for (const std::int64_t rows : {2, 7, 8, 11, 63, 64, 65, 150, 270}) {
                for (const fold folding : {fold::sum, fold::mean}) {
                    CAPTURE(columns, rows, static_cast<int>(folding));
                    auto d = matrix_fold<double>(folding, rows, columns, false, 3);
                    check(d);
                    auto f = matrix_fold<float>(folding, rows, columns, false, 4);
                    check(f);
                }
            }
        }
    });
}

TEST_CASE("sums of products of two operands", "[elementwise]") {
    // Rows of one tile and of several, contiguous ones and pieces that lie apart; a number of
    // blocks.
    ricci::test::every_target().run([&] {
        for (const std::int64_t columns : {1, 9, 63, 100, 1000, 2048, 5003}) {
            for (const std::int64_t rows : {1, 3}) {
                for (const std::int64_t outer : {1, 5}) {
                    for (const bool squares : {false, true}) {
                        CAPTURE(columns, rows, outer, squares);
                        check_products<float>(rows, outer, columns, squares);
                        check_products<double>(rows, outer, columns, squares);
                    }
                }
            }
        }
    });
}

TEST_CASE("sums of long rows that no near cache holds", "[elementwise]") {
    // Whole numbers: every order of adding them gives the same.
    struct shape {
        std::int64_t rows, columns;
    };
    ricci::test::every_target().run([&] {
        for (const shape s : {shape{1, 600011}, shape{70, 9000}, shape{3, 300000}}) {
            auto p = matrix_fold<float>(fold::sum, s.rows, s.columns, true, 3);
            for (std::size_t i = 0; i < p.memory[1].size(); ++i)
                p.memory[1][i] = static_cast<float>(i % 7);
            prepared_map(p.map()).run(p.bases.data());
            for (std::size_t r = 0; r < p.memory[0].size(); ++r) {
                double sum = 0;
                for (std::size_t j = 0; j < static_cast<std::size_t>(s.columns); ++j)
                    sum += static_cast<double>(
                        p.memory[1][r * static_cast<std::size_t>(s.columns) + j]);
                CHECK(static_cast<double>(p.memory[0][r]) == sum);
            }
        }
    });
}

TEST_CASE("sums of more short runs than the caches hold", "[elementwise]") {
    for (const std::int64_t threads : {1, 2}) {
        ricci::runtime::set_worker_count(static_cast<int>(threads));
        for (const std::int64_t run : {2, 3, 8}) {
            problem<double> p = matrix_fold<double>(fold::sum, 1050001, run, true, 3);
            for (std::size_t i = 0; i < p.memory[1].size(); ++i)
                p.memory[1][i] = static_cast<double>(i % 1009);
            prepared_map(p.map()).run(p.bases.data());
            std::int64_t wrong = 0;
            for (std::size_t i = 0; i < p.memory[0].size(); ++i) {
                double sum = 0;
                for (std::size_t j = 0; j < static_cast<std::size_t>(run); ++j)
                    sum += p.memory[1][i * static_cast<std::size_t>(run) + j];
                wrong += sum != p.memory[0][i];
            }
            CHECK(wrong == 0);
        }
        ricci::runtime::set_worker_count(0);
    }
}
