// The gradient of layers: forward with what the way back needs stored for each layer, then back.
#include <algorithm>
#include <tuple>
#include <utility>

#include <ricci/detail/bind/check.hpp>
#include <ricci/derive/drop_dead_equations.hpp>
#include <ricci/derive/repeat.hpp>

#include "src/engine/layers.hpp"
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

// Where the layers have what one gives and the next takes, all of which the way back reads.
struct layers::chain_places {
    operand one;  // as a layer sees it
    std::string from, to;
    plan::moving_slot taken, given;

    void bind(looped_program& s, bool gives) const {
        const ir::program_view p = s.view();
        const ir::ref x = p.find(view_of(to)), y = p.find(view_of(from));
        // Where nothing reads it, its derivative has its shape from there.
        if (x != ir::none && p.definition(x) == ir::none) s.bind_input(x, one, taken);
        if (y == ir::none) return;
        if (gives) s.bind_output(y, one, given);
        else if (is_input(p, y)) s.bind_input(y, one, given);
    }
};

// What a layer gives is kept of every one but the last, whose value may be the caller's.
layers::chain_places layers::place_chain() {
    chain_places chain;
    chain.from = string_of(given_.layer.name(given_.from));
    chain.to = string_of(given_.layer.name(given_.to));
    const layer_operand& first = *operands_.find(chain.to, false);
    const layer_operand* const value = operands_.find(chain.from, true);
    chain.one = memory_.in_row(first.extents);
    const std::int64_t kept = given_.count - (value != nullptr ? 1 : 0);
    std::byte* const memory = kept > 0 ? memory_.allocate(chain.one, kept) : nullptr;
    chain.taken = memory_.in_line(chain.one, memory, 1);
    chain.given = memory_.in_line(chain.one, memory, 0);
    chain.taken.at_first = as_row(first);
    if (value != nullptr) chain.given.at_last = as_row(*value);
    return chain;
}

void layers::make_gradient() {
    const ir::program_view layer = given_.layer;
    std::vector<detail::text_view> by;
    for (const layer_operand& w : operands_.all()) {
        const ir::name_symbol& n = signature_.names[signature_.find(view_of(w.name))];
        if (w.output && n.kind == ir::name_kind::cotangent) by.push_back(signature_.name(n.of));
    }
    const derive::layer_names names{layer.name(given_.from), layer.name(given_.to), {}};
    const derive::derived back =
        derive::gradient_of_layer(layer, names, by.data(), static_cast<std::int32_t>(by.size()));
    const chain_places chain = place_chain();

    forward_ = make_loop(only(layer, {chain.from}), direction::forwards);
    bind_outside(*forward_);
    chain.bind(*forward_, true);

    std::vector<std::string> outputs;
    for (ir::ref n = 0; n < back.program.names.size(); ++n)
        if (back.program.names[n].kept && !(back.program.name(n) == names.from))
            outputs.push_back(string_of(back.program.name(n)));
    std::vector<std::string> stored;
    if (!given_.recompute) {
        stored = tensors_in_memory();
        stored.push_back(chain.from);
    }
    const std::vector<std::string> asked = outputs;
    std::erase_if(outputs,  // what is stored is written on the way forward
                  [&](const std::string& name) { return contains(stored, view_of(name)); });
    ir::program rest = without(back.program, stored, outputs);
    std::erase_if(stored, [&](const std::string& name) {
        return !is_input(rest, rest.find(view_of(name))) && !contains(asked, view_of(name));
    });
    backward_ = make_loop(std::move(rest), direction::backwards);
    bind_outside(*backward_);
    chain.bind(*backward_, false);
    store(stored, chain);
    bind_cotangents(outputs, chain.one);
    const ir::program_view p = backward_->view();
    const bool value = operands_.find(chain.from, true) != nullptr;
    if (!value && stored.empty() && !is_input(p, p.find(view_of(chain.to))))
        forward_ = nullptr;  // nothing of it is asked for
}

