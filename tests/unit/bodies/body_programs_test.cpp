// Random bodies on the register machine, of every SIMD target: all that it folds is what long
// double gives pair by pair, within what rounding may do, and no bit of a pair depends on where in
// a block the pair is.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "tests/catch.hpp"
#include "tests/few.hpp"
#include "tests/unit/bodies/run_body.hpp"
#include "tests/unit/map/elementwise_targets.hpp"

namespace {

using namespace ricci;
using namespace ricci::testing;
using kernels::body_fold;
using steps::opcode;

constexpr int row_operands = 4, column_operands = 4, plane_operands = 2;

class drawing {
public:
    explicit drawing(unsigned seed) : generator_(seed) {}

    int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(generator_); }
    double number() { return std::uniform_real_distribution<double>(-2, 2)(generator_); }

    bodies::body body(bool exact) {
        bodies::body b;
        std::vector<int> values, leaves;
        for (int k = 0; k < row_operands; ++k) leaves.push_back(b.row(k));
        for (int k = 0; k < column_operands; ++k) leaves.push_back(b.column(k));
        for (int k = 0; k < plane_operands; ++k) leaves.push_back(b.pair(k));
        leaves.push_back(b.constant(0.75));
        leaves.push_back(b.constant(-1.5));
        values = leaves;
        const auto any = [&](const std::vector<int>& of) {
            return of[static_cast<std::size_t>(below(static_cast<int>(of.size())))];
        };
        // Most bodies begin with distances, as most that are written do.
        if (below(2) == 0) values.push_back(squares(b, 1 + below(4)));
        if (below(4) == 0) values.push_back(b.apply(opcode::add, values.back(), any(leaves)));
        const int count = 1 + below(16);
        for (int k = 0; k < count; ++k) values.push_back(value(b, any, values, leaves));
        const int folds = 1 + below(4);
        for (int k = 0; k < folds; ++k) {
            constexpr body_fold all[] = {body_fold::add, body_fold::larger, body_fold::smaller};
            const int back = std::min(below(4), static_cast<int>(values.size()) - 1);
            int v = values[values.size() - 1 - static_cast<std::size_t>(back)];
            if (below(2) == 0) v = b.apply(opcode::multiply, v, any(leaves));
            if (below(4) == 0)
                v = b.apply(opcode::multiply, v,
                            b.apply(opcode::subtract, any(leaves), any(leaves)));
            b.fold({exact ? all[1 + below(2)] : all[below(3)], below(3) == 0, v});
        }
        return b;
    }

    template <class T>
    machine::operands<T> operands(int count, std::size_t extent) {
        machine::operands<T> all(static_cast<std::size_t>(count));
        for (auto& one : all)
            for (std::size_t i = 0; i < extent; ++i)
                // A few equal ones, for comparisons.
                one.push_back(below(3) == 0 ? T(below(3)) : static_cast<T>(number()));
        return all;
    }

    std::mt19937& generator() { return generator_; }

private:
    static int squares(bodies::body& b, int count) {
        int sum = -1;
        for (int k = 0; k < count; ++k) {
            const int d = k % 2 == 0 ? b.apply(opcode::subtract, b.column(k), b.row(k))
                                     : b.apply(opcode::subtract, b.row(k), b.column(k));
            sum = sum < 0 ? b.apply(opcode::square, d) : b.apply(kernels::multiply_add, d, d, sum);
        }
        return sum;
    }

