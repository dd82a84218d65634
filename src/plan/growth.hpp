// Growing a fused group: which assignments around one contraction make and consume planes.
//
// A plane is a tensor in the workspace with one axis for each of the group's loops, rows as well as
// columns: what is to be made tile by tile instead of being stored. Assignments that write planes
// make tiles; those that read planes, and write something smaller, consume them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/plan/plan.hpp"

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
using plane_layout = std::vector<axis_term>;  // for each of the group's loops

/// The loops of an assignment that are the group's: each with its place in the group's list.
class matching {
public:
    /// The place, -1: it is none of the group's.
    std::int32_t of(loop l) const;
    bool has(std::int32_t group_loop) const;
    /// False where the loop is another one already, or another loop is this one.
    bool add(loop l, std::int32_t group_loop);
    const std::vector<std::pair<loop, std::int32_t>>& pairs() const { return pairs_; }

private:
    std::vector<std::pair<loop, std::int32_t>> pairs_;
};

/// Assignments around planes, and how the group's loops stand in them.
struct grown_group {
    const program_plan* plan = nullptr;
    std::vector<group_loop> loops;
    std::map<std::int32_t, plane_layout> planes;  // by slot
    std::map<std::size_t, matching> matched;      // by step
    std::vector<std::size_t> members, consumers;  // steps, in order

    const assign& at(std::size_t step) const { return *plan->steps[step].as_assign(); }
    std::int64_t extent(std::size_t group_loop) const {
        return plan->values.extent(loops[group_loop].what);
    }
    bool is_plane(std::int32_t slot) const { return planes.contains(slot); }
    /// Along which of the group's loops the tensor is walked.
    std::vector<bool> walked(const matching&, const access&) const;
    /// Whether it is walked along rows, if there are any, and along columns.
    bool spans_tile(const std::vector<bool>& walked) const;
    bool follows(const std::vector<bool>& walked, loop_role) const;
    /// Which of the group's loops a consumer sums.
    std::vector<bool> summed_by(std::size_t step) const;
    /// Whether a contraction has loops of its own beside the group's.
    bool has_own_loops(std::size_t step) const;
};

/// A contraction's factors, and the loops of both, of one and of the other, in this order.
struct factor_loads {
    const expression* a = nullptr;
    const expression* b = nullptr;
};
factor_loads factors_of(const graph& values, const assign& contraction);
loop_list batch_m_n(const factor_loads&, const loop_list& over);

class growth {
public:
    growth(const program_plan& plan, const std::vector<slot_uses>& uses) : uses_(uses) {
        group_.plan = &plan;
    }

    /// Grows the group in which contraction `seed` sums a plane, its factor a or b, over the
    /// plane's columns. False when there is none, with a reason where one is worth telling.
    bool run(std::size_t seed, bool plane_is_a);
    grown_group& result() { return group_; }
    const std::string& reason() const { return reason_; }
    std::int32_t refused() const { return refused_; }  // the slot that the reason is about
    void refuse(std::string why) { reason_ = std::move(why); }

private:
    enum class outcome : std::uint8_t { done, later, failed };

    bool begin(std::size_t seed, bool plane_is_a);
    bool add_plane(const access&, const matching&);
    bool can_be_made(std::int32_t slot) const;
    bool match(const access& plane, matching& found) const;
    bool covers(const loop_list& loops, const matching&, bool columns) const;
    bool sums_suit(const loop_list& free, const loop_list& over, const matching&) const;
    void add_consumer(std::size_t step);
    outcome place(std::size_t step);
    outcome place_map(std::size_t step, const assign&);
    outcome place_product(std::size_t step, const assign&, const factor_loads&);
    outcome place_contraction(std::size_t step, const assign&);
    outcome place_scatter(std::size_t step, const assign&);
    outcome fail(std::int32_t slot, std::string why);
    bool makes_more_than_it_reads() const;

    const std::vector<slot_uses>& uses_;
    grown_group group_;
    std::vector<std::size_t> pending_;
    std::string reason_;
    std::int32_t refused_ = -1;
};

}  // namespace ricci::plan
