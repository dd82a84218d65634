// Functions in columns, from left to right (Sugiyama, Tagawa and Toda 1981): what is taken stands
// before what takes it; long lines pass every column at a place of their own; each column is
// ordered so that few lines cross, and then moved so that lines are short and straight.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "draw/layout_parts.hpp"

namespace ricci::draw {
namespace {

// A node, or the place where a line passes a column.
struct item {
    std::size_t node;  // of the diagram; `passing` for a line
    std::size_t edge = 0;
    int column = 0;
    double y = 0;
    point size;
    std::vector<std::size_t> before, behind;  // joined in the columns around, once for each line
};
constexpr std::size_t passing = static_cast<std::size_t>(-1);

class columns {
public:
    columns(const diagram& d, const component& c, layout& out)
        : d_(d), out_(out), edges_(edges_of(d, c)) {
        place_.assign(d.nodes.size(), passing);
        for (const std::size_t n : c.nodes) add_node(n);
        for (const std::size_t e : edges_) add_node(from(e)), add_node(to(e));
    }
    void place() {
        find_columns();
        add_passings();
        order();
        size_boxes();
        move();
        write();
    }

private:
    std::size_t from(std::size_t e) const { return static_cast<std::size_t>(d_.edges[e].from); }
    std::size_t to(std::size_t e) const { return static_cast<std::size_t>(d_.edges[e].to); }
    std::size_t first(std::size_t e) const {
        return place_[static_cast<std::size_t>(left_and_right(d_, d_.edges[e]).first)];
    }
    std::size_t second(std::size_t e) const {
        return place_[static_cast<std::size_t>(left_and_right(d_, d_.edges[e]).second)];
    }

    void add_node(std::size_t n) {
        if (place_[n] != passing) return;
        place_[n] = items_.size();
        items_.push_back({n, 0, 0, 0, out_.sizes[n], {}, {}});
    }

    void find_columns() {
        // by number of node, as most lines go: few rounds are needed then
        std::vector<std::size_t> lines = edges_;
        std::sort(lines.begin(), lines.end(), [&](std::size_t a, std::size_t b) {
            return std::min(from(a), to(a)) < std::min(from(b), to(b));
        });
        const auto settle = [&] {
            for (bool moved = true; moved;) {
                moved = false;
                for (const std::size_t e : lines) {
                    if (from(e) == to(e)) continue;
                    item &a = items_[first(e)], &b = items_[second(e)];
                    if (b.column <= a.column) b.column = a.column + 1, moved = true;
                }
            }
        };
        settle();
        // What has no line from before stands just before its first use; and so does what has more
        // lines to what is behind it.
        for (int round = 0; round < 4; ++round)
            for (std::size_t k = items_.size(); k-- > 0;) {
                int earliest = 1 << 20, before = 0, behind = 0;
                for (const std::size_t e : edges_) {
                    if (from(e) == to(e)) continue;
                    if (first(e) == k)
                        ++behind, earliest = std::min(earliest, items_[second(e)].column);
                    if (second(e) == k) ++before;
                }
                if (behind > before) items_[k].column = std::max(items_[k].column, earliest - 1);
            }
    }

    void add_passings() {
        chains_.resize(edges_.size());
        for (std::size_t k = 0; k < edges_.size(); ++k) {
            const std::size_t e = edges_[k];
            if (from(e) == to(e)) continue;
            std::size_t here = first(e);
            chains_[k].push_back(here);
            for (int column = items_[here].column + 1; column < items_[second(e)].column;
                 ++column) {
                items_.push_back({passing, e, column, 0, {0, 16}, {}, {}});
                join(here, items_.size() - 1);
                here = items_.size() - 1;
                chains_[k].push_back(here);
            }
            join(here, second(e));
            chains_[k].push_back(second(e));
        }
        for (std::size_t k = 0; k < items_.size(); ++k) {
            const auto column = static_cast<std::size_t>(items_[k].column);
            if (all_.size() <= column) all_.resize(column + 1);
            all_[column].push_back(k);
        }
    }
    void join(std::size_t a, std::size_t b) {
        items_[a].behind.push_back(b);
        items_[b].before.push_back(a);
    }

