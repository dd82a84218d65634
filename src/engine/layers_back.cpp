// The gradient of layers: forward with what the way back needs stored for each layer, then back.
#include <algorithm>
#include <utility>

#include <ricci/bind/check.hpp>
#include <ricci/derive/repeat.hpp>

#include "src/engine/layers.hpp"
#include "src/engine/requests.hpp"
#include "src/base/texts.hpp"

namespace ricci::engine {
namespace {

using detail::string_of;
using detail::view_of;

bool contains(const std::vector<std::string>& list, detail::text_view name) {
    return std::any_of(list.begin(), list.end(),
                       [&](const std::string& s) { return view_of(s) == name; });
}

// The equations that the tensors `kept` need, and these as outputs.
ir::program only(const ir::program_view& p, const std::vector<std::string>& kept) {
    ir::program all(p);
    for (ir::name_symbol& n : all.names) n.kept = false;
    for (const std::string& name : kept) all.names[all.find(view_of(name))].kept = true;
    return derive::drop_dead_equations(all);
}

// The same without the definitions of what is stored, which is an input then.
ir::program without(const ir::program_view& p, const std::vector<std::string>& stored,
                    const std::vector<std::string>& kept) {
    ir::program rest(p);
    rest.equations.clear();
    for (const ir::equation& e : p.equations)
        if (!contains(stored, p.name(e.name))) rest.equations.push(e);
    return only(rest, kept);
}

}  // namespace

void layers::make_gradient() {
    const ir::program_view layer = given_.layer;
    const derive::layer_names names{layer.name(given_.from), layer.name(given_.to), {}};
    const std::string from = string_of(names.from), to = string_of(names.to);
    std::vector<detail::text_view> by;
    for (const layer_operand& w : operands_.all()) {
        const ir::name_symbol& n = signature_.names[signature_.find(view_of(w.name))];
        if (w.output && n.kind == ir::name_kind::cotangent) by.push_back(signature_.name(n.of));
    }
    derive::derived back =
        derive::gradient_of_layer(layer, names, by.data(), static_cast<std::int32_t>(by.size()));
    const layer_operand* const value = operands_.find(from, true);
    const layer_operand& first = *operands_.find(to, false);

    // What a layer gives is kept of every one but the last, whose value may be the caller's.
    const operand one = memory_.in_row(first.extents);
    layer_place taken, given;
    const std::int64_t kept = given_.count - (value != nullptr ? 1 : 0);
    taken.base = given.base = kept > 0 ? memory_.allocate(one, kept) : nullptr;
    taken.step = given.step = memory_.bytes_of(one);
    taken.shift = -1;
    taken.at_first = as_row(first);
    if (value != nullptr) given.at_last = as_row(*value);

    forward_ = make_stage(only(layer, {from}));
    bind_outside(*forward_);
    const auto bind_chain = [&](layer_stage& s, bool output) {
        const ir::program_view p = s.view();
        if (is_input(p, p.find(view_of(to)))) s.bind(p.find(view_of(to)), one, taken, false);
        const ir::ref n = p.find(view_of(from));
        if (n == ir::none) return;
        if (output) s.bind(n, one, given, true);
        else if (is_input(p, n)) s.bind(n, one, given, false);
    };
    bind_chain(*forward_, true);

    std::vector<std::string> outputs;
    for (ir::ref n = 0; n < back.program.names.size(); ++n)
        if (back.program.names[n].kept && !(back.program.name(n) == names.from))
            outputs.push_back(string_of(back.program.name(n)));
    std::vector<std::string> stored;
    if (!given_.recompute) {
        stored = tensors_in_memory();
        stored.push_back(from);
    }
    ir::program rest = without(back.program, stored, outputs);
    std::erase_if(
        stored, [&](const std::string& name) { return !is_input(rest, rest.find(view_of(name))); });
    backward_ = make_stage(std::move(rest));
    bind_outside(*backward_);
    bind_chain(*backward_, false);
    store(stored, bind_chain);
    bind_cotangents(outputs, one);
    const ir::program_view p = backward_->view();
    if (value == nullptr && stored.empty() && !is_input(p, p.find(view_of(to))))
        forward_ = nullptr;  // nothing of it is asked for
}

// The tensors that a forward run computes and stores, rather than using them up on the way.
std::vector<std::string> layers::tensors_in_memory() {
    const plan::program_plan plan = plan_of(forward_->for_first());
    const ir::program_view planned = plan.rewritten ? plan.rewritten->view() : forward_->view();
    std::vector<std::string> all;
    for (const plan::slot& slot : plan.slots) {
        if (slot.kind != plan::storage::workspace || slot.name == ir::none) continue;
        const std::string name = string_of(planned.name(slot.name));
        const ir::ref mine = given_.layer.find(view_of(name));
        if (mine != ir::none && given_.layer.definition(mine) != ir::none) all.push_back(name);
    }
    return all;
}

// Gives each of these tensors memory for all layers, which the forward run writes.
template <class BindChain>
void layers::store(const std::vector<std::string>& names, BindChain bind_chain) {
    const ir::program_view layer = given_.layer;
    const std::string from = string_of(layer.name(given_.from));
    stored_words_ = string_of(layer.name(given_.to));
    std::vector<std::string> kept = names;
    if (!contains(kept, view_of(from))) kept.push_back(from);
    std::vector<std::vector<std::int64_t>> extents;
    const plan::program_plan plan = plan_of(forward_->for_first());
    const ir::program_view planned = plan.rewritten ? plan.rewritten->view() : forward_->view();
    for (const std::string& name : kept)
        for (const plan::slot& slot : plan.slots)
            if (slot.name != ir::none && planned.name(slot.name) == view_of(name))
                extents.push_back(slot.extents);
    forward_ = make_stage(only(layer, kept));
    bind_outside(*forward_);
    bind_chain(*forward_, true);
    for (std::size_t k = 0; k < kept.size(); ++k) {
        if (kept[k] == from) continue;
        const operand one = memory_.in_row(extents[k]);
        layer_place place;
        place.base = memory_.allocate(one, given_.count);
        place.step = memory_.bytes_of(one);
        forward_->bind(forward_->view().find(view_of(kept[k])), one, place, true);
        backward_->bind(backward_->view().find(view_of(kept[k])), one, place, false);
        stored_words_ += ", " + kept[k];
    }
}

// The derivatives that go from layer to layer, and those that are asked for.
void layers::bind_cotangents(const std::vector<std::string>& outputs, const operand& one) {
    const ir::program_view p = backward_->view();
    const ir::ref dy = derive::cotangent_in(p, given_.layer.name(given_.from));
    const ir::ref dx = derive::cotangent_in(p, given_.layer.name(given_.to));
    layer_place taken, given;
    if (given_.count > 1 || operands_.find(string_of(p.name(dx)), true) == nullptr)
        taken.base = given.base = memory_.allocate(one, 2);
    taken.step = given.step = memory_.bytes_of(one);
    taken.alternates = given.alternates = true;
    taken.shift = 1;  // that of the layer behind
    if (is_input(p, dy)) {
        taken.at_last = as_row(*operands_.find(string_of(p.name(dy)), false));
        backward_->bind(dy, one, taken, false);
    }
    for (const std::string& name : outputs) {
        const ir::ref n = p.find(view_of(name));
        const layer_operand* const w = operands_.find(name, true);
        if (n == dx) {
            if (w != nullptr) given.at_first = as_row(*w);
            backward_->bind(n, one, given, true);
        } else if (!w->single) {
            bind_output(*backward_, n);
        } else {  // of what all share: the sum over layers
            const operand part = memory_.in_row(w->extents);
            layer_place place;
            place.base = memory_.allocate(part, 1);
            place.at_last = as_row(*w);
            backward_->bind(n, part, place, true);
            add_sum(part, place);
        }
    }
}

// total = total + part, where the last layer has written the total.
void layers::add_sum(const operand& row, const layer_place& place) {
    auto sum = std::make_unique<layer_stage>(element_wise(row.rank, true), type_, 1);
    layer_place total, part;
    total.base = static_cast<std::byte*>(place.at_last);
    part.base = place.base;
    const ir::program_view p = sum->view();
    sum->bind(p.find("X"), row, total, false);
    sum->bind(p.find("Y"), row, part, false);
    sum->bind(p.find("Z"), row, total, true);
    sums_.push_back(std::move(sum));
}

}  // namespace ricci::engine
