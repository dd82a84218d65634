// From steps to pixels: sizes, room between nodes, the ends of open legs, components side by side.
#include "draw/layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace ricci::draw {
namespace {

constexpr double gap = 14;         // between the borders of two nodes, at least
constexpr double leg_length = 46;  // from a node's centre line to the letter of an open leg

// Pushes nodes apart along the shorter way until none is too near to another.
void push_apart(std::vector<point>& at, const std::vector<point>& size) {
    for (int round = 0; round < 200; ++round) {
        bool moved = false;
        for (std::size_t a = 0; a < at.size(); ++a)
            for (std::size_t b = a + 1; b < at.size(); ++b) {
                const double dx = at[b].x - at[a].x, dy = at[b].y - at[a].y;
                const double wx = (size[a].x + size[b].x) / 2 + gap - std::fabs(dx);
                const double wy = (size[a].y + size[b].y) / 2 + gap - std::fabs(dy);
                if (wx <= 1e-9 || wy <= 1e-9) continue;
                moved = true;
                if (wx < wy) {
                    const double half = (dx < 0 ? -wx : wx) / 2 * 1.01;
                    at[a].x -= half, at[b].x += half;
                } else {
                    const double half = (dy < 0 ? -wy : wy) / 2 * 1.01;
                    at[a].y -= half, at[b].y += half;
                }
            }
        if (!moved) return;
    }
    // What still overlaps goes below everything.
    for (std::size_t a = 0; a < at.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            if (std::fabs(at[a].x - at[b].x) < (size[a].x + size[b].x) / 2 &&
                std::fabs(at[a].y - at[b].y) < (size[a].y + size[b].y) / 2) {
                double low = 0;
                for (std::size_t k = 0; k < at.size(); ++k)
                    low = std::max(low, at[k].y + size[k].y / 2);
                at[a].y = low + size[a].y / 2 + gap;
            }
}

double distance_to_segment(point q, point a, point b) {
    const double dx = b.x - a.x, dy = b.y - a.y;
    const double square = dx * dx + dy * dy;
    const double t =
        square == 0 ? 0 : std::clamp(((q.x - a.x) * dx + (q.y - a.y) * dy) / square, 0.0, 1.0);
    return std::hypot(q.x - a.x - t * dx, q.y - a.y - t * dy);
}

// Where the ends of one component's open legs stand.
class ends {
public:
    ends(const diagram& d, const component& c, std::vector<point>& at,
         const std::vector<point>& size)
        : d_(d), c_(c), at_(at), size_(size) {
        for (const std::size_t n : c.nodes) place_[n] = true;
    }
    void place() {
        for (const edge& e : d_.edges) {
            const auto from = static_cast<std::size_t>(e.from), to = static_cast<std::size_t>(e.to);
            if (place_.contains(from) && place_.contains(to)) lines_.push_back({from, to});
        }
        for (const edge& e : d_.edges) {
            auto from = static_cast<std::size_t>(e.from), to = static_cast<std::size_t>(e.to);
            if (d_.nodes[from].shape == shape::end) std::swap(from, to);
            if (d_.nodes[to].shape != shape::end || !place_.contains(from)) continue;
            one(from, to);
        }
    }
    std::vector<std::size_t> all;

private:
    void one(std::size_t from, std::size_t to) {
        // down, up, right and left are tried first, and what is between them last
        constexpr std::array<double, 16> angles{90,    270,   0,     180,   45,   135,
                                                225,   315,   67.5,  112.5, 22.5, 157.5,
                                                247.5, 292.5, 202.5, 337.5};
        double best = -1e9;
        point found;
        for (const double extra : {0.0, 24.0})
            for (std::size_t k = 0; k < angles.size(); ++k) {
                const double angle = angles[k] * 3.14159265358979 / 180;
                const point way{std::cos(angle), std::sin(angle)};
                const double border =
                    std::min(size_[from].x / 2 / std::max(std::fabs(way.x), 1e-9),
                             size_[from].y / 2 / std::max(std::fabs(way.y), 1e-9));
                const double length = border + leg_length - 15 + extra;
                const point q{at_[from].x + way.x * length, at_[from].y + way.y * length};
                const double score = worth(from, to, q) - extra * 0.4 -
                                     (k < 2   ? 0
                                      : k < 4 ? 4
                                      : k < 8 ? 12
                                              : 18);
                if (score > best + 1e-9) best = score, found = q;
            }
        at_[to] = found;
        lines_.push_back({from, to});
        place_[to] = true;
        all.push_back(to);
    }
    double worth(std::size_t from, std::size_t to, point q) const {
        double score = 0;
        for (const auto& [n, there] : place_) {
            if (n == from || !there) continue;
            const double dx = std::fabs(q.x - at_[n].x) - (size_[n].x + size_[to].x) / 2;
            const double dy = std::fabs(q.y - at_[n].y) - (size_[n].y + size_[to].y) / 2;
            const double apart = std::max(dx, dy);
            if (apart < 8) score -= apart < 2 ? 1000 : (8 - apart) * 10;
            const double near =
                distance_to_segment(at_[n], at_[from], q) - std::min(size_[n].x, size_[n].y) / 2;
            if (near < 6) score -= 60;
        }
        for (const auto& [a, b] : lines_) {
            const double near = distance_to_segment(q, at_[a], at_[b]);
            if (near < 16) score -= (16 - near) * 5;
            if (a == from || b == from) {
                // the angle to what leaves the same node
                const point o = at_[from], p = at_[a == from ? b : a];
                const double mine = std::atan2(q.y - o.y, q.x - o.x);
                double angle = std::fabs(mine - std::atan2(p.y - o.y, p.x - o.x));
                if (angle > 3.14159265) angle = 6.2831853 - angle;
                if (angle < 0.9) score -= (0.9 - angle) * 50;
            } else if (crosses(at_[a], at_[b], at_[from], q)) {
                score -= 40;
            }
        }
        return score;
    }
    static bool crosses(point a, point b, point c, point d) {
        const auto side = [](point o, point u, point v) {
            return (u.x - o.x) * (v.y - o.y) - (u.y - o.y) * (v.x - o.x);
        };
        return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
    }

    const diagram& d_;
    const component& c_;
    std::vector<point>& at_;
    const std::vector<point>& size_;
    std::map<std::size_t, bool> place_;
    std::vector<std::pair<std::size_t, std::size_t>> lines_;
};

std::vector<point> sizes_of(const diagram& d) {
    std::vector<point> sizes;
    for (const node& n : d.nodes) sizes.push_back(size_of(n));
    return sizes;
}

// Room for letters at every edge, and for the widest nodes of each column.
std::vector<point> spread(const diagram& d, const component& c, std::vector<point> steps,
                          const std::vector<point>& sizes, bool exact) {
    double widest = 0;
    for (const std::size_t n : c.nodes) widest = std::max(widest, sizes[n].x);
    std::map<std::pair<std::size_t, std::size_t>, int> lines;
    double letters = 0;
    for (const edge& e : d.edges) letters = std::max(letters, width_of(e.text) * 8);
    const double step =
        exact ? std::max(84.0, widest + 40 + letters) : std::max(84.0, widest * 0.7 + 44);
    const bool flat =
        std::all_of(steps.begin(), steps.end(), [&](point q) { return q.y == steps[0].y; });
    for (point& q : steps) q = {q.x * step, q.y * (exact && !flat ? 84.0 : step)};
    return steps;
}

layout with_cores(const diagram& d, bool ask_dot) {
    const std::vector<component> parts = components_of(d);
    const std::vector<point> sizes = sizes_of(d);
    std::vector<std::vector<point>> cores;
    for (const component& c : parts) {
        std::vector<point> steps = grid_places(c);
        if (!steps.empty()) {
            cores.push_back(spread(d, c, std::move(steps), sizes, true));
            continue;
        }
        std::vector<point> places;
        if (ask_dot && c.nodes.size() <= 120) places = dot_places(d, c, sizes);
        if (places.empty()) places = spread(d, c, stress_places(c), sizes, false);
        cores.push_back(std::move(places));
    }
    return finished(d, parts, std::move(cores), sizes);
}

}  // namespace

point size_of(const node& n) {
    const double width = width_of(n.text) * 9.2;
    switch (n.shape) {
        case shape::tensor:
            return {std::max(36.0, width + 18), 36};
        case shape::value:
            return {std::max(30.0, width + 14), 26};
        case shape::function:
        case shape::stored:
            return {std::max(34.0, width + 18), 30};
        case shape::dot:
            return {9, 9};
        case shape::fork:
            return {8, 8};
        case shape::end:
            return {std::max(10.0, width + 4), 16};
    }
    return {};
}

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
        }
        for (const edge& e : d.edges)
            if (e.arrow && std::binary_search(c.nodes.begin(), c.nodes.end(),
                                              static_cast<std::size_t>(e.from)))
                c.arrows.push_back({place[static_cast<std::size_t>(e.from)],
                                    place[static_cast<std::size_t>(e.to)]});
        all.push_back(std::move(c));
    }
    return all;
}

