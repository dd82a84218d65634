// Which end of a line is further left, where pictures are read from left to right.
#include <algorithm>

#include "draw/diagram.hpp"

namespace ricci::draw {

bool is_box(shape s) { return s == shape::function || s == shape::stored; }

std::pair<std::int32_t, std::int32_t> left_and_right(const diagram& d, const edge& e) {
    if (e.arrow) return {e.from, e.to};
    const auto box = [&](std::int32_t n) {
        return is_box(d.nodes[static_cast<std::size_t>(n)].shape);
    };
    if (box(e.from) != box(e.to))
        return box(e.from) ? std::pair(e.from, e.to) : std::pair(e.to, e.from);
    return std::minmax(e.from, e.to);
}

}  // namespace ricci::draw
