// What a side of a numeric equation is made of: LaTeX without its spaces, numbers as one token
// each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "judge/measured.hpp"

namespace ricci::judge {

enum class printed_kind : std::uint8_t {
    number,   // digits, with what groups or ends them
    command,  // \frac, without the backslash
    letter,
    symbol,  // all other characters
};

struct printed_token {
    printed_kind kind;
    std::string text;
    measured value;         // of a number
    bool decimals = false;  // of a number: whether it has a point
    bool is(std::string_view word) const {
        return (kind == printed_kind::symbol || kind == printed_kind::command) && text == word;
    }
};

/// Spaces and signs of size are left out; false for what is no number in this style, as 1.000,5.
bool split_printed(std::string_view side, bool decimal_comma, std::vector<printed_token>& out);

}  // namespace ricci::judge
