// Chains and grids are found by distances from two corners, and stand on whole steps.
#include <algorithm>
#include <cstdlib>
#include <queue>
#include <set>

#include "draw/layout_parts.hpp"

namespace ricci::draw {
namespace {

std::vector<int> distances_from(const component& c, std::size_t start) {
    std::vector<int> far(c.links.size(), -1);
    std::queue<std::size_t> next;
    next.push(start);
    far[start] = 0;
    for (; !next.empty(); next.pop())
        for (const std::size_t n : c.links[next.front()])
            if (far[n] < 0) far[n] = far[next.front()] + 1, next.push(n);
    return far;
}

// With a and b the two ends of the upper row: d_a = row + column, d_b = row + columns - 1 - column.
std::vector<point> places_between(const std::vector<int>& from_a, const std::vector<int>& from_b,
                                  std::size_t b, const component& c) {
    const int last = from_a[b];
    std::vector<point> places;
    std::set<std::pair<int, int>> taken;
    for (std::size_t n = 0; n < c.links.size(); ++n) {
        const int twice_row = from_a[n] + from_b[n] - last;
        const int twice_column = from_a[n] - from_b[n] + last;
        if (twice_row % 2 != 0 || twice_column % 2 != 0) return {};
        if (!taken.emplace(twice_row / 2, twice_column / 2).second) return {};
        places.push_back({twice_column / 2.0, twice_row / 2.0});
    }
    for (std::size_t n = 0; n < c.links.size(); ++n)
        for (const std::size_t m : c.links[n])
            if (std::abs(places[n].x - places[m].x) + std::abs(places[n].y - places[m].y) > 1.5)
                return {};
    return places;
}

}  // namespace

std::vector<point> grid_places(const component& c) {
    const std::size_t count = c.links.size();
    std::size_t fewest = count;
    for (const auto& l : c.links) {
        if (l.size() > 4) return {};
        fewest = std::min(fewest, l.size());
    }
    if (count == 1) return {{0, 0}};
    if (fewest > 2) return {};
    // A chain begins with the first of its ends.
    std::vector<std::size_t> corners;
    for (std::size_t n = 0; n < count && corners.size() < 8; ++n)
        if (c.links[n].size() == fewest) corners.push_back(n);
    std::vector<std::vector<int>> far;
    for (const std::size_t n : corners) far.push_back(distances_from(c, n));
    if (std::count(far[0].begin(), far[0].end(), -1) > 0) return {};  // not connected
    for (std::size_t a = 0; a < corners.size(); ++a)
        for (std::size_t b = 0; b < corners.size(); ++b) {
            if (a == b) continue;
            const auto places = places_between(far[a], far[b], corners[b], c);
            if (places.empty()) continue;
            return places;
        }
    return {};
}

}  // namespace ricci::draw
