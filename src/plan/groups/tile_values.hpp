// What the tiles of a fused group are: the value of every plane as an expression over the group's
// loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "src/plan/schedule/grown_group.hpp"
#include "src/plan/pool/unroll.hpp"

namespace ricci::plan {

class tile_values {
public:
    /// Adds slots and expressions to the plan, which `group` is of.
    tile_values(program_plan& plan, const grown_group& group, const std::vector<slot_uses>& uses)
        : plan_(plan), group_(group), uses_(uses) {}

    /// The value that a plane has before a step, made of tiles and of what the group reads. `needs`
    /// gets the steps that make it.
    expr value_of(slot_number plane, std::size_t before, step_set& needs);
    /// An assignment's body over the group's loops, planes replaced by their values; summed over
    /// the loops of its own that it folds, at one iteration of the others.
    expr body_of(std::size_t step, step_set& needs, const iteration& at = {});
    /// The loops of a step's own in its target, under the names that they have in the group.
    loop_list own_results(std::size_t step);

    /// An expression or an access of a step over the group's loops.
    expr renamed(std::size_t step, expr e);
    access renamed(std::size_t step, const access& a);
    const loop_map& names_of(std::size_t step);

    struct product {
        std::size_t step = 0;
        access tile;
    };
    /// The tile that the product of a step makes; nothing where it is none.
    const std::vector<product>& products() const { return products_; }
    const product* product_of(slot_number tile) const;
    struct softmax {
        expr score;
        access tile;
        step_set needs;  // the steps that make its weights
    };
    const std::vector<softmax>& softmaxes() const { return softmaxes_; }
    /// The softmax of these scores, the one there is or a new one with this name. `needs`: the
    /// steps that make them.
    std::int32_t softmax_of(expr score, ir::ref name, const step_set& needs);
    /// The softmax that a value is proportional to, -1: it depends on none; nothing where it
    /// depends on one in another way.
    std::optional<std::int32_t> linear_in(expr value) const;

    access new_tile(ir::ref name);

private:
    std::int32_t softmax_with(slot_number tile) const;

    program_plan& plan_;
    const grown_group& group_;
    const std::vector<slot_uses>& uses_;
    std::map<std::size_t, loop_map> names_;
    std::vector<product> products_;
    std::vector<softmax> softmaxes_;
    using key = std::pair<slot_number, std::size_t>;  // plane and writer
    struct made {
        expr value;
        step_set needs;
    };
    small_map<key, made, 4> known_;
};

}  // namespace ricci::plan
