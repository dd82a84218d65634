// From names and run-time operands to a request of the engine.
#include "src/front/call_operands.hpp"

#include <algorithm>

#include <fmt/core.h>

#include <ricci/notation/cursor.hpp>

#include "src/engine/requests.hpp"
#include "src/text/program_body.hpp"
#include "src/base/texts.hpp"

namespace ricci::detail {
namespace {

/// Whether a run needs the elements of a tensor, and not its shape alone.
bool is_read_or_defined(const ir::program_view& p, ir::ref name) {
    if (p.definition(name) != ir::none) return true;
    return std::any_of(p.equations.begin(), p.equations.end(), [&](const ir::equation& e) {
        return !e.claim && ir::uses_name(p, e.body, name);
    });
}

std::vector<std::int64_t> signed_of(std::span<const std::size_t> extents) {
    return {extents.begin(), extents.end()};
}

operand_facts facts_of(const bindable& b, text_view name) {
    switch (b.kind()) {
        case operand_kind::number:
            return {operand_kind::number, name, 0,
                    b.is_complex_number() ? element::c128 : element::f64};
        case operand_kind::index:
            return {operand_kind::index, name, 0};
        case operand_kind::unsuitable: {
            operand_facts f{operand_kind::unsuitable, name, -1};
            f.why = b.why();
            return f;
        }
        case operand_kind::tensor:
        case operand_kind::unnamed:
            break;
    }
    const array& a = b.value();
    return {operand_kind::tensor, name, static_cast<std::int32_t>(a.rank()), a.type(),
            a.is_writable()};
}

ir::ref find_index(const ir::program_view& p, text_view name) {
    for (ir::ref i = 0; i < p.indices.size(); ++i)
        if (p.index(i) == name) return i;
    return ir::none;
}

}  // namespace

void refuse(const text_view& words) { throw error(fmt::format("ricci: {}.", string_of(words))); }

program with_bound_kept(const program& p, const operand_list& operands) {
    program all = p;
    const ir::program_view view = p.view();
    ir::ref n = ir::none;
    for (const named& o : operands) {
        if (o.value.kind() != operand_kind::tensor) continue;
        const std::string name = canonical_name(o.name);
        n = view.find_after(n, view_of(name));
        if (n != ir::none && view.definition(n) != ir::none && !is_output(view, n))
            all = all.keep({name});
    }
    return all;
}

call_operands::call_operands(const program& p, const operand_list& operands, call_kind kind,
                             const prepare_options& options)
    : body_(body_of(p)), exact_distances_(options.exact_distances) {
    describe(operands);
    refuse_single(operands);
    const auto mistake =
        call_check(body_.view(), facts_.data(), static_cast<std::int32_t>(facts_.size()),
                   kind != call_kind::run)
            .run();
    if (mistake) refuse(mistake.words);
    if (kind != call_kind::explain) refuse_shapes(operands);
    choose_type(operands, options);
    add(operands);
}

call_operands::call_operands(const program& p, const operand_list& operands, element type)
    : body_(body_of(p)), type_(type) {
    describe(operands);
    refuse_single(operands);
    const auto mistake =
        call_check(body_.view(), facts_.data(), static_cast<std::int32_t>(facts_.size()), true)
            .run_rebinding(type);
    if (mistake) refuse(mistake.words);
    refuse_shapes(operands);
    add(operands);
}

void call_operands::describe(const operand_list& operands) {
    names_.reserve(operands.size());
    for (const named& o : operands) {
        const bool index = o.value.kind() == operand_kind::index;
        names_.push_back(index ? o.name : canonical_name(o.name));
        facts_.push_back(facts_of(o.value, view_of(names_.back())));
    }
}

// A tensor that lacks the axis of the layers, which the equations of one layer do not have.
void call_operands::refuse_single(const operand_list& operands) const {
    const layers_of_program* const layers = body_.layers();
    if (layers == nullptr) return;
    std::size_t k = 0;
    for (const named& o : operands) {
        const std::string& name = names_[k++];
        const bool number = o.value.kind() == operand_kind::number;
        if (!number && o.value.kind() != operand_kind::tensor) continue;
        const ir::program_view all = body_.view(), one = layers->layer.view();
        const ir::ref n = all.find(view_of(name)), m = one.find(view_of(name));
        if (n == ir::none || m == ir::none || rank_of(all, n) != rank_of(one, m) + 1) continue;
        const auto rank = number ? 0 : static_cast<std::int32_t>(o.value.value().rank());
        if (rank != rank_of(one, m)) continue;
        throw error(fmt::format(
            "ricci: {} has a first axis {} for the layers, {} {} in all, and a {} is bound to "
            "it{}.",
            name, layers->index, rank + 1, rank == 0 ? "axis" : "axes",
            number ? "number" : fmt::format("tensor of rank {}", rank),
            is_input(one, m) ? "; an input that all layers share is named in .shared" : ""));
    }
}

void call_operands::refuse_shapes(const operand_list& operands) const {
    const ir::program_view p = body_.view();
    std::size_t k = 0;
    for (const named& o : operands) {
        if (o.value.kind() == operand_kind::tensor && o.value.value().is_shape() &&
            is_read_or_defined(p, p.find(view_of(names_[k]))))
            throw error(
                fmt::format("ricci: a shape without elements is bound to {}; "
                            "ricci::explain takes shapes, a run takes tensors.",
                            names_[k]));
        ++k;
    }
}

// That of the first tensor, where whole numbers that say positions or are compared do not count,
// nor does bool; without one that of the options, or double. The rule of calls known at compile
// time.
void call_operands::choose_type(const operand_list& operands, const prepare_options& options) {
    const array* first = nullptr;
    const ir::program_view p = body_.view();
    std::size_t k = 0;
    for (const named& o : operands) {
        const ir::ref name = p.find(view_of(names_[k++]));
        if (o.value.kind() != operand_kind::tensor) continue;
        if (name != ir::none && ir::is_of_places(p, name)) continue;
        const array& a = o.value.value();
        if (a.type() == element::boolean || (is_whole(a.type()) && first != nullptr)) continue;
        if (first == nullptr || is_whole(first->type())) first = &a;
    }
    type_ = first != nullptr ? first->type() : options.type.value;
    if (options.type.value == element::boolean) throw error("ricci: nothing is computed in bool.");
    if (options.type.given && type_ != options.type.value)
        throw error(fmt::format("ricci: the tensors hold {}, and {} is asked for.", name_of(type_),
                                name_of(options.type.value)));
}

void call_operands::add(const operand_list& operands) {
    const ir::program_view p = body_.view();
    std::size_t k = 0;
    ir::ref last = ir::none;
    for (const named& n : operands) {
        const text_view name = view_of(names_[k++]);
        const bindable& b = n.value;
        if (b.kind() == operand_kind::index) {
            indices_.push_back({find_index(p, name), b.extent_of_index()});
            continue;
        }
        engine::operand o;
        o.name = last = p.find_after(last, name);
        if (b.kind() == operand_kind::number) {
            o.value = b.number();
            inputs_.push_back(o);
            continue;
        }
        const array& a = b.value();
        numbers_.push_back(signed_of(a.extents()));
        o.extents = numbers_.back().data();
        o.strides = a.strides().data();
        o.rank = static_cast<std::int32_t>(a.rank());
        o.data = const_cast<void*>(a.data());
        o.is_positions = is_whole(a.type());
        o.positions = a.type();
        o.shape_only = a.is_shape();
        o.watch = b.watch();
        const bool output = p.definition(o.name) != ir::none;
        (output ? outputs_ : inputs_).push_back(o);
    }
}

engine::request call_operands::request() const {
    engine::request r;
    r.program = body_.view();
    r.program_key = body_.key();
    r.program_owner = const_cast<program_body*>(&body_);
    if (const layers_of_program* const layers = body_.layers()) r.layers = &layers->how;
    r.type = type_;
    r.exact_distances = exact_distances_;
    engine::refer(r, inputs_, outputs_, indices_);
    return r;
}

}  // namespace ricci::detail
