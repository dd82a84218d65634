// The compiled library's door: an executable is a plan, the memory of its outputs and its kernels.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <ricci/engine/executable.hpp>
#include <ricci/engine/plan_work.hpp>
#include <ricci/error.hpp>

#include "src/engine/call_key.hpp"
#include "src/engine/execution.hpp"
#include "src/engine/layers.hpp"
#include "src/engine/plan_words.hpp"
#include "src/engine/requests.hpp"
#include "src/plan/make_plan.hpp"
#include "src/plan/bind/operands.hpp"
#include "src/plan/words/words.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::engine {

struct executable::state {
    kept_request asked;
    ir::program_view program;
    plan::program_plan plan;
    std::unique_ptr<engine::execution> execution;
    std::unique_ptr<layers> repeated;  // in the place of a plan: the request has layers
    bool places_matter =
        false;  // an output comes near another operand: the plan is for these places only

    explicit state(kept_request&& request) : asked(std::move(request)) {}
};

namespace {

// An output that the caller has bound no memory for, as an operand in the memory that it has.
operand as_operand(const plan::slot& output) {
    operand o;
    o.name = output.name;
    o.rank = static_cast<std::int32_t>(output.extents.size());
    o.data = output.data;
    o.extents = output.extents.data();
    o.strides = output.strides.data();
    return o;
}

bool is_own_output(const plan::slot& slot, const request& r) {
    return slot.kind == plan::storage::output &&
           find_operand(slot.name, r.outputs, r.output_count) == nullptr;
}

bool inputs_touch(const operand& output, const request& r) {
    return std::any_of(r.inputs, r.inputs + r.input_count,
                       [&](const operand& i) { return come_near(output, i, r.type); });
}

// Whether the plan holds for the places of the operands of `r` only. `made` has outputs of its own.
bool depends_on_places(const request& r, const plan::program_plan& made) {
    return outputs_come_near(r) ||
           std::any_of(made.slots.begin(), made.slots.end(), [&](const plan::slot& slot) {
               return is_own_output(slot, r) && inputs_touch(as_operand(slot), r);
           });
}

// Plans anew, with the outputs that the program has memory of its own for: it keeps them where
// their extents are the same.
plan::program_plan plan_again(request r, const plan::program_plan& before) {
    auto made = plan_of(r);
    std::vector<operand> outputs(r.outputs, r.outputs + r.output_count);
    const auto old_of = [&](const plan::slot& slot) -> const plan::slot* {
        if (!is_own_output(slot, r)) return nullptr;
        const auto old = std::find_if(before.slots.begin(), before.slots.end(), [&](const auto& s) {
            return s.name == slot.name && s.kind == plan::storage::output;
        });
        return old == before.slots.end() ? nullptr : &*old;
    };
    for (const auto& slot : made.slots) {
        const plan::slot* const old = old_of(slot);
        if (old == nullptr || old->data == nullptr || !inputs_touch(as_operand(*old), r)) continue;
        if (old->extents != slot.extents)
            throw error(fmt::format(
                "ricci: the output '{}' gets other extents, and an input is bound to the memory "
                "that it had; bind that input to memory of your own.",
                plan::words_of_name(r.program, slot.name)));
        outputs.push_back(as_operand(*old));
    }
    if (outputs.size() > static_cast<std::size_t>(r.output_count)) {
        request with_outputs = r;
        with_outputs.outputs = outputs.data();
        with_outputs.output_count = static_cast<std::int32_t>(outputs.size());
        made = plan_of(with_outputs);
    }
    for (auto& slot : made.slots)
        if (const plan::slot* const old = old_of(slot); old && old->extents == slot.extents)
            slot.data = old->data;
    return made;
}

// `before`: of an executable that is bound anew.
std::unique_ptr<executable::state> make(kept_request&& asked, const request& memory,
                                        const plan::program_plan* before) {
    auto made = std::make_unique<executable::state>(std::move(asked));
    const request r = made->asked.view();
    made->program = r.program;
    made->plan = before != nullptr ? plan_again(r, *before) : plan_of(r);
    for (auto& slot : made->plan.slots) {
        if (slot.kind != plan::storage::output || slot.data != nullptr) continue;
        if (r.beta != engine::number(0) || memory.allocate == nullptr)
            throw error(fmt::format("ricci: the output '{}' is bound to no memory.",
                                    plan::words_of_name(r.program, slot.name)));
        slot.data =
            memory.allocate(memory.context, slot.name,
                            static_cast<std::int32_t>(slot.extents.size()), slot.extents.data());
    }
    made->execution = std::make_unique<engine::execution>(made->plan);
    made->places_matter = depends_on_places(r, made->plan);
    return made;
}

// The same with layers. `before`: of an executable that is bound anew.
std::unique_ptr<executable::state> make_layers(kept_request&& asked, const request& memory,
                                               const executable::state* before) {
    auto made = std::make_unique<executable::state>(std::move(asked));
    request r = made->asked.view();
    r.layers = before != nullptr ? &before->repeated->how() : memory.layers;
    r.allocate = memory.allocate;
    r.context = memory.context;
    made->program = r.program;
    made->repeated = std::make_unique<layers>(r, layers::purpose::run,
                                              before != nullptr ? before->repeated.get() : nullptr);
    return made;
}

}  // namespace

