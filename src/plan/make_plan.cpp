// From a request to a plan: the passes of the planner, in order.
#include "src/plan/make_plan.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include <ricci/error.hpp>
#include <ricci/ir/element_rules.hpp>
#include <ricci/ir/shapes.hpp>

#include "src/base/texts.hpp"
#include "src/plan/chain.hpp"
#include "src/plan/check_places.hpp"
#include "src/plan/cut_masked.hpp"
#include "src/plan/maxima_apart.hpp"
#include "src/plan/emit.hpp"
#include "src/plan/exponentials.hpp"
#include "src/plan/extrema.hpp"
#include "src/plan/fuse.hpp"
#include "src/plan/join.hpp"
#include "src/plan/matrices.hpp"
#include "src/plan/notation.hpp"
#include "src/plan/operands.hpp"
#include "src/plan/order.hpp"
#include "src/plan/packed_lookups.hpp"
#include "src/plan/protect.hpp"
#include "src/plan/rules.hpp"
#include "src/plan/share_sums.hpp"
#include "src/plan/split_indices.hpp"
#include "src/plan/verify.hpp"
#include "src/plan/verify_compiled.hpp"
#include "src/plan/verify_loop.hpp"
#include "src/plan/verify_program.hpp"
#include "src/plan/words.hpp"
#include "src/plan/workspace.hpp"

namespace ricci::plan {
namespace {

bool hides(const program_plan& plan) {
    return std::any_of(plan.steps.begin(), plan.steps.end(),
                       [](const step& s) { return s.hides(); });
}

// Whether an output is written, a postponed one, before it is known that all results are numbers:
// where they are not, everything is computed again from what was there before.
bool writes_too_soon(const program_plan& plan, const std::vector<ir::ref>& postponed) {
    bool written = false;
    for (const step& s : plan.steps) {
        for (const effect& t : s.effects) {
            const slot& target = plan.slots[static_cast<std::size_t>(t.slot)];
            written = written || (t.writes && target.kind == storage::output &&
                                  std::find(postponed.begin(), postponed.end(), target.name) !=
                                      postponed.end());
        }
        if (written && s.hides()) return true;
    }
    return false;
}

void check_elements(const engine::request& asked) {
    const auto whole =
        std::make_unique<bool[]>(static_cast<std::size_t>(asked.program.names.size()));
    for (std::int32_t k = 0; k < asked.input_count; ++k)
        if (const auto& o = asked.inputs[k];
            o.is_positions && o.name >= 0 && o.name < asked.program.names.size())
            whole[static_cast<std::size_t>(o.name)] = true;
    if (const auto mistake = ir::element_rules(asked.program, asked.type, whole.get()).run()) {
        throw error(fmt::format("ricci: {}.", string_of(mistake.words.view())));
    }
}

// The loop around the steps of a plan, of one that names what moves.
void wrap_in_loop(program_plan& plan, const step_loop& around, bool alike) {
    plan.around = around;
    // An output that is made elsewhere and copied has two slots of its name.
    const auto slot_of = [&](std::int32_t name) {
        const auto found = std::find_if(plan.slots.begin(), plan.slots.end(), [&](const slot& s) {
            return s.name == name && !s.own &&
                   (s.kind == storage::input || s.kind == storage::output);
        });
        return found == plan.slots.end() ? -1
                                         : static_cast<std::int32_t>(found - plan.slots.begin());
    };
    for (moving_slot& m : plan.around.moving) m.slot = slot_of(m.slot);
    for (std::int32_t& s : plan.around.added_up) s = slot_of(s);
    std::erase_if(plan.around.moving, [](const moving_slot& m) { return m.slot < 0; });
    std::erase(plan.around.added_up, -1);
    find_dependences(plan, alike);
}

program_plan make_plan(const engine::request& asked, const pass_observer& observe,
                       const step_loop* around, bool careful) {
    check_elements(asked);
    const auto roles_of = [&](const ir::program_view& p) {
        auto found = find_roles(p);
        if (around != nullptr) found.added_up = around->added_up;
        return found;
    };
    auto roles = roles_of(asked.program);
    ir::shape_table shapes(asked.program);
    auto slots = bind_operands(asked, roles, shapes);
    check_places(asked.program, shapes);
    engine::request request = asked;
    const auto after = [&](const char* pass, const program_plan* plan = nullptr) {
        observe(pass, request.program, plan);
    };
    after("bind");
    std::shared_ptr<const ir::program> rewritten;
    const auto rewrite = [&](ir::program&& p) {
        rewritten = std::make_shared<const ir::program>(std::move(p));
        request.program = rewritten->view();
    };
    if (shapes.has_split_indices())
        rewrite(split_indices(request.program, shapes, slots, request.type));
    after("split");
    const auto rewrite_if = [&](std::optional<ir::program> made, const char* pass) {
        if (made) {
            rewrite(std::move(*made));
            roles = roles_of(request.program);
        }
        after(pass);
    };
    rewrite_if(lift_matrices(request.program, shapes, slots, request.type), "matrices");
    rewrite_if(share_compared_extrema(request.program, shapes, slots, request.type), "decide");
    rewrite_if(cancel_exponentials(request.program, roles, shapes, slots, request.type), "cancel");
    rewrite_if(share_sums(request.program, shapes, slots, request.type), "share");

    check_number_fits(request.alpha, request.type, "alpha");
    check_number_fits(request.beta, request.type, "beta");
    const bool scaled = request.alpha != number(1) || request.beta != number(0);
    const bool plain = request.alpha.is_plain() && request.beta.is_plain();
    std::vector<ir::ref> postpone;
    for (std::size_t n = 0; n < slots.size(); ++n)
        if (roles.output[n] && (scaled || roles.adds_up(static_cast<ir::ref>(n))) &&
            (roles.used[n] || !plain))
            postpone.push_back(static_cast<ir::ref>(n));
    const auto assignments = [&] {
        auto made = order(request, shapes, slots, postpone, roles, careful);
        after("order", &made);
        keep_maxima_apart(made);
        after("apart", &made);
        if (!request.fuse || careful) return made;
        fuse(made, request.program);
        after("fuse", &made);
        chain_groups(made);
        after("chain", &made);
        pack_lookups(made);
        after("pack", &made);
        cut_masked(made);
        after("cut", &made);
        return made;
    };
    auto plan = assignments();
    const bool again = hides(plan);

    const auto shared = outputs_in_place(slots, request.type);
    const auto add = [&](ir::ref name) {
        if (std::find(postpone.begin(), postpone.end(), name) == postpone.end())
            postpone.push_back(name);
    };
    // Another order may make another output unsafe.
    for (std::size_t before = postpone.size();; before = postpone.size()) {
        for (ir::ref name : shared)
            if (again || !safe_in_place(plan, name)) add(name);
        // What is read once more when all is computed again may not have been written.
        for (std::size_t n = 0; again && n < slots.size(); ++n)
            if (const auto name = static_cast<ir::ref>(n);
                roles.output[n] && (request.beta != number(0) || roles.adds_up(name)))
                add(name);
        if (postpone.size() == before) break;
        plan = assignments();
    }
    if (again && writes_too_soon(plan, postpone)) return make_plan(asked, observe, around, true);
    after("protect", &plan);

    add_rules(plan, request.program, slots);
    const bool limited = std::any_of(plan.rules.begin(), plan.rules.end(),
                                     [](const operand_rule& r) { return !r.is_condition; });

    after("rules", &plan);
    emit(plan);
    after("emit", &plan);
    join_contractions(plan);
    after("join", &plan);
    if (around != nullptr) {
        wrap_in_loop(plan, *around, again || limited);
        after("loop", &plan);
    }
    lay_out_workspace(plan);
    after("workspace", &plan);
    plan.rewritten = std::move(rewritten);
    if ((again || limited) && !careful)
        plan.instead =
            std::make_shared<const program_plan>(make_plan(asked, observe, around, true));
    return plan;
}

bool has_environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != 0 && std::string_view(value) != "0";
}

}  // namespace

