// What emission makes of a plan's assignments: loops with strides, and programs of instructions.
// Kernels see the descriptors of src/steps/, which these hold in vectors of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ricci/ir/program.hpp>

#include "src/steps/contraction.hpp"
#include "src/steps/fused.hpp"
#include "src/steps/gather.hpp"
#include "src/steps/map.hpp"

namespace ricci::plan {

using namespace steps;

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

/// Which operand of a contraction another one has as well.
enum class shared_operand : std::uint8_t { none, a, b };

struct contraction_step {
    std::vector<contraction_loop> batch, m, n, k;
    std::vector<named_loop> batch_names, m_names, n_names, k_names;
    tensor_use a, b, c;
    std::int64_t a_offset = 0, b_offset = 0, c_offset = 0;  // elements
    scalar alpha;
    double beta = 0;
    bool conjugate_a = false, conjugate_b = false;
    // Of steps that follow each other, multiply the same operand and may run at the same time; the
    // first of them does not join another.
    shared_operand shared = shared_operand::none;
    bool joins_previous = false;
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

/// Several equations' contractions and maps as one: steps::fused_group with what it owns.
struct fused_step {
    struct operand {
        std::int32_t slot = -1;  // -1: a position, which has no memory
        std::int64_t offset = 0;
        std::vector<std::int64_t> strides;
        tensor_use use;
        bool written = false;
    };
    struct product {
        std::int32_t a = -1, b = -1;
        std::vector<inner_loop> contracted;
        scalar number;
    };
    struct stage {
        operation_kind kind = operation_kind::values;
        std::vector<instruction> program;
        std::int32_t log_sum_exp = -1;
        double empty = 0;
    };
    struct sink {
        std::int32_t tile = -1;
        loop_role summed = loop_role::column;
        std::int32_t b = -1, output = -1, weights = -1;
        std::vector<inner_loop> values;
        scalar number;
        double beta = 0;
        bool added = false;
        tensor_use of;  // the tensor whose tile it is, for words
    };
    std::vector<fused_loop> loops;
    std::vector<ir::ref> loop_names;
    std::vector<operand> operands;
    std::vector<product> products;
    std::vector<stage> stages;
    std::vector<sink> sinks;
    std::vector<ir::ref> equations;    // that it carries out
    std::vector<tensor_use> unstored;  // tensors that are never stored
    double saved_bytes = 0;            // of those
    std::vector<kept_product> kept;    // the last one of a chain: with the first
};

/// What a map between two streams of a chain is for them: steps::row_dot with what it owns.
struct row_sum_step {
    map_step::operand a, b, output;  // strides: one for each loop of the streams
    std::vector<inner_loop> summed;
    double number = 1;
};

/// steps::gather with what it owns: rows that a tensor of whole numbers picks, or that it adds to;
/// or, without lookups, whole numbers converted to the plan's type.
struct gather_step {
    struct lookup {
        map_step::operand numbers;
        std::int64_t stride = 0;
        std::int64_t extent = 0;
        std::string words;  // where it is looked up, for a message
    };
    bool scatter = false;
    std::vector<std::int64_t> extents;
    std::vector<ir::ref> indices;  // of the loops, for words
    map_step::operand out, in;
    std::vector<lookup> lookups;
    // Where it is 0 nobody wants what is looked up, and the places need not exist; of slot -1:
    // nowhere.
    map_step::operand wanted;
};

/// A contraction when `is_contraction`, a streamed group when `is_stream`, a gather when
/// `is_gather`, otherwise a map.
struct compiled_step {
    ir::ref equation = ir::none;
    bool is_contraction = false;
    bool is_stream = false;
    bool is_gather = false;
    gather_step gather;
    contraction_step contraction;
    map_step map;
    fused_step stream;
    // Belongs to the chain that begins with a stream before it and ends with the next one; maps in
    // between are sums of rows.
    bool continues_chain = false;
    row_sum_step row_sum;
    bool is_map() const { return !is_contraction && !is_stream && !is_gather; }
    double flops = 0;
    double bytes = 0;  // of operands, each counted once
    // A product under a bracket is one by zeros here: where what it writes is no number, something
    // may have come through that the bracket excludes.
    bool hides = false;
};

/// Calls `visit(slot, writes)` for every tensor that a step touches.
template <class F>
void for_each_slot(const compiled_step& s, F visit) {
    if (s.is_stream) {
        for (const auto& p : s.stream.products)
            for (const auto& operand : p.number.operands) visit(operand.slot, false);
        for (const auto& x : s.stream.sinks)
            for (const auto& operand : x.number.operands) visit(operand.slot, false);
        for (const auto& operand : s.stream.operands)
            if (operand.slot >= 0) visit(operand.slot, operand.written);
    } else if (s.is_gather) {
        if (s.gather.in.slot >= 0) visit(s.gather.in.slot, false);
        for (const auto& l : s.gather.lookups) visit(l.numbers.slot, false);
        if (s.gather.wanted.slot >= 0) visit(s.gather.wanted.slot, false);
        visit(s.gather.out.slot, true);
    } else if (s.is_contraction) {
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