executable::executable(const request& r)
    : state_((r.layers != nullptr ? make_layers(kept_request(r), r, nullptr)
                                  : make(kept_request(r), r, nullptr))
                 .release()) {}

executable::~executable() { delete state_; }

void executable::check() const {
    if (state_ == nullptr)
        throw error(
            "ricci: this prepared program has been moved from; use the one that it was moved to.");
}

void executable::run() {
    check();
    state_->asked.check();
    if (state_->repeated != nullptr) state_->repeated->run();
    else state_->execution->run(state_->plan);
}

void executable::bind(const request& changes) {
    check();
    try {
        bind_changes(changes);
    } catch (const plan::shape_error& e) {
        const auto& asked = state_->asked.view();
        if (changes.input_count + changes.output_count == asked.input_count + asked.output_count)
            throw error(e.what());
        throw error(fmt::format(
            "{}; operands whose extents change together are bound in one call of bind", e.what()));
    }
}

void executable::bind_changes(const request& changes) {
    kept_request asked = state_->asked.with(changes);
    if (state_->repeated != nullptr) {
        auto made = make_layers(std::move(asked), changes, state_);
        delete std::exchange(state_, made.release());
        return;
    }
    const request r = asked.view();
    if (state_->places_matter || key_of(r) != key_of(state_->asked.view()) ||
        depends_on_places(r, state_->plan)) {
        auto made = make(std::move(asked), changes, &state_->plan);
        delete std::exchange(state_, made.release());
        return;
    }
    state_->asked = std::move(asked);
    operand_finder inputs(r.inputs, r.input_count);
    for (auto& slot : state_->plan.slots) {
        const bool input = slot.kind == plan::storage::input && !slot.own;
        if (!input && slot.kind != plan::storage::output) continue;
        const operand* const bound =
            input ? inputs.find(slot.name) : find_operand(slot.name, r.outputs, r.output_count);
        if (bound != nullptr && bound->data != nullptr) slot.data = bound->data;
    }
    state_->execution->bind(state_->plan);
}

std::string executable::explain() const {
    check();
    if (state_->repeated != nullptr) return state_->repeated->explain();
    return words_of(state_->program, state_->plan, *state_->execution);
}

std::string explain(const request& r) {
    if (r.layers != nullptr) return layers(r, layers::purpose::words).explain();
    const plan::program_plan made = plan_of(r);
    const engine::execution execution(made, engine::execution::purpose::words);
    return words_of(r.program, made, execution);
}

std::string explain_passes(const request& r) {
    if (r.layers == nullptr) return plan::explain_passes(r);
    return layers(r, layers::purpose::words).explain_passes();
}

memory_sizes memory_of(const request& r) {
    if (r.layers != nullptr) return layers(r, layers::purpose::words).memory();
    const plan::program_plan plan = plan_of(r);
    memory_sizes needed;
    needed.workspace = plan.workspace_bytes;
    for (const auto& slot : plan.slots) {
        if (slot.kind != plan::storage::output || slot.data != nullptr) continue;
        std::size_t bytes = size_of(plan.type);
        for (const std::int64_t e : slot.extents) bytes *= static_cast<std::size_t>(e);
        needed.outputs += bytes;
    }
    return needed;
}

plan_work work_of(const request& r) {
    if (r.layers != nullptr) throw error("ricci: the work of repeated layers is not counted.");
    const plan::program_plan plan = plan_of(r);
    plan_work work;
    work.workspace = plan.workspace_bytes;
    for (std::size_t k = 0; k < plan.compiled.size(); ++k) {
        const auto times = static_cast<double>(plan::times_of(k, plan.compiled_passes));
        plan::for_each_part(plan.compiled[k], [&](const auto& part) {
            work.flops += times * part.flops;
            work.bytes += times * part.bytes;
        });
    }
    return work;
}

void set_threads(int count) { runtime::set_worker_count(count); }

}  // namespace ricci::engine
