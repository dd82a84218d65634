// Assignments around planes: what a fused group is made of, and how its loops stand in each of
// them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "src/base/small_map.hpp"
#include "src/base/small_set.hpp"
#include "src/plan/schedule/plan.hpp"

namespace ricci::plan {

/// Which steps touch a slot, in order.
struct slot_uses {
    std::vector<std::size_t> readers, writers;
};

/// Where one of the group's loops stands in a plane: an axis, and the factor there; no axis:
/// nowhere.
struct axis_term {
    std::int32_t axis = -1;
    std::int64_t factor = 0;
    bool operator==(const axis_term&) const = default;
};
using plane_layout = short_list<axis_term, 4>;  // for each of the group's loops

/// Some of a group's loops: whether each is one of them.
using loop_choice = short_list<bool, 8>;

/// Numbers of steps.
using step_set = small_set<std::size_t, 8>;

/// The loops of an assignment that are the group's: each with its place in the group's list.
class matching {
public:
    /// The place, -1: it is none of the group's.
    std::int32_t of(loop l) const;
    bool has(std::int32_t group_loop) const;
    /// Whether all of these are the group's.
    bool has_all(const loop_list& loops) const;
    /// False where the loop is another one already, or another loop is this one.
    bool add(loop l, std::int32_t group_loop);
    const auto& pairs() const { return pairs_; }

private:
    short_list<std::pair<loop, std::int32_t>, 6> pairs_;
};

/// Assignments around planes, and how the group's loops stand in them.
struct grown_group {
    const program_plan* plan = nullptr;
    std::vector<group_loop> loops;
    small_map<slot_number, plane_layout, 4> planes;  // by slot
    small_map<std::size_t, matching, 4> matched;     // by step
    std::vector<std::size_t> members, consumers;     // steps, in order
    // Members that read single elements of planes, and what these are made of instead.
    std::vector<std::size_t> element_readers;
    bool reads_large = false;  // some member reads a tensor that has rows and columns

    const assign& at(std::size_t step) const { return *plan->steps[step].as_assign(); }
    /// Whether the operation that makes weights finds a fold: a log-sum-exp, what of it is beyond
    /// the maximum, and the maximum where somebody wants that.
    bool is_found_with_weights(std::size_t step) const;
    /// Whether a step makes a plane by products, or distances.
    bool is_product(std::size_t step) const;
    /// Whether an assignment makes distances of rows from columns. What has both, and is a sum of
    /// few, is a map, whose sum is run one by one.
    bool is_distance(const assign&, const matching&) const;
    /// The tensors that a product or a distance is made of.
    std::array<access, 2> sides_of(std::size_t step) const;
    std::int64_t extent(std::size_t group_loop) const {
        return plan->values.extent(loops[group_loop].what);
    }
    bool is_plane(slot_number slot) const { return planes.contains(slot); }
    /// Along which of the group's loops the tensor is walked.
    loop_choice walked(const matching&, const access&) const;
    /// Whether it is walked along rows, if there are any, and along columns.
    bool spans_tile(const loop_choice& walked) const;
    bool follows(const loop_choice& walked, loop_role) const;
    bool has_all_columns(const loop_choice& walked) const;
    /// Which of the group's loops a consumer sums.
    loop_choice summed_by(std::size_t step) const;
    /// Loops of a step's own beside the group's. Those of a map are few, and run one by one.
    loop_list own_loops(std::size_t step) const;
    bool has_own_loops(std::size_t step) const { return !own_loops(step).empty(); }
    /// Whether planes are at least as large as what they are made of and become, or there are
    /// weights or distances, which are worth fusing at any size: nothing else multiplies these.
    bool has_large_planes() const;
};

/// number * scale * the sum over own loops of weight * (a - b)^2: a product of its own kind. a, b
/// and the weight are loads; nothing that stands in front of the sum has one of its loops.
struct distance_parts {
    double number = 1;
    expr_list scale;
    expr a, b;
    expr weight;  // none: 1
    bool is_alone() const { return number == 1 && scale.empty(); }
};
/// Nothing where an assignment is none.
std::optional<distance_parts> distance_of(const graph& values, const assign& a);

/// Whether a tensor is read, or written, from its first elements on.
inline bool starts_at_zero(const access& a) {
    return std::ranges::all_of(a.at, [](const place& p) { return p.offset == 0; });
}

/// A contraction's factors, and the loops of both, of one and of the other, in this order.
struct factor_loads {
    const expression* a = nullptr;
    const expression* b = nullptr;
};
factor_loads factors_of(const graph& values, const assign& contraction);
/// A body that is a product of two loads, perhaps times a number, as what chains sum for each row.
struct scaled_product : factor_loads {
    double number = 1;
};
std::optional<scaled_product> product_of_loads(const graph& values, expr body);
loop_list batch_m_n(const factor_loads&, const loop_list& over);

}  // namespace ricci::plan
