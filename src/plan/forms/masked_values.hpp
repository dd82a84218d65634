// Values over pairs of places of which a condition such as [j <= i] leaves about half: beyond it
// they are one number.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "src/plan/schedule/plan.hpp"
#include "src/plan/pool/semiseparable.hpp"

namespace ricci::plan {

/// A condition between two loops, and what a value is beyond it: 0, or minus infinity. Of two ways
/// to say one condition that by the loop with the smaller number as j.
struct masked_value {
    triangle pairs;
    double beyond = 0;
    // By numbers, not by conditions alone: 0 times what is no number is no number.
    bool by_numbers = false;
};

/// The same condition with i and j in each other's place.
triangle exchanged(const triangle&);

/// What is known, step by step, of tensors in memory.
class masked_tensors {
public:
    explicit masked_tensors(const program_plan& plan) : plan_(plan), values_(plan.values) {}

    /// What stands in a tensor after a step. Steps are looked at in their order.
    void look(const step& s);

    /// What is known of an expression without sums; of what a map gives, before it is stored.
    std::optional<masked_value> value_of(expr e) const;
    std::optional<masked_value> made_by(const assign& map) const;

    /// Whether what a body reads at each pair is known, or is a product of what lacks one of the
    /// loops each: numbers there that are none show at pairs for which the condition holds, too.
    bool shows_elsewhere(expr body, const triangle& pairs) const;

private:
    struct definition {
        access target;
        masked_value value;
    };
    /// Of parts that stand in several places, once each.
    using memo = std::map<expr, std::optional<masked_value>>;

    std::optional<masked_value> find(expr e, memo& known) const;
    std::optional<masked_value> under(expr condition, double beyond) const;
    std::optional<masked_value> of_load(expr load) const;
    std::optional<masked_value> of_product(const expression& product, memo& known) const;
    std::optional<masked_value> of_sum(const expression& terms, memo& known) const;

    const program_plan& plan_;
    const graph& values_;
    std::map<slot_number, definition> known_;  // by slot
    std::set<slot_number> products_;           // slots that contractions have written last
};

}  // namespace ricci::plan
