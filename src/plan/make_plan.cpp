// From a request to a plan: the passes of the planner, in order.
#include "src/plan/make_plan.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <ricci/error.hpp>
#include <ricci/ir/element_rules.hpp>
#include <ricci/ir/shapes.hpp>
#include "src/plan/brackets.hpp"
#include "src/plan/chain.hpp"
#include "src/plan/check_places.hpp"
#include "src/plan/emit.hpp"
#include "src/plan/exponentials.hpp"
#include "src/plan/fuse.hpp"
#include "src/plan/join.hpp"
#include "src/plan/lower.hpp"
#include "src/plan/operands.hpp"
#include "src/plan/share_sums.hpp"
#include "src/plan/split_indices.hpp"
#include "src/plan/translate.hpp"
#include "src/plan/words.hpp"
#include "src/plan/workspace.hpp"

namespace ricci::plan {
namespace {

/// An output that is computed in the workspace and copied to its memory at the end.
struct postponed {
    ir::ref name;
    std::int32_t memory;  // slot
    bool at_once;         // it is scaled as it is computed
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
void whole_slot(program_plan& plan, ir::ref equation, std::int32_t target, std::int32_t source,
                const number& alpha, const number& beta) {
    auto& values = plan.values;
    assign made;
    made.equation = equation;
    made.target.slot = target;
    for (const auto extent : plan.slots[static_cast<std::size_t>(target)].extents) {
        if (extent == 0) return;
        place at;
        if (extent > 1) at.terms = {{values.loops().fresh(ir::none, extent), 1}};
        made.target.at.push_back(std::move(at));
    }
    made.target.positions = {0, -1};
    made.loops = loops_of(made.target);
    const auto scaled = [&](std::int32_t slot, const number& factor) {
        access from = made.target;
        from.slot = slot;
        const expr x = values.load(from);
        if (factor == number(1)) return x;
        if (factor.is_plain()) return values.multiply({values.constant(factor.real), x});
        plan.slots.push_back(literal(factor, plan.type));
        access single;
        single.slot = static_cast<std::int32_t>(plan.slots.size()) - 1;
        single.positions = {0, 0};
        return values.multiply({values.load(single), x});
    };
    std::vector<expr> terms;
    if (source >= 0) terms.push_back(scaled(source, alpha));
    if (beta != number(0)) terms.push_back(scaled(target, beta));
    made.body = values.add(terms);
    plan.steps.push_back(make_step(values, std::move(made)));
}

// A product, a sum or a function of numbers, that is, what rounds; a copy does not.
bool rounds(const program_plan& plan, const assign& a) {
    if (a.how == way::gather) return false;
    return a.how != way::map || a.folding != fold::none ||
           plan.values[a.body].kind == kind::operation;
}

bool is_narrow(element type) { return type == element::bf16 || type == element::f16; }

// How an equation's result becomes what its memory holds in the end.
struct result_scale {
    double alpha = 1, beta = 0;
    std::int32_t old = -1;  // the slot that beta multiplies
};

class equation_plan {
public:
    equation_plan(const engine::request& request, const brackets& conditions,
                  const ir::shape_table& shapes, ir::ref e, program_plan& plan)
        : request_(request), brackets_(conditions), shapes_(shapes), e_(e), plan_(plan) {}

