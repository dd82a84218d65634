// `ricci check`: what it is called with, and what it ends with.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include <fmt/core.h>

#include "check/check_paper.hpp"
#include "check/check_report.hpp"
#include "command/command.hpp"
#include "command/command_line.hpp"
#include "command/progress.hpp"
#include "command/sentences.hpp"
#include "papers/document.hpp"

namespace ricci::command {

namespace {

struct check_options {
    std::vector<std::string> files;
    bool json = false;
    bool strict = false;
};

bool is_terminal(int file) { return isatty(file) != 0; }

int run(const check_options& options) {
    std::vector<papers::paper_report> reports;
    int code = done;
    for (const std::string& name : options.files) {
        try {
            const papers::document text = papers::document::read(name, std::cin);
            for (const papers::remark& r : text.remarks())
                remark_aside("{}:{}:{}: {}\n", papers::harmless(r.where.file), r.where.line,
                             r.where.column, papers::harmless(r.words));
            progress tell("reading " + papers::harmless(name));
            reports.push_back(papers::check_paper(text, [&](std::size_t k, std::size_t all) {
                tell.now(
                    fmt::format("{}, {} %", papers::harmless(name), all ? 100 * k / all : 100));
            }));
        } catch (const papers::mistake_in_input& m) {
            remark_aside("ricci check: {}\n", papers::harmless(m.words));
            code = mistaken;
        }
    }
    const char* no_colour = std::getenv("NO_COLOR");
    const bool colour = is_terminal(STDOUT_FILENO) && !(no_colour && *no_colour);
    const std::string words = options.json      ? papers::as_json(reports)
                              : reports.empty() ? std::string()
                                                : papers::as_lines(reports, colour);
    fmt::print("{}", words);
    if (code != done) return code;
    const auto any = [&](papers::verdict v) {
        for (const papers::paper_report& paper : reports)
            for (const papers::finding& f : paper.findings)
                if (f.verdict == v) return true;
        return false;
    };
    if (any(papers::verdict::refuted)) return refuted;
    return options.strict && any(papers::verdict::suspect) ? suspect : done;
}

}  // namespace

void add_check(CLI::App& app, int& code) {
    auto options = std::make_shared<check_options>();
    command_line check(app, "check", "proof-read the displayed equations of papers and pages");
    check.words(options->files, "PAPER",
                "LaTeX (.tex) or Markdown (.md) documents; - is standard input", true);
    check.flag("--json", options->json,
               "print a list of {file, line, column, equation, verdict, words}");
    check.flag("--strict", options->strict, "end with 3 where an equation is suspect");
    check.footer(
        "Each equation gets a line  file:line:column: verdict: words  with one of these verdicts:\n"
        "  defines     it says what a name is\n"
        "  proved      it follows from the equations before it\n"
        "  conditional true under an assumption that the words name\n"
        "  refuted     it is false: the words give numbers for which it fails\n"
        "  suspect     its sides differ in numbers, but something that the page leaves open, or\n"
        "              the rounding of printed numbers, could make them equal\n"
        "  unproved    neither a proof nor numbers against it were found\n"
        "  declares    a condition on things that nothing defines\n"
        "  prose       no equation that computes; the words say why\n"
        "  unreadable  it cannot be read; the words say why\n"
        "Exit codes: 0, 1 for a mistake in what was given, 2 where an equation is refuted,\n"
        "3 with --strict where none is and one is suspect.");
    check.call([options, &code] { code = run(*options); });
}

}  // namespace ricci::command
