// Words that are known and stand in the wrong place: where they stand instead. And commands that a
// literal has lost, as it is not raw.
#pragma once

#include <cstdint>

#include <ricci/detail/text.hpp>
#include <ricci/notation/characters.hpp>
#include <ricci/notation/vocabulary.hpp>

namespace ricci::notation {

/// Where a command has its place; empty for words that are no command.
constexpr text_view place_of(keyword k) {
    if (k >= keyword::less && k <= keyword::not_equal)
        return "compares two positions or values within a bracket, [j \\le i], in cases or under a "
               "\\sum";
    switch (k) {
        case keyword::none_of_them:
            return {};
        case keyword::partial:
            return "stands in a fraction, above and below: \\frac{\\partial L}{\\partial W^{ij}}";
        case keyword::times:
            return "stands between two factors";
        case keyword::logical_and:
        case keyword::logical_or:
            return "joins two conditions within a bracket: [j \\le i \\land i < 2]";
        case keyword::logical_not:
            return "stands before a condition within a bracket: [\\lnot (j \\le i)]";
        case keyword::modulo:
            return "stands between two positions or values: [i \\bmod 2 = 0]";
        case keyword::equivalent:
            return "stands between two equations";
        case keyword::defines:
            return "stands once, behind the name that it defines: A := B = C";
        case keyword::prime:
            return "stands raised behind a letter: j^{\\prime}, or j'";
        case keyword::begin_cases:
        case keyword::end_cases:
            return "belongs to \\begin{cases} ... \\end{cases}";
        default:
            return "is known, and has no place here";
    }
}

/// Of `\word` and `place_of(k)`, a sentence.
constexpr void write_place(text_view word, keyword k, detail::text_builder& out) {
    out << word << ' ' << place_of(k);
}

/// A character of control that a compiler made of a backslash and a letter, since the literal is
/// not raw, and the command that was lost with it.
struct lost_command {
    char letter = '\0';    // \f is one character, and `rac` follows; 0 if nothing is lost
    std::int32_t end = 0;  // of what is left of the command
};

/// Whether the character at `at`, which is one of control, begins what is left of a command. A tab
/// or the end of a line does only if the letters behind it make a command with it, and they are two
/// or more: `heta`, `imes`. Within brackets a single one is doubtful too: \nu, \ne.
constexpr lost_command find_lost(text_view text, std::int32_t at, bool bracketed) {
    constexpr text_view from = "\a\b\t\n\v\f\r\033", to = "abtnvfre";
    std::int32_t which = 0;
    while (which < from.size && from[which] != text[at]) ++which;
    std::int32_t end = at + 1;
    while (end < text.size && is_ascii_letter(text[end])) ++end;
    if (which == from.size || end == at + 1) return {};
    if (text[at] == '\t' || text[at] == '\n' || text[at] == '\r') {
        if (end < at + 3 && !(text[at] == '\n' && bracketed)) return {};
        detail::text_builder word;
        word << to[which] << text.slice(at + 1, end);
        if (keyword_of(word) == keyword::none_of_them && refusal_of(word).empty()) return {};
    }
    return {to[which], end};
}

/// What is said of it.
constexpr void write_lost(text_view text, std::int32_t at, lost_command lost,
                          detail::text_builder& out) {
    const text_view rest = text.slice(at + 1, lost.end);
    out << "in a literal that is not raw \\" << lost.letter << " is one character, and \\"
        << lost.letter << rest << " becomes " << rest << "; write the text as R\"(...)\"";
    if (text[at] == '\t' || text[at] == '\n' || text[at] == '\r')
        out << ", or a space before " << rest << " if it is a name";
}

}  // namespace ricci::notation
