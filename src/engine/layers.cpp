// Layers forward, one after another, and running them.
#include "src/engine/layers.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include <ricci/derive/repeat.hpp>

#include "src/engine/requests.hpp"
#include "src/plan/operands.hpp"
#include "src/text/reading.hpp"
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

ir::program element_wise(std::int32_t rank, bool sum) {
    std::string at = rank > 0 ? "^{" : "";
    for (std::int32_t axis = 0; axis < rank; ++axis) {
        at += static_cast<char>('i' + axis % 10);
        at.append(static_cast<std::size_t>(axis / 10), '\'');
    }
    if (rank > 0) at += '}';
    const std::string text =
        fmt::format("Z{0} = X{0}{1}", at, sum ? fmt::format(" + Y{}", at) : "");
    return std::move(detail::read_equations(view_of(text)).program);
}

layers::layers(const request& r, purpose what, const layers* before)
    : given_(*r.layers),
      owner_(r.layers->layer_owner),
      signature_(r.program),
      type_(r.type),
      purpose_(what),
      operands_(r, what == purpose::run, before == nullptr ? nullptr : &before->operands_),
      memory_(type_, what == purpose::run) {
    if (given_.computes == layering::what::gradient) make_gradient();
    else make_values();
    if (purpose_ == purpose::words) return;
    const auto prepare = [&](stage& s) {
        s->prepare();
        loans_.add(s->loans());
    };
    for (auto* const list : {&before_, &after_, &sums_})
        std::for_each(list->begin(), list->end(), prepare);
    if (forward_ != nullptr) prepare(forward_);
    if (backward_ != nullptr) prepare(backward_);
}

void layers::run() {
    const runtime::held_memory held(loans_);
    for (stage& s : before_) s->run(0);
    for (std::int64_t layer = 0; forward_ != nullptr && layer < given_.count; ++layer)
        forward_->run(layer);
    for (std::int64_t layer = given_.count; backward_ != nullptr && layer-- > 0;) {
        backward_->run(layer);
        for (stage& s : sums_)
            if (layer < given_.count - 1) s->run(0);
    }
    for (stage& s : after_) s->run(0);
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
    all.workspace = memory_.bytes();
    for (const stage* s : {&forward_, &backward_})
        if (*s != nullptr) all.workspace += plan_of((*s)->for_first()).workspace_bytes;
    for (const layer_operand& w : operands_.all()) {
        if (!w.own) continue;
        std::size_t bytes = size_of(type_);
        for (const std::int64_t e : w.extents) bytes *= static_cast<std::size_t>(e);
        all.outputs += bytes;
    }
    return all;
}

// Memory between layers ---------------------------------------------------------------------------

// Where a tensor of the caller lies row-major: there, or in a copy that is made before or after.
void* layers::as_row(const layer_operand& w) {
    if (!is_number(w.o) && is_in_row(w.o)) return w.o.data;
    const operand one = memory_.in_row(w.extents);
    std::byte* const memory = memory_.allocate(one, 1);
    if (purpose_ == purpose::words) return nullptr;
    auto copy = std::make_unique<layer_stage>(element_wise(w.o.rank, false), type_, 1);
    layer_place mine, theirs;
    mine.base = memory;
    theirs.base = static_cast<std::byte*>(w.o.data);
    const ir::ref x = copy->view().find("X"), z = copy->view().find("Z");
    copy->bind(x, w.output ? one : w.o, w.output ? mine : theirs, false);
    copy->bind(z, w.output ? w.o : one, w.output ? theirs : mine, true);
    (w.output ? after_ : before_).push_back(std::move(copy));
    return memory;
}

// What runs ---------------------------------------------------------------------------------------

layers::stage layers::make_stage(ir::program program) const {
    auto made = std::make_unique<layer_stage>(std::move(program), type_, given_.count);
    const ir::program_view p = made->view();
    for (const index_extent& e : operands_.extents())
        for (ir::ref i = 0; i < p.indices.size(); ++i)
            if (p.index(i) == signature_.index(e.index)) made->set_index({i, e.extent});
    return made;
}

namespace {

// The operand of all layers as one of them sees it.
std::pair<operand, layer_place> part_of(const operand& all, bool single, element type) {
    operand one = all;
    layer_place place;
    place.base = static_cast<std::byte*>(all.data);
    if (!single) {
        one.rank -= 1;
        one.extents += 1;
        one.strides += 1;
        place.step = all.strides[0] * static_cast<std::ptrdiff_t>(element_size(all, type));
    }
    return {one, place};
}

}  // namespace

// All that the caller has bound and the program takes, but for what goes from layer to layer.
void layers::bind_outside(layer_stage& to) const {
    const ir::program_view p = to.view(), layer = given_.layer;
    for (const layer_operand& w : operands_.all()) {
        const ir::ref n = p.find(view_of(w.name));
        if (w.output || n == ir::none || p.definition(n) != ir::none) continue;
        const detail::text_view base = p.name(derive::base_of(p, n));
        if (base == layer.name(given_.to) || base == layer.name(given_.from)) continue;
        const auto [one, place] = part_of(w.o, w.single, type_);
        to.bind(n, one, place, false);
    }
}

// An output of each layer, in its part of the caller's.
void layers::bind_output(layer_stage& to, ir::ref name) const {
    const layer_operand* const w = operands_.find(string_of(to.view().name(name)), true);
    const auto [one, place] = part_of(w->o, w->single, type_);
    to.bind(name, one, place, true);
}

void layers::make_values() {
    const ir::program_view layer = given_.layer;
    const std::string from = string_of(layer.name(given_.from)),
                      to = string_of(layer.name(given_.to));
    ir::program program(layer);
    std::vector<std::pair<std::string, std::string>> chains{{from, to}};
    if (given_.computes == layering::what::tangent) {
        std::vector<detail::text_view> by;
        for (const layer_operand& w : operands_.all()) {
            const ir::ref n = signature_.find(view_of(w.name));
            if (!w.output && signature_.names[n].kind == ir::name_kind::tangent)
                by.push_back(signature_.name(signature_.names[n].of));
        }
        const derive::layer_names names{layer.name(given_.from), layer.name(given_.to), {}};
        program = std::move(
            derive::tangent_of_layer(layer, names, by.data(), static_cast<std::int32_t>(by.size()))
                .program);
        const auto along = [&](detail::text_view of) {
            for (ir::ref n = 0; n < program.names.size(); ++n)
                if (program.names[n].kind == ir::name_kind::tangent &&
                    program.name(program.names[n].of) == of)
                    return string_of(program.name(n));
            return std::string();
        };
        chains.emplace_back(along(view_of(from)), along(view_of(to)));
    }
    for (const layer_operand& w : operands_.all())
        if (w.output) program.names[program.find(view_of(w.name))].kept = true;
    forward_ = make_stage(std::move(program));
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
void layers::add_chain(layer_stage& to, std::string_view from, std::string_view into) {
    const layer_operand &first = *operands_.find(into, false), &last = *operands_.find(from, true);
    const operand one = memory_.in_row(first.extents);
    layer_place taken, given;
    if (given_.count > 1) taken.base = given.base = memory_.allocate(one, 2);
    taken.step = given.step = memory_.bytes_of(one);
    taken.alternates = given.alternates = true;
    taken.shift = 1;  // that of the layer before
    taken.at_first = as_row(first);
    given.at_last = as_row(last);
    const ir::program_view p = to.view();
    to.bind(p.find(view_of(into)), one, taken, false);
    to.bind(p.find(view_of(from)), one, given, true);
}

}  // namespace ricci::engine
