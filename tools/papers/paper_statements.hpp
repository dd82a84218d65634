// A display taken apart: its statements, each a chain of sides with relations between them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "papers/document_parts.hpp"
#include "papers/paper_signs.hpp"
#include "papers/paper_tokens.hpp"

namespace ricci::papers {

struct statement {
    std::vector<tokens> sides;
    std::vector<relation> relations;  // one fewer than sides
    std::vector<std::string> signs;   // as written
    std::size_t at = 0;               // the offset of its first token
    std::string source;               // on one line
    std::string condition;            // behind it: "for i \ne j"; empty where it holds everywhere
    bool with_words = false;          // words stand behind it that say no more of where it holds
    bool goes_on = false;             // begins with a relation: the statement before goes on
    bool beside = false;              // sets a name to a number, beside another condition
    bool remark = false;              // beside a line of a derivation: it defines nothing
};

/// The statements of a display, or of one formula in the text, in order.
std::vector<statement> statements_of(const tokens& content, const std::string& environment);

}  // namespace ricci::papers
