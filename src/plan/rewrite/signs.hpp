// Which values are never negative, whatever the inputs hold: through the definitions of the tensors
// that they read.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "src/plan/pool/expression.hpp"

namespace ricci::plan {

class known_signs {
public:
    explicit known_signs(const graph& values) : values_(values) {}

    /// Whether a value is 0 or more; nothing is promised of a "no".
    bool is_nonnegative(expr);
    /// What is computed for all elements of a tensor, before anything is asked that reads it.
    void remember(slot_number, expr value);

private:
    bool has_no_sign(const expression&);

    const graph& values_;
    std::unordered_map<expr, bool> nonnegative_;  // each value is looked at once
    std::unordered_set<slot_number> nonnegative_tensors_;
};

}  // namespace ricci::plan
