// Walking a plan.
#include "src/engine/execution.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include <ricci/error.hpp>

#include "src/engine/step_pauses.hpp"
#include "src/engine/whole_numbers.hpp"
#include "src/runtime/interruption.hpp"

namespace ricci::engine {

step_pause& pause_of_thread() noexcept {
    thread_local step_pause p;
    return p;
}

between_steps::between_steps(function call, void* context) noexcept
    : call_before_(pause_of_thread().call), context_before_(pause_of_thread().context) {
    pause_of_thread() = {call, context};
}
between_steps::~between_steps() { pause_of_thread() = {call_before_, context_before_}; }

namespace {

bool pause_and_go_on(void*) {
    pause_between_steps();
    return true;
}

/// Calls visit(step) with what looks something up.
template <class Visit>
void with_lookups(ready_step& step, const Visit& visit) {
    if (auto* const gather = std::get_if<ready_gather>(&step)) return visit(*gather);
    if (auto* const sum = std::get_if<ready_lookup_sum>(&step)) return visit(*sum);
    if (auto* const product = std::get_if<ready_contraction>(&step)) return visit(*product);
}

}  // namespace

execution::execution(const plan::program_plan& plan, purpose what) : instead_(plan.instead) {
    if (what == purpose::run) own_workspace_ = allocate_workspace(plan.workspace_bytes);
    workspace_ = own_workspace_.get();
    make_steps(plan);
    if (what == purpose::words) return;
    const runtime::held_memory now(loans_);  // and not when it runs
    bind(plan);
}

execution::execution(const plan::program_plan& plan, std::byte* workspace)
    : workspace_(workspace), instead_(plan.instead) {
    make_steps(plan);
    const runtime::held_memory now(loans_);
    bind(plan);
}

void execution::make_steps(const plan::program_plan& plan) {
    steps_.reserve(plan.compiled.size());
    for (std::size_t k = 0; k < plan.compiled.size(); ++k) {
        steps_.push_back({prepare(plan, plan.compiled[k]), {}});
        list_loans(k, loans_);
        auto* const product = std::get_if<ready_contraction>(&steps_.back().what);
        calls_.add_step(product != nullptr ? product->calls()
                                           : std::vector<contractions::product_call>());
        auto check = find_early_check(plan, k);
        if (!check) continue;
        check->carried = touches_carried(plan, *check);
        with_lookups(steps_.back().what, [](auto& ready) { ready.check_before_all(); });
        early_checks_.push_back(std::move(*check));
    }
    if (instead_) {
        operands_ = plan.slots;
        for (std::size_t k = 0; k < steps_.size(); ++k) list_results(plan, k);
    }
    passes_ = plan.compiled_passes;
    make_rules(plan);
}

void execution::make_rules(const plan::program_plan& plan) {
    for (const auto& r : plan.rules) {
        const auto& slot = plan.slots[r.slot.index()];
        const plan::moving_slot* const moving = plan.around.find(r.slot);
        rules_.push_back({r.slot,
                          {plan.type_of(r.slot), slot.data, slot.extents, slot.strides},
                          r.is_condition ? 0 : -r.most,
                          r.is_condition ? 1 : r.most,
                          r.words,
                          moving != nullptr,
                          moving != nullptr && moving->carried});
    }
}

void execution::bind(const plan::program_plan& plan) {
    for (std::size_t s = 0; s < operands_.size(); ++s) operands_[s].data = plan.slots[s].data;
    for (auto& r : rules_) r.tensor.data = plan.slots[r.slot.index()].data;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
        bind_results(plan, k);
        bind_step(plan, k);
    }
}

void execution::bind_step(const plan::program_plan& plan, std::size_t step, std::int64_t pass) {
    const plan_memory memory(plan, workspace_, pass);
    std::visit(
        [&]<class Ready>(Ready& ready) {
            ready.bind(memory, std::get<typename Ready::planned>(plan.compiled[step]));
        },
        steps_[step].what);
    if (!calls_.has_calls(step)) return;
    const auto operands = std::get<ready_contraction>(steps_[step].what).bound();
    calls_.bind(step, operands.a, operands.b, operands.c);
}

void execution::list_loans(std::size_t step, runtime::loan_book& to) const {
    std::visit([&](const auto& ready) { ready.list_loans(to); }, steps_[step].what);
}

std::string execution::words(std::size_t step, std::size_t part) const {
    return std::visit([&](const auto& ready) { return ready.words(part); }, steps_[step].what);
}

