// From a program to a plan's assignments.
#include "src/plan/order.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include <ricci/ir/extrema.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/solutions.hpp>
#include "src/plan/forms/lower.hpp"
#include "src/plan/read/equations.hpp"
#include "src/plan/read/matrices.hpp"
#include "src/plan/rewrite/exponentials.hpp"
#include "src/plan/rewrite/pinned.hpp"
#include "src/plan/rewrite/share_sums.hpp"
#include "src/plan/rewrite/solutions.hpp"
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
    assign made = begun(equation, assignment_kind::map, all_of(plan, target));
    if (values.size(made.loops) == 0) return;
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

/// Appends the steps of an equation to a plan.
class equation_plan {
public:
    equation_plan(const ir::program_view& program, const read_equation& of, program_plan& plan,
                  known_tensors& known)
        : p_(program), of_(of), plan_(plan), known_(known) {}

    void make(const result_scale& scale) {
        const auto steps = plan_.steps.size(), slots = plan_.slots.size();
        const auto converted = known_.converted.size();
        const slot_number target = of_.target.slot;
        const ir::ref name = plan_.slot_of(of_.target).name;
        if (name != ir::none && ir::is_of_places(p_, name))
            return lower(scale, plan_.computed_type());
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
        known_.converted.resize(converted);
        lower(scale, element::f32);
    }

private:
    /// Whether a tensor of a plan of a 16-bit type holds floats, as those that no text names do:
    /// the result, one that is read, or one that may be made again where it is read.
    bool has_floats() const {
        if (!is_narrow(plan_.type)) return false;
        bool found = plan_.holds(of_.target.slot, element::f32) || known_.recomputed.any();
        plan_.values.for_each_load(of_.values(), [&](const access& read) {
            found = found || plan_.holds(read.slot, element::f32);
        });
        return found;
    }

