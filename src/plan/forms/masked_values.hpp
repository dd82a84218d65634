// Values over pairs of places of which a condition such as [j <= i] leaves about half: beyond it
// they are one number.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "src/plan/pool/conditions.hpp"
#include "src/plan/pool/outside.hpp"
#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// A condition between two loops, and what a value is beyond it. Of two ways to say one condition
/// that by the loop with the smaller number as j.
struct masked_value {
    triangle pairs;
    double beyond = 0;
    bool by_numbers = false;
};

/// The same condition with i and j in each other's place.
triangle exchanged(const triangle&);

/// What is known, step by step, of tensors in memory.
class masked_tensors {
public:
    explicit masked_tensors(program_plan& plan) : plan_(plan), values_(plan.values) {}

    /// What stands in a tensor after a step. Steps are looked at in their order.
    void look(const step& s);

    /// What is known of an expression without sums; of what a map gives, before it is stored.
    std::optional<masked_value> value_of(expr e) const { return masked(outside_of(e)); }
    std::optional<masked_value> made_by(const assign& map) const { return masked(outside_of(map)); }

    /// Whether what a body reads at each pair is known, or is a product of what lacks one of the
    /// loops each: numbers there that are none show at pairs for which the condition holds, too.
    bool shows_elsewhere(expr body, const triangle& pairs) const;

private:
    struct tensor {
        access target;
        outside_values beyond;
    };
    std::optional<masked_value> masked(const outside_values& all) const;
    outside_values outside_of(expr e) const;
    outside_values outside_of(const assign& map) const;
    outside_values of_load(expr load) const;

    program_plan& plan_;
    graph& values_;
    std::map<slot_number, tensor> known_;  // by slot
    std::set<slot_number> products_;       // slots that contractions have written last
};

}  // namespace ricci::plan
