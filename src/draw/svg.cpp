// SVG without scripts and fonts of its own: colours are classes, so that dark screens get light
// lines.
#include "draw/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <ricci/detail/letters.hpp>

namespace ricci::draw {
namespace {

// Rules that are longer than a line here go on in the next piece.
constexpr const char* style = R"(<style>
text { font-family: "Latin Modern Math", "STIX Two Text", Cambria, "DejaVu Serif", serif;)"
                              R"( fill: #1a1a1a; }
.name { font-size: 17px; font-style: italic; text-anchor: middle; }
.word { font-size: 15px; text-anchor: middle; }
.letter { font-size: 14px; font-style: italic; text-anchor: middle; stroke: #ffffff;)"
                              R"( stroke-width: 4px; paint-order: stroke; stroke-linejoin: round; }
.step { font-size: 11px; text-anchor: middle; fill: #ffffff; }
.sign { font-size: 17px; font-weight: bold; text-anchor: middle; stroke: #ffffff;)"
                              R"( stroke-width: 3px; paint-order: stroke; }
.title { font-size: 16px; }
.title .slanted { font-style: italic; }
.note { font-size: 13px; fill: #555555; }
.paper { fill: #ffffff; }
.line { fill: none; stroke: #1a1a1a; stroke-width: 1.6; }
.between { fill: none; stroke: #ffffff; stroke-width: 2; }
.number { stroke-dasharray: 4 3; }
.tensor { fill: #dbe8f6; stroke: #24507f; stroke-width: 1.6; }
.function { fill: #fbe9cf; stroke: #99611a; stroke-width: 1.4; }
.stored { fill: #dcefdc; stroke: #2f6b35; stroke-width: 1.6; }
.value { fill: #f1f1f1; stroke: #777777; stroke-width: 1; }
.mark { fill: #1a1a1a; }
.badge { fill: #a3343a; }
@media screen and (prefers-color-scheme: dark) {
text, .mark { fill: #e6e6e6; }
.letter, .sign { stroke: #16181c; }
.note { fill: #a8a8a8; }
.paper { fill: #16181c; }
.line { stroke: #d8d8d8; }
.between { stroke: #16181c; }
.tensor { fill: #1e3450; stroke: #8ab4e0; }
.function { fill: #45331a; stroke: #e0b173; }
.stored { fill: #1f3b23; stroke: #8cc594; }
.value { fill: #2a2c31; stroke: #999999; }
.step { fill: #ffffff; }
}
</style>
)";

std::string escaped(const std::string& text) {
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

// Lines that are no wider than so many letters, broken at blanks; what follows is set in.
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

class writer {
public:
    std::string out;

    void text(const char* what, point at, const label& words) {
        add(R"(<text class="{}" x="{}" y="{}">)", what, number(at.x), number(at.y + 5));
        int level = 0;
        for (const run& r : words) {
            if (r.level == 0 && level == 0) {
                out += escaped(r.text);
                continue;
            }
            // lowered and raised by the difference to what stands before
            const int shift = level - r.level;
            add(R"(<tspan dy="{}"{}>{}</tspan>)",
                number(shift * (r.level > 0 || level > 0 ? 6 : 4)),
                r.level != 0 ? R"( font-size="70%")" : "", escaped(r.text));
            level = r.level;
        }
        out += "</text>\n";
    }
    // A line of mathematics: letters are slanted; digits, signs and words are not.
    void heading(const char* what, point at, const label& words) {
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
                if (how.empty()) out += escaped(piece.text);
                else add("<tspan{}>{}</tspan>", how, escaped(piece.text));
                level = piece.level;
            }
        out += "</text>\n";
    }
    void line(const char* what, const std::string& path) {
        add("<path class=\"{}\" d=\"{}\"/>\n", what, path);
    }

    void draw(const picture& pic, double down) {
        const diagram& d = pic.what;
        down_ = down;
        for (std::size_t e = 0; e < d.edges.size(); ++e) edge_line(d.edges[e], pic.where.routes[e]);
        for (std::size_t n = 0; n < d.nodes.size(); ++n)
            node_mark(d.nodes[n], lowered(pic.where.centres[n]), pic.where.sizes[n]);
        // above all lines
        for (std::size_t e = 0; e < d.edges.size(); ++e) {
            edge_words(d.edges[e], lowered(pic.where.routes[e].letter));
            if (!d.edges[e].sign.empty())
                text("sign", lowered(pic.where.routes[e].sign), {{d.edges[e].sign, 0}});
        }
    }

private:
    template <class... Values>
    void add(fmt::format_string<Values...> words, Values&&... values) {
        out += fmt::format(words, std::forward<Values>(values)...);
    }
    static std::string at_point(point q) { return fmt::format("{} {}", number(q.x), number(q.y)); }

    point lowered(point q) const { return {q.x, q.y + down_}; }

    std::string path_of(const std::vector<point>& path) const {
        std::string words;
        for (std::size_t k = 0; k < path.size(); ++k)
            words += (k == 0             ? "M "
                      : path.size() == 2 ? " L "
                      : k % 3 == 1       ? " C "
                                         : " ") +
                     at_point(lowered(path[k]));
        return words;
    }
    void edge_line(const edge& e, const route& r) {
        const std::string path = path_of(r.path);
        if (e.strands > 1) {
            // one thick line, with thinner ones of paper inside: as many strands as there are
            const auto thick = [&](const char* what, double width) {
                add("<path class=\"{}\" style=\"stroke-width:{}\" d=\"{}\"/>\n", what,
                    number(width), path);
            };
            for (int s = e.strands; s > 0; s -= 2) {
                thick("line", 5.2 * s - 3.4);
                if (s > 1) thick("between", 5.2 * s - 6.6);
            }
        } else {
            line(e.strands == 0 ? "line number" : "line", path);
        }
        if (e.arrow) arrow(lowered(r.path[r.path.size() - 2]), lowered(r.path.back()));
    }
    void edge_words(const edge& e, point at) {
        const point size = letter_size(e);
        if (size.x <= 0) return;
        const double badge = e.step.empty() ? 0 : e.step.size() > 2 ? 22 : 18;
        if (!e.text.empty()) text("letter", {at.x - badge / 2, at.y}, e.text);
        if (e.step.empty()) return;
        const point q{at.x + size.x / 2 - badge / 2, at.y};
        circle("badge", q, badge / 2 - 1);
        text("step", {q.x, q.y - 1}, {{e.step, 0}});
    }
    void arrow(point from, point to) {
        const double dx = to.x - from.x, dy = to.y - from.y;
        const double length = std::max(std::hypot(dx, dy), 1e-9);
        const point way{dx / length, dy / length};
        const point back{to.x - way.x * 8, to.y - way.y * 8};
        add("<path class=\"mark\" d=\"M {} L {} L {} Z\"/>\n", at_point(to),
            at_point({back.x - way.y * 3.5, back.y + way.x * 3.5}),
            at_point({back.x + way.y * 3.5, back.y - way.x * 3.5}));
    }

    void box(const char* what, point at, point size, double round) {
        add("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>\n", what,
            number(at.x - size.x / 2), number(at.y - size.y / 2), number(size.x), number(size.y),
            number(round));
    }
    void circle(const char* what, point at, double radius) {
        add("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", what, number(at.x),
            number(at.y), number(radius));
    }
    void node_mark(const node& n, point at, point size) {
        switch (n.shape) {
            case shape::tensor:
                box("tensor", at, size, size.y / 2);
                text("name", at, n.text);
                return;
            case shape::value:
                box("value", at, size, 6);
                text("name", at, n.text);
                return;
            case shape::function:
                box("function", at, size, 7);
                text("word", at, n.text);
                return;
            case shape::stored:
                box("stored", at, size, 7);
                text("name", at, n.text);
                return;
            case shape::dot:
                return circle("mark", at, 4);
            case shape::fork:
                return circle("mark", at, 2.6);
            case shape::end:
                text("letter", at, n.text);
                return;
        }
    }

    double down_ = 0;  // what stands above the picture
};

}  // namespace

std::string to_svg(const std::vector<picture>& all) {
    writer w;
    constexpr double line = 23, margin = 16;
    double width = 360;
    for (const picture& p : all) width = std::max(width, p.where.width);
    double down = 12;
    const double most = std::max(width - 2 * margin, 520.0);
    const auto lines = [&](const char* what, const label& words, double letter) {
        for (const label& l : wrapped(words, most / letter)) {
            w.heading(what, {margin, down + 14}, l);
            width = std::max(width, width_of(l) * letter + 2 * margin);
            down += line;
        }
    };
    for (const picture& p : all) {
        lines("title", p.what.heading, 9.6);
        w.draw(p, down);
        down += p.where.height;
        for (const std::string& n : p.what.notes) lines("note", {{n, 0, true}}, 7.2);
        down += 14;
    }
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\">\n{2}<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n"
        "{3}</svg>\n",
        number(width), number(down), style, w.out);
}

}  // namespace ricci::draw
