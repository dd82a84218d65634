// Carrying out the passes over a plan, group by group, on as many threads as there are lanes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "src/network/lane.hpp"
#include "src/network/run_request.hpp"
#include "src/network/sliced_plan.hpp"
#include "src/runtime/loans.hpp"

namespace ricci::networks {

/// A plan and what carries it out.
struct planned_lanes {
    sliced_plan plan;
    std::vector<std::unique_ptr<lane>> lanes;
    runtime::loan_book together;  // what all lanes lend at the same time, each on one thread
    bool sums_apart = false;      // what groups add to results is added up apart first
};

/// How many of `most` lanes carry out so many groups: one, whose kernels have all threads, where
/// some lanes would stand idle for much of the time.
std::size_t lanes_for(std::int64_t groups, std::size_t most);

/// Memory that a run writes to.
struct run_results {
    element type = element::f64;
    std::optional<steps::sum_algebra> algebra;
    std::span<const run_output> outputs;
    // Sums of groups: so many at once, of so many bytes each.
    std::byte* sums = nullptr;
    std::size_t sum_bytes = 0, sums_at_once = 0;
    scaled_run* scaled = nullptr;  // whose sums they are, if it is one
};

/// One run of one plan. Results begin with what they are added to.
class grouped_passes {
public:
    grouped_passes(planned_lanes& lanes, const run_results& results)
        : lanes_(lanes), results_(results) {}

    /// False where `progress(passes done)` was false, which ends it.
    bool run(const std::function<bool(double)>& progress);
    /// The same of passes [first, end) alone, on one lane. `begins`: it has what no pass before has
    /// left, as the first one of a plan.
    bool run_some(std::int64_t first, std::int64_t end, bool begins,
                  const std::function<bool(double)>& progress);
    std::size_t steps_run() const { return steps_run_; }

private:
    bool run_constants(const std::function<bool(double)>& progress);
    bool run_alone();
    bool run_together(std::size_t lanes);
    bool run_group(lane& by, std::int64_t group, std::byte* sums);
    bool run_passes(lane& by, std::int64_t first, std::int64_t end, std::byte* sums);
    void* place_of(std::size_t output, std::size_t row, std::byte* sums) const;
    scaled_sums& scaled_place(std::size_t output, const std::byte* sums) const;
    void clear(std::byte* sums) const;
    void add(std::byte* sums) const;

    planned_lanes& lanes_;
    const run_results& results_;
    const std::function<bool(double)>* progress_ = nullptr;
    std::thread::id caller_ = std::this_thread::get_id();
    std::atomic<std::int64_t> passes_done_{0};
    std::atomic<std::size_t> steps_run_{0};
    std::atomic<bool> stopped_{false};
};

}  // namespace ricci::networks
