// Dots are no tensors: what they join is laid out without them, and each then stands beside the
// middle of what it joins.
#include <algorithm>
#include <array>
#include <cmath>

#include "draw/layout_parts.hpp"

namespace ricci::draw {
namespace {

// A row of two with the dot between them, or all around it, the first on the left.
std::vector<point> star_places(const component& c, std::size_t middle) {
    std::vector<point> places(c.nodes.size());
    const std::size_t count = c.nodes.size() - 1;
    const double radius = count <= 4 ? 1 : 0.32 * static_cast<double>(count);
    std::size_t number = 0;
    for (std::size_t n = 0; n < c.nodes.size(); ++n) {
        if (n == middle) continue;
        // three leave the way down free, for the leg of the dot
        const double turn = count == 3   ? static_cast<double>(number) / 2 * 3.14159265358979
                            : count == 2 ? static_cast<double>(number) * 3.14159265358979
                                         : static_cast<double>(number) /
                                               static_cast<double>(count) * 2 * 3.14159265358979;
        places[n] = {-radius * std::cos(turn), -radius * std::sin(turn)};
        ++number;
    }
    return places;
}

}  // namespace

std::vector<point> dotted_places(const diagram& d, const component& c) {
    std::vector<std::size_t> dots, others, place(c.nodes.size(), c.nodes.size());
    for (std::size_t k = 0; k < c.nodes.size(); ++k) {
        const shape s = d.nodes[c.nodes[k]].shape;
        if (s != shape::dot && s != shape::fork) place[k] = others.size();
        (s == shape::dot || s == shape::fork ? dots : others).push_back(k);
    }
    if (dots.empty() || others.empty()) return {};
    if (dots.size() == 1 && c.links[dots[0]].size() == others.size() && others.size() > 1) {
        bool star = true;
        for (const std::size_t k : others) star = star && c.links[k].size() == 1;
        if (star) return star_places(c, dots[0]);
    }
    component rest;
    for (const std::size_t k : others) {
        rest.nodes.push_back(c.nodes[k]);
        auto& mine = rest.links.emplace_back();
        for (const std::size_t m : c.links[k])
            if (place[m] < c.nodes.size()) mine.push_back(place[m]);
    }
    const std::vector<point> core = grid_places(rest);
    if (core.size() != others.size()) return {};
    std::vector<point> places(c.nodes.size()), taken = core;
    for (std::size_t k = 0; k < others.size(); ++k) places[others[k]] = core[k];
    for (const std::size_t k : dots) {
        point middle;
        std::size_t joined = 0;
        for (const std::size_t m : c.links[k])
            if (place[m] < c.nodes.size())
                middle.x += places[m].x, middle.y += places[m].y, ++joined;
        if (joined == 0) return {};  // joins dots alone
        middle.x /= static_cast<double>(joined), middle.y /= static_cast<double>(joined);
        // Beside the line of what it joins: above, below, and further away.
        constexpr std::array<point, 14> ways{{{0, -0.75},
                                              {0, 0.75},
                                              {0.5, -0.5},
                                              {-0.5, -0.5},
                                              {0.5, 0.5},
                                              {-0.5, 0.5},
                                              {0.8, 0},
                                              {-0.8, 0},
                                              {0, -1.3},
                                              {0, 1.3},
                                              {0.45, -1.2},
                                              {-0.45, -1.2},
                                              {0.45, 1.2},
                                              {-0.45, 1.2}}};
        const auto room = [&](point q) {
            return std::all_of(taken.begin(), taken.end(),
                               [&](point t) { return std::hypot(t.x - q.x, t.y - q.y) > 0.46; });
        };
        const auto found = std::find_if(ways.begin(), ways.end(), [&](point w) {
            return room({middle.x + w.x, middle.y + w.y});
        });
        if (found == ways.end()) return {};
        places[k] = {middle.x + found->x, middle.y + found->y};
        taken.push_back(places[k]);
    }
    return places;
}

}  // namespace ricci::draw
