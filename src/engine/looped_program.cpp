// A program whose steps run in a loop.
#include "src/engine/looped_program.hpp"

#include <utility>

#include "src/engine/plan_words.hpp"
#include "src/engine/requests.hpp"
#include "src/plan/code/copy_plan.hpp"
#include "src/plan/make_plan.hpp"

namespace ricci::engine {

looped_program::looped_program(ir::program program, element type, std::int64_t passes,
                               direction way)
    : program_(std::move(program)), type_(type) {
    loop_.counts = {passes};
    loop_.backwards = way == direction::backwards;
}

void looped_program::bind_input(ir::ref name, const operand& one, const plan::moving_slot& place) {
    keep(name, one, place, false);
}

void looped_program::bind_output(ir::ref name, const operand& one, const plan::moving_slot& place) {
    keep(name, one, place, true);
}

void looped_program::add_up(ir::ref name, const operand& total) {
    plan::moving_slot still;
    still.base = static_cast<std::byte*>(total.data);
    keep(name, total, still, true);
    loop_.added_up.push_back(plan::slot_of_name(name));
}

void looped_program::keep(ir::ref name, const operand& one, const plan::moving_slot& place,
                          bool output) {
    operand o = one;
    o.name = name;
    auto& numbers = numbers_.emplace_back(one.extents, one.extents + one.rank);
    numbers.insert(numbers.end(), one.strides, one.strides + one.rank);
    o.extents = numbers.data();
    o.strides = numbers.data() + one.rank;
    const bool is_number = !output && one.rank == 0 && one.data == nullptr && !one.shape_only;
    if (!is_number) {
        plan::moving_slot moving = place;
        moving.slot = plan::slot_of_name(name);
        if (moving.advance.empty()) moving.advance = {0};
        o.data = moving.at({0}, loop_.counts);
        o.shape_only = o.data == nullptr;
        if (moving.advance[0] != 0 || moving.at_first != nullptr || moving.at_last != nullptr)
            loop_.moving.push_back(std::move(moving));
    }
    // What nobody has memory for yet is no output to plan with: it would be one that is bound.
    if (output && o.shape_only) return;
    (output ? outputs_ : inputs_).push_back(o);
}

request looped_program::for_first() const {
    request r;
    r.program = program_.view();
    r.type = type_;
    r.exact_distances = exact_distances_;
    refer(r, inputs_, outputs_, extents_);
    return r;
}

void looped_program::make_plan() {
    if (!is_planned_) plan_ = plan_of(for_first(), &loop_);
    is_planned_ = true;
}

void looped_program::prepare(std::byte* workspace) {
    for (const plan::slot_number number : plan_.around.added_up) {
        const plan::slot& total = plan_.slots[number.index()];
        auto zeros = plan::zeros_plan(type_, total.extents, {total.data, total.strides});
        loans_.add(clears_.emplace_back(std::move(zeros)).steps.loans());
    }
    execution_.emplace(plan_, workspace);
    loans_.add(execution_->loans());
    passes_.emplace(plan_.around);
}

void looped_program::check() {
    if (!execution_->checks_operands()) return;
    passes_->restart();
    do {
        passes_->place(plan_.slots);
        execution_->check_pass(plan_);
    } while (passes_->advance());
}

void looped_program::run() {
    for (engine::planned_execution& clear : clears_) clear.run_held();
    passes_->restart();
    do {
        passes_->place(plan_.slots);
        execution_->run_pass(plan_, *passes_);
    } while (passes_->advance());
}

std::string looped_program::explain_passes() const {
    return plan::explain_passes(for_first(), &loop_);
}

std::string looped_program::explain() const {
    if (execution_) return words_of(view(), plan_, *execution_);
    return words_of(view(), plan_, engine::execution(plan_, engine::execution::purpose::words));
}

}  // namespace ricci::engine
