// How lines run between nodes that have their places.
#include <algorithm>
#include <array>
#include <cmath>

#include "draw/layout_parts.hpp"

namespace ricci::draw {
namespace {

// A line between two nodes, bent so many pixels to the side.
std::vector<point> path_between(const diagram& d, const layout& out, std::size_t f, std::size_t t,
                                double bend) {
    const point a = out.centres[f], b = out.centres[t];
    if (bend == 0)
        return {border_of(d.nodes[f], a, out.sizes[f], b),
                border_of(d.nodes[t], b, out.sizes[t], a)};
    const double length = std::max(std::hypot(b.x - a.x, b.y - a.y), 1e-9);
    const point handle{(a.x + b.x) / 2 - (b.y - a.y) / length * bend,
                       (a.y + b.y) / 2 + (b.x - a.x) / length * bend};
    const point from = border_of(d.nodes[f], a, out.sizes[f], handle);
    const point to = border_of(d.nodes[t], b, out.sizes[t], handle);
    const auto third = [&](point q) {
        return point{q.x + (handle.x - q.x) * 2 / 3, q.y + (handle.y - q.y) * 2 / 3};
    };
    return {from, third(from), third(to), to};
}

// How many other nodes a line runs over.
int nodes_below(const std::vector<point>& path, std::size_t f, std::size_t t, const component& c,
                const layout& out) {
    const std::vector<point> line = points_along(path, 24);
    int count = 0;
    for (const std::size_t n : c.nodes) {
        if (n == f || n == t) continue;
        const point q = out.centres[n], half{out.sizes[n].x / 2 + 2, out.sizes[n].y / 2 + 2};
        count += std::any_of(line.begin(), line.end(), [&](point p) {
            return std::fabs(p.x - q.x) < half.x && std::fabs(p.y - q.y) < half.y;
        });
    }
    return count;
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
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::size_t>> all;
    for (const std::size_t e : edges_of(d, c))
        all[std::minmax(d.edges[e].from, d.edges[e].to)].push_back(e);
    for (const auto& [pair, edges] : all) {
        const auto f = static_cast<std::size_t>(pair.first);
        const auto t = static_cast<std::size_t>(pair.second);
        if (f == t) {
            int which = 0;
            for (const std::size_t e : edges)
                out.routes[e].path = loop_at(out.centres[f], out.sizes[f], which++);
            continue;
        }
        const bool leg = d.nodes[t].shape == shape::end || d.nodes[f].shape == shape::end;
        // all lines between two nodes beside each other, and past what is between these
        constexpr std::array<double, 7> ways{0, 64, -64, 100, -100, 140, -140};
        int fewest = 1 << 20;
        for (const double way : ways) {
            std::vector<std::vector<point>> paths;
            int below = 0;
            for (std::size_t k = 0; k < edges.size(); ++k) {
                const double beside =
                    static_cast<double>(k) - (static_cast<double>(edges.size()) - 1) / 2;
                paths.push_back(path_between(d, out, f, t, way + beside * 40));
                below += nodes_below(paths.back(), f, t, c, out);
            }
            if (below >= fewest) continue;
            fewest = below;
            for (std::size_t k = 0; k < edges.size(); ++k) {
                const edge& e = d.edges[edges[k]];
                if (e.from != pair.first) std::reverse(paths[k].begin(), paths[k].end());
                out.routes[edges[k]].path = std::move(paths[k]);
            }
            if (leg || fewest == 0) break;
        }
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
