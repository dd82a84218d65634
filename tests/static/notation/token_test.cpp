// Characters to tokens: kinds, places, what separates, what is left out, which bracket is unpaired.
#include <ricci/notation/tokenizer.hpp>

#include "tests/static/support.hpp"

namespace {

using namespace ricci::notation;
using ricci::ir::mistake_kind;
using ricci::testing::contains;

/// One character for each token: letter a, number 1, command \, symbol itself, row r, separator |.
constexpr bool kinds(text_view text, text_view expected) {
    const auto list = tokenizer(text).run();
    if (list.mistake || list.tokens.size() != expected.size + 2) return false;
    for (std::int32_t k = 0; k < expected.size; ++k) {
        const token& t = list.tokens[k];
        const char is = t.kind == token_kind::letter      ? 'a'
                        : t.kind == token_kind::number    ? '1'
                        : t.kind == token_kind::command   ? '\\'
                        : t.kind == token_kind::row       ? 'r'
                        : t.kind == token_kind::separator ? '|'
                                                          : static_cast<char>(t.code);
        if (is != expected[k]) return false;
    }
    return list.tokens[expected.size].kind == token_kind::separator &&
           list.tokens[expected.size + 1].kind == token_kind::end;
}
constexpr bool refused(text_view text, mistake_kind kind, std::int32_t line, std::int32_t column,
                       text_view words) {
    const auto list = tokenizer(text).run();
    return list.mistake.kind == kind && list.mistake.line == line &&
           list.mistake.column == column && contains(list.mistake.words, words);
}

static_assert(kinds("", ""));
static_assert(kinds("X^{ib}", "a^{aa}"));
static_assert(kinds("Q = X W", "a=aa"));
static_assert(kinds("12 1.5 3. a", "111.a"));  // a point needs digits after it
static_assert(kinds("\\alpha_1", "\\_1"));
static_assert(kinds("a\nb", "a|a"));
static_assert(kinds("a;b\\\\c", "a|a|a"));
static_assert(kinds("$$a$$", "||a||"));
static_assert(kinds("(a\nb)", "(aa)"));  // within brackets a line end separates nothing
static_assert(kinds("a % b\nc", "a|a"));
static_assert(kinds("a % b", "a"));
static_assert(kinds("\\left( a \\, b \\right)", "(aa)"));
static_assert(kinds("a &= b", "a=a"));
static_assert(kinds("\\begin{cases} a & b \\\\ c & d \\end{cases}", "\\a&ara&a\\"));
static_assert(kinds("\xc3\xa9\xd0\xb6", "aa"));  // one token for each letter beyond ASCII

constexpr bool spaced_and_placed() {
    const auto list = tokenizer("ab  \\beta").run();
    const auto& t = list.tokens;
    return t[0].begin == 0 && t[0].end == 1 && !t[1].spaced && t[2].spaced && t[2].begin == 4 &&
           t[2].end == 9 && t[0].starts_name && t[2].starts_name && !t[0].ends_term;
}
static_assert(spaced_and_placed());

static_assert(utf8_length("a", 0) == 1);
static_assert(utf8_length("\xc3\xa9", 0) == 2);
static_assert(utf8_length("\xe2\x82\xac", 0) == 3);
static_assert(utf8_length("\xf0\x9d\x91\x8e", 0) == 4);
static_assert(utf8_length("\xc3", 0) == 0);      // cut short
static_assert(utf8_length("\xa9", 0) == 0);      // a continuation alone
static_assert(utf8_length("\xc0\xaf", 0) == 0);  // longer than needed
static_assert(utf8_length("\xc3(", 0) == 0);

static_assert(refused("(a", mistake_kind::unbalanced, 1, 1, "never closed"));
static_assert(refused("a = b\n c)", mistake_kind::unbalanced, 2, 3, "closes nothing"));
static_assert(refused("{(a}", mistake_kind::unbalanced, 1, 2,
                      "not closed before the one around it"));
static_assert(refused("a \xff", mistake_kind::unexpected, 1, 3, "not UTF-8"));
static_assert(refused("a \\", mistake_kind::unexpected, 1, 3, "a backslash needs a word"));
static_assert(refused("\\begin{matrix}", mistake_kind::unknown_command, 1, 1, "cases"));

}  // namespace
