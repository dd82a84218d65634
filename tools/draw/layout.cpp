// From connected parts to one sheet: which layout each part gets, and where the parts stand.
#include "draw/layout.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "draw/layout_parts.hpp"

namespace ricci::draw {
namespace {

// From whole steps to pixels, with room for the widest node and the widest letter between two.
void put_on_steps(const diagram& d, const component& c, const std::vector<point>& steps,
                  layout& out) {
    double widest = 0, letters = 0;
    for (const std::size_t n : c.nodes) widest = std::max(widest, out.sizes[n].x);
    for (const edge& e : d.edges) letters = std::max(letters, letter_size(e).x);
    const bool flat =
        std::all_of(steps.begin(), steps.end(), [&](point q) { return q.y == steps[0].y; });
    const double step = std::max(84.0, widest + 34 + letters);
    for (std::size_t k = 0; k < c.nodes.size(); ++k)
        out.centres[c.nodes[k]] = {steps[k].x * step, steps[k].y * (flat ? step : 84.0)};
}

void put_by_distances(const component& c, layout& out) {
    const std::vector<point> steps = stress_places(c);
    double widest = 0;
    std::vector<point> at, size;
    for (const std::size_t n : c.nodes) widest = std::max(widest, out.sizes[n].x);
    const double step = std::max(92.0, widest * 0.7 + 52);
    for (std::size_t k = 0; k < c.nodes.size(); ++k) {
        at.push_back({steps[k].x * step, steps[k].y * step});
        // with room for the axes and the letter of a short line
        const point own = out.sizes[c.nodes[k]];
        size.push_back({own.x + 22, own.y + 22});
    }
    push_apart(at, size);
    for (std::size_t k = 0; k < c.nodes.size(); ++k) out.centres[c.nodes[k]] = at[k];
}

// How often lines cross that do not meet in a node.
int crossings(const diagram& d, const component& c, const layout& where) {
    const std::vector<std::size_t> edges = edges_of(d, c);
    std::vector<std::vector<point>> lines;
    for (const std::size_t e : edges) lines.push_back(points_along(where.routes[e].path, 8));
    const auto side = [](point o, point u, point v) {
        return (u.x - o.x) * (v.y - o.y) - (u.y - o.y) * (v.x - o.x);
    };
    int count = 0;
    for (std::size_t a = 0; a < lines.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            for (std::size_t k = 0; k + 1 < lines[a].size(); ++k)
                for (std::size_t m = 0; m + 1 < lines[b].size(); ++m) {
                    const point p = lines[a][k], q = lines[a][k + 1];
                    const point r = lines[b][m], s = lines[b][m + 1];
                    count += side(p, q, r) * side(p, q, s) < 0 && side(r, s, p) * side(r, s, q) < 0;
                }
    return count;
}

void place_part(const diagram& d, const component& c, layout& out, bool ask_dot) {
    if (c.arrows) {
        place_in_columns(d, c, out);
        if (ask_dot && c.nodes.size() <= 120) {
            layout other = out;
            if (place_by_dot(d, c, other) && crossings(d, c, other) <= crossings(d, c, out))
                out = std::move(other);
        }
        place_letters(d, c, out);
        return;
    }
    std::vector<point> steps = grid_places(c);
    if (steps.empty()) steps = dotted_places(d, c);
    if (!steps.empty()) put_on_steps(d, c, steps, out);
    else put_by_distances(c, out);
    place_ends(d, c, out);
    route_lines(d, c, out);
    place_letters(d, c, out);
}

struct box {
    double left = 1e9, top = 1e9, right = -1e9, bottom = -1e9;
    void hold(point q, point size) {
        left = std::min(left, q.x - size.x / 2), right = std::max(right, q.x + size.x / 2);
        top = std::min(top, q.y - size.y / 2), bottom = std::max(bottom, q.y + size.y / 2);
    }
};

// A connected part that has its places, and how far it is moved on the sheet.
struct placed_part {
    std::vector<std::size_t> nodes, edges;
    box around;
    point shift;
};

placed_part placed(const diagram& d, const component& c, layout& out, bool ask_dot) {
    place_part(d, c, out, ask_dot);
    placed_part one{{}, edges_of(d, c), {}, {}};
    std::set<std::size_t> all(c.nodes.begin(), c.nodes.end());
    for (const std::size_t e : one.edges)
        all.insert(
            {static_cast<std::size_t>(d.edges[e].from), static_cast<std::size_t>(d.edges[e].to)});
    one.nodes.assign(all.begin(), all.end());
    for (const std::size_t n : one.nodes) one.around.hold(out.centres[n], out.sizes[n]);
    for (const std::size_t e : one.edges) {
        for (const point q : points_along(out.routes[e].path)) one.around.hold(q, {3, 3});
        if (letter_size(d.edges[e]).x > 0)
            one.around.hold(out.routes[e].letter, letter_size(d.edges[e]));
        one.around.hold(out.routes[e].tail_mark, mark_size(d.edges[e].tail));
        one.around.hold(out.routes[e].head_mark, mark_size(d.edges[e].head));
    }
    return one;
}

// Numbers stand before what they multiply.
std::vector<placed_part> with_numbers_first(const diagram& d,
                                            const std::vector<placed_part>& parts) {
    std::vector<placed_part> sorted;
    for (const bool numbers : {true, false})
        for (const placed_part& one : parts) {
            const bool number =
                one.nodes.size() == 1 && d.nodes[one.nodes[0]].shape == shape::value;
            if (number == numbers) sorted.push_back(one);
        }
    return sorted;
}

// Side by side, on one middle line; in several rows where there are many of them.
void put_in_rows(std::vector<placed_part>& parts, layout& out) {
    constexpr double margin = 16, between = 28, between_rows = 24, widest = 1100;
    double y = margin;
    for (std::size_t first = 0; first < parts.size();) {
        double x = margin, height = 0;
        std::size_t last = first;
        for (; last < parts.size(); ++last) {
            const box& b = parts[last].around;
            if (last > first && x + b.right - b.left > widest) break;
            parts[last].shift.x = x - b.left;
            x += b.right - b.left + between;
            height = std::max(height, b.bottom - b.top);
        }
        out.width = std::max(out.width, x - between + margin);
        for (; first < last; ++first) {
            const box& b = parts[first].around;
            parts[first].shift.y = y - b.top + (height - (b.bottom - b.top)) / 2;
        }
        y += height + between_rows;
    }
    out.height = y - between_rows + margin;
}

void shift_part(const placed_part& one, layout& out) {
    const auto shift = [&](point& q) { q.x += one.shift.x, q.y += one.shift.y; };
    for (const std::size_t n : one.nodes) shift(out.centres[n]);
    for (const std::size_t e : one.edges) {
        for (point& q : out.routes[e].path) shift(q);
        shift(out.routes[e].letter);
        shift(out.routes[e].tail_mark);
        shift(out.routes[e].head_mark);
    }
}

layout with_parts(const diagram& d, bool ask_dot) {
    layout out;
    for (const node& n : d.nodes) out.sizes.push_back(size_of(n));
    out.centres.resize(d.nodes.size());
    out.routes.resize(d.edges.size());
    std::vector<placed_part> parts;
    for (const component& c : components_of(d)) parts.push_back(placed(d, c, out, ask_dot));
    parts = with_numbers_first(d, parts);
    put_in_rows(parts, out);
    for (const placed_part& one : parts) shift_part(one, out);
    return out;
}

}  // namespace

point size_of(const node& n) {
    const double letters = width_of(n.text), width = letters * 17;  // as the style has them
    switch (n.shape) {
        case shape::tensor:
        case shape::use:
            return {std::max(36.0, width + 14), 36};
        case shape::argument:
            return n.text.empty() ? point{12, 12} : point{20, 20};
        case shape::value:
            return {std::max(30.0, width + 14), 26};
        case shape::function:
            return {std::max(34.0, letters * 15 + 18), 30};
        case shape::stored:
            return {std::max(34.0, width + 18), 30};
        case shape::dot:
            return {9, 9};
        case shape::fork:
            return {8, 8};
        case shape::end:
            return {std::max(10.0, letters * 14 + 4), 16};
    }
    return {};
}

point letter_size(const edge& e) {
    if (e.text.empty() && e.step.empty()) return {};
    const double words = e.text.empty() ? 0 : width_of(e.text) * 14 + 3;
    return {words + (e.step.empty() ? 0 : e.step.size() > 2 ? 22 : 18), e.step.empty() ? 15.0 : 18};
}

point mark_size(const line_end& e) {
    if (e.mark.empty()) return {};
    return {width_of(e.mark) * 10 + 1, 10};
}

bool is_round(shape s) { return s == shape::tensor || s == shape::use || s == shape::argument; }

std::vector<component> components_of(const diagram& d) {
    const std::size_t count = d.nodes.size();
    std::vector<std::set<std::size_t>> links(count);
    for (const edge& e : d.edges) {
        const auto from = static_cast<std::size_t>(e.from), to = static_cast<std::size_t>(e.to);
        if (from != to) links[from].insert(to), links[to].insert(from);
    }
    std::vector<bool> done(count, false);
    std::vector<component> all;
    std::vector<std::size_t> place(count);
    for (std::size_t start = 0; start < count; ++start) {
        if (done[start] || d.nodes[start].shape == shape::end) continue;
        component c;
        std::vector<std::size_t> open{start};
        done[start] = true;
        while (!open.empty()) {
            const std::size_t n = open.back();
            open.pop_back();
            c.nodes.push_back(n);
            for (const std::size_t m : links[n])
                if (!done[m] && d.nodes[m].shape != shape::end) done[m] = true, open.push_back(m);
        }
        std::sort(c.nodes.begin(), c.nodes.end());
        for (std::size_t k = 0; k < c.nodes.size(); ++k) place[c.nodes[k]] = k;
        for (const std::size_t n : c.nodes) {
            auto& mine = c.links.emplace_back();
            for (const std::size_t m : links[n])
                if (d.nodes[m].shape != shape::end) mine.push_back(place[m]);
            const bool small = d.nodes[n].shape == shape::dot || d.nodes[n].shape == shape::fork;
            c.reach.push_back(small ? 0.3 : 0.5);
        }
        all.push_back(std::move(c));
    }
    for (component& c : all)
        for (const edge& e : d.edges)
            if (e.arrow && std::binary_search(c.nodes.begin(), c.nodes.end(),
                                              static_cast<std::size_t>(e.from)))
                c.arrows = true;
    return all;
}

std::vector<std::size_t> edges_of(const diagram& d, const component& c) {
    std::vector<std::size_t> all;
    const auto here = [&](std::int32_t n) {
        return std::binary_search(c.nodes.begin(), c.nodes.end(), static_cast<std::size_t>(n));
    };
    for (std::size_t e = 0; e < d.edges.size(); ++e)
        if (here(d.edges[e].from) || here(d.edges[e].to)) all.push_back(e);
    return all;
}

layout plain_layout(const diagram& d) { return with_parts(d, false); }
layout best_layout(const diagram& d) { return with_parts(d, true); }

}  // namespace ricci::draw
