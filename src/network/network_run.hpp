// A network that is ready to run: plans of its slices, and lanes that carry them out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "src/engine/workspace_memory.hpp"
#include "src/network/changed_steps.hpp"
#include "src/network/run_request.hpp"
#include "src/steps/algebra.hpp"

namespace ricci::networks {

struct planned_lanes;
struct run_results;
struct scaled_run;

/// Loops around steps: the same steps for each range of the sliced indices and for each row of
/// choices, with other addresses. Where ranges differ in length there are several plans.
///
/// Passes are cut into groups, however many threads there are. Where they are many, each thread
/// that there is memory for carries out groups by itself. What a result gets of one group is added
/// up apart, where that is little beside the products, and then to what groups before it gave: so
/// that the additions are the same for any number of threads.
class network_run {
public:
    /// Throws ricci::error where the memory does not suffice, before it is allocated. Where it may,
    /// it cuts more indices instead; whether it does is a matter of memory alone, not of threads.
    explicit network_run(const run_request& asked);
    network_run(network_run&&) noexcept;
    network_run& operator=(network_run&&) noexcept;
    ~network_run();

    /// Other memory for an operand, of the same strides. Throws ricci::error where a scaled run
    /// reads it from a copy for which there is no memory; what was bound before stays.
    void bind(std::size_t operand, const void* data);
    /// Allocates nothing, but for such a copy where memory has other numbers than when it was
    /// bound; throws as bind() does then. `progress(part)`: which part is done, told on the
    /// caller's thread; false ends it, and so returns false.
    bool run(const std::function<bool(double)>& progress = {});

    /// Passes of all plans, one plan's after the other's.
    std::int64_t passes() const;
    /// Passes [first, end) alone, one after the other on one lane. Results are what these add to
    /// them; what no pass writes is the sum of nothing.
    bool run_passes(std::int64_t first, std::int64_t end,
                    const std::function<bool(double)>& progress = {});

    /// Of a number in another algebra with places: the places of all indices where it is what it
    /// is, of the first slice that has it. The result is that number.
    std::vector<std::int64_t> best();

    /// How many steps the last run carried out, over all slices.
    std::size_t steps_run() const { return steps_run_; }
    /// Of a scaled run, after it: a row of the result, or a derivative, is what is in its memory
    /// times ten to this power.
    std::int64_t exponent10(std::size_t row = 0) const;
    /// How many threads run passes at the same time.
    std::size_t lanes() const { return workspaces_.size(); }
    /// How many parts of the tree run at the same time; 0: none.
    std::size_t parts() const;

private:
    bool has_made_all(const run_request& asked);
    void make_outputs(const run_request& asked);
    bool has_made_some_way(const run_request& asked);
    bool has_made_plans(const run_request& asked, std::span<const std::vector<range_loop>> ranges,
                        bool repeats);
    void make_lanes(const run_request& asked, double workspace);
    void make_scaled(run_request& asked);
    void reserve_copy(std::size_t operand, const void* data);
    void take_scaled();
    void finish_scaled();
    void set_address(std::size_t operand, const void* data);
    run_results results();
    bool run_changed(planned_lanes& p, const std::function<bool(double)>& progress);

    std::vector<engine::workspace_memory> workspaces_;  // of each lane, for all plans
    engine::workspace_memory sums_;                     // of groups
    std::size_t sum_bytes_ = 0, sums_at_once_ = 0;      // of one group; how many there are
    std::vector<std::unique_ptr<planned_lanes>> plans_;
    std::vector<const void*> operands_;
    std::vector<run_output> outputs_;
    std::unique_ptr<scaled_run> scaled_;  // only of one
    double memory_left_ = 0;              // for copies of its operands
    std::vector<const void*> given_;      // its operands: some are read from copies
    element type_;
    std::optional<steps::sum_algebra> algebra_;
    double needed_ = 0;  // bytes, beside operands and results
    double tables_ = 0;  // of them, of one lane
    bool keeps_ = false, has_run_ = false;
    const planned_lanes* begun_ = nullptr;  // the plan whose passes have been run last, and went on
    bool has_places_ = false;
    double least_gain_ = 0;      // of parts
    bool is_alone_ = false;      // on one thread, where there is no memory to lend to several
    std::vector<bool> changed_;  // operands, since the last run
    changed_steps changed_steps_;
    double passes_ = 0, passes_done_ = 0;
    std::size_t steps_run_ = 0;
};

}  // namespace ricci::networks
