// Stress majorisation (Gansner, Koren, North 2004): each node moves to where its distances to all
// others would have it, each weighing by the square of its distance. It starts from the two main
// axes of the distances.
#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

#include "draw/layout_parts.hpp"

namespace ricci::draw {
namespace {

using table = std::vector<std::vector<double>>;

// Lengths of the shortest ways; a line to a dot is a short one.
table distances_in(const component& c) {
    const std::size_t count = c.links.size();
    table far(count, std::vector<double>(count, -1));
    using entry = std::pair<double, std::size_t>;
    for (std::size_t s = 0; s < count; ++s) {
        std::priority_queue<entry, std::vector<entry>, std::greater<>> next;
        next.push({0, s});
        while (!next.empty()) {
            const auto [way, n] = next.top();
            next.pop();
            if (far[s][n] >= 0) continue;
            far[s][n] = way;
            for (const std::size_t m : c.links[n])
                if (far[s][m] < 0) next.push({way + c.reach[n] + c.reach[m], m});
        }
    }
    return far;
}

// The main axis of the doubly centred squares of the distances, by the power method.
std::vector<double> axis_of(const table& centred, const std::vector<double>& other) {
    const std::size_t count = centred.size();
    std::vector<double> v(count);
    for (std::size_t k = 0; k < count; ++k)
        v[k] =
            std::sin(1.7 * static_cast<double>(k) + 0.3);  // any direction that is always the same
    for (int round = 0; round < 60; ++round) {
        double along = 0;
        for (std::size_t k = 0; k < count && !other.empty(); ++k) along += v[k] * other[k];
        for (std::size_t k = 0; k < count && !other.empty(); ++k) v[k] -= along * other[k];
        std::vector<double> next(count);
        double norm = 0;
        for (std::size_t k = 0; k < count; ++k) {
            for (std::size_t m = 0; m < count; ++m) next[k] += centred[k][m] * v[m];
            norm += next[k] * next[k];
        }
        if (norm < 1e-18) break;
        norm = 1 / std::sqrt(norm);
        for (std::size_t k = 0; k < count; ++k) v[k] = next[k] * norm;
    }
    return v;
}

std::vector<point> main_axes(const table& far) {
    const std::size_t count = far.size();
    const auto n = static_cast<double>(count);
    table centred(count, std::vector<double>(count));
    std::vector<double> mean(count);
    double all = 0;
    for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = 0; b < count; ++b) {
            mean[a] += far[a][b] * far[a][b] / n;
            all += far[a][b] * far[a][b] / n / n;
        }
    for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = 0; b < count; ++b)
            centred[a][b] = -0.5 * (far[a][b] * far[a][b] - mean[a] - mean[b] + all);
    const std::vector<double> x = axis_of(centred, {}), y = axis_of(centred, x);
    std::vector<point> places(count);
    const double scale = std::sqrt(n);
    for (std::size_t k = 0; k < count; ++k)
        // a little off, so that no two nodes begin in one place
        places[k] = {x[k] * scale, y[k] * scale + 0.01 * std::sin(2.3 * static_cast<double>(k))};
    return places;
}

// Long sides lie flat, and what is written first stands on the left.
void turn(std::vector<point>& places) {
    const auto count = static_cast<double>(places.size());
    point middle;
    for (const point& q : places) middle.x += q.x / count, middle.y += q.y / count;
    double xx = 0, xy = 0, yy = 0;
    for (point& q : places) {
        q.x -= middle.x, q.y -= middle.y;
        xx += q.x * q.x, xy += q.x * q.y, yy += q.y * q.y;
    }
    const double angle = 0.5 * std::atan2(2 * xy, xx - yy);
    const double cosine = std::cos(angle), sine = std::sin(angle);
    for (point& q : places) q = {q.x * cosine + q.y * sine, q.y * cosine - q.x * sine};
    const bool back = places.front().x > places.back().x;
    const bool upside = places.front().y > places.back().y;
    for (point& q : places) q = {back ? -q.x : q.x, upside ? -q.y : q.y};
}

}  // namespace

std::vector<point> stress_places(const component& c) {
    const std::size_t count = c.links.size();
    if (count == 1) return {{0, 0}};
    if (count == 2) return {{0, 0}, {1, 0}};
    const table far = distances_in(c);
    std::vector<point> places = main_axes(far);
    const int rounds = count > 100 ? 60 : 200;
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t a = 0; a < count; ++a) {
            point sum;
            double weights = 0;
            for (std::size_t b = 0; b < count; ++b) {
                if (a == b) continue;
                const double dx = places[a].x - places[b].x, dy = places[a].y - places[b].y;
                const double apart = std::max(std::hypot(dx, dy), 1e-6);
                const double weight = 1 / (far[a][b] * far[a][b]);
                weights += weight;
                sum.x += weight * (places[b].x + far[a][b] * dx / apart);
                sum.y += weight * (places[b].y + far[a][b] * dy / apart);
            }
            places[a] = {sum.x / weights, sum.y / weights};
        }
    }
    turn(places);
    return places;
}

}  // namespace ricci::draw
