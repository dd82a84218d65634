// Equations from a file or a document, with the place of a mistake as compilers print it.
#include "command/equations_file.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <utility>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "command/sentences.hpp"
#include "papers/document.hpp"
#include "papers/document_parts.hpp"
#include "papers/paper_statements.hpp"

namespace ricci::command {
namespace {

[[noreturn]] void refuse_at(const papers::place& at, const std::string& sentence) {
    throw error(fmt::format("{}:{}:{}: mistake: {}", at.file, at.line, at.column, sentence));
}

// Equations, one a line, and where in the document each line comes from.
struct gathered_equations {
    std::string text;
    std::vector<std::size_t> lines;

    void add(const papers::statement& s, const papers::document& from) {
        if (!s.condition.empty())
            refuse_at(
                from.at(s.at),
                fmt::format("the equation holds where '{}' says, and a program computes all of it; "
                            "write the condition as a bracket, [i \\ne j], or as cases",
                            s.condition));
        for (std::size_t k = 0; k < s.sides.size(); ++k)
            text +=
                (k == 0 ? "" : fmt::format(" {} ", s.signs[k - 1])) + papers::spelled(s.sides[k]);
        text += '\n';
        lines.push_back(s.at);
    }
};

gathered_equations displays_of(const papers::document& d) {
    gathered_equations all;
    std::vector<std::pair<std::string, std::size_t>> alone;
    for (const papers::part& p : papers::parts_of(d).list) {
        if (p.kind != papers::part_kind::display) continue;
        if (!p.problem.empty()) refuse_at(d.at(p.begin), p.problem);
        for (const papers::statement& s : papers::statements_of(p.content, p.environment)) {
            if (s.sides.size() > 1) all.add(s, d);
            else alone.push_back({papers::spelled(s.sides[0]), s.at});
        }
    }
    // A display of a name alone keeps the tensor where the equations define it. Most say something
    // else.
    for (const auto& [name, at] : alone) {
        const std::string with = all.text + name + '\n';
        if (all.lines.empty() || !parse(with)) continue;
        all.text = with;
        all.lines.push_back(at);
    }
    return all;
}

// The sentence of a mistake, without the place in the text that was parsed.
std::string without_place(const mistake& m) {
    const std::size_t colon = m.line > 0 ? m.message.find(": ") : std::string::npos;
    return colon == std::string::npos ? m.message : m.message.substr(colon + 2);
}

// What is said beside of a file that is no text of equations by its name.
std::string other_files(const std::string& file) {
    const std::string ending = std::filesystem::path(file).extension().string();
    for (const char* text : {"", ".tex", ".md", ".markdown", ".txt", ".rst"})
        if (ending == text) return {};
    return "; files of networks end in .uai, .cnf or .json";
}

papers::document read_document(const std::string& file) {
    try {
        return papers::document::read(file, std::cin);
    } catch (const papers::mistake_in_input& m) {
        refuse("{}", m.words);
    }
}

}  // namespace

program read_equations(const std::string& file) {
    const papers::document d = read_document(file);
    const gathered_equations displays = displays_of(d);
    const bool plain = displays.lines.empty();
    auto read = parse(plain ? d.text() : displays.text);
    if (read) return std::move(read).value();
    const mistake& wrong = read.error();
    if (plain)
        refuse_at(d.at(static_cast<std::size_t>(std::max(wrong.begin, 0))),
                  without_place(wrong) + other_files(file));
    const std::size_t line =
        std::min(displays.lines.size(), static_cast<std::size_t>(std::max(wrong.line, 1)));
    refuse_at(d.at(displays.lines[line - 1]), without_place(wrong));
}

}  // namespace ricci::command
