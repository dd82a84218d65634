#include "src/network/lane.hpp"

#include <algorithm>

#include "src/network/parallel_parts.hpp"

namespace ricci::networks {
namespace {

// The plan of another lane than the first one, whose constants are read where that one makes them.
network_plan with_constants_of(const sliced_plan& of, std::byte* workspace) {
    network_plan made = of.planned;
    for (std::size_t s = 0; s < of.is_constant.size(); ++s) {
        plan::slot& slot = made.plan.slots[s];
        if (!of.is_constant[s] || slot.kind != plan::storage::workspace) continue;
        slot.kind = plan::storage::input;
        slot.data = workspace + slot.workspace_offset;
    }
    return made;
}

}  // namespace

lane::lane(sliced_plan& of, const run_request& asked, std::byte* workspace, const lane* first)
    : of_(of),
      own_(first == nullptr ? std::nullopt
                            : std::optional(with_constants_of(of, first->workspace_))),
      planned_(own_ ? *own_ : of.planned),
      workspace_(workspace),
      counters_(of.loops.size()),
      before_(of.loops.size()),
      is_due_(of.writes.size()) {
    if (asked.algebra)
        algebra_.emplace(of.tree, planned_, of.extents, *asked.algebra, asked.places, workspace);
    else execution_.emplace(planned_.plan, workspace);
    if (has_parts()) find_loans_in_parts();
    if (!asked.scaled) return;
    const scaled_run& run = *asked.exponents;
    exponents_.emplace(of, run.operands, run.block_indices, workspace,
                       first == nullptr ? nullptr : &*first->exponents_);
    for (std::size_t k = 0; k < run.outputs.size(); ++k) {
        const scaled_result& layout = run.outputs[k].layout;
        lands_.emplace_back(layout, of.extents, of.loops, exponents_->result(k).table);
        room_.push_back(layout.make_scratch());
    }
}

// Parts at the same time, or all steps one after another, where little of the parts is due.
void lane::find_loans_in_parts() {
    runtime::loan_book by_part;
    for (std::size_t k = 0; k < of_.part_ends.back(); ++k) {
        if (execution_) execution_->list_loans(k, by_part);
        else algebra_->list_loans(k, by_part);
    }
    in_parts_ = lent_together(by_part, of_.part_ends.size());
    in_parts_.add(execution_ ? execution_->loans() : algebra_->loans());
}

void lane::bind(std::size_t operand, const void* data) {
    planned_.plan.slots[planned_.slots[operand].index()].data = const_cast<void*>(data);
    const auto& moving = of_.moving_operands;
    const auto found =
        std::lower_bound(moving.begin(), moving.end(), operand,
                         [](const auto& one, std::size_t number) { return one.number < number; });
    if (found != moving.end() && found->number == operand) {
        const auto number = static_cast<std::size_t>(found - moving.begin());
        planned_.plan.around.moving[number].base = static_cast<std::byte*>(const_cast<void*>(data));
    }
    if (!execution_) return;  // another algebra reads addresses when it runs
    for (const std::size_t k : of_.readers[operand]) execution_->bind_step(planned_.plan, k);
}

void lane::move(const plan::moving_slot& m) {
    planned_.plan.slots[m.slot.index()].data = m.at(counters_, around().counts);
}

std::size_t lane::run_pass() {
    std::size_t count = 0;
    for (std::size_t k = 0; k < is_due_.size(); ++k) {
        is_due_[k] = (around().depends[k] & changed_).any();
        count += static_cast<std::size_t>(is_due_[k]);
    }
    run_steps(0, is_due_.size(), [&](std::size_t k) { return is_due_[k]; });
    return count;
}

// In another algebra, or with exponents beside the elements.
void lane::run_step(std::size_t step) {
    if (!execution_) return algebra_->run_step(planned_, step, of_.joins[step]);
    if (around().moves[step]) execution_->bind_step(planned_.plan, step);
    if (exponents_) exponents_->before(step);
    execution_->run_step(step);
    if (exponents_) exponents_->after(step);
}

}  // namespace ricci::networks
