// The steps around one contraction that can be streamed together, and the streamed group they make.
//
// A plane is a tensor in the workspace with one axis for each of the group's loops, rows as well as
// columns: what is to be made tile by tile instead of being stored. Steps that write planes make
// tiles; steps that read planes, and write something smaller, consume them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/plan/plan.hpp"

namespace ricci::plan {

/// Which steps touch a slot, in order.
struct slot_uses {
    std::vector<std::size_t> readers, writers;
};

class stream_group {
public:
    stream_group(const program_plan& plan, const std::vector<slot_uses>& uses)
        : plan_(plan), uses_(uses) {}

    /// Gathers the group in which contraction `seed` sums a plane, its operand A or B, over the plane's
    /// columns. False when there is none, with a reason where one is worth telling.
    bool gather(std::size_t seed, bool plane_is_a);
    const std::string& reason() const { return reason_; }
    std::int32_t refused() const { return refused_; }  // the slot that the reason is about

    const std::vector<std::size_t>& members() const { return members_; }

    /// What a new step touches, as if it ran where the steps were whose place it takes.
    struct access {
        std::int32_t slot = -1;
        std::size_t when = 0;
        bool writes = false;
    };
    struct made_step {
        compiled_step what;
        std::vector<access> accesses;
    };
    /// The steps that do what all members do, in their order.
    const std::vector<made_step>& made() const { return made_; }
    /// Memory that they need in addition; numbered from the plan's slots on.
    const std::vector<slot>& new_slots() const { return new_slots_; }
    /// Planes: never stored.
    std::vector<std::int32_t> planes() const;

private:
    struct loop {
        std::int64_t extent = 1;
        loop_role axis = loop_role::batch;
        ir::ref name = ir::none;
    };
    using layout = std::vector<std::int64_t>;  // a stride for each loop
    /// A step's own loops, each with the group's loop it is (-1: none) and its strides.
    using matching = std::vector<std::int32_t>;
    enum class outcome : std::uint8_t { done, later, failed };

    // Gathering
    bool add_plane(std::int32_t slot, layout strides);
    bool can_be_made(std::int32_t slot) const;
    outcome place(std::size_t step);
    outcome place_map(std::size_t number);
    outcome place_contraction(std::size_t number);
    outcome place_scatter(std::size_t number);
    bool match(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides,
               const layout& plane, matching& found) const;
    bool is_plane(std::int32_t slot) const { return layouts_.contains(slot); }
    bool covers(const matching& m, std::size_t first, std::size_t last, bool columns) const;
    bool spans_tile(const layout& strides) const;
    bool follows(const layout& strides, loop_role axis) const;
    bool has_values(std::size_t number) const;
    bool sums_suit(const matching& m, std::size_t first) const;
    std::vector<bool> summed_by(std::size_t number) const;
    loop_role swept(std::size_t number) const;
    outcome fail(std::int32_t slot, std::string why);
    bool settle_sums();
    void settle_factors();
    bool settle_axes();
    bool factors_suit() const;

    // Making
    /// A consumer of a plane, and the value of its tile.
    struct consumer {
        std::size_t step = 0;
        fused_step::sink sink;  // operands: numbers in operands_
        std::int32_t value = -1;
        std::set<std::size_t> needs;   // the steps that make its tile
        bool late = false;             // after all softmaxes are complete
        bool late_by_product = false;  // only as a product that makes its tile waits
        bool replaced = false;         // by a map of what another consumer gives
        bool partial = false;          // a map sums what it gives over more loops
    };
    bool build();
    std::int32_t value_of(std::int32_t slot, std::size_t before);
    std::int32_t inlined(const map_step& m, std::size_t number);
    std::int32_t push(instruction i);
    std::int32_t load(std::int32_t operand);
    std::int32_t operation(opcode code, std::int32_t first, std::int32_t second = -1);
    std::int32_t position(std::int64_t offset, layout strides);
    std::int32_t operand(std::int32_t slot, std::int64_t offset, layout strides, tensor_use use,
                         bool written);
    layout strides_of(const matching& m, const std::vector<std::int64_t>& strides) const;
    void add_consumer(std::size_t number);
    void sum_partial(consumer& c, const std::vector<bool>& summed,
                     const std::vector<ir::ref>& value_names);
    void add_partial(consumer& c);
    void count_elements(compiled_step& s) const;
    std::int32_t new_slot(const std::vector<loop>& axes, std::vector<std::int64_t>& strides);
    std::optional<std::int32_t> linear_in(std::int32_t value) const;  // -1: in none
    std::vector<char> reached(std::int32_t value) const;

    // Splitting into sweeps
    std::int32_t written_by(const consumer& c) const;
    std::set<std::int32_t> read_by(std::int32_t value, bool through_products) const;
    std::set<std::int32_t> read_by(const consumer& c) const;
    bool assign_sweeps();
    bool late_ones_wait();
    bool replace_by_sums_of_outputs();
    bool replace(consumer& sum, const consumer& product);
    std::vector<std::int32_t> factors(std::int32_t value, double& sign) const;
    void make_log_sums();
    std::int32_t recomputed(std::int32_t value);
    fused_step::product product_of(std::size_t number);

    // Writing down one sweep
    class sweep_writer;
    bool write(bool late);
    void count(compiled_step& s, const std::vector<std::size_t>& steps) const;

    const program_plan& plan_;
    const std::vector<slot_uses>& uses_;
    std::vector<loop> loops_;
    std::map<std::int32_t, layout> layouts_;  // of planes
    std::map<std::size_t, matching> matched_;
    std::vector<std::size_t> pending_, members_, sinks_;
    std::string reason_;
    std::int32_t refused_ = -1;

    std::vector<instruction> values_;
    std::map<std::pair<std::int32_t, std::size_t>, std::int32_t> known_;  // by slot and writer
    std::map<std::pair<std::int32_t, std::size_t>, std::set<std::size_t>> needs_;
    std::set<std::size_t>* collecting_ = nullptr;
    std::vector<fused_step::operand> operands_;
    std::vector<std::size_t> products_;   // steps
    std::vector<std::int32_t> scores_;    // of each softmax
    std::vector<std::int32_t> log_sums_;  // of each softmax: an operand, or -1
    std::map<std::int32_t, std::int32_t> recomputed_;
    std::vector<consumer> consumers_;
    std::vector<made_step> made_;
    std::vector<slot> new_slots_;
    std::vector<std::int32_t> log_sum_slots_;
};

}  // namespace ricci::plan
