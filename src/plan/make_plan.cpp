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
#include "src/plan/maxima_apart.hpp"
#include "src/plan/emit.hpp"
#include "src/plan/exponentials.hpp"
#include "src/plan/extrema.hpp"
#include "src/plan/fuse.hpp"
#include "src/plan/join.hpp"
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
#include "src/plan/words.hpp"
#include "src/plan/workspace.hpp"

namespace ricci::plan {
namespace {

bool hides(const program_plan& plan) {
    return std::any_of(plan.steps.begin(), plan.steps.end(),
                       [](const step& s) { return s.hides(); });
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

program_plan make_plan(const engine::request& asked, const pass_observer& observe, bool careful) {
    check_elements(asked);
    auto roles = find_roles(asked.program);
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
            roles = find_roles(request.program);
        }
        after(pass);
    };
    rewrite_if(share_compared_extrema(request.program, shapes, slots, request.type), "decide");
    rewrite_if(cancel_exponentials(request.program, roles, shapes, slots, request.type), "cancel");
    rewrite_if(share_sums(request.program, shapes, slots, request.type), "share");

    check_number_fits(request.alpha, request.type, "alpha");
    check_number_fits(request.beta, request.type, "beta");
    const bool scaled = request.alpha != number(1) || request.beta != number(0);
    const bool plain = request.alpha.is_plain() && request.beta.is_plain();
    std::vector<ir::ref> postpone;
    for (std::size_t n = 0; n < slots.size(); ++n)
        if (roles.output[n] && scaled && (roles.used[n] || !plain))
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
        for (std::size_t n = 0; again && request.beta != number(0) && n < slots.size(); ++n)
            if (roles.output[n]) add(static_cast<ir::ref>(n));
        if (postpone.size() == before) break;
        plan = assignments();
    }
    after("protect", &plan);

    add_rules(plan, request.program, slots);
    const bool limited = std::any_of(plan.rules.begin(), plan.rules.end(),
                                     [](const operand_rule& r) { return !r.is_condition; });

    after("rules", &plan);
    emit(plan);
    after("emit", &plan);
    join_contractions(plan);
    after("join", &plan);
    lay_out_workspace(plan);
    after("workspace", &plan);
    plan.rewritten = std::move(rewritten);
    if ((again || limited) && !careful)
        plan.instead = std::make_shared<const program_plan>(make_plan(asked, observe, true));
    return plan;
}

bool has_environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != 0 && std::string_view(value) != "0";
}

}  // namespace

program_plan make_plan(const engine::request& asked, const pass_observer& observe) {
#ifdef NDEBUG
    static const bool verifies = has_environment("RICCI_VERIFY_PLANS");
#else
    static const bool verifies = true;
#endif
    static const bool prints = has_environment("RICCI_PRINT_PASSES");
    return make_plan(
        asked,
        [&](const char* pass, const ir::program_view& program, const program_plan* plan) {
            if (verifies && plan != nullptr) verify(*plan, program, pass);
            if (verifies && plan != nullptr && !plan->compiled.empty())
                verify_compiled(*plan, pass);
            if (prints) std::fputs(notation_after(pass, program, plan).c_str(), stderr);
            if (observe) observe(pass, program, plan);
        },
        false);
}

std::string explain_passes(const engine::request& request) {
    std::string text, before;
    make_plan(request,
              [&](const char* pass, const ir::program_view& program, const program_plan* plan) {
                  const auto now = notation_of(program, plan);
                  text += now == before ? fmt::format("after {}: the same\n", pass)
                                        : notation_after(pass, program, plan);
                  before = now;
              });
    return text;
}

}  // namespace ricci::plan
