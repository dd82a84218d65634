// What `ricci check` finds in a text, for the tests of the command.
#pragma once

#include <string>
#include <vector>

#include "check/check_paper.hpp"
#include "papers/document.hpp"

namespace ricci::testing {

/// The findings of a text that stands in a file of this name.
inline std::vector<papers::finding> findings_in(const std::string& text,
                                                const std::string& name = "page.md") {
    return papers::check_paper(papers::document::of_text(name, text)).findings;
}

/// The verdicts, in order, with spaces between them.
inline std::string verdicts_in(const std::string& text, const std::string& name = "page.md") {
    std::string out;
    for (const papers::finding& f : findings_in(text, name))
        out += (out.empty() ? "" : " ") + std::string(papers::word_of(f.verdict));
    return out;
}

}  // namespace ricci::testing
