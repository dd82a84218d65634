// The plan of a program: where every tensor lives and the steps that compute it. Plain data: kernels
// see the descriptors of ricci/plan/steps.hpp, which the steps hold in vectors of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ricci/element.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/plan/steps.hpp>

namespace ricci::plan {

/// Where the memory of a tensor comes from.
enum class storage : std::uint8_t {
    input,      // the caller's, only read
    output,     // the caller's or newly allocated for the caller
    workspace,  // intermediates
    number,     // a number bound by the caller: no memory, it is part of the steps
    unused,     // no step refers to it
};

/// One tensor as a block of memory.
struct slot {
    storage kind = storage::unused;
    ir::ref name = ir::none;  // none: a temporary without a name
    std::vector<std::int64_t> extents;
    std::vector<std::int64_t> strides;  // in elements
    void* data = nullptr;               // input, output: what the caller bound
    double value = 0;                   // number
    std::size_t bytes = 0;              // workspace
    std::size_t workspace_offset = 0;   // workspace, bytes
    std::vector<ir::ref> axes;          // temporaries: the index of each axis, for words
};

/// A tensor as a step uses it, for words only; the numbers are in the step.
struct tensor_use {
    std::int32_t slot = -1;
    ir::range positions{0, -1};  // as written; count -1: the slot's own axes
};

/// A number computed from scalars when the step runs: `instructions` over loads of single elements,
/// or `value` when there are none.
struct scalar {
    struct element_use {
        std::int32_t slot = -1;
        std::int64_t offset = 0;
    };
    double value = 1;
    std::vector<instruction> instructions;
    std::vector<element_use> operands;
};

/// What one loop of a step runs over, for words.
struct named_loop {
    ir::ref index = ir::none;
    std::int64_t extent = 1;
};

struct contraction_step {
    std::vector<contraction_loop> batch, m, n, k;
    std::vector<named_loop> batch_names, m_names, n_names, k_names;
    tensor_use a, b, c;
    std::int64_t a_offset = 0, b_offset = 0, c_offset = 0;  // elements
    scalar alpha;
    double beta = 0;
};

struct map_step {
    struct operand {
        std::int32_t slot = -1;  // -1: a position, which has no memory
        std::int64_t offset = 0;
        std::vector<std::int64_t> strides;
        tensor_use use;
    };
    fold folding = fold::none;
    std::vector<std::int64_t> extents;
    std::vector<ir::ref> indices;  // of the loops, for words
    std::int32_t folded = 0;
    std::vector<operand> operands;  // [0] is the output
    std::vector<instruction> program;
};

/// Exactly one of the two is meant: a contraction when `is_contraction`.
struct step {
    ir::ref equation = ir::none;
    bool is_contraction = false;
    contraction_step contraction;
    map_step map;
    double flops = 0;
    double bytes = 0;  // of operands, each counted once
};

struct program_plan {
    element type = element::f32;
    std::vector<slot> slots;  // one for each name of the program, then temporaries
    std::vector<step> steps;
    std::size_t workspace_bytes = 0;
};

/// Calls `visit(slot, writes)` for every tensor that a step touches.
template <class F>
void for_each_slot(const step& s, F visit) {
    if (s.is_contraction) {
        for (const auto& operand : s.contraction.alpha.operands) visit(operand.slot, false);
        visit(s.contraction.a.slot, false);
        visit(s.contraction.b.slot, false);
        visit(s.contraction.c.slot, true);
    } else {
        for (std::size_t k = 0; k < s.map.operands.size(); ++k)
            if (s.map.operands[k].slot >= 0) visit(s.map.operands[k].slot, k == 0);
    }
}

}  // namespace ricci::plan
