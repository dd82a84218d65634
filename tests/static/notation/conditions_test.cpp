// Conditions in brackets: parentheses around conditions and around values.
#include <ricci/notation/parse.hpp>

#include "tests/static/support.hpp"

namespace {

using ricci::detail::text_view;

/// Whether two texts mean the same program.
constexpr bool same(text_view a, text_view b) {
    const auto one = ricci::notation::parse_equations(a),
               other = ricci::notation::parse_equations(b);
    ricci::detail::text_builder x, y;
    if (one.mistake || other.mistake) return false;
    ricci::ir::to_text(one.program, x);
    ricci::ir::to_text(other.program, y);
    return ricci::testing::is_text(x, y);
}

static_assert(same("Y^i = [(i > 0)] X^i", "Y^i = [i > 0] X^i"));
static_assert(same("Y^i = [\\lnot (X^i > 0)] X^i", "Y^i = [\\lnot X^i > 0] X^i"));
static_assert(same("Y^i = [(i > 0) \\land (i < 5)] X^i", "Y^i = [i > 0 \\land i < 5] X^i"));
static_assert(!same("Y^i = [(i > 0 \\lor i = 3) \\land i < 5] X^i",
                    "Y^i = [i > 0 \\lor i = 3 \\land i < 5] X^i"));
static_assert(same("Y^i = [(i + 1) > 2] X^i", "Y^i = [i + 1 > 2] X^i"));
static_assert(same("Y^i = [(X^<i>) > 2] X^i", "Y^i = [X^{i} > 2] X^i"));
static_assert(same("Y^i = [((i + 1) > 2) \\lor (i < 1)] X^i", "Y^i = [i + 1 > 2 \\lor i < 1] X^i"));

}  // namespace