// The tensors that a forward run computes for each layer and stores, rather than using them up on
// the way.
std::vector<std::string> layers::tensors_in_memory() const {
    forward_->make_plan();
    const plan::program_plan& plan = forward_->plan();
    std::vector<bool> once(plan.slots.size(), false);
    for (std::size_t k = 0; k < plan.compiled.size(); ++k)
        for_each_slot(plan.compiled[k], [&](plan::slot_number slot, bool writes) {
            if (writes) once[slot.index()] = plan.around.runs_once(k);
        });
    std::vector<std::string> all;
    for (std::size_t s = 0; s < plan.slots.size(); ++s) {
        const plan::slot& slot = plan.slots[s];
        if (slot.kind != plan::storage::workspace || slot.name == ir::none || once[s]) continue;
        const std::string name = string_of(forward_->view().name(slot.name));
        const ir::ref mine = given_.layer.find(view_of(name));
        if (mine != ir::none && given_.layer.definition(mine) != ir::none) all.push_back(name);
    }
    return all;
}

// Gives each of these tensors memory for all layers, which the forward run writes: the caller's for
// those that are outputs, too.
void layers::store(const std::vector<std::string>& names, const chain_places& chain) {
    stored_words_ = chain.to;
    std::vector<std::string> kept{chain.from};
    for (const std::string& name : names)
        if (name != chain.from) kept.push_back(name);
    if (kept.size() == 1) return;  // forward as it is
    const plan::program_plan& plan = forward_->plan();
    const auto extents_of = [&](const std::string& name) {
        for (const plan::slot& slot : plan.slots)
            if (slot.name != ir::none && forward_->view().name(slot.name) == view_of(name))
                return slot.extents;
        return std::vector<std::int64_t>();
    };
    loop storing = make_loop(only(given_.layer, kept), direction::forwards);
    bind_outside(*storing);
    chain.bind(*storing, true);
    for (const std::string& name : kept) {
        if (name == chain.from) continue;
        operand one = memory_.in_row(extents_of(name));
        plan::moving_slot place;
        if (const layer_operand* const asked = operands_.find(name, true); asked != nullptr)
            std::tie(one, place) = part_of(asked->o, asked->single, type_);
        else place = memory_.in_line(one, memory_.allocate(one, given_.count), 0);
        storing->bind_output(storing->view().find(view_of(name)), one, place);
        const ir::ref read = backward_->view().find(view_of(name));
        if (is_input(backward_->view(), read)) backward_->bind_input(read, one, place);
        stored_words_ += ", " + name;
    }
    forward_ = std::move(storing);
}

// The derivatives that go from layer to layer, and those that are asked for.
void layers::bind_cotangents(const std::vector<std::string>& outputs, const operand& one) {
    const ir::program_view p = backward_->view();
    const ir::ref dy = derive::cotangent_in(p, given_.layer.name(given_.from));
    const ir::ref dx = derive::cotangent_in(p, given_.layer.name(given_.to));
    const bool anywhere =
        given_.count > 1 || operands_.find(string_of(p.name(dx)), true) == nullptr;
    std::byte* const memory = anywhere ? memory_.allocate(one, 2) : nullptr;
    if (is_input(p, dy)) {
        plan::moving_slot taken = memory_.by_turns(one, memory, 1);
        taken.at_last = as_row(*operands_.find(string_of(p.name(dy)), false));
        backward_->bind_input(dy, one, taken);
    }
    for (const std::string& name : outputs) {
        const ir::ref n = p.find(view_of(name));
        const layer_operand* const w = operands_.find(name, true);
        if (n == dx) {
            plan::moving_slot given = memory_.by_turns(one, memory, 0);
            if (w != nullptr) given.at_first = as_row(*w);
            backward_->bind_output(n, one, given);
        } else if (w->single && given_.count > 1) {  // of what all share
            backward_->add_up(n, w->o);
        } else {
            bind_output(*backward_, n);
        }
    }
}

}  // namespace ricci::engine
