// The plan of a program: where every tensor lives, and the assignments that compute it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <ricci/element.hpp>
#include <ricci/engine/number.hpp>
#include <ricci/ir/program.hpp>

#include "src/plan/schedule/assign.hpp"
#include "src/plan/schedule/compiled.hpp"
#include "src/plan/pool/expression.hpp"
#include "src/plan/schedule/step_loop.hpp"

namespace ricci::plan {

using namespace steps;
using engine::number;

/// Where the memory of a tensor comes from.
enum class storage : std::uint8_t {
    input,      // the caller's, only read
    output,     // the caller's or newly allocated for the caller
    workspace,  // intermediates
    number,     // a number bound by the caller: no memory, it is part of the steps
    tile,       // made by a fused group and never stored: no memory
    window,     // a part of another tensor, which lies further on in every pass
    unused,     // no step refers to it
};

/// Where a window lies in another tensor: of each axis, the place there of its first element, in
/// the first pass, and how far on it is in the next one.
struct window_place {
    slot_number of;
    std::vector<std::int64_t> first, advance;
};

/// One tensor as a block of memory.
struct slot {
    storage kind = storage::unused;
    ir::ref name = ir::none;  // none: a temporary without a name
    std::vector<std::int64_t> extents;
    std::vector<std::int64_t> strides;  // in elements
    void* data = nullptr;               // input, output: what the caller bound
    double value = 0;                   // number
    std::shared_ptr<const void> own;    // input: a number that is no double, kept as an element
    // Holds `own_type`, whatever the plan's type: positions, and floats that become 16-bit numbers
    // at the end only.
    bool is_foreign = false;
    element own_type = element::i32;
    bool is_truth = false;             // foreign: each of its whole numbers is one byte, 0 or 1
    std::size_t bytes = 0;             // workspace
    std::size_t workspace_offset = 0;  // workspace, bytes
    bool lasts = false;  // workspace: shares its bytes with no other, as steps run again without it
    std::vector<ir::ref> axes;  // temporaries: the index of each axis, for words
    window_place window;        // of a window

    double elements() const {
        double count = 1;
        for (const auto extent : extents) count *= static_cast<double>(extent);
        return count;
    }
};

/// Steps that run several times, one after another and then the first again.
struct step_passes {
    std::size_t first = 0, end = 0;
    std::int64_t count = 1;
};
/// The passes of a step, of these; nullptr: it runs once.
inline const step_passes* passes_of(std::size_t step, const std::vector<step_passes>& passes) {
    const auto found = std::ranges::find_if(
        passes, [&](const step_passes& p) { return p.first <= step && step < p.end; });
    return found == passes.end() ? nullptr : &*found;
}
/// How often it runs, where these have passes.
inline std::int64_t times_of(std::size_t step, const std::vector<step_passes>& passes) {
    const step_passes* const mine = passes_of(step, passes);
    return mine == nullptr ? 1 : mine->count;
}

/// A tensor that a step reads or writes.
struct effect {
    slot_number slot;
    bool writes = false;
    bool operator==(const effect&) const = default;
};

struct step {
    std::variant<assign, fused, chained> what;
    std::vector<effect> effects;  // reads, then writes; no tiles

