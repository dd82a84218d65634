// The steps of a layout: connected parts, places for each, lines, letters.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "draw/layout.hpp"

namespace ricci::draw {

/// A connected part of a diagram without the ends of open legs: its nodes, and who is joined with
/// whom.
struct component {
    std::vector<std::size_t> nodes;               // of the diagram
    std::vector<std::vector<std::size_t>> links;  // by place in `nodes`, each neighbour once
    std::vector<double> reach;                    // half the length of a link of each node
    bool arrows = false;
};
std::vector<component> components_of(const diagram& d);

/// Whole steps to the right and down for each node, where the component is a chain or a grid; else
/// empty.
std::vector<point> grid_places(const component& c);
/// The same where it is one but for its dots, which then stand beside what they join; or where it
/// is a star around one dot.
std::vector<point> dotted_places(const diagram& d, const component& c);
/// Places whose distances are those in the graph, as far as paper allows: steps again.
std::vector<point> stress_places(const component& c);

/// Puts nodes of a component in columns, from what is taken to what takes it, with the ends of its
/// open legs; says how its lines run.
void place_in_columns(const diagram& d, const component& c, layout& out);
/// The same by the program `dot`; false where there is none.
bool place_by_dot(const diagram& d, const component& c, layout& out);

/// Pushes nodes apart along the shorter way until none is too near to another.
void push_apart(std::vector<point>& at, const std::vector<point>& size);
/// Puts the ends of a component's open legs where there is room.
void place_ends(const diagram& d, const component& c, layout& out);
/// Straight lines, bent where two nodes are joined several times or another node is in the way.
void route_lines(const diagram& d, const component& c, layout& out);
/// Puts the letters of lines that have their paths.
void place_letters(const diagram& d, const component& c, layout& out);

/// The edges of a component, with those of its open legs.
std::vector<std::size_t> edges_of(const diagram& d, const component& c);
/// The path of a trace above a node; `which` counts those of the node.
std::vector<point> loop_at(point centre, point size, int which);
/// Where a line from the centre of a node towards a point leaves its border.
point border_of(const node& n, point centre, point size, point towards);

}  // namespace ricci::draw
