// Places on paper for a diagram's nodes, lines and letters.
#pragma once

#include <vector>

#include "draw/diagram.hpp"

namespace ricci::draw {

struct point {
    double x = 0;
    double y = 0;
};

/// How a line runs, and where its letter stands.
struct route {
    /// Two ends of a straight line; or the first end, and three points for each cubic curve.
    std::vector<point> path;
    point letter;                // its middle
    point tail_mark, head_mark;  // of what is said at the two ends
};

/// Where everything stands, in pixels, from the upper left corner of the picture.
struct layout {
    std::vector<point> centres;  // of nodes
    std::vector<point> sizes;    // of nodes: width and height
    std::vector<route> routes;   // of edges
    double width = 0;
    double height = 0;
};

/// A diagram with its places.
struct picture {
    diagram what;
    layout where;
};

/// How large the node is drawn, by its words alone.
point size_of(const node& n);
/// How large the letters of a line are, with the number of its product.
point letter_size(const edge& e);
/// How large what is said at an end of a line is.
point mark_size(const line_end& e);
/// Whether the node is drawn as a circle, or as two half circles with a straight piece between.
bool is_round(shape s);

/// Our own layout: chains in a line, grids in a grid, functions in columns from left to right,
/// everything else by stress majorisation. The same diagram always gets the same places. No two
/// nodes overlap.
layout plain_layout(const diagram& d);

/// With the program `dot` for what is neither a chain nor a grid; ours where there is no such
/// program, and where the diagram is too large.
layout best_layout(const diagram& d);

/// Points along a path, its ends among them.
std::vector<point> points_along(const std::vector<point>& path, int pieces = 12);

}  // namespace ricci::draw
