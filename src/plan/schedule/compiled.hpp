// What emission makes of a plan's assignments: loops with strides, and programs of instructions.
// Kernels see the descriptors of src/steps/, which these hold or refer to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <ricci/ir/program.hpp>

#include "src/plan/schedule/matrix_task.hpp"
#include "src/plan/pool/slot_number.hpp"
#include "src/plan/schedule/way.hpp"
#include "src/steps/algebra.hpp"
#include "src/steps/contraction.hpp"
#include "src/steps/extremum_place.hpp"
#include "src/steps/fused.hpp"
#include "src/steps/gather.hpp"
#include "src/steps/map.hpp"
#include "src/steps/monoid.hpp"
#include "src/steps/scan.hpp"
#include "src/steps/ties.hpp"

namespace ricci::plan {

using namespace steps;

/// A tensor as a step uses it: where it is, and for words how it was written.
struct tensor_use {
    slot_number slot;            // none: a position, which has no memory
    ir::range positions{0, -1};  // as written; count -1: the slot's own axes
};

/// A number computed from scalars when the step runs: `instructions` over loads of single elements,
/// or `value` when there are none.
struct scalar {
    struct element_use {
        slot_number slot;
        std::int64_t offset = 0;
    };
    double value = 1;
    std::vector<instruction> instructions;
    std::vector<element_use> operands;

    bool is(double number) const { return instructions.empty() && value == number; }
};

/// What one loop of a step runs over, for words.
struct named_loop {
    ir::ref index = ir::none;
    std::int64_t extent = 1;
};

/// What everything that runs has, whatever it is.
struct step_facts {
    ir::ref equation = ir::none;
    double flops = 0;
    double bytes = 0;  // of operands, each counted once
    // A product under a bracket is one by zeros here: where what it writes is no number, something
    // may have come through that the bracket excludes.
    bool hides = false;
};

/// What carries out one assignment.
struct assignment_step : step_facts {
    decision how;
};

/// One that goes through loops.
struct looped_step : assignment_step {
    std::vector<std::int64_t> extents;
    std::vector<ir::ref> indices;  // of the loops, for words
};

struct walked_use {
    operand at;
    tensor_use use;
};
/// An axis whose place a tensor says.
struct planned_lookup {
    walked_use numbers;
    std::int64_t stride = 0;
    std::int64_t extent = 0;
    std::string words;       // where it is looked up, for a message
    bool may_stray = false;  // in a sum: where it is no place, nothing is added
};

/// A tensor that a product reads or writes along its loops.
struct product_tensor : tensor_use {
    std::int64_t offset = 0;  // elements
};
/// One that it reads; all but the offset is of contractions alone.
struct product_operand : product_tensor {
    bool conjugated = false;
    // Axes whose places may lie outside; the loops do not move along them.
    std::vector<edged_axis> edges;
    // Axes that are read where numbers say; the numbers are walked by the loops of batch, then of
    // m, n and k. Where such a number may stray and does, and where `wanted` is 0, the operand is
    // 0; `wanted` of slot -1: nowhere.
    std::vector<planned_lookup> lookups;
    walked_use wanted;

    bool is_plain() const { return edges.empty() && lookups.empty(); }
};

/// A product of two tensors, whatever stands for the sum and for the product.
struct product_step : assignment_step {
    std::vector<contraction_loop> batch, m, n, k;
    std::vector<named_loop> batch_names, m_names, n_names, k_names;
    product_operand a, b;
    product_tensor c;

