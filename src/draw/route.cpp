// How lines run between nodes that have their places.
#include <algorithm>
#include <array>
#include <cmath>

#include "draw/layout_parts.hpp"

namespace ricci::draw {
namespace {

// Whether a straight line would run over another node.
bool is_hidden(std::size_t f, std::size_t t, const component& c, const layout& out) {
    const point a = out.centres[f], b = out.centres[t];
    const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    if (square == 0) return false;
    return std::any_of(c.nodes.begin(), c.nodes.end(), [&](std::size_t n) {
        if (n == f || n == t) return false;
        const point q = out.centres[n];
        const double along = ((q.x - a.x) * dx + (q.y - a.y) * dy) / square;
        const double across = std::fabs((q.x - a.x) * dy - (q.y - a.y) * dx) / std::sqrt(square);
        return along > 0 && along < 1 && across < out.sizes[n].y / 2 + 2;
    });
}

}  // namespace

std::vector<point> loop_at(point centre, point size, int which) {
    const double r = 14 + 8 * which;
    const point q{centre.x, centre.y - size.y / 2};
    return {{q.x - 8, q.y + 3},
            {q.x - 8 - r, q.y - 2 * r},
            {q.x + 8 + r, q.y - 2 * r},
            {q.x + 8, q.y + 3}};
}

point border_of(const node& n, point centre, point size, point towards) {
    const double dx = towards.x - centre.x, dy = towards.y - centre.y;
    const double length = std::hypot(dx, dy);
    if (length < 1e-9 || n.shape == shape::dot || n.shape == shape::fork) return centre;
    const double reach = std::min(size.x / 2 * length / std::max(std::fabs(dx), 1e-9),
                                  size.y / 2 * length / std::max(std::fabs(dy), 1e-9));
    double far = n.shape == shape::end ? std::min(reach, 9.0) : reach;
    if (is_round(n.shape)) {
        // two half circles with a straight piece between, which a tensor of one letter lacks
        const double r = size.y / 2, straight = size.x / 2 - r;
        const double ux = std::fabs(dx) / length, uy = std::fabs(dy) / length;
        far = r / std::max(uy, 1e-9);
        if (far * ux > straight) {
            const double across = straight * uy;
            far = straight * ux + std::sqrt(std::max(r * r - across * across, 0.0));
        }
    }
    return {centre.x + dx / length * far, centre.y + dy / length * far};
}

void route_lines(const diagram& d, const component& c, layout& out) {
    const std::vector<std::size_t> edges = edges_of(d, c);
    std::map<std::pair<std::int32_t, std::int32_t>, int> all, drawn;
    for (const std::size_t e : edges) ++all[std::minmax(d.edges[e].from, d.edges[e].to)];
    for (const std::size_t e : edges) {
        const auto f = static_cast<std::size_t>(d.edges[e].from);
        const auto t = static_cast<std::size_t>(d.edges[e].to);
        const std::pair<std::int32_t, std::int32_t> pair =
            std::minmax(d.edges[e].from, d.edges[e].to);
        const int which = drawn[pair]++;
        auto& path = out.routes[e].path;
        const point a = out.centres[f], b = out.centres[t];
        if (f == t) {
            path = loop_at(a, out.sizes[f], which);
            continue;
        }
        double bend = (which - (all[pair] - 1) / 2.0) * 40 * (f <= t ? 1 : -1);
        const bool leg = d.nodes[t].shape == shape::end || d.nodes[f].shape == shape::end;
        if (bend == 0 && !leg && is_hidden(f, t, c, out)) bend = 64;
        if (bend == 0) {
            path = {border_of(d.nodes[f], a, out.sizes[f], b),
                    border_of(d.nodes[t], b, out.sizes[t], a)};
            continue;
        }
        const double length = std::max(std::hypot(b.x - a.x, b.y - a.y), 1e-9);
        const point handle{(a.x + b.x) / 2 - (b.y - a.y) / length * bend,
                           (a.y + b.y) / 2 + (b.x - a.x) / length * bend};
        const point from = border_of(d.nodes[f], a, out.sizes[f], handle);
        const point to = border_of(d.nodes[t], b, out.sizes[t], handle);
        const auto third = [&](point q) {
            return point{q.x + (handle.x - q.x) * 2 / 3, q.y + (handle.y - q.y) * 2 / 3};
        };
        path = {from, third(from), third(to), to};
    }
}

std::vector<point> points_along(const std::vector<point>& path, int pieces) {
    std::vector<point> all;
    if (path.empty()) return all;
    all.push_back(path[0]);
    const auto mix = [](point a, point b, double t) {
        return point{a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t};
    };
    if (path.size() == 2) {
        for (int k = 1; k <= pieces; ++k) all.push_back(mix(path[0], path[1], double(k) / pieces));
        return all;
    }
    for (std::size_t s = 0; s + 3 < path.size(); s += 3)
        for (int k = 1; k <= pieces; ++k) {
            const double t = double(k) / pieces;
            const point ab = mix(path[s], path[s + 1], t), bc = mix(path[s + 1], path[s + 2], t);
            const point cd = mix(path[s + 2], path[s + 3], t);
            all.push_back(mix(mix(ab, bc, t), mix(bc, cd, t), t));
        }
    return all;
}

}  // namespace ricci::draw
