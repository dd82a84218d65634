// From a program to a plan's assignments.
#include "src/plan/order.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include <fmt/core.h>

#include <ricci/ir/extrema.hpp>
#include <ricci/ir/rewrite.hpp>
#include "src/plan/pool/bracketed.hpp"
#include "src/plan/trees/brackets.hpp"
#include "src/plan/forms/lower.hpp"
#include "src/plan/forms/matrix_factors.hpp"
#include "src/plan/trees/symmetric.hpp"
#include "src/plan/read/translate.hpp"
#include "src/plan/store/unread.hpp"
#include "src/plan/words/words.hpp"

namespace ricci::plan {
namespace {

/// An output that is computed in the workspace and copied to its memory at the end.
struct postponed {
    ir::ref name;
    slot_number memory;
    bool at_once;  // it is scaled as it is computed
};

// A number as memory that the plan owns.
slot literal(const number& value, element type) {
    slot s;
    s.kind = storage::input;
    s.own = element_of_number(value, type);
    s.data = const_cast<void*>(s.own.get());
    return s;
}

// target = alpha * source + beta * target, over all of a slot; without a source only the latter.
void whole_slot(program_plan& plan, ir::ref equation, slot_number target, slot_number source,
                const number& alpha, const number& beta) {
    auto& values = plan.values;
    assign made;
    made.equation = equation;
    made.target.slot = target;
    for (const auto extent : plan.slots[target.index()].extents) {
        if (extent == 0) return;
        place at;
        if (extent > 1) at.terms = {{values.loops().fresh(ir::none, extent), 1}};
        made.target.at.push_back(std::move(at));
    }
    made.target.positions = {0, -1};
    made.loops = loops_of(made.target);
    const auto scaled = [&](slot_number slot, const number& factor) {
        access from = made.target;
        from.slot = slot;
        const expr x = values.load(from);
        if (factor == number(1)) return x;
        if (factor.is_plain()) return values.multiply({values.constant(factor.real), x});
        access single;
        single.slot = plan.add(literal(factor, plan.type));
        single.positions = {0, 0};
        return values.multiply({values.load(single), x});
    };
    expr_list terms;
    if (source) terms.push_back(scaled(source, alpha));
    if (beta != number(0)) terms.push_back(scaled(target, beta));
    made.body = values.add(terms);
    if (plan.type_of(target) != plan.type && source) made.kind = assignment_kind::gather;
    plan.steps.push_back(make_step(values, std::move(made)));
}

// A product, a sum or a function of numbers, that is, what rounds; a copy does not.
bool rounds(const program_plan& plan, const assign& a) {
    if (a.kind == assignment_kind::gather) return false;
    return a.kind != assignment_kind::map || a.folding != fold::none ||
           plan.values[a.body].kind == kind::operation;
}

// How an equation's result becomes what its memory holds in the end.
struct result_scale {
    double alpha = 1, beta = 0;
    slot_number old;  // the slot that beta multiplies
};

class equation_plan {
public:
    equation_plan(const engine::request& request, const brackets& conditions,
                  const ir::shape_table& shapes, ir::ref e, program_plan& plan,
                  recomputed_differences& recomputed, known_tensors& known)
        : request_(request),
          brackets_(conditions),
          shapes_(shapes),
          e_(e),
          plan_(plan),
          recomputed_(recomputed),
          known_(known) {}

    void make(const result_scale& scale) {
        const auto steps = plan_.steps.size(), slots = plan_.slots.size();
        const slot_number target = slot_of_name(request_.program.equations[e_].name);
        if (ir::is_of_places(request_.program, request_.program.equations[e_].name))
            return lower(scale, is_narrow(plan_.type) ? element::f32 : plan_.type);
        if ((!scale.old || scale.old == target) && !has_floats()) {
            lower(scale, plan_.type);
            const auto rounding = std::count_if(
                plan_.steps.begin() + static_cast<std::ptrdiff_t>(steps), plan_.steps.end(),
                [&](const step& s) { return rounds(plan_, *s.as_assign()); });
            if (!is_narrow(plan_.type) || rounding < 2) return;
        }
        // Results round once: all of it is computed in float.
        plan_.steps.resize(steps);
        plan_.slots.resize(slots);
        lower(scale, element::f32);
    }

private:
    /// Whether a tensor of a plan of a 16-bit type holds floats, as those that no text names do:
    /// the result, or one that is read.
    bool has_floats() const {
        if (!is_narrow(plan_.type)) return false;
        const auto& p = request_.program;
        const auto is_float = [&](ir::ref name) {
            return plan_.holds(slot_of_name(name), element::f32);
        };
        bool found = is_float(p.equations[e_].name);
        ir::for_each_node(p, p.equations[e_].body, [&](ir::ref n) {
            const ir::node& x = p.nodes[n];
            found = found || (x.kind == ir::op::tensor && is_float(x.name));
        });
        return found;
    }

