// Walking a plan: kernels prepared for its steps, and every tensor's address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/contract/product_calls.hpp"
#include "src/engine/nan_search.hpp"
#include "src/engine/ready_steps.hpp"
#include "src/engine/workspace_memory.hpp"
#include "src/plan/schedule/plan.hpp"

namespace ricci::engine {

/// A plan ready to run: owns the workspace; operands and outputs are the caller's.
class execution {
public:
    /// Every slot of the plan has its memory, but for those in the workspace.
    explicit execution(const plan::program_plan& plan) : execution(plan, purpose::run) {}

    /// To run a plan, or only to tell how it would be: without workspace, and without any memory.
    enum class purpose : std::uint8_t { run, words };
    execution(const plan::program_plan& plan, purpose what);
    /// To run a plan in a workspace of the caller's: plans that run one after the other share one.
    execution(const plan::program_plan& plan, std::byte* workspace);

    /// Takes the memory of the slots anew, of the plan that this was made from. Allocates nothing.
    void bind(const plan::program_plan& plan);

    /// Carries out the steps in order. Memory that they lend is held before anything is written:
    /// there is nothing to allocate, unless there are more workers than ever before, or other
    /// threads hold what there is. Throws std::bad_alloc; and ricci::error for a number that is no
    /// place of the axis it is looked up in: before anything is written where an operand holds it.
    /// `plan`: that which it was bound to last, whose slots lie further on where steps have passes.
    void run(const plan::program_plan& plan);

    /// The same where the caller holds what all of it lends.
    void run_held(const plan::program_plan& plan);
    const runtime::loan_book& loans() const { return loans_; }
    runtime::loan_book& loans() { return loans_; }
    /// What one step lends.
    void list_loans(std::size_t step, runtime::loan_book& to) const;

    // Passes of the plan's loop, by whoever goes through them, while all that is lent is held.
    // First what is wrong with operands that no pass writes: throws ricci::error.
    bool checks_operands() const { return !rules_.empty() || !early_checks_.empty(); }
    void check_pass(const plan::program_plan& plan);
    /// The steps that run in it, with the addresses that slots have now.
    void run_pass(const plan::program_plan& plan, const plan::pass_counter& pass);

    // One step of a plan that has no rules and looks nothing up, by whoever runs steps in loops:
    // with the addresses that its slots have now; while all that it lends is held.
    void bind_step(const plan::program_plan& plan, std::size_t step, std::int64_t pass = 0);
    void run_step(std::size_t step) {
        if (calls_.has_calls(step)) return calls_.run(step);
        std::visit([](auto& ready) { ready.run(); }, steps_[step].what);
    }
    /// Those of [first, end) for which `is_due(step)`.
    template <class IsDue>
    void run_steps(std::size_t first, std::size_t end, const IsDue& is_due) {
        for (; first < end; ++first) {
            first = calls_.run(first, end, is_due);
            if (first < end) run_step(first);
        }
    }

    /// How the kernels carry out a part of a step, where that is worth telling.
    std::string words(std::size_t step, std::size_t part) const;

private:
    struct prepared_step {
        struct result {
            plan::slot_number slot;
            strided_elements tensor;
        };
        ready_step what;
        std::vector<result> results;  // that have to be numbers: see plan::step::hides
    };
    /// A gather whose numbers are operands: they are checked before anything is written.
    struct early_check {
        std::size_t step = 0;
        // The steps that make its condition; none: there is no condition.
        std::optional<std::vector<std::size_t>> before;
        bool carried = false;  // it rests on what an earlier pass of a loop writes
    };
    static std::optional<early_check> find_early_check(const plan::program_plan& plan,
                                                       std::size_t step);
    static std::optional<early_check> check_under(const plan::program_plan& plan, std::size_t step,
                                                  std::vector<plan::slot_number> conditions);
    static std::optional<std::vector<std::size_t>> steps_before_check(
        const plan::program_plan& plan, std::size_t lookups, std::vector<plan::slot_number> open);
    static bool touches_carried(const plan::program_plan& plan, const early_check& check);
    void check_early(const early_check& check, const plan::program_plan& plan);
    void run_before(const std::vector<std::size_t>& steps, const plan::program_plan& plan);

    void list_results(const plan::program_plan& plan, std::size_t step);
    void bind_results(const plan::program_plan& plan, std::size_t step, std::int64_t pass = 0);
    bool gives_nan(std::size_t step) const {
        const auto& results = steps_[step].results;
        return !results.empty() && holds_any_nan(results);
    }
    static bool holds_any_nan(const std::vector<prepared_step::result>& results);
    void bind_again(const plan::program_plan& plan, std::size_t first, std::size_t end,
                    std::int64_t pass);
    bool run_steps(const plan::program_plan& plan);
    bool run_all(const plan::program_plan& plan);
    bool run_between(std::size_t first, std::size_t end);
    void run_instead();
    void bind_pass(const plan::program_plan& plan, const plan::pass_counter& pass);

    void make_steps(const plan::program_plan& plan);
    void make_rules(const plan::program_plan& plan);

    workspace_memory own_workspace_;
    std::byte* workspace_ = nullptr;  // that, or the caller's
    std::vector<prepared_step> steps_;
    std::vector<plan::step_passes> passes_;
    contractions::call_list calls_;  // of contractions that come to so little
    runtime::loan_book loans_;
    std::vector<early_check> early_checks_;
    /// The numbers of an operand that has to be between two; without words, or the plan is another
    /// one.
    struct operand_range {
        plan::slot_number slot;
        strided_elements tensor;
        std::int64_t least = 0, most = 0;
        std::string words;
        bool moves = false, carried = false;  // in a loop: see moving_slot
        bool kept = true;                     // when it was looked at last

        void look();
    };
    bool keep_rules();
    std::vector<operand_range> rules_;
    // What to run where results are no numbers, made when that happens first, and the memory of
    // operands.
    std::shared_ptr<const plan::program_plan> instead_;
    std::vector<plan::slot> operands_;
};

/// A plan, and what runs it while the caller holds what it lends.
struct planned_execution {
    explicit planned_execution(plan::program_plan made) : plan(std::move(made)), steps(plan) {}
    void run_held() { steps.run_held(plan); }

    plan::program_plan plan;
    execution steps;
};

}  // namespace ricci::engine
