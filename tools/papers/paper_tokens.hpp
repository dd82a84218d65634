// LaTeX mathematics as a list of tokens, each with the place in the document that it came from.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ricci::papers {

enum class token_kind {
    command,  // \frac, \, and the like, with its backslash
    letter,   // one letter; other alphabets too
    number,   // digits, with a decimal point
    symbol,   // one character: + = ( | and so on
    open,     // {
    close,    // }
    up,       // ^
    down,     // _
    align,    // &
    row,      // \\.
};

struct token {
    token_kind kind = token_kind::symbol;
    std::string text;
    std::size_t at = 0;   // the offset in the document
    bool spaced = false;  // white space stands before it

    bool is(std::string_view word) const { return text == word; }
    bool is_command() const { return kind == token_kind::command; }
};

using tokens = std::vector<token>;
using token_at = tokens::const_iterator;

/// Reads `text`, which stands at the offset `at` of its document. A `%` begins a comment if
/// `comments`.
tokens tokenise(std::string_view text, std::size_t at, bool comments = true);

/// The tokens in LaTeX again, on one line, with the least spaces.
std::string spelled(token_at first, token_at last);
std::string spelled(const tokens& list);

/// Behind the bracket, brace or \begin that opens at `first`; `last` where nothing closes it.
token_at behind_group(token_at first, token_at last);
/// Behind one argument: a group, or one token with what it needs.
token_at behind_argument(token_at first, token_at last);
/// What stands in the argument at `first`, without its braces.
tokens argument_at(token_at first, token_at last);

bool opens(const token& t);
bool closes(const token& t);

}  // namespace ricci::papers