    template <class Any>
    int value(bodies::body& b, Any any, const std::vector<int>& values,
              const std::vector<int>& leaves) {
        const int x = any(values), y = any(values), z = any(values);
        // Arguments of functions that keep their digits.
        const auto positive = [&] {
            return b.apply(opcode::add, b.apply(opcode::square, x), b.constant(0.5));
        };
        const auto near = [&] { return b.apply(opcode::tanh, x); };
        switch (below(20)) {
            case 0:
            case 1:
                return b.apply(opcode::add, x, y);
            case 2:
            case 3:
                return b.apply(opcode::subtract, x, y);
            case 4:
            case 5:
                return b.apply(opcode::multiply, near(), y);
            case 6:
                return b.apply(opcode::square, near());
            case 7:
                return b.apply(kernels::multiply_add, near(), y, z);
            case 8:
                return b.apply(opcode::maximum, x, y);
            case 9:
                return b.apply(opcode::minimum, x, y);
            case 10:
                return b.apply(opcode::exp, near());
            case 11:
                return b.apply(
                    opcode::divide, y,
                    below(2) == 0 ? positive() : b.apply(opcode::reciprocal, positive()));
            case 12:
                return b.apply(opcode::reciprocal, positive());
            case 13:
                return b.apply(opcode::sqrt, positive());
            case 14: {
                const int p = positive();
                return b.apply(opcode::reciprocal,
                               b.apply(opcode::multiply, p, b.apply(opcode::sqrt, p)));
            }
            case 15:
                return b.apply(opcode::divide, y, b.apply(opcode::sqrt, positive()));
            case 16:
                return b.apply(opcode::negate, x);
            case 17: {
                constexpr opcode all[] = {opcode::less, opcode::less_equal, opcode::equal,
                                          opcode::not_equal};
                const int c = b.apply(all[below(4)], any(leaves), any(leaves));
                return b.apply(opcode::select, c, x, below(2) == 0 ? b.constant(0) : y);
            }
            case 18: {
                const int p = b.apply(opcode::less, any(leaves), any(leaves));
                const int q = b.apply(opcode::equal, any(leaves), any(leaves));
                return b.apply(below(2) == 0 ? opcode::logical_and : opcode::logical_or, p, q);
            }
            default:
                return b.apply(opcode::sigmoid, x);
        }
    }

    std::mt19937 generator_;
};

template <class T>
void check_values(unsigned seed) {
    drawing draw(seed);
    bodies::body what = draw.body(false);
    const bodies::body as_written = what;
    if (draw.below(4) != 0) what.simplify();
    const std::size_t rows = 1 + static_cast<std::size_t>(draw.below(70));
    const std::size_t columns = 1 + static_cast<std::size_t>(draw.below(40));
    const auto x = draw.operands<T>(row_operands, rows),
               z = draw.operands<T>(column_operands, columns),
               planes = draw.operands<T>(plane_operands, rows * columns);
    const auto got = machine::run<T>(what, x, z, rows, columns, planes);
    const long double unit = std::numeric_limits<T>::epsilon();
    std::vector<std::vector<long double>> sum(got.size()), size(got.size()), error(got.size());
    for (std::size_t f = 0; f < got.size(); ++f) {
        const auto fold = as_written.folds()[f].what;
        sum[f].assign(got[f].size(), fold == body_fold::add      ? 0
                                     : fold == body_fold::larger ? -1e300L
                                                                 : 1e300L);
        size[f].assign(got[f].size(), 0);
        error[f] = size[f];
    }
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
            const auto values = machine::values_of<T>(as_written, x, z, i, j, planes);
            for (std::size_t f = 0; f < got.size(); ++f) {
                const auto& fold = as_written.folds()[f];
                const auto v = values[static_cast<std::size_t>(fold.value)];
                const std::size_t k = fold.over_rows ? j : i;
                if (fold.what == body_fold::add) {
                    sum[f][k] += v.value;
                    size[f][k] += std::abs(v.value);
                    error[f][k] += v.error;
                } else {
                    sum[f][k] = fold.what == body_fold::larger ? std::max(sum[f][k], v.value)
                                                               : std::min(sum[f][k], v.value);
                    error[f][k] = std::max(error[f][k], v.error);
                }
            }
        }
    for (std::size_t f = 0; f < got.size(); ++f)
        for (std::size_t k = 0; k < got[f].size(); ++k) {
            const long double terms =
                static_cast<long double>(as_written.folds()[f].over_rows ? rows : columns);
            const long double bound = 2 * error[f][k] + 2 * terms * unit * size[f][k] + 1e-30L;
            if (!(std::abs(got[f][k] - sum[f][k]) <= bound)) {
                CAPTURE(seed, f, k, got[f][k], sum[f][k], bound);
                FAIL_CHECK("too far away");
                return;
            }
        }
}

