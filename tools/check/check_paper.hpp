// Reading a paper as one growing program: what each equation is, among those before it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "papers/document.hpp"

namespace ricci::papers {

enum class verdict {
    defines,
    proved,
    conditional,  // true under an assumption that the words name
    refuted,
    suspect,  // numbers differ, and something the page leaves open could explain it
    unproved,
    declares,
    prose,
    unreadable
};
inline constexpr int verdict_count = 9;
const char* word_of(verdict v);

/// One equation of a document.
struct finding {
    place where;
    std::string equation;  // as it stands, on one line
    papers::verdict verdict = verdict::prose;
    std::string words;  // what it defines, or why the verdict is what it is
};

/// A symbol that neither an equation defines nor the prose names.
struct unexplained {
    std::string name;
    place where;  // the first equation that uses it
};

struct paper_report {
    std::vector<finding> findings;
    std::vector<unexplained> symbols;
};

/// Reads a document. `tell` hears how many of its parts are done.
paper_report check_paper(const document& text,
                         const std::function<void(std::size_t done, std::size_t all)>& tell = {});

}  // namespace ricci::papers
