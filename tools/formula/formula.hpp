// A formula as a tree, read from the LaTeX that our printer writes, which is a part of LaTeX.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ricci::formula {

enum class kind : std::uint8_t {
    row,       // the parts after each other
    letter,    // text: a character that is slanted
    upright,   // text: one that is not
    number,    // text
    sign,      // text: + ≤ ∑ and what else stands between or before others
    word,      // text: of a name or of a sentence
    function,  // text: exp
    blank,     // what stood between two parts
    script,    // a base, what is below and what is above; either may be an empty row
    fraction,  // what is above and what is below the stroke
    root,      // what is below it
    accent,    // text: its command; the part that it is over
    brackets,  // text: the two, as "()"; the row between
    cases,     // rows of two parts each, value and condition
};

struct tree {
    formula::kind kind = kind::row;
    std::string text = {};
    std::vector<tree> parts = {};

    bool is_empty() const { return kind == kind::row && parts.empty(); }
};

/// The row of a line of LaTeX. What it does not know stays as it is, as letters.
tree read_latex(std::string_view latex);

/// Whether two parts beside each other, with a blank between, are multiplied.
bool are_multiplied(const tree& left, const tree& right);

}  // namespace ricci::formula