template <class T>
std::vector<T> permuted(const std::vector<T>& from, const std::vector<std::size_t>& order) {
    std::vector<T> to;
    for (const std::size_t k : order) to.push_back(from[k]);
    return to;
}

/// But for the signs of zeros, which are equal.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](T x, T y) {
        return std::memcmp(&x, &y, sizeof x) == 0 || (x == 0 && y == 0);
    });
}

// Extrema do not round: whatever differs are the values.
template <class T>
void check_places(unsigned seed) {
    drawing draw(seed);
    bodies::body what = draw.body(true);
    what.simplify();
    const std::size_t rows = 1 + static_cast<std::size_t>(draw.below(100));
    const std::size_t columns = 1 + static_cast<std::size_t>(draw.below(100));
    auto x = draw.operands<T>(row_operands, rows), z = draw.operands<T>(column_operands, columns);
    auto planes = draw.operands<T>(plane_operands, rows * columns);
    const auto before = machine::run<T>(what, x, z, rows, columns, planes);
    std::vector<std::size_t> of_rows(rows), of_columns(columns);
    std::iota(of_rows.begin(), of_rows.end(), std::size_t{0});
    std::iota(of_columns.begin(), of_columns.end(), std::size_t{0});
    std::shuffle(of_rows.begin(), of_rows.end(), draw.generator());
    std::shuffle(of_columns.begin(), of_columns.end(), draw.generator());
    for (auto& one : x) one = permuted(one, of_rows);
    for (auto& one : z) one = permuted(one, of_columns);
    std::vector<std::size_t> of_pairs;
    for (const std::size_t i : of_rows)
        for (const std::size_t j : of_columns) of_pairs.push_back(i * columns + j);
    for (auto& one : planes) one = permuted(one, of_pairs);
    const auto after = machine::run<T>(what, x, z, rows, columns, planes);
    for (std::size_t f = 0; f < before.size(); ++f) {
        CAPTURE(seed, f);
        const auto& order = what.folds()[f].over_rows ? of_columns : of_rows;
        CHECK(same_bits(permuted(before[f], order), after[f]));
    }
}

}  // namespace

TEST_CASE("random bodies are what they mean") {
    ricci::test::every_target().run([] {
        for (unsigned seed = 0; seed < few_or(100u, 2000u); ++seed) {
            check_values<float>(seed);
            check_values<double>(seed + 100000);
        }
    });
}

TEST_CASE("pairs do not depend on where in a block they are") {
    ricci::test::every_target().run([] {
        for (unsigned seed = 0; seed < few_or(50u, 500u); ++seed) {
            check_places<float>(seed);
            check_places<double>(seed + 100000);
        }
    });
}

TEST_CASE("what is no number stays in folds of bodies") {
    ricci::test::every_target().run([] {
        for (const auto what :
             {body_fold::add, body_fold::multiply, body_fold::larger, body_fold::smaller})
            for (const bool over_rows : {false, true})
                for (const std::size_t place : {0u, 5u, 15u, 16u, 37u}) {
                    CAPTURE(static_cast<int>(what), over_rows, place);
                    bodies::body b;
                    b.fold({what, over_rows, b.apply(steps::opcode::add, b.row(0), b.column(0))});
                    std::vector<float> x(40, 1), z(50, 2);
                    x[7] = std::numeric_limits<float>::infinity();
                    z[place] = std::numeric_limits<float>::quiet_NaN();
                    const auto got = machine::run<float>(b, {x}, {z}, 40, 50)[0];
                    for (std::size_t k = 0; k < got.size(); ++k)
                        CHECK(std::isnan(got[k]) == (!over_rows || k == place));
                }
    });
}