    void make(const result_scale& scale) {
        const bool scaled = scale.alpha != 1 || scale.beta != 0;
        const auto steps = plan_.steps.size(), slots = plan_.slots.size();
        const std::int32_t target = request_.program.equations[e_].name;
        if (scale.old < 0 || scale.old == target) {
            lower(scale, plan_.type);
            const auto rounding = std::count_if(
                plan_.steps.begin() + static_cast<std::ptrdiff_t>(steps), plan_.steps.end(),
                [&](const step& s) { return rounds(plan_, *s.as_assign()); });
            if (!scaled || !is_narrow(plan_.type) || rounding < 2) return;
        }
        // Scaled results round once: all of it is computed in float.
        plan_.steps.resize(steps);
        plan_.slots.resize(slots);
        lower(scale, element::f32);
    }

private:
    void lower(const result_scale& scale, element type) {
        const auto& equation = request_.program.equations[e_];
        graph& expressions = plan_.values;
        expressions.begin(++plan_.parts, type);
        std::vector<loop> loops;
        for (ir::ref i = 0; i < request_.program.indices.size(); ++i)
            loops.push_back(expressions.loops().of(i, shapes_.index_extent(e_, i)));
        translation read(request_.program, brackets_, plan_.slots, e_, loops, expressions);
        expr value = read.body();
        const access target = read.left_side();
        const auto indices = loops_of(target);
        if (scale.alpha != 1)
            value = expressions.multiply({expressions.constant(scale.alpha), value});
        loop_list order;
        for (std::int32_t axis = 0; axis < equation.positions.count; ++axis) {
            const auto& p = request_.program.at(equation.positions, axis);
            if (p.kind == ir::position_kind::index)
                order.push_back(loops[static_cast<std::size_t>(p.index)]);
            for (std::int32_t k = 0; k < p.terms.count; ++k)
                order.push_back(loops[static_cast<std::size_t>(
                    request_.program.affine_terms[p.terms.first + k].index)]);
        }
        lowering steps(plan_, expressions, e_, std::move(order), type);
        const auto first = static_cast<std::ptrdiff_t>(plan_.steps.size());
        finish(steps, read, expressions, target, indices, value, scale, type);
        if (!steps.hides() || is_integer(plan_.type)) return;
        std::for_each(plan_.steps.begin() + first, plan_.steps.end(),
                      [](step& s) { std::get<assign>(s.what).hides = true; });
    }

    void finish(lowering& steps, const translation& read, graph& expressions, const access& target,
                const loop_list& indices, expr value, const result_scale& scale, element type) {
        const auto& equation = request_.program.equations[e_];
        const bool nothing = expressions.size(indices) == 0;
        if (type == plan_.type) {
            double beta = scale.beta;
            if (!read.covers_all()) {
                whole_slot(plan_, e_, equation.name, -1, 1, beta);
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
            if (scale.old == equation.name || scale.beta == 0)
                whole_slot(plan_, e_, equation.name, -1, 1, scale.beta);
            else whole_slot(plan_, e_, equation.name, scale.old, scale.beta, 0);
        }
        if (!nothing) steps.convert(result, target, indices);
    }

    const engine::request& request_;
    const brackets& brackets_;
    const ir::shape_table& shapes_;
    ir::ref e_;
    program_plan& plan_;
};

program_plan lower(const engine::request& request, const ir::shape_table& shapes,
                   const std::vector<slot>& bound, const std::vector<ir::ref>& postpone,
                   const name_roles& roles, bool careful) {
    program_plan plan;
    plan.careful = careful;
    plan.type = request.type;
    plan.slots = bound;
    // Numbers of loops keep the order of letters in every equation.
    for (ir::ref i = 0; i < request.program.indices.size(); ++i)
        for (ir::ref e = 0; e < request.program.equations.size(); ++e)
            plan.values.loops().of(i, shapes.index_extent(e, i));
    const bool plain = request.alpha.is_plain() && request.beta.is_plain();
    const brackets conditions(request.program);
    std::vector<postponed> copies;
    for (ir::ref name : postpone) {
        // A result of 16 bits that nothing else reads is scaled before it is rounded.
        const bool at_once =
            is_narrow(plan.type) && plain && !roles.used[static_cast<std::size_t>(name)];
        copies.push_back({name, static_cast<std::int32_t>(plan.slots.size()), at_once});
        plan.slots.push_back(plan.slots[static_cast<std::size_t>(name)]);
        auto& shadow = plan.slots[static_cast<std::size_t>(name)];
        shadow.kind = storage::workspace;
        shadow.data = nullptr;
        set_row_major(shadow, request.program, plan.type);
    }
    for (ir::ref e = 0; e < request.program.equations.size(); ++e) {
        const auto& equation = request.program.equations[e];
        if (!ir::computes(request.program, equation)) continue;
        result_scale scale;
        const auto copy = std::find_if(copies.begin(), copies.end(),
                                       [&](const postponed& c) { return c.name == equation.name; });
        // A postponed output is scaled when it is copied, otherwise.
        if (copy != copies.end()
                ? copy->at_once
                : plan.slots[static_cast<std::size_t>(equation.name)].kind == storage::output)
            scale = {request.alpha.real, request.beta.real,
                     copy != copies.end() ? copy->memory : equation.name};
        if (copy != copies.end() && scale.alpha == 1 && scale.beta == 0) scale.old = -1;
        equation_plan(request, conditions, shapes, e, plan).make(scale);
    }
    for (const auto& copy : copies)
        whole_slot(plan, request.program.definition(copy.name), copy.memory, copy.name,
                   copy.at_once ? number(1) : request.alpha,
                   copy.at_once ? number(0) : request.beta);
    const bool fuses = request.fuse && !careful;
    if (fuses) {
        fuse(plan, request.program);
        chain_groups(plan);
    }
    emit(plan);
    return plan;
}

// Whether an output may be written to memory that is an input as well: in one pass that reads each
// element of it only where it writes it, after every other step that reads it.
bool safe_in_place(const program_plan& plan, ir::ref output) {
    const auto& memory = plan.slots[static_cast<std::size_t>(output)];
    std::int64_t write = -1;
    const auto count = static_cast<std::int64_t>(plan.compiled.size());
    const auto shares = [&](std::int32_t number) {
        const auto& s = plan.slots[static_cast<std::size_t>(number)];
        return s.kind == storage::input && s.data == memory.data;
    };
    for (std::int64_t k = 0; k < count; ++k) {
        const auto& s = plan.compiled[static_cast<std::size_t>(k)];
        bool reads = false, writes = false;
        for_each_slot(s, [&](std::int32_t number, bool written) {
            reads = reads || shares(number);
            writes = writes || (written && number == output);
        });
        if (reads && write >= 0) return false;
        if (!writes) continue;
        if (write >= 0) return false;
        write = k;
        if (!reads) continue;
        if (!s.is_map() || (s.map.folding != fold::none && s.map.folding != fold::softmax))
            return false;
        const auto& out = s.map.operands[0];
        for (const auto& o : s.map.operands)
            if (o.slot >= 0 && shares(o.slot) &&
                (o.offset != out.offset || o.strides != out.strides))
                return false;
    }
    return true;
}

// Which tensors are compared with others as numbers, and which stand as conditions. One alone is
// compared with positions and constants, which is right also where it is rounded.
struct whole_uses {
    std::vector<bool> compared, conditions;

