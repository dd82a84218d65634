// The plan of a network for all ranges of equal length: what each of its steps depends on, and the
// passes over them. Memory and kernels are the lanes'.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/network/index_ranges.hpp"
#include "src/network/network_plan.hpp"
#include "src/network/passes.hpp"
#include "src/network/run_request.hpp"
#include "src/network/scaled/aligned_sums.hpp"
#include "src/network/tree.hpp"

namespace ricci::networks {

struct sliced_plan {
    /// A tensor whose memory moves from pass to pass.
    struct moving {
        std::int32_t slot = -1;
        std::size_t number = 0;             // operands, then outputs
        std::int64_t first = 0;             // bytes
        std::vector<std::int64_t> advance;  // bytes, for each loop
        loop_set loops;                     // which of them move it
    };

    /// Of a scaled run without outputs: the result is an intermediate that is left at the end.
    /// `repeats`: every step runs in each pass, and no intermediate lasts from one to the next.
    sliced_plan(const run_request& asked, std::vector<range_loop> ranges,
                const std::vector<run_output>& outputs, bool repeats);

    std::vector<range_loop> loops;      // over ranges, then over the places of chosen indices
    std::vector<std::int64_t> extents;  // of each index, in one pass
    step_tree tree;
    std::vector<aligned_sum> aligned;   // of a scaled run
    std::vector<std::int32_t> results;  // tensors of the tree, one for each output
    network_plan planned;
    std::vector<moving> moving_operands, moving_outputs;
    std::vector<std::vector<std::size_t>> readers;  // of each operand: the steps
    // Of each compiled step:
    std::vector<std::vector<std::int32_t>> reads;
    std::vector<std::int32_t> writes;
    std::vector<loop_set> depends;
    std::vector<char> moved;  // whether it touches what moves
    std::vector<char> joins;  // whether it adds to an output
    // Of each slot: an intermediate that is the same in all passes.
    std::vector<char> is_constant;

    pass_sequence passes;
    double multiplications = 0;  // of one pass that makes everything

private:
    network_plan plan_of(const run_request& asked, const std::vector<run_output>& outputs,
                         bool repeats);
    moving movement_of(std::size_t number, std::int32_t slot, std::span<const std::int32_t> axes,
                       std::span<const std::int64_t> strides) const;
    void find_dependences(const std::vector<run_output>& outputs, bool repeats);
    std::vector<double> costs_of_slots() const;
    void find_passes(const run_request& asked);
};

}  // namespace ricci::networks
