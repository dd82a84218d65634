// SVG without scripts and fonts of its own.
#include "draw/svg.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "draw/svg_style.hpp"
#include "draw/svg_words.hpp"

namespace ricci::draw {
namespace {

class writer : public word_writer {
public:
    void line(const char* what, const std::string& path) {
        add("<path class=\"{}\" d=\"{}\"/>\n", what, path);
    }

    void draw(const picture& pic, double down) {
        const diagram& d = pic.what;
        down_ = down;
        add("<g role=\"img\" aria-label=\"Tensor diagram of {}\">\n", in_xml(d.title));
        for (std::size_t e = 0; e < d.edges.size(); ++e) edge_line(d.edges[e], pic.where.routes[e]);
        for (std::size_t n = 0; n < d.nodes.size(); ++n)
            node_mark(d.nodes[n], lowered(pic.where.centres[n]), pic.where.sizes[n]);
        // above all lines
        for (std::size_t e = 0; e < d.edges.size(); ++e) {
            edge_words(d.edges[e], lowered(pic.where.routes[e].letter));
            end_words(d.edges[e].tail, lowered(pic.where.routes[e].tail_mark));
            end_words(d.edges[e].head, lowered(pic.where.routes[e].head_mark));
        }
        out += "</g>\n";
    }

private:
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
            const auto thick = [&](const char* what, double thickness) {
                add("<path class=\"{}\" style=\"stroke-width:{}\" d=\"{}\"/>\n", what,
                    number(thickness), path);
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
    void end_words(const line_end& e, point at) {
        if (!e.mark.empty()) text("end", {at.x, at.y - 1.5}, e.mark);
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
                if (n.repeated) box("ring", at, {size.x - 6, size.y - 6}, size.y / 2 - 3);
                text("name", at, n.text);
                return;
            case shape::use:
                box("stored", at, size, size.y / 2);
                text("name", at, n.text);
                return;
            case shape::argument:
                box("argument", at, size, size.y / 2);
                if (!n.text.empty()) text("word", at, n.text);
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
    constexpr double margin = 16, least = 520;
    double width = 360;
    for (const picture& p : all) width = std::max(width, p.where.width);
    const double most = std::max(width - 2 * margin, least);
    double down = 12;
    for (const picture& p : all) {
        down += w.formula({margin, down}, p.what.latex, most);
        w.draw(p, down);
        down += p.where.height;
        for (const std::string& n : p.what.notes)
            down += w.lines("note", {margin, down}, {{n, 0, true}}, 13, most);
        down += 14;
    }
    width = std::max(width, w.width + 2 * margin);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\">\n{2}<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n"
        "{3}</svg>\n",
        number(width), number(down), svg_style, w.out);
}

}  // namespace ricci::draw
