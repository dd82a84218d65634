// Places on paper for a diagram's nodes.
#pragma once

#include <vector>

#include "draw/diagram.hpp"

namespace ricci::draw {

struct point {
    double x = 0;
    double y = 0;
};

/// Where everything stands, in pixels, from the upper left corner of the picture.
struct layout {
    std::vector<point> centres;  // of nodes
    std::vector<point> sizes;    // of nodes: width and height
    double width = 0;
    double height = 0;
};

/// A diagram with its places.
struct picture {
    diagram what;
    layout where;
};

/// How large the node is drawn.
point size_of(const node& n);

/// Our own layout: chains in a line, grids in a grid, everything else by stress majorisation. The
/// same diagram always gets the same places. No two nodes overlap.
layout plain_layout(const diagram& d);

/// The layout of the program `dot`, which is better where much is joined by arrows; ours where
/// there is no such program, where the diagram is a chain or a grid, and where it is too large.
layout best_layout(const diagram& d);

// The steps of both ------------------------------------------------------------------------------

/// A connected part of a diagram without the ends of open legs: its nodes, and who is joined with
/// whom.
struct component {
    std::vector<std::size_t> nodes;               // of the diagram
    std::vector<std::vector<std::size_t>> links;  // by place in `nodes`, each neighbour once
    std::vector<std::pair<std::size_t, std::size_t>> arrows;
};
std::vector<component> components_of(const diagram& d);

/// Whole steps to the right and down for each node, where the component is a chain or a grid; else
/// empty.
std::vector<point> grid_places(const component& c);
/// Places whose distances are those in the graph, as far as paper allows: steps again.
std::vector<point> stress_places(const component& c);
/// Places by the program `dot`; empty where there is none.
std::vector<point> dot_places(const diagram& d, const component& c,
                              const std::vector<point>& sizes);

/// Puts the ends of open legs where there is room, and everything on one sheet. `cores` are the
/// places of the other nodes, each component apart from the others.
layout finished(const diagram& d, const std::vector<component>& parts,
                std::vector<std::vector<point>> cores, std::vector<point> sizes);

}  // namespace ricci::draw
