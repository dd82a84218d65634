// The phases of a fused group. What is proportional to the weights of one softmax is summed while
// their maximum is still unknown; everything else waits until all maxima and sums are there, and
// makes the weights again from these. What needs a result of one phase comes in a later one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/plan/groups/consumers.hpp"
#include "src/plan/schedule/group_price.hpp"

namespace ricci::plan {

class phases {
public:
    phases(program_plan& plan, const grown_group& group, const std::vector<slot_uses>& uses)
        : plan_(plan), group_(group), uses_(uses), tiles_(plan, group, uses) {}

    /// Makes the steps that do what all members do. False where that cannot be or does not pay; the
    /// plan may have more slots and expressions then, which nothing refers to.
    bool run();
    const std::string& reason() const { return reason_; }
    /// Whether storing the planes is the quicker way, of any group that they may be in.
    bool is_dear() const;
    const std::vector<made_step>& made() const { return made_; }

private:
    using slot_set = small_set<slot_number, 8>;
    /// What depends on results through steps that are none of the group: since which step, and on
    /// which ones.
    struct derived_slot {
        std::size_t since = 0;
        slot_set from;
    };
    std::map<slot_number, derived_slot> find_derived() const;
    void find_ties();
    void find_places();
    bool assign_phases();
    bool deepen_phases();
    bool unchanged(const consumer& a, const consumer& b) const;
    void replace_by_sums_of_outputs();
    bool may_share(const consumer& first, const consumer& second) const;
    void separate_writers();
    void find_sums();
    bool pays();

    // In phase_groups.cpp.
    bool write(std::int32_t phase);
    step_set steps_of(std::int32_t phase) const;
    std::vector<consumer*> consumers_of(std::int32_t phase);
    fused group_of(std::int32_t phase, const std::vector<consumer*>& chosen, const step_set& steps);
    member result_of(const consumer& c, const access& tile);
    bool fits(const fused& group);
    void add_effects(made_step& made, bool late, const std::vector<consumer*>& chosen,
                     const step_set& steps) const;
    using tile_table = std::map<expr, access>;  // by value
    expr_list common_parts(const expr_list& roots) const;
    access tile_of(fused& group, ir::ref equation, expr value, tile_table& made);
    void pin_tiles(fused& group, const expr_list& roots, tile_table& made);
    void add_results(const consumer& c, const access& tile, std::vector<member>& results);
    void add_tiles(fused& group, const expr_list& of);
    void add_weights(fused& group, bool late, const std::vector<consumer*>& chosen,
                     expr_list& roots);
    void count(fused& group, const step_set& steps) const;

    slot_set read_by(expr value, bool through_products) const;
    slot_set read_by(const consumer& c) const;
    bool reads(expr value, slot_number slot) const;

    program_plan& plan_;
    const grown_group& group_;
    const std::vector<slot_uses>& uses_;
    tile_values tiles_;
    std::vector<consumer> consumers_;
    /// What is found with the weights of a softmax; of no slot: nobody needs it.
    struct found_sums {
        access log_sum, excess;
        access maximum, largest;  // for late consumers, too, who make its weights again
        access& of(fold folding) {
            return folding == fold::logsumexp ? log_sum
                   : folding == fold::excess  ? excess
                                              : maximum;
        }
        bool any() const { return log_sum.slot || excess.slot || maximum.slot; }
    };
    std::vector<found_sums> sums_;  // of each softmax
    std::vector<made_step> made_;
    pair_price price_;  // of all phases
    std::string reason_;
};

}  // namespace ricci::plan
