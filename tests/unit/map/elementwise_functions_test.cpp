// Accuracy and edges of the element-wise functions on every SIMD target of the processor, against
// what they mean, in long double.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "src/kernels/elementwise/elementwise.hpp"
#include "src/map/map.hpp"
#include "tests/catch.hpp"
#include "tests/unit/map/elementwise_targets.hpp"
#include "tests/unit/map/meanings.hpp"

namespace {

using ricci::steps::opcode;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Distance in units of the last place of what was expected.
template <class T>
double ulps(T got, long double expected) {
    if (std::isnan(expected)) return std::isnan(got) ? 0 : infinity;
    if (static_cast<long double>(got) == expected) return 0;
    const T rounded = static_cast<T>(expected);
    if (got == rounded) return 0.5;
    if (!std::isfinite(rounded) || !std::isfinite(got)) return infinity;
    const T size = std::abs(rounded);
    const T step = std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
    return static_cast<double>(std::abs(static_cast<long double>(got) - expected) / step);
}

/// What a map makes of one operation: y[i] = op(a[i], b[i]).
template <class T>
std::vector<T> mapped(int op, std::vector<T> a, std::vector<T> b) {
    using ricci::steps::instruction;
    std::vector<T> y(a.size());
    std::vector<instruction> program{{opcode::load, -1, -1, -1, 1, 0},
                                     {opcode::load, -1, -1, -1, 2, 0}};
    const bool of_two = ricci::kernels::arity(op) == 2;
    program.push_back({static_cast<opcode>(op), 0, of_two ? 1 : -1, -1, -1, 0});
    const std::vector<std::int64_t> extents{static_cast<std::int64_t>(a.size())}, strides{1};
    const std::vector<ricci::steps::operand> operands(3, {0, strides});
    const ricci::elementwise::prepared_map map(
        {ricci::element_v<T>, ricci::steps::fold::none, extents, 0, operands, program});
    void* const bases[] = {y.data(), a.data(), b.data()};
    map.run(bases);
    return y;
}

/// The worst error of one function over the given arguments.
template <class T>
double worst(opcode code, const std::vector<T>& x) {
    const int op = ricci::kernels::operation(code);
    const std::vector<T> y = mapped(op, x, x);
    double most = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const long double expected = ricci::test::meaning<long double>(op, x[i], x[i], x[i]);
        most = std::max(most, ulps(y[i], expected));
    }
    return most;
}

template <class T>
std::vector<T> spread(double low, double high, std::size_t count) {
    std::vector<T> x;
    for (std::size_t i = 0; i < count; ++i) {
        x.push_back(static_cast<T>(low + (high - low) * static_cast<double>(i) /
                                             static_cast<double>(count)));
    }
    return x;
}

template <class T>
void check_functions() {
    const bool narrow = sizeof(T) == 4;
    CHECK(worst(opcode::exp, spread<T>(narrow ? -87 : -708, narrow ? 88.7 : 709.7, 20011)) < 1.5);
    CHECK(worst(opcode::exp, spread<T>(-2, 2, 20011)) < 1.5);
    CHECK(worst(opcode::log, spread<T>(1e-3, 1e3, 20011)) < 4);
    CHECK(worst(opcode::tanh, spread<T>(-12, 12, 20011)) < 5);
    CHECK(worst(opcode::erf, spread<T>(-7, 7, 20011)) < 3);
    CHECK(worst(opcode::sigmoid, spread<T>(-60, 60, 20011)) < 4);
    CHECK(worst(opcode::gelu, spread<T>(-1, 8, 20011)) < 8);
    CHECK(worst(opcode::elu, spread<T>(-20, 3, 20011)) < 5);
    CHECK(worst(opcode::silu, spread<T>(-60, 60, 20011)) < 5);
    CHECK(worst(opcode::softplus, spread<T>(narrow ? -80 : -700, 60, 20011)) < 5);
    CHECK(worst(opcode::softplus, spread<T>(-3, 3, 20011)) < 5);
    CHECK(worst(opcode::arctan, spread<T>(-3, 3, 20011)) < 4);
    CHECK(worst(opcode::arctan, spread<T>(-1e4, 1e4, 20011)) < 4);
    CHECK(worst(opcode::sinh, spread<T>(-1e-3, 1e-3, 2003)) < 2);
    CHECK(worst(opcode::sinh, spread<T>(-3, 3, 20011)) < 4);
    CHECK(worst(opcode::sinh, spread<T>(narrow ? -89.4 : -710, narrow ? 89.4 : 710, 20011)) < 4);
    CHECK(worst(opcode::cosh, spread<T>(-3, 3, 20011)) < 4);
    CHECK(worst(opcode::cosh, spread<T>(narrow ? -89.4 : -710, narrow ? 89.4 : 710, 20011)) < 4);
    // Near multiples of pi the relative error is that of the reduced argument.
    CHECK(worst(opcode::sin, spread<T>(-1.5, 1.5, 20011)) < 4);
    CHECK(worst(opcode::cos, spread<T>(-1.5, 1.5, 20011)) < 4);
    CHECK(worst(opcode::tan, spread<T>(-1.57, 1.57, 20011)) < 6);
    CHECK(worst(opcode::tan, spread<T>(39001, 100000, 2003)) < 3);
    CHECK(worst(opcode::sin, spread<T>(39001, 100000, 2003)) < 1);
}

template <class T>
void check_edges() {
    const T inf = std::numeric_limits<T>::infinity();
    const T nan = std::numeric_limits<T>::quiet_NaN();
    const T tiny = std::numeric_limits<T>::denorm_min();
    const T big = std::numeric_limits<T>::max();
    const std::vector<T> x = {0,       T(-0.0),   1,      -1,      inf,    -inf,  nan,     tiny,
                              -tiny,   big,       -big,   T(0.5),  3,      -3,    T(88.8), T(-88.8),
                              T(-103), T(-104.5), T(710), T(-746), 100000, T(1e8)};
    for (int op = ricci::kernels::operation(opcode::negate); ricci::kernels::arity(op) == 1; ++op) {
        const std::vector<T> y = mapped(op, x, x);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const long double wide = ricci::test::meaning<long double>(op, x[i], 0, 0);
            const T expected = static_cast<T>(wide);
            CAPTURE(op, x[i], y[i], expected);
            const T slack = std::numeric_limits<T>::min() +
                            8 * std::numeric_limits<T>::epsilon() * std::abs(expected);
            const bool close = std::abs(y[i] - expected) <= slack;
            CHECK((y[i] == expected || (std::isnan(y[i]) && std::isnan(expected)) || close));
        }
    }
    std::vector<T> first, second;
    for (const T a : x)
        for (const T b : x) first.push_back(a), second.push_back(b);
    for (int op = ricci::kernels::operation(opcode::maximum); ricci::kernels::arity(op) == 2;
         ++op) {
        const std::vector<T> y = mapped(op, first, second);
        for (std::size_t i = 0; i < y.size(); ++i) {
            const T expected = ricci::test::meaning<T>(op, first[i], second[i], second[i]);
            CAPTURE(op, first[i], second[i], y[i], expected);
            CHECK((y[i] == expected || (std::isnan(y[i]) && std::isnan(expected))));
        }
    }
}

}  // namespace

TEST_CASE("functions are accurate on every target", "[elementwise]") {
    ricci::test::every_target().run([] {
        check_functions<float>();
        check_functions<double>();
    });
}

TEST_CASE("functions are right at their edges", "[elementwise]") {
    ricci::test::every_target().run([] {
        check_edges<float>();
        check_edges<double>();
    });
}
