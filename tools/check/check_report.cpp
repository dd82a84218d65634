// The verdicts as lines, in colours on a terminal, and as JSON.
#include "check/check_report.hpp"

#include <array>

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace ricci::papers {

namespace {

const char* colour_of(verdict v) {
    switch (v) {
        case verdict::proved:
        case verdict::defines:
            return "\x1b[32m";
        case verdict::refuted:
            return "\x1b[1;31m";
        case verdict::suspect:
        case verdict::conditional:
        case verdict::unproved:
        case verdict::unreadable:
            return "\x1b[33m";
        default:
            return "\x1b[2m";
    }
}

}  // namespace

std::string harmless(const std::string& text) {
    std::string out;
    for (const char c : text) out += static_cast<unsigned char>(c) < ' ' || c == 0x7f ? ' ' : c;
    return out;
}

std::string as_lines(const std::vector<paper_report>& papers, bool colour) {
    std::string out;
    std::array<int, verdict_count> counts{};
    int all = 0;
    for (const paper_report& paper : papers) {
        for (const finding& f : paper.findings) {
            out += fmt::format("{}:{}:{}: {}{}{}: {}\n", harmless(f.where.file), f.where.line,
                               f.where.column, colour ? colour_of(f.verdict) : "",
                               word_of(f.verdict), colour ? "\x1b[0m" : "", harmless(f.words));
            ++counts[static_cast<std::size_t>(f.verdict)];
            ++all;
        }
    }
    bool any = false;
    for (const paper_report& paper : papers)
        for (const unexplained& u : paper.symbols) {
            if (!any) out += "Symbols that no equation defines and no sentence names:\n";
            any = true;
            out += fmt::format("  {} ({}:{})\n", harmless(u.name), harmless(u.where.file),
                               u.where.line);
        }
    out += fmt::format("{} equation{}", all, all == 1 ? "" : "s");
    const char* separator = ": ";
    for (int v = 0; v < verdict_count; ++v) {
        const int count = counts[static_cast<std::size_t>(v)];
        if (count == 0) continue;
        out += fmt::format("{}{} {}", separator, count, word_of(static_cast<verdict>(v)));
        separator = ", ";
    }
    return out + "\n";
}

std::string as_json(const std::vector<paper_report>& papers) {
    auto list = nlohmann::ordered_json::array();
    for (const paper_report& paper : papers)
        for (const finding& f : paper.findings)
            list.push_back({{"file", f.where.file},
                            {"line", f.where.line},
                            {"column", f.where.column},
                            {"equation", f.equation},
                            {"verdict", word_of(f.verdict)},
                            {"words", f.words}});
    return list.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ricci::papers
