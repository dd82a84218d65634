// Words with raised and lowered parts, and formulas that a browser sets.
#include "draw/svg_words.hpp"

#include <algorithm>
#include <cmath>

#include <ricci/detail/letters.hpp>

#include "draw/title.hpp"
#include "formula/mathml.hpp"

namespace ricci::draw {
namespace {

// Whether a character is one of those that are slanted: Latin and Greek letters, with accents.
bool is_slanted(const std::string& text, std::size_t at) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c < 0x80) return detail::is_ascii_letter(text[at]);
    if (c == 0xcc || (c & 0xc0) == 0x80) return at > 0 && is_slanted(text, at - 1);
    return c == 0xce || c == 0xcf;
}
std::vector<run> by_slant(const run& r) {
    if (r.roman) return {r};
    std::vector<run> all;
    for (std::size_t k = 0; k < r.text.size(); ++k) {
        const bool roman = !is_slanted(r.text, k);
        if (all.empty() || all.back().roman != roman) all.push_back({"", r.level, roman});
        all.back().text += r.text[k];
    }
    return all;
}

// Lines that are no wider than so many times their letters, broken at blanks; what follows is set
// in.
std::vector<label> wrapped(const label& words, double most) {
    std::vector<label> lines{{}};
    label word;
    const auto finish = [&] {
        if (!lines.back().empty() && width_of(lines.back()) + width_of(word) > most)
            lines.push_back({{"      ", 0, true}});
        for (const run& r : word) lines.back().push_back(r);
        word.clear();
    };
    for (const run& r : words) {
        std::string part;
        for (const char c : r.text) {
            part += c;
            if (c != ' ' || r.level != 0) continue;
            word.push_back({part, r.level, r.roman});
            part.clear();
            finish();
        }
        if (!part.empty()) word.push_back({part, r.level, r.roman});
    }
    finish();
    return lines;
}

}  // namespace

std::string in_xml(const std::string& text) {
    std::string all;
    for (const char c : text) {
        if (c == '<') all += "&lt;";
        else if (c == '>') all += "&gt;";
        else if (c == '&') all += "&amp;";
        else if (c == '"') all += "&quot;";
        else if (static_cast<unsigned char>(c) >= 0x20) all += c;
    }
    return all;
}

std::string number(double x) {
    std::string word = fmt::format("{:.1f}", x);
    if (word.size() > 2 && word.ends_with(".0")) word.resize(word.size() - 2);
    return word == "-0" ? "0" : word;
}

void word_writer::text(const char* what, point at, const label& words) {
    add(R"(<text class="{}" x="{}" y="{}">)", what, number(at.x), number(at.y + 5));
    int level = 0;
    for (const run& r : words) {
        if (r.level == 0 && level == 0) {
            out += in_xml(r.text);
            continue;
        }
        // lowered and raised by the difference to what stands before
        const int shift = level - r.level;
        add(R"(<tspan dy="{}"{}>{}</tspan>)", number(shift * (r.level > 0 || level > 0 ? 6 : 4)),
            r.level != 0 ? R"( font-size="70%")" : "", in_xml(r.text));
        level = r.level;
    }
    out += "</text>\n";
}
// A line of mathematics: letters are slanted; digits, signs and words are not.
void word_writer::line_of_words(const char* what, point at, const label& words) {
    add(R"(<text class="{}" xml:space="preserve" x="{}" y="{}">)", what, number(at.x),
        number(at.y));
    constexpr double heights[] = {0, 5.5, 9.5, 2.5};
    const auto height_of = [&](int level) {
        return level < 0 ? -heights[std::min(-level, 3)] : heights[std::min(level, 3)];
    };
    int level = 0;
    for (const run& r : words)
        for (const run& piece : by_slant(r)) {
            // raised and lowered by the difference to what stands before
            const double shift = height_of(level) - height_of(piece.level);
            std::string how;
            if (shift != 0) how += fmt::format(R"( dy="{}")", number(shift));
            if (piece.level != 0)
                how += std::abs(piece.level) == 1 ? " font-size=\"72%\"" : " font-size=\"58%\"";
            if (!piece.roman) how += " class=\"slanted\"";
            if (how.empty()) out += in_xml(piece.text);
            else add("<tspan{}>{}</tspan>", how, in_xml(piece.text));
            level = piece.level;
        }
    out += "</text>\n";
}

double word_writer::lines(const char* what, point at, const label& words, double size,
                          double most) {
    double down = 0;
    for (const label& l : wrapped(words, most / size)) {
        line_of_words(what, {at.x, at.y + down + 14}, l);
        width = std::max(width, width_of(l) * size);
        down += 23;
    }
    return down;
}

// A <switch> shows the first that the viewer says it knows.
double word_writer::formula(point at, const std::string& latex, double most) {
    constexpr double size = 17;
    const auto rows = formula::in_lines(formula::read_latex(latex), most / size);
    double wide = 0, high = 6;
    for (const formula::tree& row : rows) {
        const formula::box b = formula::box_of(row);
        wide = std::max(wide, (b.width + (rows.size() > 1 ? 2.5 : 0)) * size);
        high +=
            (std::max(b.above, 0.9) + std::max(b.below, 0.3) + (rows.size() > 1 ? 0.4 : 0)) * size;
    }
    add("<switch><foreignObject requiredExtensions=\"http://www.w3.org/1998/Math/MathML\" x=\"{}\" "
        "y=\"{}\" width=\"{}\" height=\"{}\">{}</foreignObject><g>\n",
        number(at.x), number(at.y), number(wide), number(high), formula::mathml(rows, latex));
    const double words = lines("title", at, typeset(latex), 16, most);
    out += "</g></switch>\n";
    width = std::max(width, wide);
    return std::max(high, words);
}

}  // namespace ricci::draw
