// Layers forward, one after another, and running them.
#include "src/engine/layers.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include <ricci/derive/repeat.hpp>

#include "src/engine/requests.hpp"
#include "src/plan/code/copy_plan.hpp"
#include "src/plan/bind/operands.hpp"
#include "src/base/texts.hpp"

namespace ricci::engine {
namespace {

using detail::string_of;
using detail::view_of;

std::size_t element_size(const operand& o, element type) {
    return size_of(o.is_positions ? o.positions : type);
}

bool is_in_row(const operand& o) {
    std::int64_t expected = 1;
    for (std::int32_t axis = o.rank; axis-- > 0;) {
        if (o.extents[axis] != 1 && o.strides[axis] != expected) return false;
        expected *= o.extents[axis];
    }
    return true;
}

}  // namespace

layers::layers(const request& r, purpose what, const layers* before)
    : given_(*r.layers),
      owner_(r.layers->layer_owner),
      signature_(r.program),
      type_(r.type),
      exact_distances_(r.exact_distances),
      purpose_(what),
      operands_(r, what == purpose::run, before == nullptr ? nullptr : &before->operands_),
      memory_(type_, what == purpose::run) {
    if (given_.computes == layering::result_kind::gradient) make_gradient();
    else make_values();
    for (const loop* l : {&forward_, &backward_})
        if (*l != nullptr) (*l)->make_plan();
    if (purpose_ == purpose::run) prepare();
}

void layers::prepare() {
    workspace_ = allocate_workspace(workspace_bytes());
    for (const loop* l : {&forward_, &backward_}) {
        if (*l == nullptr) continue;
        (*l)->prepare(workspace_.get());
        loans_.add((*l)->loans());
    }
    for (auto* const list : {&before_, &after_})
        for (const planned_execution& copy : *list) loans_.add(copy.steps.loans());
}

void layers::run() {
    const runtime::held_memory held(loans_);
    for (planned_execution& copy : before_) copy.run_held();
    for (const loop* l : {&forward_, &backward_})
        if (*l != nullptr) (*l)->check();
    for (const loop* l : {&forward_, &backward_})
        if (*l != nullptr) (*l)->run();
    for (planned_execution& copy : after_) copy.run_held();
}

std::string layers::explain_passes() const {
    std::string text = forward_->explain_passes();
    if (backward_ != nullptr)
        text += "\nback, from the last layer\n\n" + backward_->explain_passes();
    return text;
}

std::string layers::explain() const {
    const std::string from = string_of(given_.layer.name(given_.from));
    const std::string to = string_of(given_.layer.name(given_.to));
    std::string words = fmt::format("{} layers, planned as one: {} of each is {} of the next\n",
                                    given_.count, from, to);
    if (backward_ == nullptr) return fmt::format("{}\n{}", words, forward_->explain());
    if (forward_ != nullptr)
        words += fmt::format(
            "\nforward, from the first layer; stored of each for the way back: {}\n\n{}",
            stored_words_, forward_->explain());
    return fmt::format("{}\nback, from the last layer\n\n{}", words, backward_->explain());
}

memory_sizes layers::memory() const {
    memory_sizes all;
    all.workspace = memory_.bytes() + workspace_bytes();
    for (const layer_operand& w : operands_.all()) {
        if (!w.own) continue;
        std::size_t bytes = size_of(type_);
        for (const std::int64_t e : w.extents) bytes *= static_cast<std::size_t>(e);
        all.outputs += bytes;
    }
    return all;
}

std::size_t layers::workspace_bytes() const {
    std::size_t most = 0;
    for (const loop* l : {&forward_, &backward_})
        if (*l != nullptr) most = std::max(most, (*l)->plan().workspace_bytes);
    return most;
}

// What a loop is bound to
// -------------------------------------------------------------------------------------------------

// Where a tensor of the caller lies row-major: there, or in a copy that is made before or after all
// layers.
void* layers::as_row(const layer_operand& w) {
    if (!is_number(w.o) && is_in_row(w.o)) return w.o.data;
    const operand one = memory_.in_row(w.extents);
    std::byte* const memory = memory_.allocate(one, 1);
    if (purpose_ == purpose::words) return nullptr;
    const plan::tensor_memory mine{memory, {one.strides, one.strides + one.rank}},
        theirs{w.o.data, w.strides};
    auto copy = w.output ? plan::copy_plan(type_, w.extents, mine, theirs)
                         : plan::copy_plan(type_, w.extents, theirs, mine);
    (w.output ? after_ : before_).emplace_back(std::move(copy));
    return memory;
}

layers::loop layers::make_loop(ir::program program, direction way) const {
    auto made = std::make_unique<looped_program>(std::move(program), type_, given_.count, way);
    made->set_exact_distances(exact_distances_);
    const ir::program_view p = made->view();
    for (const index_extent& e : operands_.extents())
        for (ir::ref i = 0; i < p.indices.size(); ++i)
            if (p.index(i) == signature_.index(e.index)) made->set_index({i, e.extent});
    return made;
}

std::pair<operand, plan::moving_slot> layers::part_of(const operand& all, bool single,
                                                      element type) {
    operand one = all;
    plan::moving_slot place;
    place.base = static_cast<std::byte*>(all.data);
    if (!single) {
        one.rank -= 1;
        one.extents += 1;
        one.strides += 1;
        place.advance = {all.strides[0] * static_cast<std::int64_t>(element_size(all, type))};
    }
    return {one, place};
}

// All that the caller has bound and the program takes, but for what goes from layer to layer.
void layers::bind_outside(looped_program& to) const {
    const ir::program_view p = to.view(), layer = given_.layer;
    for (const layer_operand& w : operands_.all()) {
        const ir::ref n = p.find(view_of(w.name));
        if (w.output || n == ir::none || p.definition(n) != ir::none) continue;
        const detail::text_view base = p.name(derive::base_of(p, n));
        if (base == layer.name(given_.to) || base == layer.name(given_.from)) continue;
        const auto [one, place] = part_of(w.o, w.single, type_);
        to.bind_input(n, one, place);
    }
}

// An output of each layer, in its part of the caller's.
void layers::bind_output(looped_program& to, ir::ref name) const {
    const layer_operand* const w = operands_.find(string_of(to.view().name(name)), true);
    const auto [one, place] = part_of(w->o, w->single, type_);
    to.bind_output(name, one, place);
}

// Values, and derivatives forward
// -----------------------------------------------------------------------------------------------

namespace {

// How far the tensor is moved by the directions, as it is spelled.
std::string tangent_in(const ir::program& p, std::string_view of) {
    for (ir::ref n = 0; n < p.names.size(); ++n)
        if (p.names[n].kind == ir::name_kind::tangent && p.name(p.names[n].of) == view_of(of))
            return string_of(p.name(n));
    return {};
}

}  // namespace

ir::program layers::tangent_of_each() const {
    const ir::program_view layer = given_.layer;
    std::vector<detail::text_view> by;
    for (const layer_operand& w : operands_.all()) {
        const ir::ref n = signature_.find(view_of(w.name));
        if (!w.output && signature_.names[n].kind == ir::name_kind::tangent)
            by.push_back(signature_.name(signature_.names[n].of));
    }
    const derive::layer_names names{layer.name(given_.from), layer.name(given_.to), {}};
    return std::move(
        derive::tangent_of_layer(layer, names, by.data(), static_cast<std::int32_t>(by.size()))
            .program);
}

void layers::make_values() {
    const ir::program_view layer = given_.layer;
    const std::string from = string_of(layer.name(given_.from)),
                      to = string_of(layer.name(given_.to));
    std::vector<std::pair<std::string, std::string>> chains{{from, to}};
    ir::program program(layer);
    if (given_.computes == layering::result_kind::tangent) {
        program = tangent_of_each();
        chains.emplace_back(tangent_in(program, from), tangent_in(program, to));
    }
    for (const layer_operand& w : operands_.all())
        if (w.output) program.names[program.find(view_of(w.name))].kept = true;
    forward_ = make_loop(std::move(program), direction::forwards);
    bind_outside(*forward_);
    for (const auto& [given, taken] : chains) add_chain(*forward_, given, taken);
    const ir::program_view p = forward_->view();
    const plan::name_roles roles = plan::find_roles(p);
    for (ir::ref n = 0; n < p.names.size(); ++n) {
        const std::string name = string_of(p.name(n));
        const auto is_chain = [&](const auto& c) { return c.first == name; };
        if (roles.output[static_cast<std::size_t>(n)] &&
            std::none_of(chains.begin(), chains.end(), is_chain))
            bind_output(*forward_, n);
    }
}

// What a layer gives as `from` and the next takes as `into`, in two places by turns.
void layers::add_chain(looped_program& to, std::string_view from, std::string_view into) {
    const layer_operand &first = *operands_.find(into, false), &last = *operands_.find(from, true);
    const operand one = memory_.in_row(first.extents);
    std::byte* const memory = given_.count > 1 ? memory_.allocate(one, 2) : nullptr;
    plan::moving_slot taken = memory_.by_turns(one, memory, 1),
                      given = memory_.by_turns(one, memory, 0);
    taken.at_first = as_row(first);
    given.at_last = as_row(last);
    const ir::program_view p = to.view();
    to.bind_input(p.find(view_of(into)), one, taken);
    to.bind_output(p.find(view_of(from)), one, given);
}

}  // namespace ricci::engine
