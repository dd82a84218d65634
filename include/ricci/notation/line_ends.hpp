// Where a line ends and its equation may go on.
#pragma once

#include <cstdint>

#include <ricci/detail/text.hpp>
#include <ricci/notation/token.hpp>
#include <ricci/notation/vocabulary.hpp>

namespace ricci::notation {

/// Where a line ended that may go on: what the next token is decides it.
struct pending_end {
    token_kind kind = token_kind::end;  // separator; row, for \\ in brackets; end: none
    std::int32_t begin = 0;
    std::int32_t end = 0;
};

/// What an equation goes on with, at a line's end or at the beginning of the next.
constexpr bool joins_lines(token_kind kind, unsigned char code) {
    if (kind == token_kind::symbol)
        return code == '+' || code == '-' || code == '*' || code == '/' || code == '=';
    const auto k = static_cast<keyword>(code);
    return kind == token_kind::command &&
           (k == keyword::times || k == keyword::defines || k == keyword::equivalent);
}

/// Whether nothing stands on the line that ends at `end`.
constexpr bool is_empty_line(text_view text, std::int32_t end) {
    while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t' || text[end - 1] == '\r'))
        --end;
    return end == 0 || text[end - 1] == '\n';
}

}  // namespace ricci::notation
