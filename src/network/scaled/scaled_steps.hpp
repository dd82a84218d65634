// The exponents of all tensors of a network while its steps run, whose elements are kept within
// range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/network/index_ranges.hpp"
#include "src/network/scaled/block_walk.hpp"
#include "src/network/scaled/scaled_operands.hpp"
#include "src/network/scaled/scaled_tensor.hpp"
#include "src/network/scaled/sum_alignment.hpp"
#include "src/network/sliced_plan.hpp"
#include "src/network/tree.hpp"

namespace ricci::networks {

/// A product has the sums of its factors' exponents. Where its elements leave the range, a power of
/// two takes them back, and the exponent says so.
class scaled_steps {
public:
    /// Of a plan whose steps are compiled as one each. `workspace`: the lane's. `first`: of the
    /// lane whose intermediates this one reads where they are the same in all passes; none of the
    /// first.
    scaled_steps(const sliced_plan& plan, const scaled_operands& operands,
                 std::span<const std::int32_t> block_indices, std::byte* workspace,
                 const scaled_steps* first);

    /// Which ranges come next, by the counters of the loops.
    void place(std::span<const std::int64_t> counters);
    /// Before and after a step of the plan runs. They allocate nothing.
    void before(std::size_t step);
    void after(std::size_t step);

    /// A result of the plan.
    const scaled_tensor& result(std::size_t number) const { return tensors_[at(results_[number])]; }

private:
    struct made_step {
        std::int32_t left = -1, right = -1, result = -1;
        std::vector<table_loop> loops;  // of the result's table: those of left and right, result
        block_walk walk;                // of the result
        std::int32_t alignment = -1;
    };
    /// An operand of which ranges have exponents of their own.
    struct moving {
        std::size_t operand = 0;
        const std::int64_t* first = nullptr;
        std::vector<std::int64_t> advance;  // for each loop
    };
    void make_operands(const scaled_operands& operands, std::span<const range_loop> loops);
    void make_tensors(const sliced_plan& plan, std::byte* workspace, const scaled_steps* first);
    made_step made_of(const tree_step& s, const sliced_plan& plan) const;

    element type_;
    std::vector<std::int32_t> block_indices_;
    std::vector<moving> moving_;
    std::size_t operands_ = 0;
    std::vector<std::int32_t> results_;
    std::vector<made_step> steps_;
    std::vector<sum_alignment> alignments_;
    std::vector<scaled_tensor> tensors_;
    std::vector<std::int64_t> exponents_;  // of what steps make
    std::vector<double> largest_;          // of the blocks of one result
    std::vector<std::int64_t> powers_;     // of the same
};

}  // namespace ricci::networks
