// Commands that say how large a bracket is: \left, \bigl and the like.
#pragma once

#include <cstdint>

#include <ricci/notation/characters.hpp>
#include <ricci/notation/vocabulary.hpp>

namespace ricci::notation {

constexpr bool sizes_bracket(text_view word) {
    return word == "left" || word == "right" || word == "middle" || word[0] == 'b' ||
           word[0] == 'B';
}

/// Whether a bracket may follow. A command that is not known is refused when it is read.
constexpr bool bracket_follows(text_view text, std::int32_t k) {
    while (k < text.size &&
           (text[k] == ' ' || text[k] == '\n' || text[k] == '\t' || text[k] == '\r'))
        ++k;
    if (k == text.size) return false;
    const char c = text[k];
    for (const char known : text_view("()[]{}|<>/"))
        if (c == known) return true;
    if (c != '\\') return static_cast<unsigned char>(c) >= 0x80;
    const std::int32_t first = ++k;
    while (k < text.size && is_ascii_letter(text[k])) ++k;
    if (k == first) return k < text.size && (text[k] == '{' || text[k] == '}' || text[k] == '|');
    const keyword word = keyword_of(text.slice(first, k));
    return word == keyword::none_of_them || word == keyword::bar || word == keyword::double_bar ||
           (word >= keyword::left_floor && word <= keyword::right_ceil);
}

}  // namespace ricci::notation