    void lower(const result_scale& scale, element type) {
        lowering steps(plan_, known_, of_.number, of_.order, type);
        const auto first = static_cast<std::ptrdiff_t>(plan_.steps.size());
        const access& target = of_.target;
        if (of_.place) {
            steps.place_into(*of_.place, target);
            return mark_hiding(steps, first);
        }
        expr value = of_.value;
        if (of_.matrix) {
            if (plan_.holds(target.slot, type) && scale.alpha == 1 && scale.beta == 0 &&
                of_.covers_all)
                return steps.matrix_into(*of_.matrix, target);
            value = steps.matrix_value(*of_.matrix, loops_of(target));
        }
        known_.products.add(target, value);
        if (scale.alpha != 1)
            value = plan_.values.multiply({plan_.values.constant(scale.alpha), value});
        finish(steps, value, scale, type);
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

    void finish(lowering& steps, expr value, const result_scale& scale, element type) {
        graph& values = plan_.values;
        const access& target = of_.target;
        const loop_list loops = loops_of(target);
        const bool nothing = values.size(loops) == 0;
        const auto write_whole = [&](slot_number source, double alpha, double beta) {
            whole_slot(plan_, of_.number, target.slot, source, alpha, beta);
        };
        if (plan_.holds(target.slot, type)) {
            double beta = scale.beta;
            if (!of_.covers_all) {
                write_whole(slot_number::none, 1, beta);
                if (beta != 0) beta = 1;
            }
            if (!nothing) steps.into(target, value, beta);
            return;
        }
        if (scale.beta != 0) {
            access before = target;
            before.slot = scale.old;
            const expr old = values.load(before);
            value = values.add({value, values.multiply({values.constant(scale.beta), old})});
        }
        access result;
        if (!nothing) result = steps.computed(loops, value);
        if (!of_.covers_all) {
            if (scale.old == target.slot || scale.beta == 0)
                write_whole(slot_number::none, 1, scale.beta);
            else write_whole(scale.old, scale.beta, 0);
        }
        if (!nothing) steps.convert(result, target);
    }

    const ir::program_view& p_;
    const read_equation& of_;
    program_plan& plan_;
    known_tensors& known_;
};

// Whether there is a maximum or a minimum, and values are compared for equality.
bool compares_extrema(const ir::program_view& p) {
    const auto is_place = [&](ir::ref n) { return p.nodes[n].kind == ir::op::position; };
    bool extremum = false, equality = false;
    for (const ir::node& x : p.nodes) {
        const auto is = [&](ir::reduction r) { return x.detail == static_cast<std::uint8_t>(r); };
        extremum = extremum || (x.kind == ir::op::reduce &&
                                (is(ir::reduction::maximum) || is(ir::reduction::minimum)));
        equality = equality || (x.kind == ir::op::compare &&
                                x.detail == static_cast<std::uint8_t>(ir::comparison::equal) &&
                                !is_place(p.child(x, 0)) && !is_place(p.child(x, 1)));
    }
    return extremum && equality;
}

// Whether a function is applied anywhere.
bool applies(const ir::program_view& p, ir::function f) {
    return std::any_of(p.nodes.begin(), p.nodes.end(), [f](const ir::node& x) {
        return x.kind == ir::op::apply && x.detail == static_cast<std::uint8_t>(f);
    });
}

// Whether there may be exponentials that cancel.
bool may_cancel(const ir::program_view& p, element type) {
    return !is_integer(type) && !is_complex(type) &&
           (applies(p, ir::function::exp) || applies(p, ir::function::log) ||
            applies(p, ir::function::cosh));
}

// A plan without assignments, of the slots that are bound.
program_plan begun_plan(const engine::request& request, const ir::shape_table& shapes,
                        const std::vector<slot>& bound, bool careful) {
    program_plan plan;
    plan.careful = careful;
    plan.values.set_type(computed_in(request.type));
    plan.values.set_solves_places(request.solve_places);
    plan.values.set_exact_distances(request.exact_distances);
    const bool solves = ir::has_inverse(request.program);
    plan.values.keep_sums(
        solves || compares_extrema(request.program) || may_cancel(request.program, request.type),
        solves);
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

matrix_task task_of(ir::reduction what) {
    switch (what) {
        case ir::reduction::inverse:
            return matrix_task::inverse;
        case ir::reduction::cholesky:
            return matrix_task::triangle;
        case ir::reduction::determinant:
            return matrix_task::determinant;
        case ir::reduction::cofactors:
            return matrix_task::cofactors;
        case ir::reduction::solve:
            return matrix_task::solve;
        default:
            return matrix_task::log_determinant;
    }
}

// An equation as an assignment that nobody runs.
assign as_assign(const graph& values, const read_equation& e) {
    assign made = begun(e.number, assignment_kind::map, e.target);
    made.body = e.values()[0];
    if (e.place) {
        made.kind = assignment_kind::extremum;
        made.folding = e.place->largest ? fold::maximum : fold::minimum;
        made.over = {e.place->along};
    } else if (e.matrix) {
        const matrix_function& f = *e.matrix;
        made.kind = assignment_kind::matrix;
        made.matrix = {task_of(f.what), {}, values.extent(f.row), f.row, f.column};
        for (const loop l : values[f.matrix].indices)
            if (l != f.row && l != f.column) made.matrix.batch.push_back(l);
        made.right = f.right;
        if (f.right) made.over = {f.row};
    }
    return made;
}

// What equations are after a pass on them.
void show(const char* pass, program_plan& plan, const std::vector<read_equation>& read,
          const equations_observer& observe) {
    const auto is_shown = [](const read_equation& e) {
        return e.covers_all &&
               !(e.matrix && e.matrix->what == ir::reduction::log_of_determinant);  // two steps
    };
    if (!observe || !std::ranges::all_of(read, is_shown)) return;
    for (const read_equation& e : read)
        plan.steps.push_back(make_step(plan.values, as_assign(plan.values, e)));
    observe(pass, plan);
    plan.steps.clear();
}

// All equations as the passes in the pool leave them; `may_serve`: which tensors others may read in
// the place of a sum.
std::vector<read_equation> equations_in_pool(const engine::request& request,
                                             const ir::shape_table& shapes, const name_roles& roles,
                                             program_plan& plan, known_tensors& known,
                                             const std::function<bool(slot_number)>& may_serve,
                                             const equations_observer& observe) {
    auto read = read_equations(request.program, shapes, plan, known);
    show("read", plan, read, observe);
    write_solutions(plan, known.defined, read);
    show("solutions", plan, read, observe);
    store_matrices(plan, known.defined, read);
    show("matrices", plan, read, observe);
    if (may_cancel(request.program, request.type))
        cancel_exponentials(plan, known.defined, read, applies(request.program, ir::function::log),
                            [&](slot_number tensor) {
                                const ir::ref name = plan.slots[tensor.index()].name;
                                return name != ir::none &&
                                       roles.output[static_cast<std::size_t>(name)];
                            });
    show("cancel", plan, read, observe);
    pin_compared(plan, known.defined, read);
    show("pin", plan, read, observe);
    share_sums(plan, read, may_serve);
    show("share", plan, read, observe);
    plan.values.settle_sums(request.solve_places);
    for (read_equation& e : read) {
        const expr written = e.value;
        e.for_each_value([&](expr& value) { value = plan.values.settled_sums(value); });
        if (e.value) known.defined.add(e.target, plan.slot_of(e.target).extents, e.value, written);
    }
    show("settle", plan, read, observe);
    return read;
}

// `stored`: tensors that are read from memory, whatever they are; those that turn out to be among
// them are added.
program_plan ordered(const engine::request& request, const ir::shape_table& shapes,
                     const std::vector<slot>& bound, const std::vector<ir::ref>& postpone,
                     const name_roles& roles, bool careful, std::set<slot_number>& stored,
                     const equations_observer& observe) {
    program_plan plan = begun_plan(request, shapes, bound, careful);
    known_tensors known(plan, stored);
    // Of what every pass of a loop adds to, passes are added as they are.
    const auto alpha_of = [&](ir::ref name) {
        return roles.adds_up(name) ? number(1) : request.alpha;
    };
    const auto beta_of = [&](ir::ref name) {
        return roles.adds_up(name) ? number(1) : request.beta;
    };
    const auto copies = put_off(plan, request, postpone, roles);
    // What is scaled is not what others need.
    const auto may_serve = [&](slot_number tensor) {
        const slot& s = plan.slots[tensor.index()];
        return s.kind == storage::workspace ||
               (alpha_of(s.name) == number(1) && beta_of(s.name) == number(0) &&
                !roles.adds_up(s.name));
    };
    const auto read = equations_in_pool(request, shapes, roles, plan, known, may_serve, observe);
    for (const read_equation& of : read) {
        const slot_number target = of.target.slot;
        const ir::ref name = plan.slots[target.index()].name;
        result_scale scale;
        const auto copy = std::find_if(copies.begin(), copies.end(), [&](const postponed& c) {
            return slot_of_name(c.name) == target;
        });
        // A postponed output is scaled when it is copied, otherwise.
        if (copy != copies.end() ? copy->at_once
                                 : plan.slots[target.index()].kind == storage::output)
            scale = {alpha_of(name).real, beta_of(name).real,
                     copy != copies.end() ? copy->memory : target};
        if (copy != copies.end() && scale.alpha == 1 && scale.beta == 0) scale.old = {};
        equation_plan(request.program, of, plan, known).make(scale);
    }
    for (const auto& copy : copies)
        whole_slot(plan, request.program.definition(copy.name), copy.memory,
                   slot_of_name(copy.name), copy.at_once ? number(1) : alpha_of(copy.name),
                   copy.at_once ? number(0) : beta_of(copy.name));
    const auto& taken = known.products.taken();
    if (known.recomputed.any() || !taken.empty()) remove_unread(plan);
    for (const slot_number s : taken) {
        const slot& tensor = plan.slots[s.index()];
        if (tensor.kind != storage::unused) stored.insert(s);
        else if (tensor.name != ir::none)
            plan.taken_apart.push_back(words_of_name(request.program, tensor.name));
    }
    return plan;
}

}  // namespace

program_plan order(const engine::request& request, const ir::shape_table& shapes,
                   const std::vector<slot>& slots, const std::vector<ir::ref>& postpone,
                   const name_roles& roles, bool careful, const equations_observer& observe) {
    const bool is_plain = request.alpha == number(1) && request.beta == number(0) &&
                          postpone.empty() && roles.added_up.empty();
    // What one sum takes apart and another one reads would be made twice.
    std::set<slot_number> stored;
    for (std::size_t before = 0;; before = stored.size()) {
        auto plan = ordered(request, shapes, slots, postpone, roles, careful, stored,
                            is_plain ? observe : equations_observer());
        if (stored.size() != before) continue;
        mark_solved_factors(plan);
        return plan;
    }
}

}  // namespace ricci::plan