// Nothing for a step that looks nothing up, and where that cannot be checked before anything is
// written.
std::optional<execution::early_check> execution::find_early_check(const plan::program_plan& plan,
                                                                  std::size_t step) {
    const auto are_operands = [&](const std::vector<plan::planned_lookup>& lookups) {
        return std::all_of(lookups.begin(), lookups.end(), [&](const plan::planned_lookup& l) {
            return plan.slots[l.numbers.use.slot.index()].kind == plan::storage::input;
        });
    };
    if (const auto* const s = std::get_if<plan::lookup_sum_step>(&plan.compiled[step])) {
        const bool looks_up = std::any_of(s->factors.begin(), s->factors.end(),
                                          [](const auto& f) { return !f.lookups.empty(); });
        const bool early = std::all_of(s->factors.begin(), s->factors.end(),
                                       [&](const auto& f) { return are_operands(f.lookups); });
        if (looks_up && early && are_operands(s->scattered)) return early_check{step, std::nullopt};
        return std::nullopt;
    }
    if (const auto* const c = std::get_if<plan::contraction_step>(&plan.compiled[step])) {
        const bool looks_up = !c->a.lookups.empty() || !c->b.lookups.empty();
        if (!looks_up || !are_operands(c->a.lookups) || !are_operands(c->b.lookups))
            return std::nullopt;
        return check_under(plan, step, {c->a.wanted.use.slot, c->b.wanted.use.slot});
    }
    const auto* const g = std::get_if<plan::gather_step>(&plan.compiled[step]);
    if (g == nullptr || g->lookups.empty() || g->lookups[0].may_stray || !are_operands(g->lookups))
        return std::nullopt;
    return check_under(plan, step, {g->wanted.use.slot});
}

// Of lookups under conditions in these slots; none: under none.
std::optional<execution::early_check> execution::check_under(
    const plan::program_plan& plan, std::size_t step, std::vector<plan::slot_number> conditions) {
    std::erase(conditions, plan::slot_number{});
    if (conditions.empty()) return early_check{step, std::nullopt};
    auto before = steps_before_check(plan, step, std::move(conditions));
    if (!before) return std::nullopt;
    return early_check{step, std::move(before)};
}

// The steps that make the conditions of lookups of operands, which are checked before all others.
// None where that would take a contraction, or would write to an output. Of windows, the tensors
// that they are parts of.
std::optional<std::vector<std::size_t>> execution::steps_before_check(
    const plan::program_plan& plan, std::size_t lookups, std::vector<plan::slot_number> open) {
    std::vector<std::size_t> steps;
    for (plan::slot_number& slot : open) slot = plan.whole(slot);
    for (std::size_t k = lookups; k-- > 0;) {
        const auto& s = plan.compiled[k];
        // of a tensor that is written part by part, all parts
        const auto needed = [&](plan::slot_number slot) {
            return std::find(open.begin(), open.end(), plan.whole(slot)) != open.end();
        };
        bool wanted = false;
        for_each_slot(s, [&](plan::slot_number slot, bool writes) {
            wanted = wanted || (writes && needed(slot));
        });
        if (!wanted) continue;
        if (!std::holds_alternative<plan::map_step>(s) &&
            !std::holds_alternative<plan::gather_step>(s))
            return {};
        for_each_slot(s, [&](plan::slot_number slot, bool writes) {
            if (!writes && !needed(slot)) open.push_back(plan.whole(slot));
        });
        steps.push_back(k);
    }
    for (const plan::slot_number slot : open)
        if (plan.slots[slot.index()].kind == plan::storage::output) return {};
    std::reverse(steps.begin(), steps.end());
    return steps;
}

void execution::check_early(const early_check& check, const plan::program_plan& plan) {
    with_lookups(steps_[check.step].what, [&](const auto& lookups) {
        if (check.before && lookups.has_stray()) run_before(*check.before, plan);
        lookups.check();
    });
}

// Those among the steps of a pass that make conditions run pass after pass, too.
void execution::run_before(const std::vector<std::size_t>& steps, const plan::program_plan& plan) {
    for (auto first = steps.begin(); first != steps.end();) {
        const auto repeated = std::ranges::find_if(passes_, [&](const plan::step_passes& p) {
            return p.count > 1 && p.first <= *first && *first < p.end;
        });
        if (repeated == passes_.end()) {
            run_step(*first++);
            continue;
        }
        const auto end = std::lower_bound(first, steps.end(), repeated->end);
        for (std::int64_t pass = 0; pass < repeated->count; ++pass)
            for (auto k = first; k != end; ++k) {
                bind_step(plan, *k, pass);
                run_step(*k);
            }
        first = end;
    }
}

// Passes of a loop ----------------------------------------------------------------------------

bool execution::touches_carried(const plan::program_plan& plan, const early_check& check) {
    bool found = false;
    const auto look = [&](std::size_t step) {
        for_each_slot(plan.compiled[step], [&](plan::slot_number slot, bool) {
            const plan::moving_slot* const m = plan.around.find(plan.whole(slot));
            found = found || (m != nullptr && m->carried);
        });
    };
    look(check.step);
    if (check.before) std::for_each(check.before->begin(), check.before->end(), look);
    return found;
}

