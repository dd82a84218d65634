// Letters of names: small ones, capitals, and words made of them.
#pragma once

#include <string>
#include <string_view>

#include <ricci/detail/letters.hpp>

#include "papers/paper_tokens.hpp"

namespace ricci::papers {

inline bool is_small(const std::string& s) {
    return s.size() == 1 && detail::is_small_letter(s[0]);
}

inline bool is_big(const std::string& s) {
    return s.size() == 1 && detail::is_capital_letter(s[0]);
}

/// The letters and digits of a text, without the signs between them.
inline std::string letters_of(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (detail::is_ascii_letter(c) || detail::is_digit(c)) out += c;
    return out;
}

inline std::string letters_of(const tokens& list) {
    std::string out;
    for (const token& t : list) out += letters_of(t.text);
    return out;
}

}  // namespace ricci::papers
