// What hides functions of matrices: where a condition above one of them is false, its matrix need
// not have an inverse.
#pragma once

#include <cstdint>
#include <vector>

#include <ricci/ir/program.hpp>
#include "src/plan/trees/brackets.hpp"

namespace ricci::plan {

/// Something counts where all of these nodes, which are 1 or 0, are 1; or where not all are.
struct hiding_condition {
    std::vector<ir::ref> all;
    bool holds;
};

class hiding_conditions {
public:
    /// Of a program that stays where it is.
    explicit hiding_conditions(const ir::program_view& program);

    /// Whether a function of a matrix is the node or stands below it.
    bool holds_matrix(ir::ref node) const { return holds_matrix_[static_cast<std::size_t>(node)]; }
    /// Those that a node puts above its child number `which`: brackets beside it in a product or
    /// above a stroke, the condition of its case and those of the cases before, masks beside it.
    std::vector<hiding_condition> above(const ir::node& x, std::int32_t which) const;

private:
    using list = std::vector<hiding_condition>;
    list beside(const ir::node& x, std::int32_t which) const;
    list of_cases(const ir::node& x, std::int32_t which) const;
    list of_masks(const ir::node& x, std::int32_t which) const;

    ir::program_view p_;
    brackets brackets_;
    std::vector<bool> holds_matrix_;  // by node
};

}  // namespace ricci::plan
