// Plans that are changed by hand, and what the verifier says of them.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "src/plan/make_plan.hpp"
#include "src/plan/verify/verify.hpp"
#include "src/plan/verify/verify_compiled.hpp"
#include "tests/catch.hpp"
#include "tests/unit/plan/recorded/bound_case.hpp"

namespace ricci::testing {

/// A program, and its plan after one of the passes.
class planned {
public:
    planned(const recorded_program& which, std::string pass)
        : bound_(which), pass_(std::move(pass)) {
        plan::make_plan(bound_.request(), [&](const char* name, const ir::program_view& program,
                                              const plan::program_plan* plan) {
            if (name != pass_ || plan == nullptr || plan->careful) return;
            plan_ = *plan;
            program_ = ir::program(program);
        });
    }

    /// Breaks a copy of the plan, by `change`, and checks that the verifier says: after the pass,
    /// `words`, and a step that begins with `step`.
    template <class F>
    void refuses(const std::string& words, const std::string& step, F change) const {
        auto broken = plan_;
        change(broken);
        for (auto& s : broken.steps)
            s = std::visit([&](auto& what) { return make_step(broken.values, what); }, s.what);
        check(broken, words, step);
    }
    /// The same where steps have to stay as they are.
    template <class F>
    void refuses_steps(const std::string& words, const std::string& step, F change) const {
        auto broken = plan_;
        change(broken);
        check(broken, words, step);
    }

    /// The slot of a tensor in memory.
    plan::slot_number slot(const std::string& name) const {
        return plan::slot_of_name(
            program_.find({name.data(), static_cast<std::int32_t>(name.size())}));
    }
    /// The loop that walks an axis of the tensor where it is written.
    plan::loop loop_of(const std::string& name, std::size_t axis) const {
        for (const auto& s : plan_.steps)
            if (const auto* a = s.as_assign(); a != nullptr && a->target.slot == slot(name))
                return a->target.at[axis].terms[0].over;
        throw std::logic_error("nothing writes " + name);
    }

private:
    void check(const plan::program_plan& broken, const std::string& words,
               const std::string& step) const {
        std::string said = "nothing";
        try {
            plan::verify(broken, program_.view(), pass_.c_str());
            if (!broken.compiled.empty()) plan::verify_compiled(broken, pass_.c_str());
        } catch (const std::logic_error& e) {
            said = e.what();
        }
        const std::string wanted = "after " + pass_ + ": " + words + ": ";
        INFO(said);
        INFO(wanted << "... " << step);
        CHECK(said.compare(0, wanted.size(), wanted) == 0);
        CHECK(said.find(step, std::min(said.size(), wanted.size())) != std::string::npos);
    }

    bound_case bound_;
    std::string pass_;
    plan::program_plan plan_;
    ir::program program_;
};

/// The first assignment that writes a tensor, one step of its own.
inline plan::assign& assignment(plan::program_plan& p, plan::slot_number slot) {
    for (auto& s : p.steps)
        if (auto* a = std::get_if<plan::assign>(&s.what); a != nullptr && a->target.slot == slot)
            return *a;
    throw std::logic_error("no such assignment");
}
inline plan::assign& assignment(plan::program_plan& p, plan::assignment_kind kind) {
    for (auto& s : p.steps)
        if (auto* a = std::get_if<plan::assign>(&s.what); a != nullptr && a->kind == kind)
            return *a;
    throw std::logic_error("no such assignment");
}
inline plan::fused& group(plan::program_plan& p, std::size_t n = 0) {
    for (auto& s : p.steps)
        if (auto* f = std::get_if<plan::fused>(&s.what); f != nullptr && n-- == 0) return *f;
    throw std::logic_error("no such group");
}
inline plan::chained& chain(plan::program_plan& p) {
    for (auto& s : p.steps)
        if (auto* c = std::get_if<plan::chained>(&s.what)) return *c;
    throw std::logic_error("no chain");
}
inline plan::member& member_of(plan::fused& group, plan::member_kind kind, std::size_t n = 0) {
    for (auto& m : group.members)
        if (m.kind == kind && n-- == 0) return m;
    throw std::logic_error("no such member");
}

}  // namespace ricci::testing
