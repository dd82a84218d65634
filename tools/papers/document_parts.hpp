// What a document is made of: headings, displayed equations and mathematics in the text, in order.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "papers/document.hpp"
#include "papers/paper_tokens.hpp"

namespace ricci::papers {

enum class part_kind {
    heading,
    display,
    inline_math,
};

struct part {
    part_kind kind = part_kind::inline_math;
    std::size_t begin = 0;  // of the part with its delimiters, in the document's text
    std::size_t end = 0;
    int level = 0;            // of a heading, from 1
    bool aside = false;       // in a table, an algorithm or a caption
    std::string environment;  // of a display: multline and so on
    tokens content;           // of mathematics, its macros expanded
    std::string problem;      // why it was not read
};

struct document_parts {
    std::vector<part> list;  // in order, without comments, code, and what a document only quotes
    std::string prose;       // the document's text, with blanks for these
};

document_parts parts_of(const document& text);

}  // namespace ricci::papers
