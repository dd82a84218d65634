// Which steps make again what has changed, where all intermediates are still there.
#pragma once

#include <cstddef>
#include <vector>

#include "src/network/sliced_plan.hpp"

namespace ricci::networks {

class changed_steps {
public:
    changed_steps() = default;
    explicit changed_steps(const sliced_plan& plan)
        : stale_(plan.planned.plan.slots.size()), is_due_(plan.writes.size()) {}

    /// Of the plan that this was made for, where these operands have changed. Allocates nothing.
    void find(const sliced_plan& plan, const std::vector<bool>& operands);
    bool is_due(std::size_t step) const { return is_due_[step]; }
    std::size_t count() const { return count_; }
    /// What threads save that run the parts at the same time, in multiplications.
    double gain_of_parts(const sliced_plan& plan) const;

private:
    std::vector<char> stale_;   // slots
    std::vector<char> is_due_;  // steps
    std::size_t count_ = 0;
};

}  // namespace ricci::networks
