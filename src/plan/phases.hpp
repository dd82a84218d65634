// The phases of a fused group. What is proportional to the weights of one softmax is summed while
// their maximum is still unknown; everything else waits until all maxima and sums are there, and
// makes the weights again from their logarithms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "src/plan/consumers.hpp"

namespace ricci::plan {

class phases {
public:
    phases(program_plan& plan, const grown_group& group, const std::vector<slot_uses>& uses)
        : plan_(plan), group_(group), tiles_(plan, group, uses) {}

    /// Makes the steps that do what all members do. False where that cannot be or does not pay; the
    /// plan may have more slots and expressions then, which nothing refers to.
    bool run();
    const std::string& reason() const { return reason_; }
    const std::vector<made_step>& made() const { return made_; }

private:
    bool assign_phases();
    bool late_ones_wait();
    void replace_by_sums_of_outputs();
    bool replace(consumer& sum, const consumer& bracket);
    void make_log_sums();
    bool pays() const;
    bool write(bool late);
    std::set<std::size_t> steps_of(bool late) const;
    void add_tiles(fused& group, const std::vector<expr>& of);
    void add_weights(fused& group, bool late, const std::vector<consumer*>& chosen,
                     std::vector<expr>& roots);
    void count(fused& group, const std::set<std::size_t>& steps) const;

    using slot_set = std::set<std::int32_t>;
    slot_set read_by(expr value, bool through_products) const;
    slot_set read_by(const consumer& c) const;
    bool reads(expr value, std::int32_t slot) const;

    program_plan& plan_;
    const grown_group& group_;
    tile_values tiles_;
    std::vector<consumer> consumers_;
    std::vector<access> log_sums_;  // of each softmax; of slot -1: nobody needs it
    std::vector<made_step> made_;
    std::string reason_;
};

}  // namespace ricci::plan
