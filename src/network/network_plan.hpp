// A network as a plan: the second producer of assignments beside equations. No text and no names
// pass here; emission, kernels, workspace, loans and threads are those of all plans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ricci/element.hpp>

#include "src/network/index_ranges.hpp"
#include "src/network/tree.hpp"
#include "src/plan/schedule/plan.hpp"

namespace ricci::networks {

/// One operand's memory.
struct operand_memory {
    const void* data = nullptr;
    std::span<const std::int64_t> strides;  // of its axes, in elements
    bool conjugate = false;
};

/// A tensor of the tree that is written to the caller's memory, which begins with what is computed.
struct output_memory {
    std::int32_t tensor = -1;
    void* data = nullptr;
    std::span<const std::int64_t> strides;  // of its axes, in elements
    bool adds = false;                      // to what is there, instead of writing it
};

/// What a plan is made of. Extents are those of what is computed at once: of an index that is
/// sliced, one range of it, which begins at the operand's memory.
struct plan_request {
    element type = element::f32;
    const step_tree* tree = nullptr;
    std::span<const std::int64_t> extents;  // of each index
    std::span<const operand_memory> operands;
    /// Loops around the steps: memory with their indices moves from pass to pass, and so does that
    /// of every output.
    std::span<const range_loop> loops;
    /// Every step runs in each pass, and no intermediate lasts from one to the next.
    bool repeats = false;
    std::span<const output_memory> outputs;
    /// Where parts end whose steps run at the same time as those of other parts; see sub_trees.hpp.
    std::span<const std::size_t> part_ends;
    std::span<const std::int32_t> left;  // tensors that are read when all steps have run
    bool keeps = false;  // all intermediates last, so that what has not changed is not made again
};

struct network_plan {
    plan::program_plan plan;
    std::vector<plan::slot_number> slots;  // of each tensor of the tree
};

/// Throws ricci::error where intermediates are larger than memory has addresses.
network_plan plan_network(const plan_request& asked);

}  // namespace ricci::networks
