// Where the letters of lines stand: beside the line, or on it, and over nothing else.
#include <algorithm>
#include <cmath>

#include "draw/layout_parts.hpp"

namespace ricci::draw {
namespace {

struct rectangle {
    point middle, size;
};

// How far two overlap, in pixels; the room between them counts where it is less than `room`.
double overlap(const rectangle& a, const rectangle& b, double room) {
    const double x = (a.size.x + b.size.x) / 2 + room - std::fabs(a.middle.x - b.middle.x);
    const double y = (a.size.y + b.size.y) / 2 + room - std::fabs(a.middle.y - b.middle.y);
    return std::max(0.0, std::min(x, y));
}

class letters {
public:
    letters(const diagram& d, const component& c, layout& out)
        : d_(d), out_(out), edges_(edges_of(d, c)) {
        std::vector<bool> known(d.nodes.size(), false);
        const auto hold = [&](std::size_t n) {
            if (!known[n]) taken_.push_back({out.centres[n], out.sizes[n]});
            known[n] = true;
        };
        for (const std::size_t n : c.nodes) hold(n);
        for (const std::size_t e : edges_)
            hold(static_cast<std::size_t>(d.edges[e].from)),
                hold(static_cast<std::size_t>(d.edges[e].to));
        for (const std::size_t e : edges_) lines_.push_back(points_along(out.routes[e].path, 16));
    }
    void place() {
        for (std::size_t k = 0; k < edges_.size(); ++k) {
            const edge& e = d_.edges[edges_[k]];
            route& r = out_.routes[edges_[k]];
            r.tail_mark = mark(k, mark_size(e.tail), false);
            r.head_mark = mark(k, mark_size(e.head), true);
        }
        for (std::size_t k = 0; k < edges_.size(); ++k) {
            const point size = letter_size(d_.edges[edges_[k]]);
            if (size.x > 0) one(k, size);
        }
    }

private:
    // Beside an end of a line, and near it, on the side with more room.
    point mark(std::size_t k, point size, bool head) {
        const edge& e = d_.edges[edges_[k]];
        std::vector<point> line = points_along(out_.routes[edges_[k]].path, 48);
        if (head) line = {line.rbegin(), line.rend()};
        if (size.x <= 0) return line.front();
        const double clear = head && e.arrow ? 11 : 3;
        const double off = 2.6 * std::max(e.strands - 1, 0) + 1.5;
        double best = 1e18, walked = 0;
        point found = line.front();
        for (std::size_t s = 1; s + 1 < line.size() && walked < clear + 24; ++s) {
            const double dx = line[s].x - line[s - 1].x, dy = line[s].y - line[s - 1].y;
            const double length = std::max(std::hypot(dx, dy), 1e-9);
            walked += length;
            if (walked < clear) continue;
            const point way{dx / length, dy / length};
            const double far = (std::fabs(way.y) * size.x + std::fabs(way.x) * size.y) / 2 + off;
            for (const double side : {1.0, -1.0}) {
                const rectangle r{{line[s].x + way.y * side * far, line[s].y - way.x * side * far},
                                  size};
                const double cost = worth(k, r) + (walked - clear) * 1.5 + (side < 0 ? 0.5 : 0);
                if (cost < best - 1e-9) best = cost, found = r.middle;
            }
        }
        taken_.push_back({found, size});
        return found;
    }

    void one(std::size_t k, point size) {
        const auto& line = lines_[k];
        double best = 1e18;
        point found = line[line.size() / 2];
        const std::size_t count = line.size() - 1;
        // the middle first, then what is nearer to the ends
        for (std::size_t step = 0; step <= count * 5 / 12; ++step)
            for (const bool forward : {true, false}) {
                const std::size_t at = forward ? count / 2 + step : count / 2 - step;
                if (at < 1 || at >= count || (step == 0 && !forward)) continue;
                const point before = line[at - 1], behind = line[at + 1], q = line[at];
                const double dx = behind.x - before.x, dy = behind.y - before.y;
                const double length = std::max(std::hypot(dx, dy), 1e-9);
                // so far off that the line just passes the letters' box
                const double off =
                    (std::fabs(dy) * size.x + std::fabs(dx) * (size.y - 1)) / (2 * length) + 2.6 +
                    1.3 * std::max(d_.edges[edges_[k]].strands - 1, 0);
                // above a flat line, and to the right of a steep one
                const bool flat = std::fabs(dx) >= std::fabs(dy);
                point across{-dy / length, dx / length};
                if (flat ? across.y > 0 : across.x < 0) across = {-across.x, -across.y};
                for (const double side : {1.0, -1.0, 0.0}) {
                    const point middle{q.x + across.x * side * off, q.y + across.y * side * off};
                    const double cost =
                        worth(k, {middle, size}) +
                        static_cast<double>(step) * 14.0 / static_cast<double>(count) +
                        (side == 1    ? 0
                         : side == -1 ? 1.5
                                      : 5);
                    if (cost < best - 1e-9) best = cost, found = middle;
                }
            }
        out_.routes[edges_[k]].letter = found;
        taken_.push_back({found, size});
    }
    double worth(std::size_t mine, const rectangle& r) const {
        double cost = 0;
        for (const rectangle& t : taken_) {
            const double over = overlap(r, t, 1);
            if (over > 0) cost += 60 + over * 12;
        }
        for (std::size_t k = 0; k < lines_.size(); ++k) {
            if (k == mine) continue;
            int inside = 0;
            for (const point q : lines_[k])
                inside += std::fabs(q.x - r.middle.x) < r.size.x / 2 + 1 &&
                          std::fabs(q.y - r.middle.y) < r.size.y / 2 - 1;
            if (inside > 0) cost += 12 + inside;
        }
        return cost;
    }

    const diagram& d_;
    layout& out_;
    std::vector<std::size_t> edges_;
    std::vector<rectangle> taken_;
    std::vector<std::vector<point>> lines_;
};

}  // namespace

void place_letters(const diagram& d, const component& c, layout& out) {
    letters(d, c, out).place();
}

}  // namespace ricci::draw