    // Order ---------------------------------------------------------------------------------------

    std::vector<std::size_t> ranks() const {
        std::vector<std::size_t> rank(items_.size());
        for (const auto& column : all_)
            for (std::size_t k = 0; k < column.size(); ++k) rank[column[k]] = k;
        return rank;
    }
    std::size_t crossings() const {
        const std::vector<std::size_t> rank = ranks();
        std::size_t count = 0;
        for (const auto& column : all_) {
            std::vector<std::pair<std::size_t, std::size_t>> lines;
            for (const std::size_t k : column)
                for (const std::size_t m : items_[k].behind) lines.push_back({rank[k], rank[m]});
            for (std::size_t a = 0; a < lines.size(); ++a)
                for (std::size_t b = 0; b < a; ++b)
                    count +=
                        (lines[a].first < lines[b].first && lines[a].second > lines[b].second) ||
                        (lines[a].first > lines[b].first && lines[a].second < lines[b].second);
        }
        return count;
    }
    void sweep(bool forward) {
        for (std::size_t step = 0; step < all_.size(); ++step) {
            auto& column = all_[forward ? step : all_.size() - 1 - step];
            const std::vector<std::size_t> rank = ranks();
            std::vector<std::pair<double, std::size_t>> wanted;
            for (std::size_t k = 0; k < column.size(); ++k) {
                const auto& near = forward ? items_[column[k]].before : items_[column[k]].behind;
                double sum = 0;
                for (const std::size_t m : near) sum += static_cast<double>(rank[m]);
                wanted.push_back(
                    {near.empty() ? static_cast<double>(k) : sum / static_cast<double>(near.size()),
                     k});
            }
            std::sort(wanted.begin(), wanted.end());
            const std::vector<std::size_t> before = column;
            for (std::size_t k = 0; k < column.size(); ++k) column[k] = before[wanted[k].second];
        }
    }
    void swap_neighbours() {
        std::size_t now = crossings();
        for (bool better = true; better;) {
            better = false;
            for (auto& column : all_)
                for (std::size_t k = 0; k + 1 < column.size(); ++k) {
                    std::swap(column[k], column[k + 1]);
                    const std::size_t then = crossings();
                    if (then < now) now = then, better = true;
                    else std::swap(column[k], column[k + 1]);
                }
        }
    }
    void order() {
        auto best = all_;
        std::size_t fewest = crossings();
        for (int round = 0; round < 16 && fewest > 0; ++round) {
            sweep(round % 2 == 0);
            if (items_.size() < 120) swap_neighbours();
            const std::size_t now = crossings();
            if (now < fewest) fewest = now, best = all_;
        }
        all_ = best;
    }

    // Places --------------------------------------------------------------------------------------

