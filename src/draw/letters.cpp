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

constexpr point sign_size{11, 9};

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
        for (std::size_t k = 0; k < edges_.size(); ++k)
            if (!d_.edges[edges_[k]].sign.empty()) sign(k);
        for (std::size_t k = 0; k < edges_.size(); ++k) {
            const point size = letter_size(d_.edges[edges_[k]]);
            if (size.x > 0) one(k, size);
        }
    }

private:
    // Beside the head of the arrow, on the side with more room.
    void sign(std::size_t k) {
        const auto& line = lines_[k];
        const point head = line.back(), before = line[line.size() - 3];
        const double length = std::max(std::hypot(head.x - before.x, head.y - before.y), 1e-9);
        const point way{(head.x - before.x) / length, (head.y - before.y) / length};
        double best = 1e18;
        for (const double side : {1.0, -1.0}) {
            const rectangle r{
                {head.x - way.x * 13 + way.y * side * 9, head.y - way.y * 13 - way.x * side * 9},
                sign_size};
            const double cost = worth(k, r);
            if (cost < best - 1e-9) best = cost, out_.routes[edges_[k]].sign = r.middle;
        }
        taken_.push_back({out_.routes[edges_[k]].sign, sign_size});
    }

    void one(std::size_t k, point size) {
        const auto& line = lines_[k];
        double best = 1e18;
        point found = line[line.size() / 2];
        const std::size_t count = line.size() - 1;
        // the middle first, then what is nearer to the ends
        for (std::size_t step = 0; step <= count * 5 / 12; ++step)
            for (const int way : {1, -1}) {
                const auto at = static_cast<std::size_t>(static_cast<int>(count / 2) +
                                                         way * static_cast<int>(step));
                if (at < 1 || at >= count || (step == 0 && way < 0)) continue;
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