    void lower(const result_scale& scale, element type) {
        const auto& equation = request_.program.equations[e_];
        graph& expressions = plan_.values;
        expressions.begin(++plan_.parts, type);
        std::vector<loop> loops;
        for (ir::ref i = 0; i < request_.program.indices.size(); ++i)
            loops.push_back(expressions.loops().of(i, shapes_.index_extent(e_, i)));
        translation read(request_.program, brackets_, plan_.slots, e_, loops, expressions,
                         recomputed_);
        const access target = read.left_side();
        const auto indices = loops_of(target);
        loop_list order;
        for (std::int32_t axis = 0; axis < equation.positions.count; ++axis) {
            const auto& p = request_.program.at(equation.positions, axis);
            if (p.kind == ir::position_kind::index)
                order.push_back(loops[static_cast<std::size_t>(p.index)]);
            for (std::int32_t k = 0; k < p.terms.count; ++k)
                order.push_back(loops[static_cast<std::size_t>(
                    request_.program.affine_terms[p.terms.first + k].index)]);
        }
        lowering steps(plan_, known_, e_, std::move(order), type);
        const ir::node& whole = request_.program.nodes[equation.body];
        const auto first = static_cast<std::ptrdiff_t>(plan_.steps.size());
        if (ir::gives_place(whole)) {
            const ir::ref along = request_.program.reduced(whole, 0);
            steps.place_into({whole.detail == static_cast<std::uint8_t>(ir::reduction::argmax),
                              loops[static_cast<std::size_t>(along)],
                              read.part(request_.program.child(whole, 0))},
                             target, indices);
            return mark_hiding(steps, first);
        }
        expr value;
        if (ir::is_of_matrix(whole)) {
            const auto f = matrix_function(read, loops);
            if (plan_.holds(target.slot, type) && scale.alpha == 1 && scale.beta == 0 &&
                read.covers_all())
                return steps.matrix_into(f, target, indices);
            value = steps.matrix_value(f, indices);
        } else {
            value = read.body();
        }
        recomputed_.add(target, value);
        known_.bracketed.add(target, value);
        known_.extrema.add(target, value);
        known_.products.add(target, value);
        if (scale.alpha != 1)
            value = expressions.multiply({expressions.constant(scale.alpha), value});
        finish(steps, read, expressions, target, indices, value, scale, type);
        known_.products.settle(target, [&](expr part) { return steps.in_memory(part); });
        mark_hiding(steps, first);
    }

    // The steps from the first one on that are not done where what they write is no number.
    void mark_hiding(const lowering& steps, std::ptrdiff_t first) {
        if (!steps.hides() || is_integer(plan_.type)) return;
        // Once all of what it writes is written: a step may write a part.
        std::vector<slot_number> seen;
        for (auto s = plan_.steps.end(); s != plan_.steps.begin() + first;) {
            auto& made = std::get<assign>((--s)->what);
            if (is_integer(plan_.type_of(made.target.slot))) continue;
            made.hides = std::find(seen.begin(), seen.end(), made.target.slot) == seen.end();
            seen.push_back(made.target.slot);
        }
    }

    lowering::matrix_function matrix_function(translation& read,
                                              const std::vector<loop>& loops) const {
        const auto& p = request_.program;
        const auto& x = p.nodes[p.equations[e_].body];
        const auto loop_at = [&](std::int32_t k) {
            return loops[static_cast<std::size_t>(p.reduced(x, k))];
        };
        return {static_cast<ir::reduction>(x.detail),
                read.part(p.child(x, 0)),
                x.children.count > 1 ? read.part(p.child(x, 1)) : expr::none,
                loop_at(0),
                loop_at(1),
                fmt::format("in {} the matrix", words_of_equation(p, e_)),
                is_symmetric(p, p.child(x, 0), p.reduced(x, 0), p.reduced(x, 1))};
    }

    void finish(lowering& steps, const translation& read, graph& expressions, const access& target,
                const loop_list& indices, expr value, const result_scale& scale, element type) {
        const bool nothing = expressions.size(indices) == 0;
        if (plan_.holds(target.slot, type)) {
            double beta = scale.beta;
            if (!read.covers_all()) {
                whole_slot(plan_, e_, target.slot, slot_number::none, 1, beta);
                if (beta != 0) beta = 1;
            }
            if (!nothing) steps.into(target, indices, value, beta);
            return;
        }
        if (scale.beta != 0) {
            const expr old = expressions.load(read.left_side(scale.old));
            value = expressions.add(
                {value, expressions.multiply({expressions.constant(scale.beta), old})});
        }
        access result;
        if (!nothing) result = steps.computed(indices, value);
        if (!read.covers_all()) {
            if (scale.old == target.slot || scale.beta == 0)
                whole_slot(plan_, e_, target.slot, slot_number::none, 1, scale.beta);
            else whole_slot(plan_, e_, target.slot, scale.old, scale.beta, 0);
        }
        if (!nothing) steps.convert(result, target, indices);
    }

