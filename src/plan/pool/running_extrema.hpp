// Tensors that are maxima or minima by their definition: who asks which place has one knows of what
// it was taken.
#pragma once

#include <map>

#include "src/plan/pool/expression.hpp"

namespace ricci::plan {

class running_extrema {
public:
    explicit running_extrema(graph& values) : values_(values) {}

    /// Remembers what an equation computes, where that is one maximum or minimum.
    void add(const access& target, expr value);
    /// The maximum or minimum that an expression is or reads, with folded loops that nobody else
    /// has; none: it is not known.
    expr value_of(expr e) const;

private:
    struct definition {
        access target;
        expr value;
    };
    bool is_extremum(expr e) const;

    graph& values_;
    std::map<slot_number, definition> known_;  // by slot
};

}  // namespace ricci::plan
