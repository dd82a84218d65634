// Weights of pairs i, j under [j <= i] that are 1-semiseparable: a number of j, times a number of
// each link on the way from j to i, times a number of i. Sums of them over i or j are linear
// recurrences. The derivatives of what is folded up to an index have such weights, whatever the
// fold is.
#pragma once

#include <cstdint>
#include <optional>

#include "src/plan/pool/conditions.hpp"
#include "src/plan/pool/definitions.hpp"

namespace ricci::plan {

/// What a fold takes up for each i under a condition between it and a loop of the fold; the value
/// is under what else is asked of that loop alone.
struct folded_pairs {
    triangle pairs;
    expr condition;
    expr value;
};
std::optional<folded_pairs> pairs_in(graph&, fold, expr body, loop j);

/// A weight of the pairs of a triangle, made of the values x_j of which something is folded for
/// each i: all x_j under the condition.
struct pair_weight {
    enum class weight_kind : std::uint8_t {
        softmax,          // exp(x_j) by the sum of these
        extreme,          // [x_j = max x], or min
        others,           // the product of all x but x_j
        power,            // of a number, to the power of step * d + ahead
        exponential,      // of a number times that
        distance,         // step * d + ahead; d: how many places the pair is beyond the nearest one
        apart,            // [d != 0], or that or something else
        product_between,  // the product of what is at each link of the way from j to i
        sum_between,      // exp of the sum of it
        ratio_between,    // exp(x_i - x_j)
    };
    weight_kind kind = weight_kind::softmax;
    fold folding = fold::maximum;  // of an extreme
    expr of;                       // x_j; the number; of a link, at the further one of its places
    expr extremum;                 // what an extreme is compared with
    std::int64_t step = 0, ahead = 0;
};
std::optional<pair_weight> pair_weight_in(graph&, const definitions&, expr factor, const triangle&);

}  // namespace ricci::plan
