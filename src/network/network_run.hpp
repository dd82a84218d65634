// A network that is ready to run: plans of its slices, kernels, and the memory of intermediates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "src/engine/execution.hpp"
#include "src/network/network_plan.hpp"
#include "src/network/tree.hpp"
#include "src/path/search.hpp"
#include "src/steps/algebra.hpp"

namespace ricci::networks {

/// What is to be run. All that it refers to is copied, but for the memory of operands and result.
struct run_request {
    element type = element::f32;
    std::vector<std::span<const std::int32_t>> axes;  // of each operand: the indices of its axes
    std::vector<operand_memory> operands;
    std::span<const std::int32_t> open;
    std::span<const std::size_t> extents;                             // of each index
    std::span<const std::pair<std::int32_t, std::int32_t>> products;  // SSA
    std::span<const path::slice> slices;
    /// The result, row-major, of the open indices; or, of a scalar result, its derivatives by some
    /// operands, row-major.
    std::vector<void*> results;
    std::span<const std::size_t> derivatives = {};
    /// Another algebra than sum and product. `places`: as best() wants them.
    std::optional<steps::sum_algebra> algebra = {};
    bool places = false;
    bool keeps = false;  // intermediates, so that what has not changed is not made again, where
                         // there is memory for all of them
    double memory = 0;   // bytes for intermediates and what kernels lend
};

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
    struct sliced_plan;

    void make_plans(const run_request& asked);
    bool run(sliced_plan& p, const std::function<bool(double)>& progress);

    engine::workspace_memory workspace_;  // of all plans
    std::vector<std::unique_ptr<sliced_plan>> plans_;
    std::vector<const void*> operands_;
    /// One tensor that is computed.
    struct output {
        std::vector<std::int32_t> axes;
        void* data = nullptr;
        std::size_t bytes = 0;
        std::vector<std::int64_t> strides;
        bool adds = false;  // over ranges of an index that it has not
    };
    static output output_of(const run_request& asked, std::span<const std::int32_t> axes,
                            void* data);

    void clear_results();

    std::vector<output> outputs_;
    element type_;
    std::optional<steps::sum_algebra> algebra_;
    bool keeps_ = false, has_run_ = false;
    std::vector<bool> changed_;  // operands, since the last run
    double passes_ = 0, passes_done_ = 0;
    std::size_t steps_run_ = 0;
};

}  // namespace ricci::networks
