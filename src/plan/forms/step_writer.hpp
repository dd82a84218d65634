// Steps that a pass adds behind those that there are, and memory for what they write.
#pragma once

#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

class step_writer {
public:
    /// Of one equation, in one type of floats.
    step_writer(program_plan& plan, ir::ref equation, element type)
        : plan_(plan), values_(plan.values), equation_(equation), type_(type) {}

    void put(assign a) { plan_.steps.push_back(make_step(values_, std::move(a))); }
    /// target = the value: a fold, or element-wise.
    void write(const access& target, expr value, bool hides = false);
    /// The value in memory of its own, whose axes lie as those of the largest tensor in it do.
    expr stored(expr value);
    /// The sum over loops of a product of loads, as contractions in the order of a path; what is
    /// beside the sums stays a factor. The last contraction is written to `target` where it has
    /// all of its loops.
    expr sum_of_product(const expr_list& loads, const loop_list& over, const access* target);

private:
    expr contracted(expr left, expr right, const loop_list& over, const access* target);
    expr_list merged(const expr_list& loads);

    program_plan& plan_;
    graph& values_;
    ir::ref equation_;
    element type_;
};

}  // namespace ricci::plan