void execution::check_pass(const plan::program_plan& plan) {
    for (auto& r : rules_) {
        if (r.carried || r.words.empty()) continue;  // of the latter another plan is run
        r.tensor.data = plan.slots[r.slot.index()].data;
        r.look();
    }
    for (const auto& check : early_checks_) {
        if (check.carried) continue;
        if (check.before)
            for (const std::size_t k : *check.before) bind_step(plan, k);
        bind_step(plan, check.step);
        check_early(check, plan);
    }
}

// The addresses of what moves, for the steps that run in this pass.
void execution::bind_pass(const plan::program_plan& plan, const plan::pass_counter& pass) {
    for (auto& r : rules_) r.tensor.data = plan.slots[r.slot.index()].data;
    if (instead_)
        for (const plan::moving_slot& m : plan.around.moving)
            operands_[m.slot.index()].data = plan.slots[m.slot.index()].data;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
        if (!plan.around.moves[k] || !pass.runs(k)) continue;
        bind_results(plan, k);
        bind_step(plan, k);
    }
}

void execution::run_pass(const plan::program_plan& plan, const plan::pass_counter& pass) {
    bind_pass(plan, pass);
    bool as_planned = true;
    for (auto& r : rules_) {
        if (r.moves || pass.is_first()) r.look();
        as_planned = as_planned && r.kept;
    }
    for (const auto& check : early_checks_)
        if (check.carried) check_early(check, plan);
    for (std::size_t k = 0; as_planned && k < steps_.size(); ++k) {
        if (!pass.runs(k)) continue;
        run_step(k);
        as_planned = !gives_nan(k);
    }
    if (!as_planned && instead_) run_instead();
}

// What a step writes where a bracket hides by zeros.
void execution::list_results(const plan::program_plan& plan, std::size_t step) {
    plan::for_each_part(plan.compiled[step], [&](const auto& part) {
        if (!part.hides) return;
        plan::for_each_slot(part, [&](plan::slot_number number, bool writes) {
            if (!writes) return;
            const auto& slot = plan.slots[number.index()];
            steps_[step].results.push_back(
                {number, {plan.type_of(number), nullptr, slot.extents, slot.strides}});
        });
    });
}

void execution::bind_results(const plan::program_plan& plan, std::size_t step, std::int64_t pass) {
    const plan_memory memory(plan, workspace_, pass);
    for (auto& result : steps_[step].results) result.tensor.data = memory.base(result.slot);
}

bool execution::holds_any_nan(const std::vector<prepared_step::result>& results) {
    return std::any_of(results.begin(), results.end(),
                       [](const auto& result) { return holds_nan(result.tensor); });
}

// Whether the whole numbers of an operand are what the plan takes them for.
void execution::operand_range::look() {
    const auto found = number_outside(tensor, least, most);
    kept = !found;
    if (found && !words.empty()) throw error(fmt::format("ricci: {} {}.", words, *found));
}

bool execution::keep_rules() {
    for (auto& r : rules_) {
        r.look();
        if (!r.kept) return false;
    }
    return true;
}

void execution::run(const plan::program_plan& plan) {
    const runtime::held_memory held(loans_);
    run_held(plan);
}

void execution::run_held(const plan::program_plan& plan) {
    if ((keep_rules() && run_steps(plan)) || !instead_) return;
    run_instead();
}

void execution::run_instead() {
    plan::program_plan careful = *instead_;
    for (auto& slot : careful.slots)
        for (const auto& bound : operands_)
            if (!slot.own && slot.kind == bound.kind && slot.name == bound.name &&
                (slot.kind == plan::storage::input || slot.kind == plan::storage::output))
                slot.data = bound.data;
    execution(careful).run(careful);
}

// The steps between two, for one of their passes.
void execution::bind_again(const plan::program_plan& plan, std::size_t first, std::size_t end,
                           std::int64_t pass) {
    for (; first < end; ++first) {
        bind_results(plan, first, pass);
        bind_step(plan, first, pass);
    }
}

// Whether all results are numbers that have to be.
bool execution::run_steps(const plan::program_plan& plan) {
    for (const auto& check : early_checks_) check_early(check, plan);
    if (pause_of_thread().call == nullptr || runtime::interruption::current() != nullptr)
        return run_all(plan);
    // a step may take long by itself: between its tasks, too
    const runtime::interruption within(pause_and_go_on, nullptr);
    return run_all(plan);
}

bool execution::run_all(const plan::program_plan& plan) {
    std::size_t next = 0;
    for (const plan::step_passes& p : passes_) {
        if (!run_between(next, p.first)) return false;
        for (std::int64_t pass = 0; pass < p.count; ++pass) {
            if (p.count > 1) bind_again(plan, p.first, p.end, pass);
            if (pass > 0) pause_between_steps();
            if (!run_between(p.first, p.end)) return false;
        }
        next = p.end;
    }
    return run_between(next, steps_.size());
}

bool execution::run_between(std::size_t first, std::size_t end) {
    for (std::size_t k = first; k < end; ++k) {
        if (k > 0) pause_between_steps();
        run_step(k);
        if (gives_nan(k)) return false;
    }
    return true;
}

}  // namespace ricci::engine
