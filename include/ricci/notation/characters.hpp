// What a character is: a letter, a space, or a sign that looks like something of LaTeX.
#pragma once

#include <cstdint>

#include <ricci/detail/letters.hpp>
#include <ricci/detail/text.hpp>
#include <ricci/notation/character_tables.hpp>

namespace ricci::notation {

using detail::is_ascii_letter;
using detail::is_digit;

/// A character and the bytes that it takes in UTF-8; none where the text is not well-formed there.
struct code_point {
    char32_t value = 0;
    std::int32_t length = 0;
};

/// The character at `at`.
constexpr code_point decode(detail::text_view text, std::int32_t at) {
    const auto byte = [&](std::int32_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned char lead = byte(at);
    if (lead < 0x80) return {lead, 1};
    const std::int32_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || at + length > text.size) return {};
    char32_t value = lead & (0xffu >> (length + 1));
    for (std::int32_t k = 1; k < length; ++k) {
        if ((byte(at + k) & 0xc0) != 0x80) return {};
        value = value << 6 | (byte(at + k) & 0x3fu);
    }
    const bool overlong = value < (length == 2 ? 0x80u : length == 3 ? 0x800u : 0x10000u);
    const bool surrogate = value >= 0xd800 && value <= 0xdfff;
    return overlong || surrogate || value > 0x10ffff ? code_point{} : code_point{value, length};
}

/// Bytes of the UTF-8 character at `at`, or 0 where there is no well-formed one.
constexpr std::int32_t utf8_length(detail::text_view text, std::int32_t at) {
    return decode(text, at).length;
}

/// A letter of any script. Signs, digits, marks and raised or lowered letters are none.
constexpr bool is_letter(char32_t c) {
    if (c < 0x80) return is_ascii_letter(static_cast<char>(c));
    constexpr std::int32_t count = sizeof tables::letters / sizeof(char32_t) / 2;
    std::int32_t first = 0, last = count - 1;  // the range that c is in, if it is in any
    while (first < last) {
        const std::int32_t middle = (first + last) / 2;
        if (tables::letters[2 * middle + 1] < c) first = middle + 1;
        else last = middle;
    }
    return tables::letters[2 * first] <= c && c <= tables::letters[2 * first + 1];
}

/// Takes no room where it is printed: zero-width spaces and joiners, the byte-order mark.
constexpr bool is_invisible(char32_t c) {
    return c == 0xfeff || c == 0xad || (c >= 0x200b && c <= 0x200f) || (c >= 0x2060 && c <= 0x2064);
}

/// A space of any width, within a line. Zero-width ones and the byte-order mark are spaces too.
constexpr bool is_space(char32_t c) {
    if (c < 0x80) return c == ' ' || c == '\t' || c == '\r';
    return c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200b) || c == 0x202f || c == 0x205f ||
           c == 0x2060 || c == 0x3000 || c == 0xfeff;
}

/// Ends a line, as a line feed does.
constexpr bool is_line_end(char32_t c) {
    return c == '\n' || c == 0x85 || c == 0x2028 || c == 0x2029;
}

/// The LaTeX that a character beyond ASCII looks like, such as "-" for a minus sign or "\\alpha";
/// empty where it looks like nothing else. Raised and lowered characters are "^2", "_i".
constexpr detail::text_view sign_meaning(char32_t c) {
    if (c < 0x80) return {};
    // italic letters, as formula editors give them
    if (c >= 0x1d434 && c <= 0x1d467) {
        constexpr const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        return {letters + (c - 0x1d434), 1};
    }
    if (c >= 0x1d6e2 && c <= 0x1d6fa) return sign_meaning(c - 0x1d6e2 + 0x391);
    if (c >= 0x1d6fc && c <= 0x1d714) return sign_meaning(c - 0x1d6fc + 0x3b1);
    if (c >= 0x1d6fb && c <= 0x1d71b) {
        constexpr char32_t others[] = {0x2202, 0x3f5, 0x3d1, 0x3f0, 0x3d5, 0x3f1, 0x3d6};
        return sign_meaning(c == 0x1d6fb ? U'\u2207' : others[c - 0x1d715]);
    }
    // ASCII in full width
    if (c >= 0xff01 && c <= 0xff5e) {
        constexpr const char* wide =
            "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrst"
            "uvwxyz{|}~";
        return {wide + (c - 0xff01), 1};
    }
    std::int32_t first = 0, last = sizeof tables::signs / sizeof(char32_t) - 1;
    while (first < last) {
        const std::int32_t middle = (first + last) / 2;
        if (tables::signs[middle] < c) first = middle + 1;
        else last = middle;
    }
    if (tables::signs[first] != c) return {};
    const char* look = tables::looks + first * tables::look_width;
    std::int32_t size = 0;
    while (look[size] != ' ') ++size;
    return {look, size};
}

/// "U+2212, which looks like -": by number, as compilers print no character beyond ASCII.
constexpr void describe(char32_t c, detail::text_builder& out) {
    out << "U+";
    const auto digit = [](char32_t d) {
        return static_cast<char>(d < 10 ? '0' + static_cast<char>(d)
                                        : 'A' + static_cast<char>(d - 10));
    };
    for (std::int32_t shift = c > 0xfffff ? 20 : c > 0xffff ? 16 : 12; shift >= 0; shift -= 4)
        out << digit(c >> shift & 0xf);
    const detail::text_view looks = sign_meaning(c);
    if (!looks.empty()) out << ", which looks like " << looks;
    else if (is_invisible(c)) out << ", which is invisible";
}

}  // namespace ricci::notation