program_plan make_plan(const engine::request& asked, const pass_observer& observe,
                       const step_loop* around) {
#ifdef NDEBUG
    static const bool verifies = has_environment("RICCI_VERIFY_PLANS");
#else
    static const bool verifies = true;
#endif
    static const bool prints = has_environment("RICCI_PRINT_PASSES");
    return make_plan(
        asked,
        [&](const char* pass, const ir::program_view& program, const program_plan* plan) {
            if (verifies && plan == nullptr) verify_program(program, pass);
            if (verifies && plan != nullptr) verify(*plan, program, pass);
            if (verifies && plan != nullptr && !plan->compiled.empty())
                verify_compiled(*plan, pass);
            if (verifies && plan != nullptr && !plan->around.empty()) verify_loop(*plan, pass);
            if (prints) std::fputs(notation_after(pass, program, plan).c_str(), stderr);
            if (observe) observe(pass, program, plan);
        },
        around, false);
}

std::string explain_passes(const engine::request& request, const step_loop* around) {
    std::string text, before;
    make_plan(
        request,
        [&](const char* pass, const ir::program_view& program, const program_plan* plan) {
            const auto now = notation_of(program, plan);
            text += now == before ? fmt::format("after {}: the same\n", pass)
                                  : notation_after(pass, program, plan);
            before = now;
        },
        around);
    return text;
}

}  // namespace ricci::plan