    const engine::request& request_;
    const brackets& brackets_;
    const ir::shape_table& shapes_;
    ir::ref e_;
    program_plan& plan_;
    recomputed_differences& recomputed_;
    known_tensors& known_;
};

// A plan without assignments, of the slots that are bound.
program_plan begun_plan(const engine::request& request, const ir::shape_table& shapes,
                        const std::vector<slot>& bound, bool careful) {
    program_plan plan;
    plan.careful = careful;
    plan.values.set_solves_places(request.solve_places);
    plan.values.set_exact_distances(request.exact_distances);
    plan.type = request.type;
    plan.slots = bound;
    // Numbers of loops keep the order of letters in every equation.
    for (ir::ref i = 0; i < request.program.indices.size(); ++i)
        for (ir::ref e = 0; e < request.program.equations.size(); ++e)
            plan.values.loops().of(i, shapes.index_extent(e, i));
    std::vector<bool> made;
    for (const slot& s : plan.slots) made.push_back(s.kind == storage::workspace);
    plan.values.set_made(std::move(made));
    return plan;
}

// Has outputs computed in the workspace: their slots are intermediates, and others have their
// memory.
std::vector<postponed> put_off(program_plan& plan, const engine::request& request,
                               const std::vector<ir::ref>& names, const name_roles& roles) {
    const bool plain = request.alpha.is_plain() && request.beta.is_plain();
    std::vector<postponed> copies;
    for (const ir::ref name : names) {
        // A result of 16 bits that nothing else reads is scaled before it is rounded.
        const bool at_once =
            is_narrow(plan.type) && plain && !roles.used[static_cast<std::size_t>(name)];
        const slot_number own = slot_of_name(name);
        copies.push_back({name, plan.add(plan.slots[own.index()]), at_once});
        slot& shadow = plan.slots[own.index()];
        shadow.kind = storage::workspace;
        shadow.data = nullptr;
        set_row_major(shadow, request.program, plan.type_of(own));
    }
    return copies;
}

// `stored`: tensors that are read from memory, whatever they are; those that turn out to be among
// them are added.
program_plan ordered(const engine::request& request, const ir::shape_table& shapes,
                     const std::vector<slot>& bound, const std::vector<ir::ref>& postpone,
                     const name_roles& roles, bool careful, std::set<slot_number>& stored) {
    program_plan plan = begun_plan(request, shapes, bound, careful);
    const brackets conditions(request.program);
    recomputed_differences recomputed(plan);
    known_tensors known{bracketed_tensors(plan.values), running_extrema(plan.values),
                        written_products(plan, stored)};
    // Of what every pass of a loop adds to, passes are added as they are.
    const auto alpha_of = [&](ir::ref name) {
        return roles.adds_up(name) ? number(1) : request.alpha;
    };
    const auto beta_of = [&](ir::ref name) {
        return roles.adds_up(name) ? number(1) : request.beta;
    };
    const auto copies = put_off(plan, request, postpone, roles);
    for (ir::ref e = 0; e < request.program.equations.size(); ++e) {
        const auto& equation = request.program.equations[e];
        if (!ir::computes(request.program, equation)) continue;
        result_scale scale;
        const auto copy = std::find_if(copies.begin(), copies.end(),
                                       [&](const postponed& c) { return c.name == equation.name; });
        const slot_number target = slot_of_name(equation.name);
        // A postponed output is scaled when it is copied, otherwise.
        if (copy != copies.end() ? copy->at_once
                                 : plan.slots[target.index()].kind == storage::output)
            scale = {alpha_of(equation.name).real, beta_of(equation.name).real,
                     copy != copies.end() ? copy->memory : target};
        if (copy != copies.end() && scale.alpha == 1 && scale.beta == 0) scale.old = {};
        equation_plan(request, conditions, shapes, e, plan, recomputed, known).make(scale);
    }
    for (const auto& copy : copies)
        whole_slot(plan, request.program.definition(copy.name), copy.memory,
                   slot_of_name(copy.name), copy.at_once ? number(1) : alpha_of(copy.name),
                   copy.at_once ? number(0) : beta_of(copy.name));
    const auto& taken = known.products.taken();
    if (recomputed.any() || !taken.empty()) remove_unread(plan);
    for (const slot_number s : taken) {
        const slot& tensor = plan.slots[s.index()];
        if (tensor.kind != storage::unused) stored.insert(s);
        else plan.taken_apart.push_back(words_of_name(request.program, tensor.name));
    }
    return plan;
}

}  // namespace

program_plan order(const engine::request& request, const ir::shape_table& shapes,
                   const std::vector<slot>& slots, const std::vector<ir::ref>& postpone,
                   const name_roles& roles, bool careful) {
    // What one sum takes apart and another one reads would be made twice.
    std::set<slot_number> stored;
    for (std::size_t before = 0;; before = stored.size()) {
        auto plan = ordered(request, shapes, slots, postpone, roles, careful, stored);
        if (stored.size() != before) continue;
        mark_solved_factors(plan);
        return plan;
    }
}

}  // namespace ricci::plan
