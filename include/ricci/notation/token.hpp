// What a text consists of: letters, numbers, commands and signs, each with its place in the text.
#pragma once

#include <cstdint>

#include <ricci/detail/buffer.hpp>
#include <ricci/detail/text.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/notation/vocabulary.hpp>

namespace ricci::notation {

using detail::text_view;

enum class token_kind : std::uint8_t {
    letter,     // one letter, in UTF-8
    number,     // digits, with at most one point
    command,    // \name
    symbol,     // one character
    row,        // \\ within cases
    separator,  // between statements
    end,
};

/// `code` is the character of a symbol and the keyword of a command, so that looking ahead compares
/// numbers, not texts. No default initialisers: lists of tokens grow without writing them twice.
struct token {
    token_kind kind;
    unsigned char code;
    bool spaced;  // something blank stands before it
    bool ends_term;
    bool starts_name;
    bool staggered;  // a script behind {}, or in \\tensor and \\indices
    words::dress dressed;
    unsigned char spelled_size;
    std::int32_t begin;
    std::int32_t end;
    const char* spelled;  // the LaTeX of a character beyond ASCII: \alpha; null: as in the text
};

/// The code of the symbol \| of a norm, which no character of a text has.
inline constexpr char double_bar = '\x01';

struct token_list {
    detail::buffer<token> tokens;
    ir::mistake mistake;
    bool dressed = false;  // some names are
};

}  // namespace ricci::notation
