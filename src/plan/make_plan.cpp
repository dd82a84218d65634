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
#include "src/plan/groups/chain.hpp"
#include "src/plan/bind/check_places.hpp"
#include "src/plan/bind/check_reach.hpp"
#include "src/plan/forms/cut_masked.hpp"
#include "src/plan/forms/made_where_read.hpp"
#include "src/plan/forms/pair_terms.hpp"
#include "src/plan/rewrite/maxima_apart.hpp"
#include "src/plan/code/emit.hpp"
#include "src/plan/groups/fuse.hpp"
#include "src/plan/code/join.hpp"
#include "src/plan/groups/made_twice.hpp"
#include "src/plan/words/notation.hpp"
#include "src/plan/bind/operands.hpp"
#include "src/plan/order.hpp"
#include "src/plan/store/packed_lookups.hpp"
#include "src/plan/store/protect.hpp"
#include "src/plan/store/row_panels.hpp"
#include "src/plan/bind/rules.hpp"
#include "src/plan/read/float_names.hpp"
#include "src/plan/verify/verify.hpp"
#include "src/plan/verify/verify_compiled.hpp"
#include "src/plan/verify/verify_loop.hpp"
#include "src/plan/verify/verify_program.hpp"
#include "src/plan/words/words.hpp"
#include "src/plan/code/workspace.hpp"

namespace ricci::plan {
namespace {

/// What the environment says under this name: no (0), yes, or nothing.
bool has_environment(const char* name, bool unless_told) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == 0) return unless_told;
    return std::string_view(value) != "0";
}

bool verifies() {
#ifdef NDEBUG
    constexpr bool has_assertions = false;
#else
    constexpr bool has_assertions = true;
#endif
    static const bool asked = has_environment("RICCI_VERIFY_PLANS", has_assertions);
    return asked;
}

bool hides(const program_plan& plan) {
    return std::ranges::any_of(plan.steps, [](const step& s) { return s.hides(); });
}

