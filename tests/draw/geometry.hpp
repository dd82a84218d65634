// What every picture has to be: nothing on top of anything else, lines that end where they belong.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "draw/layout.hpp"

namespace ricci::testing {

struct rectangle {
    draw::point middle, size;
    std::string what;
};

inline bool overlap(const rectangle& a, const rectangle& b) {
    return std::fabs(a.middle.x - b.middle.x) < (a.size.x + b.size.x) / 2 - 0.5 &&
           std::fabs(a.middle.y - b.middle.y) < (a.size.y + b.size.y) / 2 - 0.5;
}

/// Nodes and letters, which stand clear of each other.
inline std::vector<rectangle> shown(const draw::diagram& d, const draw::layout& l) {
    std::vector<rectangle> all;
    for (std::size_t n = 0; n < d.nodes.size(); ++n)
        all.push_back({l.centres[n], l.sizes[n], "node " + draw::plain_text(d.nodes[n].text)});
    for (std::size_t e = 0; e < d.edges.size(); ++e) {
        const draw::point size = draw::letter_size(d.edges[e]);
        if (size.x > 0)
            all.push_back(
                {l.routes[e].letter, size, "letter " + draw::plain_text(d.edges[e].text)});
        for (const auto& [end, at] : {std::pair(d.edges[e].tail, l.routes[e].tail_mark),
                                      std::pair(d.edges[e].head, l.routes[e].head_mark)})
            if (!end.mark.empty())
                all.push_back({at, draw::mark_size(end),
                               "mark " + draw::plain_text(end.mark) + " of line " +
                                   draw::plain_text(d.edges[e].text)});
    }
    return all;
}

/// How far the end of a line is from the border of the node that it belongs to.
inline double distance_to(const draw::point& q, const draw::point& centre,
                          const draw::point& size) {
    const double x = std::fabs(q.x - centre.x), y = std::fabs(q.y - centre.y);
    if (x > size.x / 2 || y > size.y / 2)
        return std::hypot(std::max(x - size.x / 2, 0.0), std::max(y - size.y / 2, 0.0));
    return 0;
}

/// Whether a line meets each box on the side that says what it is there: an arrow the left one, with
/// what the box takes, and everything else the right one, with what it has made.
inline bool meets_boxes_rightly(const draw::diagram& d, const draw::layout& l, std::size_t e) {
    const draw::edge& line = d.edges[e];
    if (line.from == line.to) return true;  // a trace stands above
    const auto& path = l.routes[e].path;
    const auto rightly = [&](std::int32_t n, draw::point at, bool takes) {
        const auto k = static_cast<std::size_t>(n);
        const bool box =
            d.nodes[k].shape == draw::shape::function || d.nodes[k].shape == draw::shape::stored;
        return !box || (takes ? at.x <= l.centres[k].x : at.x >= l.centres[k].x);
    };
    return rightly(line.from, path.front(), false) && rightly(line.to, path.back(), line.arrow);
}

/// The first thing that is wrong with a picture, or nothing.
inline std::string fault_of(const draw::diagram& d, const draw::layout& l) {
    if (l.centres.size() != d.nodes.size() || l.routes.size() != d.edges.size())
        return "something has no place";
    const auto all = shown(d, l);
    for (std::size_t a = 0; a < all.size(); ++a) {
        const rectangle& r = all[a];
        if (!(r.middle.x - r.size.x / 2 >= 0 && r.middle.x + r.size.x / 2 <= l.width &&
              r.middle.y - r.size.y / 2 >= 0 && r.middle.y + r.size.y / 2 <= l.height))
            return r.what + " is outside of the picture";
        for (std::size_t b = 0; b < a; ++b)
            if (overlap(r, all[b])) return r.what + " is on top of " + all[b].what;
    }
    for (std::size_t e = 0; e < d.edges.size(); ++e) {
        const auto& path = l.routes[e].path;
        if (path.size() != 2 && (path.size() < 4 || path.size() % 3 != 1))
            return "a line has no path";
        const auto from = static_cast<std::size_t>(d.edges[e].from);
        const auto to = static_cast<std::size_t>(d.edges[e].to);
        if (distance_to(path.front(), l.centres[from], l.sizes[from]) > 6 ||
            distance_to(path.back(), l.centres[to], l.sizes[to]) > 6)
            return "the line " + draw::plain_text(d.edges[e].text) + " does not end on its nodes";
        if (!meets_boxes_rightly(d, l, e))
            return "the line " + draw::plain_text(d.edges[e].text) +
                   " is on the wrong side of a box";
        for (const draw::point q : draw::points_along(path))
            if (!(q.x >= 0 && q.x <= l.width && q.y >= 0 && q.y <= l.height))
                return "a line leaves the picture";
    }
    return {};
}

}  // namespace ricci::testing
