// What a fused group gives: the assignments that read planes, and the steps made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/plan/groups/tile_values.hpp"

namespace ricci::plan {

/// An assignment that reads planes, over the group's loops.
struct consumer {
    std::size_t step = 0;
    assign what;  // its body apart: value, times `factor` where there is one
    loop_role summed = loop_role::column;
    steps::monoid by = steps::monoid::sum;  // of its fold
    expr value;
    expr factor;                   // a load that lacks what is not summed
    access of;                     // the plane, as written
    loop_list own;                 // its loops beside the group's
    std::int32_t weights = -1;     // the softmax that the value is proportional to
    step_set needs;                // the steps that make its value
    std::int32_t phase = 0;        // behind the first one all softmaxes are complete
    bool late_by_product = false;  // waits only because a product that makes its value does
    bool replaced = false;         // by a map of what another consumer gives
    bool partial = false;          // a map sums what it gives over more loops
    bool apart = false;            // its target is memory of its own, as a rule for a map to add
    bool log_sum = false;          // gives what is found with the weights, as its fold says
    bool ties = false;             // says how many values equal what another consumer gives
    bool places = false;           // says where what another consumer gives stands
    // A maximum or minimum: the consumers that count its ties, and say where it stands.
    std::int32_t ties_by = -1, place_by = -1;

    bool is_late() const { return phase > 0; }
    bool lands() const { return what.kind == assignment_kind::lookups; }
    /// Whether it is given beside what another one gives.
    bool is_beside() const { return ties || places; }
    /// Whether its group writes all of its target, and nothing else does it for it.
    bool writes_target() const {
        return !replaced && !partial && !apart && !log_sum && !is_beside();
    }
};

/// A step, and what it touches as if it ran where the steps were whose place it takes.
struct made_step {
    struct timed_effect {
        slot_number slot;
        std::size_t when = 0;
        bool writes = false;
    };
    step what;
    std::vector<timed_effect> effects;
};

/// One for a step, or one for each iteration of the loops that a map has of its own.
std::vector<consumer> make_consumers(program_plan&, const grown_group&, tile_values&,
                                     std::size_t step);

/// Loop orders sum over all columns, or over all rows of one batch. A sum over more than that is
/// made of those: parts for each batch are stored, and maps, which `made` gets, sum the parts.
void split_sum(program_plan&, const grown_group&, consumer&, std::vector<made_step>& made);

/// What gives, in memory of its own, the extremum whose place a consumer says.
consumer extremum_of(program_plan&, const grown_group&, const consumer& place);

/// Gives a consumer memory of its own, which holds what it gives and nothing else, and its target a
/// map, which `made` gets, that adds this.
void write_apart(program_plan&, const grown_group&, consumer&, std::vector<made_step>& made);

}  // namespace ricci::plan