    // A box, and a circle, is as high as its lines need on its fuller side.
    void size_boxes() {
        for (item& i : items_) {
            if (i.node == passing) continue;
            const shape s = d_.nodes[i.node].shape;
            const auto most = static_cast<double>(std::max(i.before.size(), i.behind.size()));
            if (s == shape::function || s == shape::stored)
                i.size.y = std::max(i.size.y, most * 18);
            if (is_round(s) && most > 2) {
                i.size.y = std::max(i.size.y, most * (s == shape::argument ? 11 : 17) + 4);
                i.size.x = std::max(i.size.x, i.size.y);
            }
            out_.sizes[i.node] = i.size;
        }
    }
    double room(std::size_t a, std::size_t b) const {
        const auto thin = [&](std::size_t k) {
            return items_[k].node == passing || d_.nodes[items_[k].node].shape == shape::end;
        };
        return (items_[a].size.y + items_[b].size.y) / 2 + (thin(a) && thin(b) ? 2 : 18);
    }
    // Where each of a column would like to stand, as near as the room between allows: neighbours
    // that press against each other share their mean.
    void settle(const std::vector<std::size_t>& column, const std::vector<double>& wanted) {
        struct block {
            double sum, weight;
            std::size_t first, count;
        };
        std::vector<block> blocks;
        std::vector<double> offset(column.size(), 0);
        for (std::size_t k = 1; k < column.size(); ++k)
            offset[k] = offset[k - 1] + room(column[k - 1], column[k]);
        for (std::size_t k = 0; k < column.size(); ++k) {
            const double weight = items_[column[k]].node == passing ? 2 : 1;
            blocks.push_back({(wanted[k] - offset[k]) * weight, weight, k, 1});
            while (blocks.size() > 1) {
                const block& b = blocks[blocks.size() - 1];
                block& a = blocks[blocks.size() - 2];
                if (a.sum / a.weight <= b.sum / b.weight) break;
                a.sum += b.sum, a.weight += b.weight, a.count += b.count;
                blocks.pop_back();
            }
        }
        for (const block& b : blocks)
            for (std::size_t k = b.first; k < b.first + b.count; ++k)
                items_[column[k]].y = b.sum / b.weight + offset[k];
    }
    void move() {
        for (const auto& column : all_) settle(column, std::vector<double>(column.size(), 0));
        for (int round = 0; round < 60; ++round)
            for (std::size_t step = 0; step < all_.size(); ++step) {
                const auto& column = all_[round % 2 == 0 ? step : all_.size() - 1 - step];
                std::vector<double> wanted;
                for (const std::size_t k : column) {
                    double sum = 0, weight = 0;
                    for (const auto* side : {&items_[k].before, &items_[k].behind})
                        for (const std::size_t m : *side) {
                            const double w = items_[m].node == passing ? 2 : 1;
                            sum += items_[m].y * w, weight += w;
                        }
                    wanted.push_back(weight == 0 ? items_[k].y : sum / weight);
                }
                settle(column, wanted);
            }
    }

    // Lines ---------------------------------------------------------------------------------------

    // Where a line leaves the right side of a node (1), or comes to its left one (-1).
    point port(std::size_t k, std::size_t edge, double side) const {
        const item& i = items_[k];
        const point centre{x_[static_cast<std::size_t>(i.column)], i.y};
        if (i.node == passing) return centre;
        const node& n = d_.nodes[i.node];
        if (n.shape == shape::dot || n.shape == shape::fork) return centre;
        if (n.shape == shape::end) return {centre.x + side * std::min(9.0, i.size.x / 2), centre.y};
        // in the order of where the lines go
        std::vector<std::pair<std::pair<double, std::size_t>, std::size_t>> lines;
        for (std::size_t m = 0; m < chains_.size(); ++m) {
            const auto& chain = chains_[m];
            if (chain.empty()) continue;
            if (side > 0 && chain.front() == k) lines.push_back({{items_[chain[1]].y, m}, m});
            if (side < 0 && chain.back() == k)
                lines.push_back({{items_[chain[chain.size() - 2]].y, m}, m});
        }
        std::sort(lines.begin(), lines.end());
        std::size_t rank = 0;
        for (std::size_t m = 0; m < lines.size(); ++m)
            if (lines[m].second == edge) rank = m;
        const bool round = is_round(n.shape);
        const double count = static_cast<double>(lines.size());
        const double step = std::min(18.0, (i.size.y - (round ? 8 : 4)) / std::max(count - 1, 1.0));
        const double dy = (static_cast<double>(rank) - (count - 1) / 2) * step;
        const double straight = i.size.x / 2 - i.size.y / 2, r = i.size.y / 2;
        const double dx =
            round ? straight + std::sqrt(std::max(r * r - dy * dy, 0.0)) : i.size.x / 2;
        return {centre.x + side * dx, centre.y + dy};
    }

