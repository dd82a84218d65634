// A diagram while it is made: every expression is a network with open indices, which what is around
// it joins.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include <ricci/ir/program.hpp>

#include "draw/diagram.hpp"

namespace ricci::draw {

/// Where an open index ends: at an axis of a tensor, or at a node that knows it by a letter.
struct leg {
    std::int32_t node = -1;
    std::int32_t place = 0;     // of the axis, or of the strand of a fork, from 1; or 0
    ir::ref letter = ir::none;  // of the index in the equation that the node is of
};

/// What an expression has become: its nodes, and where each index that it leaves open ends.
struct network {
    std::map<ir::ref, std::vector<leg>> open;
    std::vector<std::int32_t> members;

    void add(const network& other);
};

class drawing {
public:
    explicit drawing(const ir::program_view& p) : p_(p) {}

    /// The factor that nodes are of from here on; gives the one until now.
    std::int32_t enter_factor(std::int32_t factor);

    std::int32_t add(shape s, label text);
    /// A line of so many indices, without a letter.
    edge& bundle(leg from, leg to, std::int32_t strands);
    /// A line of an index, with its letter if that is said. An end that knows the index by another
    /// letter says so.
    edge& connect(leg from, leg to, ir::ref index, bool said = true);

    /// Several ends of an index are one from here on: a dot is joined to each.
    leg one_end(network& net, ir::ref index);
    void every_end_one(network& net);
    /// Joins the ends of an index that is summed over.
    void contract(network& net, ir::ref index);
    /// What is left open at an axis of the result ends in a letter.
    void leave(network& net, const ir::position& q);
    /// All that the network leaves open goes into a node, by arrows; `places` says at which axes.
    /// Parts with a node among `joined` are joined with it already.
    void consume(network& part, std::int32_t into, const std::map<ir::ref, std::int32_t>& places,
                 std::set<std::int32_t> joined = {});
    /// Where an axis becomes several indices: a fork, whose strands are open in the network.
    std::int32_t split(const ir::position& q, network& net);
    /// Where several open indices become one axis: a fork, whose strands end them.
    std::int32_t merge(const ir::position& q, network& net);

    /// The letters of a position of several indices.
    label letters(const ir::position& q) const;

    const node& at(std::int32_t n) const { return out.nodes[static_cast<std::size_t>(n)]; }
    diagram out;

private:
    line_end end_of(leg l, ir::ref index) const;
    leg add_dot(network& net);
    std::vector<std::int32_t> loose_parts(const network& part,
                                          const std::set<std::int32_t>& joined) const;

    ir::program_view p_;
    std::int32_t factor_ = -1;
};

}  // namespace ricci::draw