    /// The loops of batch, m, n and k, in this order, and how far they run.
    std::array<const std::vector<contraction_loop>*, 4> groups() const {
        return {&batch, &m, &n, &k};
    }
    std::vector<std::int64_t> extents() const {
        std::vector<std::int64_t> all;
        for (const auto* const group : groups())
            for (const auto& l : *group) all.push_back(l.extent);
        return all;
    }
};

struct contraction_step : product_step {
    scalar alpha;
    double beta = 0;
};

/// A maximum, a minimum or a log-sum-exp of A + B.
struct algebra_step : product_step {
    sum_algebra algebra = sum_algebra::maximum;
};

/// A sum over ties: steps::tie_sum.
struct tie_step : assignment_step {
    tie_test test = tie_test::row_is_sum;
    std::vector<std::int64_t> extents;          // of the batch, of m, of n and of k
    std::vector<named_loop> batch, m, n, k;     // the same, for words
    walked_use row, column, kept, weight, out;  // weight: of no slot, it is 1
    double number = 1;
};

struct map_step : looped_step {
    fold folding = fold::none;
    std::int32_t folded = 0;
    std::vector<operand> operands;  // [0] is the output
    std::vector<tensor_use> uses;   // one for each operand
    std::vector<instruction> program;
};

/// Rows that a tensor of whole numbers picks; or, without lookups, whole numbers converted to the
/// plan's type, or rows that are added to places that overlap.
struct gather_step : looped_step {
    bool scatter = false;
    walked_use out, in;
    std::vector<planned_lookup> lookups;
    // Where it is 0 nobody wants what is looked up, and the places need not exist; of no slot:
    // nowhere.
    walked_use wanted;
};

/// Sums of products that are read, or added up, where tensors say.
struct lookup_sum_step : looped_step {
    struct factor {
        walked_use from;
        std::vector<planned_lookup> lookups;
    };
    bool adds = false;
    steps::monoid by = steps::monoid::sum;
    std::size_t free = 0;  // how many of the loops are the result's
    walked_use out;
    std::vector<factor> factors;
    std::vector<planned_lookup> scattered;  // one, or none
    scalar scale;
};

/// Where the largest or the smallest values along the last loop stand.
struct extremum_step : looped_step {
    bool largest = true;
    walked_use out, in;
};

struct scan_step : looped_step {
    fold folding = fold::sum;
    bool backwards = false;
    std::size_t along = 0;
    operand out, in, decay;
    tensor_use to, from;
    tensor_use decayed_by;    // of no slot: nothing decays
    bool logarithms = false;  // of the decay

