// The tensor diagram of equations: what is joined with what, without places on paper.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ricci/ir/program.hpp>

#include "draw/label.hpp"

namespace ricci::draw {

enum class shape : std::uint8_t {
    tensor,    // one leg an axis
    value,     // a number, or an expression of scalars and of indices' places
    function,  // takes the diagrams whose arrows end in it
    argument,  // one of several that a function takes: what goes into it is multiplied
    stored,    // a tensor that other equations use, in a diagram of a whole program
    use,       // of a stored tensor that is used several times: one leg an axis
    dot,       // one index of several tensors, or an index that is summed over one tensor
    fork,      // where one axis becomes several indices
    end,       // of an open leg
};

struct node {
    draw::shape shape = draw::shape::tensor;
    label text;
    std::int32_t factor = -1;  // of the product that the equation is, counted from 0
    bool repeated = false;     // the tensor is another node of the picture as well
};

/// Where a line meets a node.
struct line_end {
    std::int32_t place = 0;  // the axis of the tensor, or the strand of the fork, from 1; or 0
    label mark;              // what is said there: the axis, or the letter that a function knows
};

struct edge {
    std::int32_t from = -1;
    std::int32_t to = -1;
    label text;
    std::int32_t strands = 1;  // the indices that it carries; 0 for a number that a function takes
    bool arrow = false;        // into a function
    std::string step = {};     // the product that contracts it, where an order is shown
    line_end tail = {};        // at `from`
    line_end head = {};        // at `to`
};

/// One picture.
struct diagram {
    std::string title;  // the equation in plain text
    std::string latex;  // the same in the notation
    std::vector<node> nodes;
    std::vector<edge> edges;
    std::vector<std::string> notes;  // below it
};

/// Whether arrows bring what the node takes: these come to its left side, and lines without an
/// arrow go on from its right one with what it has made of them.
bool is_box(shape s);
/// The end of a line that stands on the left, and the other one. An arrow goes to the right, and so
/// does what a box has made; other lines go from what was made first to what was made of it. By
/// that no way along lines ever comes back to where it began, as boxes are not joined with each
/// other but by dots.
std::pair<std::int32_t, std::int32_t> left_and_right(const diagram& d, const edge& e);

/// The diagram of one equation.
diagram diagram_of(const ir::program_view& p, const ir::equation& e);
/// One diagram an equation, in order.
std::vector<diagram> diagrams_of(const ir::program_view& p);
/// All equations as one: what is used once stands in its place, what is used more often is one node
/// with a node for each use behind it.
diagram whole_diagram(const ir::program_view& p);

/// The factors of the product that the equation is, below the sums around it; just one where it is
/// none.
std::vector<ir::ref> factors_of(const ir::program_view& p, const ir::equation& e);

}  // namespace ricci::draw
