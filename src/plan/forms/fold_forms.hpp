// What sums and other folds turn out to be, for those who write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/plan/pool/conditions.hpp"
#include "src/plan/pool/semiseparable.hpp"

namespace ricci::plan {

/// A sum or another fold as all its forms read it: what it takes up, and under which conditions.
struct read_fold {
    fold by = fold::sum;
    loop_list over;
    expr body;
    guarded cases;
};

/// A contraction of two stored operands: scale * sum over `over`.
struct contraction_of {
    expr a;
    expr b;
    loop_list over;
    expr scale;
    bool conjugate_a = false, conjugate_b = false;
    bool hides = false;  // a bracket is part of an operand, and the other one is not under it
};
/// What a sum turned out to be: a contraction yet to be written somewhere, or `value`.
struct resolved {
    bool contracted = false;
    contraction_of product;
    expr value;
};

/// What is under [v = x_i], with v free, lands at v.
struct landing {
    loop axis;     // v
    expr numbers;  // x_i
    expr test;     // the equality
};
struct landed_fold {
    std::vector<landing> at;
    guarded rest;
};

/// Rows added up where all numbers are sums of positions.
struct scattered_sum {
    std::vector<landing> axes;
    std::vector<place> at;
    expr rows;
    loop_list by_number;  // the loops of the numbers
};

/// A sum of products that are read, or added up, where tensors say; what it gives is multiplied
/// by `beside` and summed over `later`, if there are any.
struct lookup_sum {
    loop axis;           // that is added up at, or none
    expr numbers;        // where
    expr_list landings;  // conditions that numbers of factors are places
    expr_list implied;   // they, and that there is a place to add at
    expr_list factors;
    expr scale;  // a number
    loop_list over;
    expr_list beside;
    loop_list later;
};

/// Memory with an axis for each loop, of which one is longer than its loop: as it is read and
/// written where the place along that axis is said.
struct longer_axis {
    access whole;
    std::size_t axis = 0;
    access at(place along) const {
        access a = whole;
        a.at[axis] = std::move(along);
        return a;
    }
};

/// A fold over all j up to, or from, a place that i says, of what has j and of what has not.
struct prefix_product {
    loop i, j;
    bool forwards = true;
    place end;                      // j <= end, or -end <= j where it is backwards
    expr number;                    // instead of i: j <= number - end, or number - end <= j
    loop_list ends;                 // i, or what the number has
    std::optional<triangle> pairs;  // where it moves with i as it is
    expr condition;
    loop_list over;    // all folded loops
    expr_list summed;  // the factors that have j; of other folds than a sum conditions
    expr_list others;
    expr value;       // of such folds
    loop_list alone;  // folded loops that no other factor has, j among them
    loop_list later;  // the others
    loop_list state;  // the loops of what is folded over those
};
struct number_bound {
    expr number;
    bool forwards = true;
    std::int64_t less = 0;
};

/// Of x_j, under conditions between j and other loops.
struct weights_of_part {
    expr_list conditions;
    expr value;
    std::optional<triangle> pairs;  // a recurrence gives them, or none
    expr most, sum;                 // of exp(x_j - most) for each i
};

/// A sum over i or j, under a condition between them, of weights of the pairs, of what has the
/// summed one of them and of what has not.
struct decayed_sum {
    triangle pairs;
    bool over_i = false;
    std::vector<pair_weight> weights;
    expr_list summed, others;
    loop_list alone;                      // summed loops that nothing else has, i or j among them
    loop_list later;                      // the others
    std::vector<std::int64_t> binomials;  // the product of all distances, of d over 0, 1 ...
};
/// From each place to the next: a factor, or its logarithm.
struct link_of_pairs {
    expr factor;
    bool is_logarithm = false;
};
/// The weights of the pairs as numbers of j: those of i are at the j that i stands for. A link
/// is between a place and the next one.
struct pair_parts {
    loop link_loop;
    expr_list start, links, end;
    expr_list rates;         // logarithms of links
    expr carried;            // links that are in memory,
    longer_axis carried_in;  // and where
};

/// Of the weights exp(x_j - m_i) of pairs, at the places of j: what a place has at itself, the
/// link to the next one, the largest x, and the sum of the weights up to each.
struct running_weights {
    expr most, start, link, sum;
};

struct asked_extremum {
    loop j;
    fold folding;
    expr_list conditions;  // between j and other loops
    expr value;            // x_j, of any of these
    expr extremum;
};
/// Of a part of the conditions: a recurrence, for which `most` is its extremum, or a sum.
struct asked_part {
    std::optional<decayed_sum> carried;
    expr most, sum;
};

/// A function of matrices whose rows and columns are loops. Both operands are read where
/// they are, or stored first.
struct matrix_function {
    ir::reduction what = ir::reduction::solve;
    expr matrix, right;
    loop row, column;
    std::string words = {};  // where the matrix stands, for a message
    bool symmetric = false;  // by how it is written
};

/// The place of an extremum of a value along a loop.
struct place_of_extremum {
    bool largest = true;
    loop along;
    expr value;
};

}  // namespace ricci::plan
