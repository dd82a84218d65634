// The groups of a chain with the operands of all its parts in one list, so that they have the same
// tiles and one place in memory says where all of them are.
#pragma once

#include <vector>

#include "src/steps/fused.hpp"

namespace ricci::fused {

/// Operands of the first group, of the sums, of the second group.
class chain_operands {
public:
    explicit chain_operands(const steps::fused_chain& what);

    const steps::fused_group& first() const { return first_; }
    const steps::fused_group& second() const { return second_; }
    const std::vector<steps::row_dot>& sums() const { return sums_; }

private:
    std::vector<steps::row_dot> sums_;
    steps::fused_group first_, second_;
};

}  // namespace ricci::fused
