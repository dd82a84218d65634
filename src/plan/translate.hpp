// From an equation of a program to the planner's expressions: positions become strides.
#pragma once

#include <vector>

#include <ricci/ir/program.hpp>
#include "src/plan/expression.hpp"
#include "src/plan/plan.hpp"

namespace ricci::plan {

/// Reads one equation. `slots` has one entry for each name, with its extents and strides.
class translation {
public:
    translation(const ir::program_view& program, const std::vector<slot>& slots, ir::ref equation,
                graph& into)
        : program_(program),
          slots_(slots),
          equation_(equation),
          graph_(into),
          seen_(static_cast<std::size_t>(program.nodes.size()), -1) {}

    /// The right side.
    expr body() { return node(program_.equations[equation_].body); }
    /// Where the left side writes; in the tensor of another slot, of the same extents.
    access left_side() const;
    access left_side(std::int32_t memory) const;
    /// True when the left side reaches every element of its tensor.
    bool covers_all() const;

private:
    expr node(ir::ref number);
    expr read(ir::ref number);
    void check_quotient(expr numerator, expr denominator) const;
    void check_exponent(expr exponent) const;
    expr gathered(const ir::node& n, const std::vector<expr>& numbers);
    access reach(std::int32_t slot, ir::range positions) const;
    linear_form form(const ir::position& p) const;

    const ir::program_view& program_;
    const std::vector<slot>& slots_;
    ir::ref equation_;
    graph& graph_;
    std::vector<expr> seen_;  // by node
};

}  // namespace ricci::plan
