// The plan of a network for all ranges of equal length, and where each pass over it reads and
// writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "src/engine/execution.hpp"
#include "src/network/algebra_steps.hpp"
#include "src/network/index_ranges.hpp"
#include "src/network/network_plan.hpp"
#include "src/network/run_request.hpp"
#include "src/network/tree.hpp"

namespace ricci::networks {

struct sliced_plan {
    /// A tensor whose memory moves from range to range.
    struct moving {
        std::int32_t slot = -1;
        std::size_t number = 0;             // operands, then outputs
        std::int64_t first = 0;             // bytes
        std::vector<std::int64_t> advance;  // bytes, for each loop
    };

    sliced_plan(const run_request& asked, const std::vector<range_loop>& ranges,
                const std::vector<run_output>& outputs);

    /// Kernels, on intermediates in memory that lasts as long.
    void prepare(const run_request& asked, std::byte* workspace);
    runtime::loan_book& loans() { return execution ? execution->loans() : algebra->loans(); }
    void run_step(std::size_t k, const std::vector<run_output>& outputs);

    double passes() const;
    /// Addresses of all tensors for the ranges that the counters say.
    void place(const std::vector<const void*>& operands, const std::vector<run_output>& outputs);
    /// The next combination. Returns the loops whose counters changed; 0: there is none.
    std::uint64_t advance();

    std::vector<range_loop> loops;
    step_tree tree;
    std::vector<std::int32_t> results;  // tensors of the tree, one for each output
    network_plan planned;
    std::optional<engine::execution> execution;  // of sums of products
    std::optional<algebra_steps> algebra;        // or of another algebra
    std::vector<moving> all_moving;
    std::vector<std::int64_t> counters;
    std::vector<std::uint64_t> loops_of_slot;       // bits: which loops change what is in it
    std::vector<std::vector<std::size_t>> readers;  // of each operand: the steps
    // Of each compiled step:
    std::vector<std::vector<std::int32_t>> reads;
    std::vector<std::int32_t> writes;
    std::vector<std::uint64_t> depends;  // bits: loops
    std::vector<char> moved;             // whether it touches what moves
    std::vector<char> stale;             // slots, in a run that does not make all again

private:
    network_plan plan_of(const run_request& asked, const std::vector<run_output>& outputs);
    // `number`: operands, then outputs.
    void find_moving(const run_request& asked, std::size_t number, std::size_t tensor,
                     std::span<const std::int32_t> axes, std::span<const std::int64_t> strides);
    void find_dependences();
};

}  // namespace ricci::networks
