// From mathematics as a paper sets it to the notation: what LaTeX lets one write in many ways is
// written in one, and what computes nothing is told apart.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "check/paper_symbols.hpp"
#include "papers/paper_tokens.hpp"

namespace ricci::papers {

/// One side of an equation in the notation, or why there is none.
struct spelling {
    enum class state { read, prose, unreadable } what = state::read;
    std::string text;
    std::string why;        // one sentence, of what was not read
    std::string doubt;      // what was read in one of two possible ways
    bool position = false;  // i is an index, and its position where it is a factor
    std::string values;  // equations for names that stand for expressions that are differentiated
    std::set<std::string> totals;  // what total derivatives in it are taken by: \frac{d}{dt}
};

struct spelling_context {
    const symbols* names = nullptr;
    std::set<std::string> indices;  // the letters that are indices in this statement
    std::set<std::string> labels;   // letters that are labels below, and no indices
    bool imaginary = false;         // i as a factor is the imaginary unit, whatever i is below
    bool left = false;              // it is the side that says what is defined
};

/// Whether a spelt side is one name with its indices, or with its parameters, and nothing else.
bool is_single_name(const std::string& text);

spelling spell(const tokens& side, const spelling_context& context);

}  // namespace ricci::papers