// Whether an output is written, a postponed one, before it is known that all results are numbers:
// where they are not, everything is computed again from what was there before.
bool writes_too_soon(const program_plan& plan, const std::vector<ir::ref>& postponed) {
    bool written = false;
    for (const step& s : plan.steps) {
        for (const effect& t : s.effects) {
            const slot& target = plan.slots[plan.whole(t.slot).index()];
            written = written || (t.writes && target.kind == storage::output &&
                                  std::ranges::find(postponed, target.name) != postponed.end());
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

// The loop around the steps of a plan, of one whose slots are those of names.
void wrap_in_loop(program_plan& plan, const step_loop& around, bool alike) {
    plan.around = around;
    // An output that is made elsewhere and copied has two slots of its name: the caller's memory is
    // the second.
    const auto memory_of = [&](slot_number named) {
        for (std::size_t k = 0; k < plan.slots.size(); ++k) {
            const slot& s = plan.slots[k];
            if (slot_of_name(s.name) == named && !s.own &&
                (s.kind == storage::input || s.kind == storage::output))
                return slot_number(k);
        }
        return slot_number::none;
    };
    for (moving_slot& m : plan.around.moving) m.slot = memory_of(m.slot);
    for (slot_number& s : plan.around.added_up) s = memory_of(s);
    std::erase_if(plan.around.moving, [](const moving_slot& m) { return !m.slot; });
    std::erase(plan.around.added_up, slot_number::none);
    find_dependences(plan, alike);
}

// Tensors that are stored after all may have others stored; this is seldom so twice.
constexpr int most_trials = 4;

/// The passes in their order, on the way from one request to its plan.
class planner {
public:
    /// `shows`: whether anybody sees what the observer is called with.
    planner(const engine::request& asked, const pass_observer& observe, bool shows,
            const step_loop* around, bool careful)
        : asked_(asked),
          observe_(observe),
          shows_(shows),
          around_(around),
          careful_(careful),
          shapes_(asked.program) {}

    program_plan run() {
        check_elements(asked_);
        bind();
        find_postponed();
        find_floats();
        auto plan = assignments();
        const bool again = hides(plan);
        protect(plan, again);
        if (again && writes_too_soon(plan, postponed_)) return careful_plan();
        after("protect", &plan);
        add_rules(plan, asked_.program, slots_);
        after("rules", &plan);
        const bool limited =
            std::ranges::any_of(plan.rules, [](const operand_rule& r) { return !r.is_condition; });
        compile(plan, again || limited);
        if ((again || limited) && !careful_)
            plan.instead = std::make_shared<const program_plan>(careful_plan());
        return plan;
    }

private:
    void after(const char* pass, const program_plan* plan = nullptr) const {
        if (verifies()) verify_all(pass, plan);
        observe_(pass, asked_.program, plan);
    }
    void verify_all(const char* pass, const program_plan* plan) const {
        if (plan == nullptr) return verify_program(asked_.program, pass);
        verify(*plan, asked_.program, pass);
        if (!plan->compiled.empty()) verify_compiled(*plan, pass);
        if (!plan->around.empty()) verify_loop(*plan, pass);
    }
    program_plan careful_plan() const {
        return planner(asked_, observe_, shows_, around_, true).run();
    }
    void find_roles_of_names() {
        roles_ = find_roles(asked_.program);
        if (around_ != nullptr) roles_.added_up = around_->added_up;
    }

    void bind() {
        find_roles_of_names();
        slots_ = bind_operands(asked_, roles_, shapes_);
        check_places(asked_.program, shapes_);
        check_reach(asked_.program, shapes_);
        after("bind");
    }

    // Outputs that are scaled when all else is done.
    void find_postponed() {
        check_number_fits(asked_.alpha, asked_.type, "alpha");
        check_number_fits(asked_.beta, asked_.type, "beta");
        const bool scaled = asked_.alpha != number(1) || asked_.beta != number(0);
        const bool plain = asked_.alpha.is_plain() && asked_.beta.is_plain();
        for (std::size_t n = 0; n < slots_.size(); ++n)
            if (const auto name = static_cast<ir::ref>(n);
                roles_.output[n] && (scaled || roles_.adds_up(name)) && (roles_.used[n] || !plain))
                postponed_.push_back(name);
    }

    program_plan begun() {
        equations_observer in_pool;
        if (shows_)
            in_pool = [this](const char* pass, const program_plan& equations) {
                observe_(pass, asked_.program, &equations);
            };
        auto made = order(asked_, shapes_, slots_, postponed_, roles_, careful_, in_pool);
        after("order", &made);
        keep_maxima_apart(made);
        after("apart", &made);
        return made;
    }
    // What is made twice pays where none of it is stored; else all begins again without.
    void fuse_groups(program_plan& made) {
        const auto copies = make_twice(made);
        if (!copies.empty()) after("twice", &made);
        fuse(made, asked_.program);
        if (std::ranges::any_of(copies, [&](slot_number copy) {
                return made.slots[copy.index()].kind != storage::unused;
            })) {
            made = begun();
            fuse(made, asked_.program);
        }
        after("fuse", &made);
    }

    // What is made where it is read is not stored after all.
    void drop_notes(program_plan& made) const {
        for (const slot& s : made.slots) {
            if (s.kind != storage::unused || s.name == ir::none) continue;
            const std::string words = words_of_name(asked_.program, s.name) + " is stored: ";
            std::erase_if(made.notes, [&](const std::string& n) { return n.starts_with(words); });
        }
    }

    // Of 16 bits, intermediates that no step stores are floats. Which these are is known when all
    // is planned with the others, too.
    program_plan assignments() {
        if (!is_narrow(asked_.type) || !asked_.fuse || careful_) return arranged();
        for (int trial = 0;; ++trial) {
            if (trial < most_trials) keep_compared_rounded(asked_.program, floats_);
            else floats_.assign(floats_.size(), false);
            hold_floats();
            auto made = arranged();
            bool stored = false;
            for (std::size_t n = 0; n < floats_.size(); ++n) {
                if (!floats_[n] || made.slots[n].kind == storage::unused) continue;
                floats_[n] = false;
                stored = true;
            }
            if (!stored) return made;
        }
    }
    void find_floats() {
        if (is_narrow(asked_.type)) intermediates_ = floats_ = intermediates_of(slots_);
    }
    void hold_floats() {
        for (std::size_t n = 0; n < floats_.size(); ++n) {
            if (!intermediates_[n]) continue;
            slot& s = slots_[n];
            s.is_foreign = floats_[n];
            s.own_type = floats_[n] ? element::f32 : asked_.type;
            set_row_major(s, asked_.program, s.own_type);
        }
    }

    program_plan arranged() {
        auto made = begun();
        if (careful_) make_where_read(made);
        if (!asked_.fuse || careful_) return made;
        fuse_groups(made);
        chain_groups(made);
        after("chain", &made);
        pack_lookups(made);
        after("pack", &made);
        make_where_read(made);
        drop_notes(made);
        after("inline", &made);
        pair_terms(made);
        after("pair", &made);
        cut_masked(made);
        after("cut", &made);
        if (around_ == nullptr && outputs_in_place(made.slots, made.type).empty())
            store_row_panels(made);
        drop_notes(made);
        after("panels", &made);
        return made;
    }

    // Postpones outputs that are in the memory of what is read after they are written; `again`:
    // everything may be computed once more.
    void protect(program_plan& plan, bool again) {
        const auto shared = outputs_in_place(slots_, asked_.type);
        const auto add = [&](ir::ref name) {
            if (std::ranges::find(postponed_, name) == postponed_.end()) postponed_.push_back(name);
        };
        // Another order may make another output unsafe.
        for (std::size_t before = postponed_.size();; before = postponed_.size()) {
            for (const ir::ref name : shared)
                if (again || !safe_in_place(plan, slot_of_name(name))) add(name);
            // What is read once more when all is computed again may not have been written.
            for (std::size_t n = 0; again && n < slots_.size(); ++n)
                if (const auto name = static_cast<ir::ref>(n);
                    roles_.output[n] && (asked_.beta != number(0) || roles_.adds_up(name)))
                    add(name);
            if (postponed_.size() == before) return;
            plan = assignments();
        }
    }

    // `alike`: in a loop all steps run in every pass.
    void compile(program_plan& plan, bool alike) const {
        emit(plan);
        after("emit", &plan);
        join_contractions(plan);
        after("join", &plan);
        if (around_ != nullptr) {
            wrap_in_loop(plan, *around_, alike);
            after("loop", &plan);
        }
        lay_out_workspace(plan);
        after("workspace", &plan);
    }

    const engine::request& asked_;
    const pass_observer& observe_;
    const bool shows_;
    const step_loop* around_;
    const bool careful_;  // every bracket chooses

    ir::shape_table shapes_;
    name_roles roles_;
    std::vector<slot> slots_;  // of each name
    // Of 16 bits, by name: what no text asks for, and which of them are floats in groups.
    std::vector<bool> intermediates_, floats_;
    std::vector<ir::ref> postponed_;  // outputs that are computed elsewhere and copied at the end
};

}  // namespace

program_plan make_plan(const engine::request& asked, const pass_observer& observe,
                       const step_loop* around) {
    static const bool prints = has_environment("RICCI_PRINT_PASSES", false);
    const pass_observer after_each = [&](const char* pass, const ir::program_view& program,
                                         const program_plan* plan) {
        if (prints) std::fputs(notation_after(pass, program, plan).c_str(), stderr);
        if (observe) observe(pass, program, plan);
    };
    return planner(asked, after_each, prints || observe, around, false).run();
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
