// The pages of tests/check/pages, as papers and notes are, each line with the verdicts that are
// right in a comment: "expect: proved refuted|suspect!" of two statements that begin there, the
// second with a mistake that was planted. proved~ is also true with its indices exchanged.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/check/statements.hpp"
#include "tests/source_file.hpp"

namespace ricci::testing {

struct expected_verdict {
    std::string verdicts;  // with | between them where either is right
    bool mistake = false;
    bool symmetric = false;  // true with its indices exchanged, too
};

struct page_file {
    std::string name, text;
    std::vector<std::string> lines;
    std::map<int, std::vector<expected_verdict>> expected;  // by line, from 1

    bool is_symmetric(int line) const {
        const auto found = expected.find(line);
        return found != expected.end() && found->second.back().symmetric;
    }
};

inline page_file read_page(const std::filesystem::path& path) {
    page_file out;
    out.name = path.filename().string();
    std::ifstream in(path);
    const std::string key = "expect: ";
    for (std::string line; std::getline(in, line);) {
        out.text += line + "\n";
        out.lines.push_back(line);
        const std::size_t at = line.find(key);
        if (at == std::string::npos) continue;
        std::istringstream words(line.substr(at + key.size()));
        for (std::string word; words >> word && word != "-->";) {
            const char mark = word.back();
            if (mark == '!' || mark == '~') word.pop_back();
            out.expected[static_cast<int>(out.lines.size())].push_back(
                {word, mark == '!', mark == '~'});
        }
    }
    return out;
}

inline std::vector<page_file> all_pages() {
    std::vector<std::filesystem::path> paths;
    const auto folder = source_file(__FILE__).parent_path() / "pages";
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<page_file> out;
    for (const auto& path : paths) out.push_back(read_page(path));
    return out;
}

/// What a page says before one of its lines, the display that is open there closed.
inline std::string text_before(const page_file& page, int line) {
    std::string out, open;  // the environment, or \[
    bool begun = false;     // something stands in it
    for (int k = 0; k + 1 < line; ++k) {
        const std::string& text = page.lines[static_cast<std::size_t>(k)];
        out += text + "\n";
        begun = begun || !open.empty();
        for (const char* name : {"equation", "align", "align*", "gather"}) {
            if (text.find("\\begin{" + std::string(name) + "}") != std::string::npos)
                open = name, begun = false;
            if (text.find("\\end{" + std::string(name) + "}") != std::string::npos) open.clear();
        }
    }
    if (open.empty()) return out;
    if (!begun) return out.substr(0, out.rfind("\\begin{"));
    return out + "\\end{" + open + "}\n";
}

/// The page up to a statement, which stands in a display of its own.
inline std::string page_until(const page_file& page, const papers::finding& last) {
    return text_before(page, last.where.line) + "$$" + last.equation + "$$\n";
}

}  // namespace ricci::testing
