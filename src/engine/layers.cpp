// Layers: what a caller bound to all of them, the memory between them, and running.
#include "src/engine/layers.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include <ricci/derive/repeat.hpp>
#include <ricci/error.hpp>

#include "src/text/reading.hpp"
#include "src/engine/requests.hpp"
#include "src/text/texts.hpp"
#include "src/plan/operands.hpp"
#include "src/plan/words.hpp"

namespace ricci::engine {
namespace {

using detail::string_of;
using detail::view_of;

bool is_number(const operand& o) { return o.rank == 0 && o.data == nullptr && !o.shape_only; }

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
    const std::string text = "Z" + at + " = X" + at + (sum ? " + Y" + at : "");
    return std::move(detail::read_equations(view_of(text)).program);
}

layers::layers(const request& r, purpose what, const layers* before)
    : given_(*r.layers),
      owner_(r.layers->layer_owner),
      signature_(r.program),
      type_(r.type),
      purpose_(what) {
    if (given_.count < 1)
        throw error(fmt::format("ricci: {} layers; at least one is needed.", given_.count));
    take_operands(r, before);
    if (given_.computes == layering::what::gradient) make_gradient();
    else make_values();
    if (purpose_ == purpose::words) return;
    for (auto* const list : {&before_, &after_, &sums_})
        for (stage& s : *list) s->prepare();
    if (forward_ != nullptr) forward_->prepare();
    if (backward_ != nullptr) backward_->prepare();
}

void layers::run() {
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
    all.workspace = memory_bytes_;
    for (const stage* s : {&forward_, &backward_})
        if (*s != nullptr) all.workspace += plan_of((*s)->for_first()).workspace_bytes;
    for (const whole& w : operands_) {
        if (!w.own) continue;
        std::size_t bytes = size_of(type_);
        for (const std::int64_t e : w.extents) bytes *= static_cast<std::size_t>(e);
        all.outputs += bytes;
    }
    return all;
}

// What the caller has bound -----------------------------------------------------------------------

bool layers::is_single(ir::ref name) const {
    const ir::program_view p = given_.layer;
    const detail::text_view base = signature_.name(derive::base_of(signature_, name));
    if (base == p.name(given_.from) || base == p.name(given_.to)) return true;
    return std::any_of(given_.shared, given_.shared + given_.shared_count,
                       [&](ir::ref n) { return base == p.name(n); });
}

void layers::add_operand(const operand& o, bool output, bool own) {
    whole& w = operands_.emplace_back();
    w.name = string_of(signature_.name(o.name));
    w.o = o;
    w.extents.assign(o.extents, o.extents + o.rank);
    w.strides.assign(o.strides, o.strides + o.rank);
    w.o.extents = w.extents.data();
    w.o.strides = w.strides.data();
    w.o.watch = nullptr;  // the request's own business
    w.single = o.rank == 0 || is_single(o.name);
    w.output = output;
    w.own = own;
}

void layers::take_operands(const request& r, const layers* before) {
    extents_.assign(r.index_extents, r.index_extents + r.index_extent_count);
    check_each_layer(r);
    request counted = r;
    std::vector<index_extent> all = extents_;
    for (const index_extent& e : all)
        if (signature_.index(e.index) == given_.index && e.extent != given_.count)
            throw error(fmt::format(
                "ricci: the index {} of the layers is given the extent {}, and there are {}.",
                string_of(signature_.index(e.index)), e.extent, given_.count));
    for (ir::ref i = 0; i < signature_.indices.size(); ++i)
        if (signature_.index(i) == given_.index) all.push_back({i, given_.count});
    counted.index_extents = all.data();
    counted.index_extent_count = static_cast<std::int32_t>(all.size());
    const plan::name_roles roles = plan::find_roles(signature_);
    ir::shape_table shapes(signature_);
    const auto slots = plan::bind_operands(counted, roles, shapes);
    check_chain(shapes);
    for (std::int32_t k = 0; k < r.input_count; ++k) add_operand(r.inputs[k], false, false);
    for (std::int32_t k = 0; k < r.output_count; ++k) add_operand(r.outputs[k], true, false);
    for (const plan::slot& slot : slots) {
        if (slot.kind != plan::storage::output || slot.data != nullptr) continue;
        operand o;
        o.name = slot.name;
        o.rank = static_cast<std::int32_t>(slot.extents.size());
        o.extents = slot.extents.data();
        o.strides = slot.strides.data();
        o.shape_only = purpose_ == purpose::words;
        if (purpose_ == purpose::run) {
            const whole* const old =
                before == nullptr ? nullptr
                                  : before->find(string_of(signature_.name(slot.name)), true);
            const bool kept = old != nullptr && old->own && old->extents == slot.extents;
            if (!kept && r.allocate == nullptr)
                throw error(fmt::format("ricci: the output '{}' is bound to no memory.",
                                        plan::words_of_name(signature_, slot.name)));
            o.data =
                kept ? old->o.data : r.allocate(r.context, slot.name, o.rank, slot.extents.data());
        }
        add_operand(o, true, true);
    }
    refuse_shared_memory();
}

// What is wrong with one layer is said of its equations, as they were written.
void layers::check_each_layer(const request& r) const {
    const ir::program_view p = given_.layer;
    ir::shape_table table(p);
    for (const operand* o = r.inputs; o != r.inputs + r.input_count; ++o) {
        const bool single = o->rank == 0 || is_single(o->name);
        const std::string name = string_of(signature_.name(o->name));
        if (!single && o->extents[0] != given_.count)
            throw error(
                fmt::format("ricci: '{}' has one for each of {} layers along its first "
                            "axis, and {} are bound.",
                            name, given_.count, o->extents[0]));
        const ir::ref n = p.find(view_of(name));
        if (n == ir::none || p.definition(n) != ir::none) continue;
        table.set_shape(n, o->rank - (single ? 0 : 1), o->extents + (single ? 0 : 1));
    }
    for (const index_extent& e : extents_)
        for (ir::ref i = 0; i < p.indices.size(); ++i)
            if (p.index(i) == signature_.index(e.index)) table.set_index(i, e.extent);
    if (const auto mistake = ir::infer_shapes(p, table))
        throw error(fmt::format("ricci: in each layer, {}", string_of(mistake.words.view())));
}

// A layer may write where the layer before it, or the one after it, still reads. What is bound has
// been held against each other already, so that it is apart or the same; memory of ours has not.
void layers::refuse_shared_memory() const {
    for (const whole& out : operands_) {
        if (!out.output || out.o.data == nullptr) continue;
        for (const whole& in : operands_) {
            if (in.output || is_number(in.o)) continue;
            const bool shared = out.own ? touch(out.o, in.o, type_) : in.o.data == out.o.data;
            if (!shared) continue;
            throw error(
                fmt::format("ricci: the output '{}' of the layers is in the memory of "
                            "'{}', which they read; bind memory of its own.",
                            out.name, in.name));
        }
    }
}

void layers::check_chain(const ir::shape_table& shapes) const {
    const ir::program_view p = given_.layer;
    const ir::ref from = signature_.find(p.name(given_.from));
    const ir::ref to = signature_.find(p.name(given_.to));
    if (from == ir::none || to == ir::none || shapes.rank(from) < 0 || shapes.rank(to) < 0) return;
    const auto extents = [&](ir::ref n) {
        return std::vector<std::int64_t>(shapes.extents(n), shapes.extents(n) + shapes.rank(n));
    };
    if (extents(from) == extents(to)) return;
    throw error(
        fmt::format("ricci: '{}' of each layer is '{}' of the next, and has the shape {}, not {}.",
                    string_of(p.name(given_.from)), string_of(p.name(given_.to)),
                    plan::words_of_extents(extents(from)), plan::words_of_extents(extents(to))));
}

const layers::whole* layers::find(std::string_view name, bool output) const {
    for (const whole& w : operands_)
        if (w.name == name && w.output == output) return &w;
    return nullptr;
}

// Memory between layers ---------------------------------------------------------------------------

// A tensor of these extents, row-major; the caller gives it an address.
operand layers::in_row(const std::vector<std::int64_t>& extents) {
    auto& numbers = numbers_.emplace_back(extents);
    const std::size_t rank = extents.size();
    numbers.resize(2 * rank);
    std::int64_t stride = 1;
    for (std::size_t axis = rank; axis-- > 0;) {
        numbers[rank + axis] = stride;
        stride *= extents[axis];
    }
    operand o;
    o.rank = static_cast<std::int32_t>(rank);
    o.extents = numbers.data();
    o.strides = numbers.data() + rank;
    o.shape_only = true;  // until it is bound
    return o;
}

std::byte* layers::memory_for(const operand& one, std::int64_t count) {
    std::vector<std::size_t> extents{static_cast<std::size_t>(count)};
    std::size_t bytes = size_of(type_);
    for (std::int32_t axis = 0; axis < one.rank; ++axis)
        extents.push_back(static_cast<std::size_t>(one.extents[axis]));
    for (const std::size_t e : extents) bytes *= e;
    memory_bytes_ += bytes;
    if (purpose_ == purpose::words) return nullptr;
    return static_cast<std::byte*>(memory_.emplace_back(type_, extents).data());
}

// Where a tensor of the caller lies row-major: there, or in a copy that is made before or after.
void* layers::as_row(const whole& w) {
    if (!is_number(w.o) && is_in_row(w.o)) return w.o.data;
    const operand one = in_row(w.extents);
    std::byte* const memory = memory_for(one, 1);
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
    for (const index_extent& e : extents_)
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
    for (const whole& w : operands_) {
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
    const whole* const w = find(string_of(to.view().name(name)), true);
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
        for (const whole& w : operands_) {
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
    for (const whole& w : operands_)
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
    const whole &first = *find(into, false), &last = *find(from, true);
    const operand one = in_row(first.extents);
    layer_place taken, given;
    if (given_.count > 1) taken.base = given.base = memory_for(one, 2);
    const std::int64_t size = one.rank == 0 ? 1 : one.extents[0] * one.strides[0];
    taken.step = given.step = size * static_cast<std::ptrdiff_t>(size_of(type_));
    taken.alternates = given.alternates = true;
    taken.shift = 1;  // that of the layer before
    taken.at_first = as_row(first);
    given.at_last = as_row(last);
    const ir::program_view p = to.view();
    to.bind(p.find(view_of(into)), one, taken, false);
    to.bind(p.find(view_of(from)), one, given, true);
}

}  // namespace ricci::engine
