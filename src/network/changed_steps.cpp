#include "src/network/changed_steps.hpp"

#include <algorithm>

namespace ricci::networks {

void changed_steps::find(const sliced_plan& plan, const std::vector<bool>& operands) {
    std::fill(stale_.begin(), stale_.end(), false);
    for (std::size_t k = 0; k < operands.size(); ++k)
        if (operands[k]) stale_[plan.planned.slots[k].index()] = true;
    count_ = 0;
    std::size_t read = 0;
    for (std::size_t k = 0; k < is_due_.size(); ++k) {
        char due = false;
        for (; read < plan.read_ends[k]; ++read) due |= stale_[plan.reads[read].index()];
        is_due_[k] = due;
        stale_[plan.writes[k].index()] |= due;
        count_ += static_cast<std::size_t>(due);
    }
}

double changed_steps::gain_of_parts(const sliced_plan& plan) const {
    double all = 0, dearest = 0;
    std::size_t step = 0;
    for (const std::size_t end : plan.part_ends) {
        double cost = 0;
        for (; step < end; ++step)
            if (is_due_[step]) cost += plan.costs[step];
        all += cost;
        dearest = std::max(dearest, cost);
    }
    return all - std::max(dearest, all / 2);
}

}  // namespace ricci::networks
