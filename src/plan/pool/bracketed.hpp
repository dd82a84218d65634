// Tensors that are 0 where a bracket of their definition is false. Where one of them is read, that
// bracket in front of it says nothing new.
#pragma once

#include <map>
#include <utility>

#include "src/plan/pool/expression.hpp"

namespace ricci::plan {

class bracketed_tensors {
public:
    explicit bracketed_tensors(graph& values) : values_(values) {}

    /// Remembers what an equation computes.
    void add(const access& target, expr value);
    /// The product without the brackets that its one other factor has by its definition.
    expr without_implied(expr product);

private:
    expr_list hiding(expr value, int depth = 0);
    expr condition_of(expr bracket);

    graph& values_;
    std::map<slot_number, std::pair<access, expr_list>> known_;  // by slot
};

}  // namespace ricci::plan
