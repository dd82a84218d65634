// Operands of layers: found, and refused where layers could not go on from one another.
#include "src/engine/layer_operands.hpp"

#include <algorithm>

#include <fmt/core.h>

#include <ricci/derive/drop_dead_equations.hpp>
#include <ricci/derive/repeat.hpp>
#include <ricci/error.hpp>
#include <ricci/ir/shapes.hpp>

#include "src/engine/requests.hpp"
#include "src/plan/bind/operands.hpp"
#include "src/plan/words/words.hpp"
#include "src/base/texts.hpp"

namespace ricci::engine {
namespace {

using detail::string_of;
using detail::view_of;

}  // namespace

bool is_number(const operand& o) { return o.rank == 0 && o.data == nullptr && !o.shape_only; }

layer_operands::layer_operands(const request& r, bool needs_memory, const layer_operands* before)
    : how_(*r.layers), signature_(r.program), type_(r.type), needs_memory_(needs_memory) {
    if (how_.count < 1)
        throw error(fmt::format("ricci: {} layers; at least one is needed.", how_.count));
    extents_.assign(r.index_extents, r.index_extents + r.index_extent_count);
    check_each_layer(r);
    refuse_places();
    request counted = r;
    std::vector<index_extent> all = extents_;
    for (const index_extent& e : all)
        if (signature_.index(e.index) == how_.index && e.extent != how_.count)
            throw error(fmt::format(
                "ricci: the index {} of the layers is given the extent {}, and there are {}.",
                string_of(signature_.index(e.index)), e.extent, how_.count));
    for (ir::ref i = 0; i < signature_.indices.size(); ++i)
        if (signature_.index(i) == how_.index) all.push_back({i, how_.count});
    counted.index_extents = all.data();
    counted.index_extent_count = static_cast<std::int32_t>(all.size());
    const plan::name_roles roles = plan::find_roles(signature_);
    ir::shape_table shapes(signature_);
    const auto slots = plan::bind_operands(counted, roles, shapes);
    check_chain(shapes);
    for (std::int32_t k = 0; k < r.input_count; ++k) add(r.inputs[k], false, false);
    for (std::int32_t k = 0; k < r.output_count; ++k) add(r.outputs[k], true, false);
    for (const plan::slot& slot : slots) {
        if (slot.kind != plan::storage::output || slot.data != nullptr) continue;
        operand o;
        o.name = slot.name;
        o.rank = static_cast<std::int32_t>(slot.extents.size());
        o.extents = slot.extents.data();
        o.strides = slot.strides.data();
        o.shape_only = !needs_memory_;
        if (needs_memory_) {
            const layer_operand* const old =
                before == nullptr ? nullptr
                                  : before->find(string_of(signature_.name(slot.name)), true);
            const bool kept = old != nullptr && old->own && old->extents == slot.extents;
            if (!kept && r.allocate == nullptr)
                throw error(fmt::format("ricci: the output '{}' is bound to no memory.",
                                        plan::words_of_name(signature_, slot.name)));
            o.data =
                kept ? old->o.data : r.allocate(r.context, slot.name, o.rank, slot.extents.data());
        }
        add(o, true, true);
    }
    refuse_shared_memory();
}

// What is stored of each layer holds numbers of one type.
void layer_operands::refuse_places() const {
    const plan::name_roles roles = plan::find_roles(signature_);
    const ir::program_view p = how_.layer;
    for (ir::ref n = 0; n < p.names.size(); ++n) {
        if (!ir::is_of_places(p, n)) continue;
        const ir::ref asked = signature_.find(p.name(n));
        const bool given = asked != ir::none && roles.output[static_cast<std::size_t>(asked)];
        if (!given && how_.computes == layering::result_kind::values) continue;
        throw error(
            fmt::format("ricci: {} holds places, which layers use on their way forward and do not "
                        "give; look up "
                        "what they say in the layer's own equations, without a gradient.",
                        plan::words_of_name(p, n)));
    }
}

bool layer_operands::is_single(ir::ref name) const {
    const ir::program_view p = how_.layer;
    const detail::text_view base = signature_.name(derive::base_of(signature_, name));
    if (base == p.name(how_.from) || base == p.name(how_.to)) return true;
    return std::any_of(how_.shared, how_.shared + how_.shared_count,
                       [&](ir::ref n) { return base == p.name(n); });
}

void layer_operands::add(const operand& o, bool output, bool own) {
    layer_operand& w = all_.emplace_back();
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

// The equations of a layer that what is asked of all needs; a derivative may leave out some.
ir::program layer_operands::equations_of_each() const {
    ir::program each(how_.layer);
    each.names[how_.from].kept = true;
    for (ir::name_symbol& n : each.names) {
        const ir::ref asked = signature_.find(each.text(n.text));
        n.kept = n.kept || (asked != ir::none && signature_.definition(asked) != ir::none);
    }
    for (const ir::equation& e : signature_.equations) {
        const ir::ref base = each.find(signature_.name(derive::base_of(signature_, e.name)));
        if (base != ir::none) each.names[base].kept = true;
    }
    return derive::drop_dead_equations(each);
}

// What is wrong with one layer is said of its equations, as they were written.
void layer_operands::check_each_layer(const request& r) const {
    const ir::program needed = equations_of_each();
    const ir::program_view p = needed;
    ir::shape_table table(p);
    for (const operand* o = r.inputs; o != r.inputs + r.input_count; ++o) {
        const bool single = o->rank == 0 || is_single(o->name);
        const std::string name = string_of(signature_.name(o->name));
        if (!single && o->extents[0] != how_.count)
            throw error(
                fmt::format("ricci: {} has one for each of {} layers along its first axis, "
                            "and {} are bound.",
                            name, how_.count, o->extents[0]));
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
void layer_operands::refuse_shared_memory() const {
    for (const layer_operand& out : all_) {
        if (!out.output || out.o.data == nullptr) continue;
        for (const layer_operand& in : all_) {
            if (in.output || is_number(in.o)) continue;
            const bool shared = out.own ? come_near(out.o, in.o, type_) : in.o.data == out.o.data;
            if (!shared) continue;
            throw error(
                fmt::format("ricci: the output {} of the layers is in the memory of {}, which "
                            "they read; bind memory of its own.",
                            out.name, in.name));
        }
    }
}

void layer_operands::check_chain(const ir::shape_table& shapes) const {
    const ir::program_view p = how_.layer;
    const ir::ref from = signature_.find(p.name(how_.from));
    const ir::ref to = signature_.find(p.name(how_.to));
    if (from == ir::none || to == ir::none || shapes.rank(from) < 0 || shapes.rank(to) < 0) return;
    const auto extents = [&](ir::ref n) {
        return std::vector<std::int64_t>(shapes.extents(n), shapes.extents(n) + shapes.rank(n));
    };
    if (extents(from) == extents(to)) return;
    throw error(fmt::format(
        "ricci: {0} of each layer is {1} of the next; {0} has the shape {2} and {1} {3}.",
        string_of(p.name(how_.from)), string_of(p.name(how_.to)),
        plan::words_of_extents(extents(from)), plan::words_of_extents(extents(to))));
}

const layer_operand* layer_operands::find(std::string_view name, bool output) const {
    for (const layer_operand& w : all_)
        if (w.name == name && w.output == output) return &w;
    return nullptr;
}

}  // namespace ricci::engine
