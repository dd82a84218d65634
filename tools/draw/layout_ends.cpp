// The ends of open legs where there is room for them, and nodes apart from each other.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "draw/layout_parts.hpp"

namespace ricci::draw {
namespace {

constexpr double gap = 14;         // between the borders of two nodes, at least
constexpr double leg_length = 46;  // from a node's centre line to the letter of an open leg

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
        : d_(d), at_(at), size_(size) {
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
    std::vector<point>& at_;
    const std::vector<point>& size_;
    std::map<std::size_t, bool> place_;
    std::vector<std::pair<std::size_t, std::size_t>> lines_;
};

}  // namespace

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

void place_ends(const diagram& d, const component& c, layout& out) {
    ends(d, c, out.centres, out.sizes).place();
}

}  // namespace ricci::draw
