// Growing a fused group: which assignments around one contraction make and consume planes.
//
// A plane is a tensor in the workspace with one axis for each of the group's loops, rows as well as
// columns: what is to be made tile by tile instead of being stored. Assignments that write planes
// make tiles; those that read planes, and write something smaller, consume them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/plan/schedule/grown_group.hpp"

namespace ricci::plan {

class growth {
public:
    /// `stored`: planes that are looked up, and stored for all that.
    growth(const program_plan& plan, const std::vector<slot_uses>& uses,
           const small_set<slot_number, 4>& stored = {})
        : uses_(uses), stored_(stored) {
        group_.plan = &plan;
    }

    /// Grows the group in which `seed`, a contraction or a fold, sums a plane that it reads over
    /// the plane's columns. False when there is none, with a reason where one is worth telling.
    bool run(std::size_t seed, const access& plane);
    grown_group& result() { return group_; }
    const std::string& reason() const { return reason_; }
    slot_number refused() const { return refused_; }  // the slot that the reason is about

private:
    enum class outcome : std::uint8_t { done, later, failed };

    bool begin(std::size_t seed, const access& plane);
    bool add_plane(const access&, const matching&);
    /// A plane that a step reads, one of which it reads other elements than its own, and what else
    /// it reads.
    struct reads {
        slot_number plane, misread;
        std::vector<access> others;
    };
    void see(const access& from, matching& found, reads& to) const;
    void add_planes(const std::vector<access>& others, const matching&);
    bool can_be_made(slot_number slot) const;
    bool match(const access& plane, matching& found) const;
    bool covers(const loop_list& loops, const matching&, bool columns) const;
    bool sums_suit(const loop_list& free, const loop_list& over, const matching&) const;
    void add_consumer(std::size_t step);
    outcome place(std::size_t step);
    outcome place_lookup(std::size_t step, const assign&);
    outcome place_map(std::size_t step, const assign&);
    outcome place_maker(std::size_t step, const assign&, const matching&, slot_number through);
    outcome place_elements(std::size_t step, slot_number plane, const char* refusal);
    outcome place_fold(std::size_t step, const assign&, const matching&, slot_number through);
    outcome place_extremum(std::size_t step, const assign&);
    outcome place_product(std::size_t step, const assign&);
    outcome place_contraction(std::size_t step, const assign&);
    outcome place_scatter(std::size_t step, const assign&);
    outcome place_landing(std::size_t step, const assign&);
    outcome fail(slot_number slot, std::string why);
    void separate_batch();
    bool sums_few_values();
    bool makes_more_than_it_reads();
    bool makes_more_than_it_converts();
    void separate(const loop_choice& first, const loop_choice& second);
    bool separate_rows(slot_number plane, const std::vector<std::int32_t>& axes, int depth);

    const std::vector<slot_uses>& uses_;
    const small_set<slot_number, 4> stored_;
    grown_group group_;
    std::vector<std::size_t> pending_;
    bool unrolls_ = false;  // what maps have beside the group's loops is their own
    std::string reason_;
    slot_number refused_;
};

}  // namespace ricci::plan
