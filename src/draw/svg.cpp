// SVG without scripts and fonts of its own: colours are classes, so that dark screens get light
// lines.
#include "draw/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

namespace ricci::draw {
namespace {

constexpr const char* style = R"(<style>
text { font-family: "Latin Modern Math", "STIX Two Text", Cambria, "DejaVu Serif", serif; fill: #1a1a1a; }
.name { font-size: 17px; font-style: italic; text-anchor: middle; }
.word { font-size: 15px; text-anchor: middle; }
.letter { font-size: 14px; font-style: italic; text-anchor: middle; stroke: #ffffff; stroke-width: 4px; paint-order: stroke; stroke-linejoin: round; }
.step { font-size: 11px; text-anchor: middle; fill: #ffffff; }
.title, .note { font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 12px; }
.note { fill: #555555; }
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
.letter { stroke: #16181c; }
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
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", x);
    std::string word = text;
    if (word.size() > 2 && word.ends_with(".0")) word.resize(word.size() - 2);
    return word == "-0" ? "0" : word;
}

std::size_t characters_in(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

class writer {
public:
    std::string out;

    void text(const char* what, point at, const label& words) {
        out += "<text class=\"" + std::string(what) + "\" x=\"" + number(at.x) + "\" y=\"" +
               number(at.y + 5) + "\">";
        int level = 0;
        for (const run& r : words) {
            if (r.level == 0 && level == 0) {
                out += escaped(r.text);
                continue;
            }
            // lowered and raised by the difference to what stands before
            const int shift = level - r.level;
            out += "<tspan dy=\"" + number(shift * (r.level > 0 || level > 0 ? 6 : 4)) + "\"";
            if (r.level != 0) out += " font-size=\"70%\"";
            out += ">" + escaped(r.text) + "</tspan>";
            level = r.level;
        }
        out += "</text>\n";
    }
    void line(const char* what, const std::string& path) {
        out += "<path class=\"" + std::string(what) + "\" d=\"" + path + "\"/>\n";
    }

    void draw(const picture& pic, double down) {
        const diagram& d = pic.what;
        std::vector<point> at = pic.where.centres;
        for (point& q : at) q.y += down;
        std::map<std::pair<std::int32_t, std::int32_t>, int> all, drawn;
        for (const edge& e : d.edges) ++all[std::minmax(e.from, e.to)];
        struct word {
            point at;
            label text;
            std::string step;
        };
        std::vector<word> words;  // above all lines
        for (const edge& e : d.edges) {
            const auto pair = std::pair(std::minmax(e.from, e.to));
            const int which = drawn[pair]++;
            double bend = (which - (all[pair] - 1) / 2.0) * 44 * (e.from <= e.to ? 1 : -1);
            if (bend == 0 && is_hidden(e, at, pic.where.sizes)) bend = 64;
            const point middle = edge_line(e, d, at, pic.where.sizes, bend, which);
            if (!e.text.empty() || !e.step.empty()) words.push_back({middle, e.text, e.step});
        }
        for (std::size_t n = 0; n < d.nodes.size(); ++n)
            node_mark(d.nodes[n], at[n], pic.where.sizes[n]);
        for (const word& w : words) {
            if (!w.text.empty()) text("letter", w.at, w.text);
            if (w.step.empty()) continue;
            const point q{w.at.x + width_of(w.text) * 4 + 12, w.at.y - 8};
            out += "<circle class=\"badge\" cx=\"" + number(q.x) + "\" cy=\"" + number(q.y) +
                   "\" r=\"" + number(w.step.size() > 2 ? 10 : 8) + "\"/>\n";
            text("step", {q.x, q.y - 1}, {{w.step, 0}});
        }
    }

private:
    static std::string at_point(point q) { return number(q.x) + " " + number(q.y); }

    // From the centre towards `to`, where the border of the node is.
    static point border(const node& n, point centre, point size, point to) {
        const double dx = to.x - centre.x, dy = to.y - centre.y;
        const double length = std::hypot(dx, dy);
        if (length < 1e-9) return centre;
        if (n.shape == shape::dot || n.shape == shape::fork) return centre;
        const double half_x = size.x / 2, half_y = size.y / 2;
        const double reach = std::min(half_x * length / std::max(std::fabs(dx), 1e-9),
                                      half_y * length / std::max(std::fabs(dy), 1e-9));
        // a tensor of one letter is a circle
        const bool round = n.shape == shape::tensor && size.x <= 36;
        const double far = round ? 18 : n.shape == shape::end ? std::min(reach, 9.0) : reach;
        return {centre.x + dx / length * far, centre.y + dy / length * far};
    }

    // Whether a straight line would run over another node.
    static bool is_hidden(const edge& e, const std::vector<point>& at,
                          const std::vector<point>& sizes) {
        const auto f = static_cast<std::size_t>(e.from), t = static_cast<std::size_t>(e.to);
        const double dx = at[t].x - at[f].x, dy = at[t].y - at[f].y;
        const double square = dx * dx + dy * dy;
        for (std::size_t n = 0; n < at.size(); ++n) {
            if (n == f || n == t || square == 0) continue;
            const double along = ((at[n].x - at[f].x) * dx + (at[n].y - at[f].y) * dy) / square;
            const double across =
                std::fabs((at[n].x - at[f].x) * dy - (at[n].y - at[f].y) * dx) / std::sqrt(square);
            if (along > 0 && along < 1 && across < sizes[n].y / 2 - 1) return true;
        }
        return false;
    }

    // Draws it and says where its letter stands.
    point edge_line(const edge& e, const diagram& d, const std::vector<point>& at,
                    const std::vector<point>& sizes, double bend, int which) {
        const auto f = static_cast<std::size_t>(e.from), t = static_cast<std::size_t>(e.to);
        const char* what = e.strands == 0 ? "line number" : "line";
        if (f == t) {  // a trace
            const double r = 14 + 8 * which;
            const point q{at[f].x, at[f].y - sizes[f].y / 2};
            line(what, "M " + at_point({q.x - 8, q.y + 3}) + " C " +
                           at_point({q.x - 8 - r, q.y - 2 * r}) + " " +
                           at_point({q.x + 8 + r, q.y - 2 * r}) + " " +
                           at_point({q.x + 8, q.y + 3}));
            return {q.x, q.y - 1.5 * r};
        }
        const double dx = at[t].x - at[f].x, dy = at[t].y - at[f].y;
        const double length = std::max(std::hypot(dx, dy), 1e-9);
        const point across{-dy / length, dx / length};
        const point middle{(at[f].x + at[t].x) / 2, (at[f].y + at[t].y) / 2};
        const point handle{middle.x + across.x * bend, middle.y + across.y * bend};
        const point from = border(d.nodes[f], at[f], sizes[f], bend == 0 ? at[t] : handle);
        const point to = border(d.nodes[t], at[t], sizes[t], bend == 0 ? at[f] : handle);
        std::string path = "M " + at_point(from);
        path += bend == 0 ? " L " + at_point(to) : " Q " + at_point(handle) + " " + at_point(to);
        if (e.strands > 1) {
            // one thick line with paper inside is as many strands as have room
            out +=
                "<path class=\"line\" style=\"stroke-width:" + number(2 + 2.6 * (e.strands - 1)) +
                "\" d=\"" + path + "\"/>\n";
            if (e.strands == 2) line("between", path);
            else
                for (int s = 0; s + 1 < e.strands; ++s) {
                    const double off = (s - (e.strands - 2) / 2.0) * 2.6;
                    line("between",
                         "M " + at_point({from.x + across.x * off, from.y + across.y * off}) +
                             " L " + at_point({to.x + across.x * off, to.y + across.y * off}));
                }
        } else {
            line(what, path);
        }
        if (e.arrow) arrow(bend == 0 ? from : handle, to);
        const point curve{(from.x + 2 * handle.x + to.x) / 4, (from.y + 2 * handle.y + to.y) / 4};
        point letter = bend == 0 ? point{(from.x + to.x) / 2, (from.y + to.y) / 2} : curve;
        if (bend == 0 && !e.text.empty()) {
            // Beside the line: above where it is flat, to the right where it is steep. On a bent
            // one the letter stands on its own side of the other.
            const bool flat = std::fabs(dx) >= std::fabs(dy);
            const double side = flat ? (across.y < 0 ? 1 : -1) : (across.x > 0 ? 1 : -1);
            const double off = flat ? 10 : 8 + width_of(e.text) * 3;
            letter.x += across.x * side * off;
            letter.y += across.y * side * off;
        }
        return letter;
    }
    void arrow(point from, point to) {
        const double dx = to.x - from.x, dy = to.y - from.y;
        const double length = std::max(std::hypot(dx, dy), 1e-9);
        const point way{dx / length, dy / length};
        const point back{to.x - way.x * 8, to.y - way.y * 8};
        out += "<path class=\"mark\" d=\"M " + at_point(to) + " L " +
               at_point({back.x - way.y * 3.5, back.y + way.x * 3.5}) + " L " +
               at_point({back.x + way.y * 3.5, back.y - way.x * 3.5}) + " Z\"/>\n";
    }

    void box(const char* what, point at, point size, double round) {
        out += "<rect class=\"" + std::string(what) + "\" x=\"" + number(at.x - size.x / 2) +
               "\" y=\"" + number(at.y - size.y / 2) + "\" width=\"" + number(size.x) +
               "\" height=\"" + number(size.y) + "\" rx=\"" + number(round) + "\"/>\n";
    }
    void node_mark(const node& n, point at, point size) {
        switch (n.shape) {
            case shape::tensor:
                box("tensor", at, size, 18);
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
                out += "<circle class=\"mark\" cx=\"" + number(at.x) + "\" cy=\"" + number(at.y) +
                       "\" r=\"4\"/>\n";
                return;
            case shape::fork:
                out += "<circle class=\"mark\" cx=\"" + number(at.x) + "\" cy=\"" + number(at.y) +
                       "\" r=\"2.6\"/>\n";
                return;
            case shape::end:
                text("letter", at, n.text);
                return;
        }
    }
};

// Lines of no more than so many characters, broken at blanks.
std::vector<std::string> wrapped(const std::string& text, std::size_t most) {
    std::vector<std::string> lines{""};
    std::string word;
    for (std::size_t k = 0; k <= text.size(); ++k) {
        if (k < text.size() && text[k] != ' ') {
            word += text[k];
            continue;
        }
        if (!lines.back().empty() && characters_in(lines.back()) + characters_in(word) + 1 > most)
            lines.push_back("    ");
        else if (!lines.back().empty()) lines.back() += ' ';
        lines.back() += word;
        word.clear();
    }
    return lines;
}

}  // namespace

std::string to_svg(const std::vector<picture>& all) {
    writer w;
    constexpr double line = 16, margin = 16;
    double width = 360;
    for (const picture& p : all) width = std::max(width, p.where.width);
    double down = 12;
    const auto lines = [&](const char* what, const std::string& words) {
        for (const std::string& l :
             wrapped(words, std::max<std::size_t>(40, static_cast<std::size_t>(width / 7.6)))) {
            w.out += "<text class=\"" + std::string(what) + "\" xml:space=\"preserve\" x=\"" +
                     number(margin) + "\" y=\"" + number(down + 12) + "\">" + escaped(l) +
                     "</text>\n";
            width = std::max(width, static_cast<double>(characters_in(l)) * 7.3 + 2 * margin);
            down += line;
        }
    };
    for (const picture& p : all) {
        if (!p.what.title.empty()) lines("title", p.what.title);
        w.draw(p, down);
        down += p.where.height;
        for (const std::string& n : p.what.notes) lines("note", n);
        down += 14;
    }
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width) + "\" height=\"" +
           number(down) + "\" viewBox=\"0 0 " + number(width) + " " + number(down) + "\">\n" +
           style + "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n" + w.out + "</svg>\n";
}

}  // namespace ricci::draw
