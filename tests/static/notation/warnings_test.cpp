// Warnings: what compiles and is probably not meant.
#include <ricci/notation/warnings.hpp>

#include <ricci/notation/parse.hpp>

#include "tests/static/support.hpp"

namespace {

using ricci::detail::text_view;

constexpr bool warns(text_view text, text_view words) {
    const auto read = ricci::notation::parse_equations(text);
    const auto found = ricci::notation::warnings(read.program.view());
    return !read.mistake && found.size() == 1 && ricci::testing::is_text(found[0].words, words);
}
constexpr bool is_silent(text_view text) {
    const auto read = ricci::notation::parse_equations(text);
    return !read.mistake && ricci::notation::warnings(read.program.view()).empty();
}
constexpr bool warns_of(text_view text, text_view bound, std::int32_t count) {
    const auto read = ricci::notation::parse_equations(text);
    return ricci::notation::warnings(read.program.view(), &bound, 1).size() == count;
}

static_assert(
    warns("Y^i = A^{ij} x^j \\sum_{k,l} B^{kl}",
          "B is summed over all its indices, which stand nowhere else in Y; is one of them "
          "meant to be another letter?"));
static_assert(warns("Y = X W",
                    "X W in Y is a product of two numbers, as neither has indices; that of two "
                    "matrices is X^{ij} W^{jk}"));
static_assert(is_silent("F = G m") && is_silent("Y^i = X^i W"));
static_assert(is_silent("s = \\sum_i x^i"));
static_assert(is_silent("Y^i = x^i \\sum_j x^j"));
static_assert(is_silent("Y^i = A^{ij} x^j \\sum_k B^{ki}"));
static_assert(warns("Z^i = x^i x^i; Y^i = 2 x^i",
                    "no equation uses Z, which is an output therefore"));
static_assert(is_silent("Z^i = x^i x^i; Y^i = 2 Z^i"));
static_assert(warns_of("Y^i = 2 x^i", "x", 0) && warns_of("Y^i = 2 x^i", "Y", 0));

}  // namespace
