// Accuracy and edges of the register machine's functions on every SIMD target, against what they
// mean in long double.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include "tests/catch.hpp"
#include "tests/unit/bodies/run_body.hpp"
#include "tests/unit/map/elementwise_targets.hpp"

namespace {

using namespace ricci;
using namespace ricci::testing;
using steps::opcode;

constexpr double infinity = std::numeric_limits<double>::infinity();

long double meaning(int op, long double x) {
    if (op == bodies::inverse_root) return 1 / std::sqrt(x);
    if (op == bodies::inverse_root_cubed) return 1 / (x * std::sqrt(x));
    return kernels::scalar::apply<long double>(op, x, x, x);
}

/// Distance in units of the last place of what was expected; denormals may be rounded.
template <class T>
double ulps(T got, long double expected) {
    if (std::isnan(expected)) return std::isnan(got) ? 0 : infinity;
    const T rounded = static_cast<T>(expected);
    if (got == rounded) return 0;
    if (!std::isfinite(rounded) || !std::isfinite(got)) return infinity;
    const T size = std::max(std::abs(rounded), std::numeric_limits<T>::min());
    const T step = std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
    return static_cast<double>(std::abs(static_cast<long double>(got) - expected) / step);
}

/// f(x) of each: as the sum over one column, and the largest over a block of them.
template <class T>
double worst(int op, const std::vector<T>& x) {
    bodies::body sum, most;
    for (bodies::body* b : {&sum, &most})
        b->fold({b == &sum ? kernels::body_fold::add : kernels::body_fold::larger, false,
                 b->apply(op, b->row(0))});
    double error = 0;
    for (const auto& [what, columns] :
         {std::pair(&sum, std::size_t{1}), std::pair(&most, std::size_t{64})}) {
        const auto got = machine::run<T>(*what, {x}, {}, x.size(), columns)[0];
        for (std::size_t i = 0; i < x.size(); ++i) {
            CAPTURE(op, x[i], got[i], columns);
            const double here = ulps(got[i], meaning(op, x[i]));
            if (here == infinity) FAIL_CHECK("of another kind");
            error = std::max(error, here);
        }
    }
    return error;
}

template <class T>
std::vector<T> between(double low, double high) {
    std::vector<T> x;
    for (int k = 0; k < 4001; ++k) x.push_back(static_cast<T>(low + (high - low) * k / 4001));
    return x;
}

/// Of all magnitudes, denormals too, or of a part of their exponents.
template <class T>
std::vector<T> of_all_sizes(double part = 1) {
    std::mt19937_64 generator(7);
    std::uniform_real_distribution<double> exponent(part * (sizeof(T) == 4 ? -148 : -1073),
                                                    part * (sizeof(T) == 4 ? 127 : 1023));
    std::vector<T> x;
    for (int k = 0; k < 4001; ++k) x.push_back(static_cast<T>(std::exp2(exponent(generator))));
    return x;
}

template <class T>
void check_accuracy() {
    const bool narrow = sizeof(T) == 4;
    const auto of = [](opcode code) { return kernels::operation(code); };
    CHECK(worst(of(opcode::exp), between<T>(narrow ? -110 : -760, narrow ? 92 : 720)) < 1.5);
    CHECK(worst(of(opcode::exp), between<T>(-2, 2)) < 1.5);
    CHECK(worst(of(opcode::log), between<T>(1e-3, 1e3)) < 4);
    CHECK(worst(of(opcode::sqrt), of_all_sizes<T>()) <= 0.5);
    CHECK(worst(of(opcode::reciprocal), between<T>(0.001, 1000)) <= 0.5);
    CHECK(worst(of(opcode::tanh), between<T>(-12, 12)) < 5);
    CHECK(worst(of(opcode::sigmoid), between<T>(-60, 60)) < 4);
    CHECK(worst(of(opcode::softplus), between<T>(-3, 3)) < 5);
    CHECK(worst(bodies::inverse_root, of_all_sizes<T>()) < 4);
    // Beyond that roots of cubes are no normal numbers.
    CHECK(worst(bodies::inverse_root_cubed, of_all_sizes<T>(0.6)) < 6);
    CHECK(worst(bodies::inverse_root_cubed, between<T>(0.01, 100)) < 5);
}

template <class T>
void check_edges() {
    const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    const T big = std::numeric_limits<T>::max(), tiny = std::numeric_limits<T>::denorm_min();
    const std::vector<T> x = {0, T(-0.0), 1,   -1,   inf, -inf,   nan,    tiny,    T(0.5),
                              3, -3,      big, -big, 89,  T(-88), T(710), T(-750), T(1e8)};
    for (int op = kernels::operation(opcode::negate); kernels::arity(op) == 1; ++op) {
        // Their digits are another test's; sin of the largest number has none in a quotient by pi.
        INFO("operation " << op);
        CHECK(worst(op, x) < 16);
    }
    const std::vector<T> of_roots = {0, T(-0.0), 1, -1, inf, -inf, nan, tiny, big, -big, 2};
    CHECK(worst(bodies::inverse_root, of_roots) < 4);
    CHECK(worst(bodies::inverse_root_cubed, of_roots) < 6);
}

/// Of all pairs of two lists the worst quotient, in ulp: of a number of a row and of a value.
template <class T>
double worst_quotient(const std::vector<T>& x, const std::vector<T>& y) {
    double error = 0;
    for (const bool into : {false, true}) {
        bodies::body b;
        const int loaded = b.row(into ? 1 : 0);
        const int value = b.apply(opcode::negate, b.apply(opcode::negate, loaded));
        const int other = b.row(into ? 0 : 1);
        b.fold({kernels::body_fold::add, false,
                b.apply(bodies::quotient, into ? other : value, into ? value : other)});
        for (const T divisor : y) {
            const std::vector<T> divisors(x.size(), divisor);
            const auto got = machine::run<T>(b, {x, divisors}, {}, x.size(), 1)[0];
            for (std::size_t i = 0; i < x.size(); ++i) {
                CAPTURE(x[i], divisor, got[i]);
                const double here = ulps(got[i], static_cast<long double>(x[i]) / divisor);
                if (here == infinity) FAIL_CHECK("of another kind");
                error = std::max(error, here);
            }
        }
    }
    return error;
}

template <class T>
void check_quotients() {
    const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    const T big = std::numeric_limits<T>::max(), tiny = std::numeric_limits<T>::denorm_min();
    const T least = std::numeric_limits<T>::min();
    const std::vector<T> edges = {0,    T(-0.0), 1,         -1,        3,       T(-0.1),
                                  inf,  -inf,    nan,       tiny,      -tiny,   big,
                                  -big, least,   least / 8, least * 3, big / 3, 1 / least};
    CHECK(worst_quotient(edges, edges) <= 1.5);
    auto divisors = of_all_sizes<T>(0.99);
    divisors.resize(40);
    CHECK(worst_quotient(between<T>(-1000, 1000), divisors) <= 1.5);
}

}  // namespace

TEST_CASE("quotients of bodies, at their edges too") {
    ricci::test::every_target().run([] {
        check_quotients<float>();
        check_quotients<double>();
    });
}

TEST_CASE("functions of bodies are accurate") {
    ricci::test::every_target().run([] {
        check_accuracy<float>();
        check_accuracy<double>();
    });
}

TEST_CASE("functions of bodies at their edges") {
    ricci::test::every_target().run([] {
        check_edges<float>();
        check_edges<double>();
    });
}
