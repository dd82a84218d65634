// A mistake is a plain value: what is wrong, where, and what to write instead.
#pragma once

#include <cstdint>

#include <ricci/detail/text.hpp>

namespace ricci::ir {

enum class mistake_kind : std::uint8_t {
    valid,
    unexpected,        // a character or a word that does not fit here
    unknown_command,   // \epx
    unknown_function,  // \operatorname{sofmax}
    unbalanced,        // a bracket without its partner
    index_once,        // once on the right and not on the left
    index_missing,     // on the left and not on the right
    index_shadowed,    // a bound index named like a free one
    index_repeated,    // twice on the left
    rank,              // a tensor used with two ranks
    defined_twice,
    cycle,
    claim,          // refuted, or beyond the normal form
    index_free,     // matrix notation
    unknown_name,   // bound or asked for, and not in the program
    missing_name,   // an input that is not bound
    repeated_name,  // bound twice
    element_type,
    extents,         // two extents for one index
    unknown_extent,  // the shapes do not give an index's extent
    overlap,         // an output overlaps an input
    other,
};

/// `words` is one line: the place, the equation with the place marked >>>...<<<, and a sentence.
struct mistake {
    mistake_kind kind = mistake_kind::valid;
    std::int32_t begin = 0;  // the marked characters of the text
    std::int32_t end = 0;
    std::int32_t line = 0;  // from 1; 0 when the mistake has no place in a text
    std::int32_t column = 0;
    detail::text_builder words;

    constexpr explicit operator bool() const { return kind != mistake_kind::valid; }
};

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Adds `text` as a part of one line: line ends and other characters of control become spaces.
constexpr void add_on_one_line(detail::text_builder& out, detail::text_view text) {
    for (const char c : text) out << (static_cast<unsigned char>(c) < ' ' || c == 0x7f ? ' ' : c);
}

/// The mistake `kind` at [begin, end) of `text`, with the line it stands on marked.
constexpr mistake make_mistake(mistake_kind kind, detail::text_view text, std::int32_t begin,
                               std::int32_t end, detail::text_view sentence) {
    mistake m;
    m.kind = kind;
    if (begin > text.size) begin = text.size;
    if (end < begin) end = begin;
    if (end > text.size) end = text.size;
    m.begin = begin;
    m.end = end;
    std::int32_t first = begin;  // of the line that holds the place
    while (first > 0 && text[first - 1] != '\n') --first;
    std::int32_t last = end;
    while (last < text.size && text[last] != '\n') ++last;
    m.line = 1;
    for (std::int32_t k = 0; k < first; ++k) m.line += text[k] == '\n';
    m.column = begin - first + 1;
    while (first < begin && is_blank(text[first])) ++first;
    while (last > end && is_blank(text[last - 1])) --last;
    m.words << "line " << m.line << ", column " << m.column << ": ";
    add_on_one_line(m.words, text.slice(first, begin));
    m.words << ">>>";
    add_on_one_line(m.words, text.slice(begin, end));
    m.words << "<<<";
    add_on_one_line(m.words, text.slice(end, last));
    m.words << " : ";
    add_on_one_line(m.words, sentence);
    return m;
}

/// A mistake without a place in a text.
constexpr mistake make_mistake(mistake_kind kind, detail::text_view sentence) {
    mistake m;
    m.kind = kind;
    add_on_one_line(m.words, sentence);
    return m;
}

}  // namespace ricci::ir
