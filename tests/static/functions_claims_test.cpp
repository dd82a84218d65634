// Claims about functions and complex numbers: i i = -1, and what is refuted in numbers.
#include <ricci/ricci.hpp>

#include "tests/static/support.hpp"

namespace {

using ricci::testing::is_accepted;
using namespace ricci::literals;

constexpr auto turn = R"(y^k = \mathrm{i} x^k)"_eq;
static_assert(turn.states(R"(y^k = \frac{-x^k}{\mathrm{i}})"));
static_assert(turn.states(R"(y^k = \mathrm{i}^5 x^k)"));
static_assert(turn.states(R"(y^k = \frac{\mathrm{i}^2 + 3}{2} x^k \mathrm{i})"));
static_assert(!turn.states(R"(y^k = -\mathrm{i} x^k)"));
static_assert(!turn.states(R"(y^k = \mathrm{i}^2 x^k)"));

constexpr auto parts = R"(y^k = \Re z^k)"_eq;
static_assert(!parts.states(R"(y^k = z^k)"));
static_assert(!parts.states(R"(y^k = \Im z^k)"));

// The slopes of the functions of the table.
#define SLOPE(f, slope)                                             \
    static_assert(                                                  \
        ricci::gradient("y^i = " f ""_eq, "y"_t, ricci::wrt("x"_t)) \
            .states(                                                \
                "\\frac{\\partial L}{\\partial x^i} = \\frac{\\partial L}{\\partial y^i} " slope))
SLOPE("\\operatorname{softplus}(x^i)", "\\operatorname{sigmoid}(x^i)");
SLOPE("\\tan x^i", "(1 + (\\tan x^i)^2)");
SLOPE("\\arctan x^i", "\\frac{1}{1 + (x^i)^2}");
SLOPE("\\sinh x^i", "\\cosh x^i");
SLOPE("\\cosh x^i", "\\sinh x^i");

}  // namespace
