// Characters beyond ASCII: which are letters, spaces, signs, and what the signs look like.
#include <ricci/notation/characters.hpp>

#include "tests/static/support.hpp"

namespace {

using namespace ricci::notation;
using ricci::detail::text_builder;
using ricci::detail::text_view;

constexpr bool decodes(text_view text, char32_t value, std::int32_t length) {
    const code_point c = decode(text, 0);
    return c.value == value && c.length == length;
}
static_assert(decodes("a", U'a', 1));
static_assert(decodes("\xce\xb1", U'\u03b1', 2));
static_assert(decodes("\xe2\x88\x92", U'\u2212', 3));
static_assert(decodes("\xf0\x9d\x91\xa5", U'\U0001d465', 4));
static_assert(decodes("\xef\xbb\xbf", U'\ufeff', 3));
// not well-formed: a lone byte, an overlong form, half a pair, beyond the last character, cut short
static_assert(decodes("\xff", 0, 0) && decodes("\x80", 0, 0) && decodes("\xc0\x80", 0, 0));
static_assert(decodes("\xe0\x80\x80", 0, 0) && decodes("\xed\xa0\x80", 0, 0));
static_assert(decodes("\xf4\x90\x80\x80", 0, 0) && decodes("\xe2\x88", 0, 0));

static_assert(is_letter(U'a') && is_letter(U'Z') && !is_letter(U'1') && !is_letter(U'_'));
static_assert(is_letter(U'\u00e9') && is_letter(U'\u03b1') && is_letter(U'\u0416'));
static_assert(is_letter(U'\u4e2d') && is_letter(U'\U0001d465') && is_letter(U'\U000323af'));
static_assert(!is_letter(U'\u2212') && !is_letter(U'\u2264') && !is_letter(U'\u2211'));
static_assert(!is_letter(U'\u00b7') && !is_letter(U'\u00a0') && !is_letter(U'\u200b'));
static_assert(!is_letter(U'\ufeff') && !is_letter(U'\u0301') && !is_letter(U'\u00b2'));
static_assert(!is_letter(U'\u1d62') && !is_letter(U'\uff21') && !is_letter(U'\u3164'));
static_assert(!is_letter(U'\U0001f600') && !is_letter(U'\u00d7') && !is_letter(U'\U0010ffff'));

static_assert(is_space(U' ') && is_space(U'\t') && is_space(U'\u00a0') && is_space(U'\u2009'));
static_assert(is_space(U'\u3000') && is_space(U'\u200b') && is_space(U'\ufeff'));
static_assert(!is_space(U'\n') && !is_space(U'a') && !is_space(U'\u2212') && !is_space(U'\u200d'));
static_assert(is_invisible(U'\u200b') && is_invisible(U'\ufeff') && is_invisible(U'\u200d'));
static_assert(!is_invisible(U'\u00a0') && is_line_end(U'\u2028') && !is_line_end(U' '));

static_assert(sign_meaning(U'\u2212') == "-" && sign_meaning(U'\u2013') == "-");
static_assert(sign_meaning(U'\u2264') == "\\le" && sign_meaning(U'\u2265') == "\\ge");
static_assert(sign_meaning(U'\u2260') == "\\ne" && sign_meaning(U'\u00b7') == "\\cdot");
static_assert(sign_meaning(U'\u22c5') == "\\cdot" && sign_meaning(U'\u00d7') == "\\times");
static_assert(sign_meaning(U'\u2211') == "\\sum" && sign_meaning(U'\u220f') == "\\prod");
static_assert(sign_meaning(U'\u221a') == "\\sqrt" && sign_meaning(U'\u221e') == "\\infty");
static_assert(sign_meaning(U'\u2202') == "\\partial" && sign_meaning(U'\u2192') == "\\to");
static_assert(sign_meaning(U'\u2208') == "\\in" && sign_meaning(U'\u2032') == "'");
static_assert(sign_meaning(U'\u03b1') == "\\alpha" && sign_meaning(U'\u03a9') == "\\Omega");
static_assert(sign_meaning(U'\u03b5') == "\\epsilon" && sign_meaning(U'\u03f5') == "\\varepsilon");
static_assert(sign_meaning(U'\u00b2') == "^2" && sign_meaning(U'\u1d62') == "_i");
static_assert(sign_meaning(U'\U0001d465') == "x" && sign_meaning(U'\u210e') == "h");
static_assert(sign_meaning(U'\U0001d6fc') == "\\alpha" &&
              sign_meaning(U'\U0001d715') == "\\partial");
static_assert(sign_meaning(U'\uff0c') == "," && sign_meaning(U'\uff3c') == "\\");
static_assert(sign_meaning(U'a').empty() && sign_meaning(U'\u4e2d').empty());

constexpr bool described(char32_t c, text_view words) {
    text_builder out;
    describe(c, out);
    return ricci::testing::is_text(out, words);
}
static_assert(described(U'\u2212', "U+2212, which looks like -"));
static_assert(described(U'\ufeff', "U+FEFF, which is invisible"));
static_assert(described(U'\U0001f600', "U+1F600"));

}  // namespace
