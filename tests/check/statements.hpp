// The table of statements, tests/check/statements.txt: pages of a line each, and the verdict of the
// last statement of each that is right.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/check/check.hpp"
#include "tests/source_file.hpp"

namespace ricci::testing {

struct statement_row {
    std::string verdicts;  // with | between them where either is right
    std::string page;
    int line = 0;  // of the table
    bool allows(const std::string& verdict) const {
        return ("|" + verdicts + "|").find("|" + verdict + "|") != std::string::npos;
    }
};

/// The page of a row: " // " ends a line.
inline std::string page_of(const std::string& row) {
    std::string out = row;
    for (std::size_t k = out.find(" // "); k != std::string::npos; k = out.find(" // ", k + 1))
        out.replace(k, 4, "\n");
    return out + "\n";
}

inline std::vector<statement_row> statement_table() {
    std::vector<statement_row> out;
    std::ifstream in(source_file(__FILE__).parent_path() / "statements.txt");
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        const std::size_t end = line.find(' ');
        if (line.empty() || line[0] == '#' || end == std::string::npos) continue;
        const std::size_t begin = line.find_first_not_of(' ', end);
        if (begin == std::string::npos) continue;
        out.push_back({line.substr(0, end), page_of(line.substr(begin)), number});
    }
    return out;
}

/// The last finding of a page, with its verdict as a word.
struct last_finding {
    std::string verdict, equation, words;
};
inline last_finding last_of_page(const std::string& page, const std::string& name = "page.md") {
    const auto all = findings_in(page, name);
    if (all.empty()) return {"nothing", "", ""};
    return {papers::word_of(all.back().verdict), all.back().equation, all.back().words};
}

}  // namespace ricci::testing