    explicit whole_uses(const ir::program_view& p)
        : compared(static_cast<std::size_t>(p.names.size())), conditions(compared) {
        for (const auto& e : p.equations)
            if (ir::computes(p, e)) look(p, e.body, nullptr);
    }

private:
    using names = std::vector<ir::ref>;

    // `compared_here`: of the comparison above.
    void look(const ir::program_view& p, ir::ref n, names* compared_here) {
        const auto& x = p.nodes[n];
        if (ir::is_truth(x)) {
            const auto& tensor = p.nodes[p.child(x, 0)];
            conditions[static_cast<std::size_t>(tensor.name)] = true;
            for (std::int32_t k = 0; k < tensor.children.count; ++k)
                look(p, p.child(tensor, k), nullptr);
            return;
        }
        if (x.kind == ir::op::tensor && compared_here) compared_here->push_back(x.name);
        const bool logical = x.kind == ir::op::compare &&
                             x.detail >= static_cast<std::uint8_t>(ir::comparison::logical_and);
        names mine;
        names* below = x.kind == ir::op::tensor || logical ? nullptr
                       : x.kind == ir::op::compare         ? &mine
                                                           : compared_here;
        for (std::int32_t k = 0; k < x.children.count; ++k) look(p, p.child(x, k), below);
        for (std::size_t k = 0; mine.size() > 1 && k < mine.size(); ++k)
            compared[static_cast<std::size_t>(mine[k])] = true;
    }
};

void refuse_condition(const ir::program_view& p, ir::ref name, const std::string& what) {
    throw error("ricci: " + words_of_name(p, name) + " " + what +
                ", and is a condition; bind a tensor of bool, or of whole numbers 0 and 1.");
}

// What operands have to hold that are compared or stand as conditions.
void add_rules(program_plan& plan, const ir::program_view& p, const std::vector<slot>& slots) {
    const whole_uses uses(p);
    for (std::size_t n = 0; n < uses.compared.size(); ++n) {
        const auto& s = slots[n];
        if (s.kind == storage::number && uses.conditions[n] && s.value != 0 && s.value != 1)
            refuse_condition(p, s.name, "is " + words_of_number(s.value));
        if (s.kind != storage::input || s.own) continue;
        const element type = s.is_foreign ? s.own_type : plan.type;
        if (uses.conditions[n] && !is_integer(type))
            refuse_condition(p, s.name, std::string("holds ") + name_of(type));
        if (s.is_truth) continue;
        operand_rule rule;
        rule.slot = static_cast<std::int32_t>(n);
        if (uses.conditions[n]) {
            rule.is_condition = true;
            rule.words = words_of_name(p, s.name) + " is a condition, and holds 0 and 1";
            plan.rules.push_back(rule);
        }
        const bool counts =
            plan.type == element::f32 || (plan.type == element::f64 && type == element::i64);
        if (plan.careful || !uses.compared[n] || !s.is_foreign || !is_integer(type) || !counts)
            continue;
        rule.is_condition = false;
        rule.words.clear();
        rule.most = counted_by(plan.type);
        plan.rules.push_back(rule);
    }
}

bool hides(const program_plan& plan) {
    return std::any_of(plan.compiled.begin(), plan.compiled.end(),
                       [](const compiled_step& s) { return s.hides; });
}

program_plan make_plan(const engine::request& asked, bool careful) {
    const auto whole =
        std::make_unique<bool[]>(static_cast<std::size_t>(asked.program.names.size()));
    for (std::int32_t k = 0; k < asked.input_count; ++k)
        if (const auto& o = asked.inputs[k];
            o.is_positions && o.name >= 0 && o.name < asked.program.names.size())
            whole[static_cast<std::size_t>(o.name)] = true;
    if (const auto mistake = ir::element_rules(asked.program, asked.type, whole.get()).run()) {
        const auto words = mistake.words.view();
        throw error("ricci: " + std::string(words.data, static_cast<std::size_t>(words.size)) +
                    ".");
    }
    auto roles = find_roles(asked.program);
    ir::shape_table shapes(asked.program);
    auto slots = bind_operands(asked, roles, shapes);
    check_places(asked.program, shapes);
    engine::request request = asked;
    std::shared_ptr<const ir::program> rewritten;
    const auto rewrite = [&](ir::program&& p) {
        rewritten = std::make_shared<const ir::program>(std::move(p));
        request.program = rewritten->view();
    };
    if (shapes.has_split_indices())
        rewrite(split_indices(request.program, shapes, slots, request.type));
    if (auto stable = cancel_exponentials(request.program, roles, shapes, slots, request.type)) {
        rewrite(std::move(*stable));
        roles = find_roles(request.program);
    }
    if (auto shared = share_sums(request.program, shapes, slots, request.type)) {
        rewrite(std::move(*shared));
        roles = find_roles(request.program);
    }

    check_number_fits(request.alpha, request.type, "alpha");
    check_number_fits(request.beta, request.type, "beta");
    const bool scaled = request.alpha != number(1) || request.beta != number(0);
    const bool plain = request.alpha.is_plain() && request.beta.is_plain();
    std::vector<ir::ref> postpone;
    for (std::size_t n = 0; n < slots.size(); ++n)
        if (roles.output[n] && scaled && (roles.used[n] || !plain))
            postpone.push_back(static_cast<ir::ref>(n));
    auto plan = lower(request, shapes, slots, postpone, roles, careful);
    const bool again = hides(plan);

    const auto shared = outputs_in_place(slots, request.type);
    const auto before = postpone.size();
    const auto add = [&](ir::ref name) {
        if (std::find(postpone.begin(), postpone.end(), name) == postpone.end())
            postpone.push_back(name);
    };
    for (ir::ref name : shared)
        if (again || !safe_in_place(plan, name)) add(name);
    // What is read once more when all is computed again may not have been written.
    for (std::size_t n = 0; again && request.beta != number(0) && n < slots.size(); ++n)
        if (roles.output[n]) add(static_cast<ir::ref>(n));
    if (postpone.size() != before) plan = lower(request, shapes, slots, postpone, roles, careful);

    add_rules(plan, request.program, slots);
    const bool limited = std::any_of(plan.rules.begin(), plan.rules.end(),
                                     [](const operand_rule& r) { return !r.is_condition; });

    join_contractions(plan);
    lay_out_workspace(plan);
    plan.rewritten = std::move(rewritten);
    if ((again || limited) && !careful)
        plan.instead = std::make_shared<const program_plan>(make_plan(asked, true));
    return plan;
}

}  // namespace

program_plan make_plan(const engine::request& asked) { return make_plan(asked, false); }

}  // namespace ricci::plan
