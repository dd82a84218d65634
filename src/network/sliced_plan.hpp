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
    /// Of a scaled run without outputs: results are intermediates that are left at the end.
    /// `repeats`: every step runs in each pass, and no intermediate lasts from one to the next.
    sliced_plan(const run_request& asked, std::vector<range_loop> ranges,
                const std::vector<run_output>& outputs, bool repeats);

    std::vector<range_loop> loops;      // over ranges, then over the places of chosen indices
    std::vector<std::int64_t> extents;  // of each index, in one pass
    step_tree tree;
    std::vector<std::size_t> part_ends;  // of its steps; see sub_trees.hpp
    std::vector<aligned_sum> aligned;    // of a scaled run
    std::vector<std::int32_t> results;   // tensors of the tree, one for each output of a run
    network_plan planned;
    /// What moves from pass to pass, in the plan's loop: these operands, in their order, then all
    /// outputs.
    struct moving_operand {
        std::size_t number = 0;
        plan::loop_set loops;  // which of them move it
    };
    std::vector<moving_operand> moving_operands;
    std::vector<std::vector<std::size_t>> readers;  // of each operand: the steps
    std::vector<plan::slot_number> reads;           // of all compiled steps, one after the other
    // Of each compiled step:
    std::vector<std::size_t> read_ends;  // where what it reads ends in that list
    std::vector<plan::slot_number> writes;
    std::vector<char> joins;    // whether it adds to an output
    std::vector<double> costs;  // multiplications; see step_costs.hpp
    // Of each slot: an intermediate that is the same in all passes.
    std::vector<char> is_constant;

    const plan::step_loop& around() const { return planned.plan.around; }

    pass_sequence passes;
    double multiplications = 0;  // of one pass that makes everything

private:
    network_plan plan_of(const run_request& asked, const std::vector<run_output>& outputs,
                         bool repeats);
    void find_uses(const std::vector<run_output>& outputs);
    void find_costs();
    void find_passes(const run_request& asked);
};

}  // namespace ricci::networks