    bool reads(slot_number slot) const { return has({slot, false}); }
    bool writes(slot_number slot) const { return has({slot, true}); }
    bool touches(slot_number slot) const { return reads(slot) || writes(slot); }
    const assign* as_assign() const { return std::get_if<assign>(&what); }
    /// An assignment of this kind.
    const assign* as(assignment_kind kind) const {
        const assign* const a = as_assign();
        return a != nullptr && a->kind == kind ? a : nullptr;
    }
    const fused* as_fused() const { return std::get_if<fused>(&what); }
    bool hides() const;

private:
    bool has(effect e) const;
};

/// Calls visit(assign) for each assignment that a step carries out, in their order.
template <class F>
void for_each_assign(const step& s, F visit) {
    const auto members = [&](const fused& f) {
        for (const auto& m : f.members) visit(m.what);
    };
    if (const assign* const a = s.as_assign()) return visit(*a);
    if (const fused* const f = s.as_fused()) return members(*f);
    const auto& chain = std::get<chained>(s.what);
    members(chain.first);
    for (const auto& sum : chain.between) visit(sum);
    members(chain.second);
}

step make_step(const graph& values, assign what);
step make_step(const graph& values, fused what);
step make_step(const graph& values, chained what);

/// Up to which whole numbers, and sums of a few of them, are exact in a type of real numbers.
constexpr std::int64_t counted_by(element type) {
    return std::int64_t{1} << (type == element::f32 ? 22 : 51);
}

/// What the whole numbers of an operand have to be.
struct operand_rule {
    slot_number slot;
    // Of a condition [m^{ij}]: 0 or 1; `words` say what it is. Else no larger than `most`, up to
    // which the plan's type counts: larger ones are compared by the plan to run instead.
    bool is_condition = false;
    std::int64_t most = 0;
    std::string words;
};

/// Whether elements are stored in 16 bits; they are computed with in float.
constexpr bool is_narrow(element type) { return type == element::bf16 || type == element::f16; }
/// The type that elements are computed with in.
constexpr element computed_in(element type) { return is_narrow(type) ? element::f32 : type; }
constexpr bool is_real(element type) { return type == element::f32 || type == element::f64; }

struct program_plan {
    element type = element::f32;
    std::vector<slot> slots;  // one for each name of the program, then temporaries
    graph values;
    std::vector<std::string> place_words;  // of lookups: what is looked up, for messages
    std::vector<step> steps;
    std::vector<step_passes> passes;  // of some, in their order
    std::vector<compiled_step> compiled;
    std::vector<step_passes> compiled_passes;
    step_loop around;  // a loop around all steps
    std::size_t workspace_bytes = 0;
    std::vector<operand_rule> rules;
    std::vector<std::string> notes;        // what was not fused, and why
    std::vector<std::string> taken_apart;  // tensors whose factors stand where they were read

    element type_of(slot_number number) const {
        const slot& s = slots[number.index()];
        return s.is_foreign ? s.own_type : type;
    }
    /// The type that values of the equations are computed in, and have in fused groups.
    element computed_type() const { return computed_in(type); }
    bool is_truth(slot_number number) const { return slots[number.index()].is_truth; }
    /// The tensor that has the memory: of a window, what it is a part of.
    slot_number whole(slot_number number) const {
        const slot& s = slots[number.index()];
        return s.kind == storage::window ? s.window.of : number;
    }
    const slot& slot_of(slot_number number) const { return slots[number.index()]; }
    const slot& slot_of(const access& a) const { return slot_of(a.slot); }
    /// Whether these are all elements of a tensor, each axis by a loop of its own.
    bool is_whole(const access& a) const { return is_whole_tensor(values, a, slot_of(a).extents); }
    /// A slot more, and its number.
    slot_number add(slot made) {
        slots.push_back(std::move(made));
        return slot_number(slots.size() - 1);
    }
    /// Whether its elements are in memory what steps of a type read.
    bool holds(slot_number number, element wanted) const {
        return type_of(number) == wanted && !is_truth(number);
    }

    // What to run instead where a step that hides by zeros gives no number: every bracket chooses.
    std::shared_ptr<const program_plan> instead;
    bool careful = false;  // it is such a plan
};

/// Memory of a plan's own, row-major. `letters`: the index of each axis, for words.
slot workspace_slot(const program_plan&, std::vector<std::int64_t> extents,
                    std::vector<ir::ref> letters, element type, bool is_truth = false);
/// All elements of a slot, each axis by a loop that nothing else has, or of one place.
access all_of(program_plan&, slot_number);
/// A slot more of such memory, with an axis for each of these loops, all of which is walked so.
access add_memory(program_plan&, const loop_list& axes, element type, bool is_truth = false);
inline access add_memory(program_plan& plan, const loop_list& axes) {
    return add_memory(plan, axes, plan.computed_type());
}

}  // namespace ricci::plan
