// Differences over all pairs that are recomputed wherever they are read, as r^{ija} = x^{ja} -
// x^{ia}: they cost less than reading them, and a sum of them can then be fused.
#pragma once

#include <unordered_map>

#include "src/plan/pool/definitions.hpp"
#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Whether an expression is a sum over few axes of tensors that each lack some of its loops, and
/// has itself an axis of few elements beside two or more loops.
bool is_sum_of_few(const graph&, expr);

class recomputed_differences {
public:
    recomputed_differences(program_plan& plan, const definitions& defined)
        : plan_(plan), defined_(defined) {}

    /// The value that is read, if it is of such a tensor: in the workspace, with an axis of few
    /// elements beside two or more loops, the difference of two tensors that each lack a loop, or
    /// a sum over few axes of such tensors. None: it is read from memory.
    expr value_of(const access& read);
    /// Where such a value is in memory, for whoever does not make it again; none: nowhere.
    expr memory_of(expr value) const;
    /// Whether there are any, so that steps may have results that nobody reads.
    bool any() const { return !in_memory_.empty(); }

private:
    expr difference_of(const definition&) const;

    program_plan& plan_;
    const definitions& defined_;
    std::unordered_map<expr, expr> in_memory_;
};

}  // namespace ricci::plan