layout finished(const diagram& d, const std::vector<component>& parts,
                std::vector<std::vector<point>> cores, std::vector<point> sizes) {
    layout out;
    out.sizes = std::move(sizes);
    out.centres.resize(d.nodes.size());
    constexpr double margin = 16;
    double x = margin, y = margin, row = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const component& c = parts[k];
        std::vector<point> core_sizes;
        for (const std::size_t n : c.nodes) core_sizes.push_back(out.sizes[n]);
        push_apart(cores[k], core_sizes);
        for (std::size_t m = 0; m < c.nodes.size(); ++m) out.centres[c.nodes[m]] = cores[k][m];
        ends legs(d, c, out.centres, out.sizes);
        legs.place();
        std::vector<std::size_t> mine = c.nodes;
        mine.insert(mine.end(), legs.all.begin(), legs.all.end());
        std::vector<point> at, size;
        for (const std::size_t n : mine) at.push_back(out.centres[n]), size.push_back(out.sizes[n]);
        double left = 1e9, top = 1e9, right = -1e9, bottom = -1e9;
        for (const std::size_t n : mine) {
            const point q = out.centres[n], s = out.sizes[n];
            left = std::min(left, q.x - s.x / 2), right = std::max(right, q.x + s.x / 2);
            top = std::min(top, q.y - s.y / 2), bottom = std::max(bottom, q.y + s.y / 2);
        }
        // Components stand side by side, in several rows where there are many of them.
        if (x > margin && x + right - left > 1100) x = margin, y += row + 24, row = 0;
        for (const std::size_t n : mine) {
            out.centres[n].x += x - left;
            out.centres[n].y += y - top;
        }
        x += right - left + 28;
        row = std::max(row, bottom - top);
        out.width = std::max(out.width, x - 28 + margin);
        out.height = std::max(out.height, y + row + margin);
    }
    return out;
}

layout plain_layout(const diagram& d) { return with_cores(d, false); }
layout best_layout(const diagram& d) { return with_cores(d, true); }

}  // namespace ricci::draw
