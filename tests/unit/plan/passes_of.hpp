// The plan of a program before and after each pass of the planner.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "src/plan/make_plan.hpp"
#include "src/plan/words/notation.hpp"
#include "tests/unit/plan/recorded/bound_case.hpp"

namespace ricci::testing {

/// What an observer sees of a plan.
struct seen_plan {
    std::string notation;
    std::size_t rules = 0, compiled = 0, workspace_bytes = 0;

    bool operator==(const seen_plan&) const = default;
};

class passes_of {
public:
    explicit passes_of(const recorded_program& which) {
        bound_case program(which);
        plan::make_plan(program.request_with_memory(),
                        [&](const char* pass, const ir::program_view& view,
                            const plan::program_plan* made) { add(pass, view, made); });
    }
    /// The plan after the pass, and before it: as the passes before it left it. Of passes that ran again,
    /// since a later one began anew, the first time counts.
    const seen_plan& after(const std::string& pass) const { return at(pass).second; }
    const seen_plan& before(const std::string& pass) const { return at(pass).first; }
    bool ran(const std::string& pass) const { return all_.count(pass) > 0; }
    /// Those that ran.
    std::set<std::string> names() const {
        std::set<std::string> out;
        for (const auto& [name, seen] : all_) out.insert(name);
        return out;
    }

private:
    void add(const char* pass, const ir::program_view& view, const plan::program_plan* made) {
        seen_plan now{plan::notation_of(view, made)};
        if (made != nullptr) {
            now.rules = made->rules.size();
            now.compiled = made->compiled.size();
            now.workspace_bytes = made->workspace_bytes;
        }
        if (all_.count(pass) > 0) return;
        all_[pass] = {std::exchange(last_, now), now};
    }
    const std::pair<seen_plan, seen_plan>& at(const std::string& pass) const {
        if (!ran(pass)) throw std::logic_error("no pass is called " + pass);
        return all_.at(pass);
    }

    std::map<std::string, std::pair<seen_plan, seen_plan>> all_;
    seen_plan last_;
};

}  // namespace ricci::testing
