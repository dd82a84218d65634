// Differences over all pairs that are recomputed wherever they are read, as r^{ija} = x^{ja} -
// x^{ia}: they cost less than reading them, and a sum of them can then be fused.
#pragma once

#include <map>

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

class recomputed_differences {
public:
    explicit recomputed_differences(program_plan& plan) : plan_(plan) {}

    /// Remembers what an equation computes, if it is such a tensor: in the workspace, with an axis
    /// of few elements beside two or more loops, the difference of two tensors that each lack a
    /// loop.
    void add(const access& target, expr value);
    /// The value that is read; none: it is read from memory. Whoever needs it in memory finds it
    /// there.
    expr value_of(const access& read);
    /// Whether there are any, so that steps may have results that nobody reads.
    bool any() const { return !known_.empty(); }

private:
    struct definition {
        access target;
        expr value;
    };
    program_plan& plan_;
    std::map<slot_number, definition> known_;  // by slot
};

}  // namespace ricci::plan
