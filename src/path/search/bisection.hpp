// Two halves of a network: a cut that is refined by moves of single operands.
#pragma once

#include <cstdint>
#include <vector>

#include "src/path/search/core_network.hpp"
#include "src/path/search/random.hpp"

namespace ricci::path {

/// A network whose operands stand for several each.
struct weighed_network {
    core_network network;
    std::vector<std::int32_t> count;  // of operands that each stands for
};

/// What the first side, 0, may have of all operands together; the other one has the rest.
struct side_bounds {
    std::int64_t least = 1, most = 1;
};

/// Fiduccia and Mattheyses: passes in which every operand may move once, the best move first
/// though it be a loss, back to the best state met, until none gains anything. Within the bounds a
/// move may not leave them; beyond them it has to lead towards them. Gives the weight that is cut.
double refine_cut(const weighed_network& graph, const side_bounds& bounds, std::vector<char>& side,
                  random_stream& random);

/// A side grown from an operand, always by what cuts least, to about `target` operands.
std::vector<char> grown_side(const weighed_network& graph, std::int64_t target,
                             random_stream& random);

}  // namespace ricci::path
