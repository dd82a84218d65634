// A network that is ready to run: plans of its slices, kernels, and the memory of intermediates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "src/engine/workspace_memory.hpp"
#include "src/network/run_request.hpp"
#include "src/steps/algebra.hpp"

namespace ricci::networks {

struct sliced_plan;

/// Loops around steps: the same steps for each range of the sliced indices, with other addresses.
/// Where ranges differ in length there are several plans. The result is added up over the ranges of
/// indices that it has not, in their order, whatever the number of threads.
class network_run {
public:
    /// Throws ricci::error where the memory does not suffice, before it is allocated.
    explicit network_run(const run_request& asked);
    network_run(network_run&&) noexcept;
    network_run& operator=(network_run&&) noexcept;
    ~network_run();

    /// Other memory for an operand, of the same strides.
    void bind(std::size_t operand, const void* data);
    /// Allocates nothing. `progress(part)`: which part is done; false ends it, and so returns
    /// false.
    bool run(const std::function<bool(double)>& progress = {});

    /// Of a number in another algebra with places: the places of all indices where it is what it
    /// is, of the first slice that has it. The result is that number.
    std::vector<std::int64_t> best();

    /// How many steps the last run carried out, over all slices.
    std::size_t steps_run() const { return steps_run_; }

private:
    void make_plans(const run_request& asked);
    bool run(sliced_plan& p, const std::function<bool(double)>& progress);

    engine::workspace_memory workspace_;  // of all plans
    std::vector<std::unique_ptr<sliced_plan>> plans_;
    std::vector<const void*> operands_;
    static run_output output_of(const run_request& asked, std::span<const std::int32_t> axes,
                                void* data);

    void clear_results();

    std::vector<run_output> outputs_;
    element type_;
    std::optional<steps::sum_algebra> algebra_;
    bool keeps_ = false, has_run_ = false;
    std::vector<bool> changed_;  // operands, since the last run
    double passes_ = 0, passes_done_ = 0;
    std::size_t steps_run_ = 0;
};

}  // namespace ricci::networks
