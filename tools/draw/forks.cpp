// Merged axes that meet: two forks back to back are one line of several strands.
#include "draw/forks.hpp"

#include <set>
#include <utility>

namespace ricci::draw {
namespace {

void remove(diagram& d, const std::set<std::int32_t>& gone) {
    std::vector<std::int32_t> place(d.nodes.size(), -1);
    std::vector<node> nodes;
    for (std::size_t k = 0; k < d.nodes.size(); ++k) {
        if (gone.contains(static_cast<std::int32_t>(k))) continue;
        place[k] = static_cast<std::int32_t>(nodes.size());
        nodes.push_back(std::move(d.nodes[k]));
    }
    std::vector<edge> edges;
    for (edge& e : d.edges) {
        e.from = place[static_cast<std::size_t>(e.from)];
        e.to = place[static_cast<std::size_t>(e.to)];
        if (e.from >= 0 && e.to >= 0) edges.push_back(std::move(e));
    }
    d.nodes = std::move(nodes);
    d.edges = std::move(edges);
}

}  // namespace

void join_forks(diagram& d) {
    for (std::size_t a = 0; a < d.nodes.size(); ++a) {
        if (d.nodes[a].shape != shape::fork) continue;
        std::int32_t leg = -1, other = -1;
        std::int32_t strands = 0;
        bool same = true;
        for (std::size_t k = 0; k < d.edges.size(); ++k) {
            const edge& e = d.edges[k];
            const auto me = static_cast<std::int32_t>(a);
            if (e.from != me && e.to != me) continue;
            const std::int32_t far = e.from == me ? e.to : e.from;
            if (e.strands > 1) {
                leg = static_cast<std::int32_t>(k);
            } else {
                // the same strands in the same order
                same = same && (other < 0 || other == far) && e.tail.place == e.head.place;
                other = far;
                ++strands;
            }
        }
        if (leg < 0 || other < 0 || !same ||
            d.nodes[static_cast<std::size_t>(other)].shape != shape::fork)
            continue;
        edge& mine = d.edges[static_cast<std::size_t>(leg)];
        for (std::size_t k = 0; k < d.edges.size(); ++k) {
            edge& e = d.edges[k];
            if ((e.from != other && e.to != other) || e.strands != strands || strands < 2 ||
                mine.strands != strands || &e == &mine)
                continue;
            const std::int32_t far = e.from == other ? e.to : e.from;
            const std::int32_t near =
                mine.from == static_cast<std::int32_t>(a) ? mine.to : mine.from;
            const auto box = [&](std::int32_t n) {
                return is_box(d.nodes[static_cast<std::size_t>(n)].shape);
            };
            if (box(near) && box(far) && !mine.arrow && !e.arrow) continue;
            edge joined;
            joined.from = near, joined.to = far, joined.strands = strands;
            joined.text = mine.text.empty() ? e.text : mine.text;
            joined.arrow = mine.arrow || e.arrow;
            joined.tail = mine.from == near ? mine.tail : mine.head;
            joined.head = e.from == far ? e.tail : e.head;
            mine = std::move(joined);
            remove(d, {static_cast<std::int32_t>(a), other});
            --a;
            break;
        }
    }
}

}  // namespace ricci::draw