    void write() {
        // columns as wide as their widest node, with room for letters between
        x_.assign(all_.size(), 0);
        double x = 0;
        for (std::size_t c = 0; c < all_.size(); ++c) {
            double half = 0, steepest = 0;
            for (const std::size_t k : all_[c]) {
                half = std::max(half, items_[k].size.x / 2);
                for (const std::size_t m : items_[k].before)
                    steepest = std::max(steepest, std::fabs(items_[k].y - items_[m].y));
            }
            if (c > 0) x += half + 46 + std::min(steepest * 0.25, 60.0);
            x_[c] = x;
            x += half;
        }
        for (const item& i : items_)
            if (i.node != passing)
                out_.centres[i.node] = {x_[static_cast<std::size_t>(i.column)], i.y};
        int loops = 0;
        for (std::size_t k = 0; k < edges_.size(); ++k) {
            const auto& chain = chains_[k];
            if (chain.empty()) {  // a trace
                const std::size_t n = from(edges_[k]);
                out_.routes[edges_[k]].path = loop_at(out_.centres[n], out_.sizes[n], loops++);
                continue;
            }
            std::vector<point> stops;
            for (std::size_t s = 0; s < chain.size(); ++s) {
                if (s == 0) stops.push_back(port(chain[0], k, 1));
                else if (s + 1 == chain.size()) stops.push_back(port(chain[s], k, -1));
                else
                    stops.push_back({x_[static_cast<std::size_t>(items_[chain[s]].column)],
                                     items_[chain[s]].y});
            }
            out_.routes[edges_[k]].path = curve_through(stops);
            if (first(edges_[k]) != place_[from(edges_[k])])
                std::reverse(out_.routes[edges_[k]].path.begin(),
                             out_.routes[edges_[k]].path.end());
        }
    }
    // Through all stops, straight where two are on one height.
    static std::vector<point> curve_through(const std::vector<point>& stops) {
        const bool flat = std::all_of(stops.begin(), stops.end(),
                                      [&](point q) { return std::fabs(q.y - stops[0].y) < 0.5; });
        if (flat || stops.size() == 2) return {stops.front(), stops.back()};
        std::vector<double> slope(stops.size(), 0);
        for (std::size_t k = 1; k + 1 < stops.size(); ++k) {
            const double left = (stops[k].y - stops[k - 1].y) / (stops[k].x - stops[k - 1].x);
            const double right = (stops[k + 1].y - stops[k].y) / (stops[k + 1].x - stops[k].x);
            // no swing beyond a stop
            slope[k] = left * right <= 0 ? 0 : 2 * left * right / (left + right);
        }
        const std::size_t last = stops.size() - 1;
        slope[0] = (stops[1].y - stops[0].y) / (stops[1].x - stops[0].x);
        slope[last] = (stops[last].y - stops[last - 1].y) / (stops[last].x - stops[last - 1].x);
        std::vector<point> path{stops[0]};
        for (std::size_t k = 0; k < last; ++k) {
            const double third = (stops[k + 1].x - stops[k].x) / 3;
            path.push_back({stops[k].x + third, stops[k].y + slope[k] * third});
            path.push_back({stops[k + 1].x - third, stops[k + 1].y - slope[k + 1] * third});
            path.push_back(stops[k + 1]);
        }
        return path;
    }

    const diagram& d_;
    layout& out_;
    std::vector<std::size_t> edges_;
    std::vector<std::size_t> place_;  // of a diagram's node in items_
    std::vector<item> items_;
    std::vector<std::vector<std::size_t>> all_;     // items of each column, from above
    std::vector<std::vector<std::size_t>> chains_;  // items that each edge passes
    std::vector<double> x_;                         // of each column
};

}  // namespace

void place_in_columns(const diagram& d, const component& c, layout& out) {
    columns(d, c, out).place();
}

}  // namespace ricci::draw