    bool decays() const { return decayed_by.slot != slot_number::none; }
};

/// Factors of matrices, or what is made of them; `matrix_task.hpp` says what the tasks are.
struct matrix_step : assignment_step {
    /// A tensor that is read or written: matrices, right-hand sides, results.
    struct side {
        tensor_use use;
        std::int64_t offset = 0, row = 0, column = 0;  // elements
        std::vector<std::int64_t> batch, columns;      // strides
    };
    matrix_part what;
    std::vector<std::int64_t> batch;    // extents: of the factored matrices
    std::vector<std::int64_t> columns;  // of the loops over right-hand sides of one matrix
    side from;                          // matrices, or right-hand sides; of no slot: neither
    side to;                            // of factors: nothing
    tensor_use factors;                 // written by that task, read by the others
};

/// Several equations' contractions and maps, tile by tile.
struct fused_step : step_facts {
    struct operand_use : tensor_use {
        bool written = false;
    };
    fused_group group;
    std::vector<operand_use> uses;     // one for each operand of the group
    std::vector<scalar> numbers;       // one for each product, then one for each consumer
    std::vector<ir::ref> loop_names;   // for words, as what follows
    std::vector<tensor_use> consumed;  // one for each consumer: the tensor whose tile it takes
    std::vector<ir::ref> equations;    // that it carries out
    std::vector<tensor_use> unstored;  // tensors that are never stored
    double saved_bytes = 0;            // of those
};

/// Which operand of a contraction others have as well.
enum class shared_operand : std::uint8_t { a, b };

/// Contractions that multiply the same operand and may run at the same time: it is packed once.
struct joined_step {
    struct product {
        contraction_step what;
        shared_operand common = shared_operand::a;
    };
    std::vector<product> parts;
};

/// Two groups over the same loops and the sums of rows between them, a block of rows at a time; see
/// steps::fused_chain. Where blocks do not pay, its parts run one after another.
struct chained_step {
    /// A sum between the groups, as a map by itself, and as what it is for a block of rows.
    struct row_sum {
        map_step alone;
        row_dot of_rows;
        std::vector<tensor_use> uses;  // of its operands: a, b, output
    };
    fused_step first;
    std::vector<row_sum> between;
    std::vector<operand> operands;  // of the sums; a stride for each loop of the groups
    fused_step second;
    std::vector<kept_product> kept;
};

/// What runs. Joined and chained steps hold their parts.
using compiled_step =
    std::variant<contraction_step, algebra_step, tie_step, map_step, gather_step, lookup_sum_step,
                 extremum_step, scan_step, matrix_step, fused_step, joined_step, chained_step>;

/// Calls `visit(part)` for everything in a step that could run by itself, in order: contractions,
/// maps, gathers and fused groups.
template <class Step, class F>
void for_each_part(Step& step, F visit) {
    std::visit(
        [&]<class What>(What& what) {
            if constexpr (requires { what.parts; }) {
                for (auto& part : what.parts) visit(part.what);
            } else if constexpr (requires { what.between; }) {
                visit(what.first);
                for (auto& sum : what.between) visit(sum.alone);
                visit(what.second);
            } else {
                visit(what);
            }
        },
        step);
}

template <class F>
void for_each_slot(const contraction_step& s, F visit) {
    for (const auto& operand : s.alpha.operands) visit(operand.slot, false);
    for (const auto* const from : {&s.a, &s.b}) {
        for (const auto& l : from->lookups) visit(l.numbers.use.slot, false);
        if (from->wanted.use.slot) visit(from->wanted.use.slot, false);
    }
    visit(s.a.slot, false);
    visit(s.b.slot, false);
    visit(s.c.slot, true);
}

template <class F>
void for_each_slot(const algebra_step& s, F visit) {
    visit(s.a.slot, false);
    visit(s.b.slot, false);
    visit(s.c.slot, true);
}

template <class F>
void for_each_slot(const tie_step& s, F visit) {
    for (const auto* const read : {&s.row, &s.column, &s.kept}) visit(read->use.slot, false);
    if (s.weight.use.slot) visit(s.weight.use.slot, false);
    visit(s.out.use.slot, true);
}

template <class F>
void for_each_slot(const map_step& s, F visit) {
    for (std::size_t k = 0; k < s.uses.size(); ++k)
        if (s.uses[k].slot) visit(s.uses[k].slot, k == 0);
}

template <class F>
void for_each_slot(const gather_step& s, F visit) {
    if (s.in.use.slot) visit(s.in.use.slot, false);
    for (const auto& l : s.lookups) visit(l.numbers.use.slot, false);
    if (s.wanted.use.slot) visit(s.wanted.use.slot, false);
    visit(s.out.use.slot, true);
}

template <class F>
void for_each_slot(const lookup_sum_step& s, F visit) {
    for (const auto& operand : s.scale.operands) visit(operand.slot, false);
    const auto read = [&](const std::vector<planned_lookup>& lookups) {
        for (const auto& l : lookups) visit(l.numbers.use.slot, false);
    };
    for (const auto& f : s.factors) {
        visit(f.from.use.slot, false);
        read(f.lookups);
    }
    read(s.scattered);
    visit(s.out.use.slot, true);
}

template <class F>
void for_each_slot(const extremum_step& s, F visit) {
    visit(s.in.use.slot, false);
    visit(s.out.use.slot, true);
}

template <class F>
void for_each_slot(const scan_step& s, F visit) {
    visit(s.from.slot, false);
    if (s.decays()) visit(s.decayed_by.slot, false);
    visit(s.to.slot, true);
}

template <class F>
void for_each_slot(const matrix_step& s, F visit) {
    const bool makes_factors = s.what.task == matrix_task::factor;
    if (s.from.use.slot) visit(s.from.use.slot, false);
    visit(s.factors.slot, makes_factors);
    if (!makes_factors) visit(s.to.use.slot, true);
}

template <class F>
void for_each_slot(const fused_step& s, F visit) {
    for (const auto& number : s.numbers)
        for (const auto& operand : number.operands) visit(operand.slot, false);
    for (const auto& use : s.uses)
        if (use.slot) visit(use.slot, use.written);
}

/// Calls `visit(slot, writes)` for every tensor that a step touches.
template <class F>
void for_each_slot(const compiled_step& step, F visit) {
    for_each_part(step, [&](const auto& part) { for_each_slot(part, visit); });
}

}  // namespace ricci::plan
