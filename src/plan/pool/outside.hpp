// What values are where a condition does not hold.
#pragma once

#include <functional>
#include <vector>

#include "src/plan/pool/definitions.hpp"
#include "src/plan/pool/expression.hpp"

namespace ricci::plan {

/// Where the condition does not hold the value is a number.
struct outside_value {
    expr condition;
    double number = 0;
    // By numbers, not by conditions alone: 0 times what is no number is no number.
    bool by_numbers = false;
};
using outside_values = std::vector<outside_value>;

/// All that is known of an expression. `of_load`: of what a load reads.
outside_values outside(graph&, expr e, const std::function<outside_values(expr load)>& of_load);
/// Of a fold over some loops of a value of which this is known.
outside_values outside_of_fold(const graph&, fold, const loop_list& over, outside_values of_body);

/// The product without the brackets that its one other factor has by its definition: where one of
/// them is false the tensor is 0 anyway.
expr without_implied(graph&, const definitions&, expr product);

}  // namespace ricci::plan
