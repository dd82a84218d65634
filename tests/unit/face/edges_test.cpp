// Every function of real numbers, with its first and second derivative, where arguments are 0, tiny
// or huge: against formulas in long double that are right there.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <ricci/program.hpp>
#include <ricci/ricci.hpp>

#include "tests/catch.hpp"

using namespace ricci;

namespace {

using real = long double;
using real_function = std::function<real(real)>;

/// What a function of x is in the notation, and its value and derivatives; no second one where the
/// first is constant between its jumps.
struct known_function {
    const char* text;
    real_function value, first, second;
};

real square(real x) { return x * x; }
real logistic(real x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }
/// \exp(-x^2 / 2) without the infinite square.
real bell(real x) { return std::abs(x) > 1e4L ? 0 : std::exp(-x * x / 2); }
real slope_of_tanh(real x) { return std::abs(x) > 5000 ? 0 : 1 / square(std::cosh(x)); }
real bell_of_erf(real x) { return std::abs(x) > 1e4L ? 0 : std::exp(-x * x); }

const real root_two = std::sqrt(2.0L), pi = std::acos(-1.0L);
real normal(real x) { return std::erfc(-x / root_two) / 2; }
real density(real x) { return bell(x) / std::sqrt(2 * pi); }

const std::vector<known_function> table = {
    {"\\exp(x^i)", [](real x) { return std::exp(x); }, [](real x) { return std::exp(x); },
     [](real x) { return std::exp(x); }},
    {"\\log(x^i)", [](real x) { return std::log(x); }, [](real x) { return 1 / x; },
     [](real x) { return -1 / square(x); }},
    {"\\sqrt{x^i}", [](real x) { return std::sqrt(x); }, [](real x) { return 0.5L / std::sqrt(x); },
     [](real x) { return -0.25L / (x * std::sqrt(x)); }},
    {"\\tanh(x^i)", [](real x) { return std::tanh(x); }, slope_of_tanh,
     [](real x) { return -2 * std::tanh(x) * slope_of_tanh(x); }},
    {"\\arctan(x^i)", [](real x) { return std::atan(x); },
     [](real x) { return 1 / (1 + square(x)); },
     [](real x) { return -2 * (x / (1 + square(x))) / (1 + square(x)); }},
    {"\\sinh(x^i)", [](real x) { return std::sinh(x); }, [](real x) { return std::cosh(x); },
     [](real x) { return std::sinh(x); }},
    {"\\cosh(x^i)", [](real x) { return std::cosh(x); }, [](real x) { return std::sinh(x); },
     [](real x) { return std::cosh(x); }},
    {"|x^i|", [](real x) { return std::abs(x); },
     [](real x) { return x > 0   ? 1.0L
                         : x < 0 ? -1.0L
                                 : 0.0L; }, nullptr},
    {"\\sigma(x^i)", logistic, [](real x) { return logistic(x) * logistic(-x); },
     [](real x) { return logistic(x) * logistic(-x) * (logistic(-x) - logistic(x)); }},
    {"\\operatorname{relu}(x^i)", [](real x) { return x > 0 ? x : 0.0L; },
     [](real x) { return x > 0 ? 1.0L : 0.0L; }, nullptr},
    {"\\operatorname{gelu}(x^i)", [](real x) { return x * normal(x); },
     [](real x) { return normal(x) + x * density(x); },
     [](real x) { return density(x) == 0 ? 0 : (2 - square(x)) * density(x); }},
    {"\\operatorname{silu}(x^i)", [](real x) { return x * logistic(x); },
     [](real x) { return logistic(x) + x * logistic(x) * logistic(-x); },
     [](real x) {
         const real s = logistic(x), r = logistic(-x);
         return 2 * s * r + x * s * r * (r - s);
     }},
    {"\\operatorname{elu}(x^i)", [](real x) { return x > 0 ? x : std::expm1(x); },
     [](real x) { return x > 0 ? 1 : std::exp(x); },
     [](real x) { return x > 0 ? 0 : std::exp(x); }},
    {"\\operatorname{softplus}(x^i)",
     [](real x) { return std::max(x, 0.0L) + std::log1p(std::exp(-std::abs(x))); }, logistic,
     [](real x) { return logistic(x) * logistic(-x); }},
    {"\\operatorname{erf}(x^i)", [](real x) { return std::erf(x); },
     [](real x) { return 2 / std::sqrt(pi) * bell_of_erf(x); },
     [](real x) { return bell_of_erf(x) == 0 ? 0 : -4 * x / std::sqrt(pi) * bell_of_erf(x); }},
    {"(x^i)^2", square, [](real x) { return 2 * x; }, [](real) { return 2.0L; }},
    {"(x^i)^3", [](real x) { return x * x * x; }, [](real x) { return 3 * x * x; },
     [](real x) { return 6 * x; }},
    {"(x^i)^{-1/2}", [](real x) { return 1 / std::sqrt(x); },
     [](real x) { return -0.5L / (x * std::sqrt(x)); },
     [](real x) { return 0.75L / (x * x * std::sqrt(x)); }},
    {"\\log \\sigma(x^i)",
     [](real x) { return std::min(x, 0.0L) - std::log1p(std::exp(-std::abs(x))); },
     [](real x) { return logistic(-x); }, [](real x) { return -logistic(x) * logistic(-x); }},
    {"\\log(1 - \\sigma(x^i))",
     [](real x) { return -std::max(x, 0.0L) - std::log1p(std::exp(-std::abs(x))); },
     [](real x) { return -logistic(x); }, [](real x) { return -logistic(x) * logistic(-x); }},
    {"\\log(1 + \\exp(x^i))",
     [](real x) { return std::max(x, 0.0L) + std::log1p(std::exp(-std::abs(x))); }, logistic,
     [](real x) { return logistic(x) * logistic(-x); }},
    {"\\max(x^i, 0)", [](real x) { return x > 0 ? x : 0; },
     [](real x) { return x > 0   ? 1
                         : x < 0 ? 0.0L
                                 : 0.5L; }, nullptr},
};

program read(const std::string& text) { return parse(text).value(); }

/// The same with elements of type T: an infinite or tiny result is one of T.
template <class T>
void check(const std::string& what, real x, T got, real expected, real size) {
    const T wanted = static_cast<T>(expected);
    INFO(what << " at " << static_cast<double>(x) << ": " << got << ", expected " << wanted);
    if (std::isnan(wanted)) return;  // beyond where the function is one of real numbers
    if (std::isinf(wanted)) {
        CHECK(got == wanted);
        return;
    }
    const real unit = std::numeric_limits<T>::epsilon();
    const real slack = 64 * unit * (std::abs(expected) + size);
    CHECK(std::abs(static_cast<real>(got) - expected) <= slack + std::numeric_limits<T>::min());
}

template <class T>
void check_all(const std::vector<real>& points) {
    tensor<T, 1> x({points.size()}), one({points.size()});
    for (std::size_t k = 0; k < points.size(); ++k) x(k) = static_cast<T>(points[k]);
    one.fill(1);
    for (const known_function& f : table) {
        const program y = read(std::string("y^i = ") + f.text);
        const program first = gradient(y, "y", {"x"});
        const array values = run(y, {{"x", x}})["y"];
        const array slopes = run(first, {{"x", x}, {"dL/dy", one}})["dL/dx"];
        std::vector<named> in{{"x", x}, {"dL/dy", one}};
        const program second = f.second ? gradient(first, "dL/dx", {"x"}) : first;
        for (const tensor_info& t : second.inputs())
            if (t.name != "x" && t.name != "dL/dy") in.push_back({t.name, one});
        const array curved = run(second, in)[second.outputs()[0].name];
        for (std::size_t k = 0; k < points.size(); ++k) {
            const real p = x(k);
            check<T>(std::string(f.text), p, values.as<T, 1>()(k), f.value(p), 0);
            // What stands beside 1 or beside the slope itself is good to a rounding of that.
            check<T>(std::string("slope of ") + f.text, p, slopes.as<T, 1>()(k), f.first(p), 1);
            if (!f.second) continue;
            check<T>(std::string("curvature of ") + f.text, p, curved.as<T, 1>()(k), f.second(p),
                     1);
        }
    }
}

}  // namespace

TEST_CASE("functions and their derivatives in double at 0, tiny and huge numbers") {
    check_all<double>({0,      1e-300L, -1e-300L, 1e-20L,  -1e-20L, 1e-5L,  -1e-5L,
                       0.5L,   -0.5L,   3,        -3,      40,      -40,    700,
                       -700,   1000,    -1000,    1e5L,    -1e5L,   1e20L,  -1e20L,
                       1e150L, -1e150L, 1e200L,   -1e200L, 1e300L,  -1e300L});
}

TEST_CASE("functions and their derivatives in float at 0, tiny and huge numbers") {
    check_all<float>({0,     1e-30L, -1e-30L, 1e-10L, -1e-10L, 1e-3L, -1e-3L, 0.5L,  -0.5L,
                      3,     -3,     20,      -20,    85,      -85,   100,    -100,  1e5L,
                      -1e5L, 1e10L,  -1e10L,  1e18L,  -1e18L,  1e20L, -1e20L, 1e30L, -1e30L});
}
