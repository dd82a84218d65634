// What a caller bound, checked against the program.
#include "src/plan/bind/operands.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <memory>
#include <string>

#include <fmt/format.h>

#include <ricci/error.hpp>
#include "src/base/texts.hpp"
#include "src/plan/bind/overlap.hpp"
#include "src/plan/words/words.hpp"

namespace ricci::plan {
namespace {

std::size_t at(ir::ref number) { return static_cast<std::size_t>(number); }

void mark_used(const ir::program_view& p, ir::ref number, std::vector<bool>& seen,
               std::vector<bool>& used) {
    if (seen[at(number)]) return;
    seen[at(number)] = true;
    const auto& n = p.nodes[number];
    if (n.kind == ir::op::tensor && !p.names[n.name].shape_only) used[at(n.name)] = true;
    for (std::int32_t k = 0; k < n.children.count; ++k) mark_used(p, p.child(n, k), seen, used);
}

std::string quoted(const ir::program_view& p, ir::ref name) {
    return fmt::format("'{}'", words_of_name(p, name));
}

void check_number(const ir::program_view& p, ir::ref name) {
    if (name < 0 || name >= p.names.size())
        throw error("ricci: an operand is bound to no name of the program.");
}

// A number that a double holds is part of the steps; another one is an element of its own memory.
void bind_number(const engine::operand& o, const ir::program_view& p, element type, slot& to) {
    check_number_fits(o.value, type, quoted(p, o.name));
    to.kind = storage::number;
    to.value = o.value.real;
    if (o.value.is_plain()) return;
    const bool exact =
        std::abs(o.value.real) < 0x1p63 && static_cast<std::int64_t>(o.value.real) == o.value.whole;
    const bool real = !is_complex(type) && !is_integer(type);
    if (real && exact) return;
    to.kind = storage::input;
    if (real) {  // a whole number that a double rounds is compared as it is
        to.is_foreign = true;
        to.own_type = type = element::i64;
    }
    to.own = element_of_number(o.value, type);
    to.data = const_cast<void*>(to.own.get());
}

slot memory_of(const engine::operand& o, storage kind, const ir::program_view& p, element type) {
    slot result;
    result.kind = kind;
    result.name = o.name;
    result.data = o.data;
    result.is_foreign = o.is_positions && o.positions != type;
    result.is_truth = o.is_positions && o.positions == element::boolean;
    // what is read of it is the whole numbers 0 and 1
    result.own_type = result.is_truth ? element::i32 : o.positions;
    if (o.is_positions) type = result.own_type;
    bool empty = false;
    for (std::int32_t axis = 0; axis < o.rank; ++axis) {
        if (o.extents[axis] < 0)
            throw error(fmt::format("ricci: axis {} of {} has the negative extent {}.", axis,
                                    quoted(p, o.name), o.extents[axis]));
        result.extents.push_back(o.extents[axis]);
        result.strides.push_back(o.strides[axis]);
        empty = empty || o.extents[axis] == 0;
    }
    // Loops over an axis that does not move are left out where the tensor is read and written, and
    // with them that there is nothing to do.
    if (empty) std::ranges::fill(result.strides, 1);
    if (o.data == nullptr && !empty && !o.shape_only) {
        if (o.rank > 0 || kind == storage::output)
            throw error(fmt::format("ricci: {} is bound to no memory.", quoted(p, o.name)));
        bind_number(o, p, type, result);
    }
    std::int64_t reach = 0;
    for (std::size_t axis = 0; axis < result.extents.size() && !empty; ++axis) {
        std::int64_t step = 0;
        if (__builtin_mul_overflow(result.strides[axis], result.extents[axis] - 1, &step) ||
            __builtin_add_overflow(reach, step < 0 ? -step : step, &reach) ||
            reach > INT64_MAX / static_cast<std::int64_t>(2 * size_of(type)))
            throw error(fmt::format(
                "ricci: the extents and strides of {} reach further than memory has addresses.",
                quoted(p, o.name)));
    }
    return result;
}

footprint footprint_of(const slot& s, element type) {
    const std::size_t size = s.is_truth ? 1 : size_of(s.is_foreign ? s.own_type : type);
    return {s.data, s.extents, s.strides, size};
}

void check_overlap(const std::vector<slot>& slots, const ir::program_view& p, element type) {
    for (const auto& out : slots) {
        if (out.kind != storage::output || out.data == nullptr) continue;
        const auto written = footprint_of(out, type);
        if (overlaps_itself(written))
            throw error(fmt::format(
                "ricci: the strides of the output {} of shape {} put two of its elements at one "
                "address.",
                quoted(p, out.name), words_of_extents(out.extents)));
        for (const auto& other : slots) {
            if (&other == &out || other.data == nullptr) continue;
            const bool output = other.kind == storage::output;
            const auto read = footprint_of(other, type);
            if (!overlap(written, read) || (!output && identical(written, read))) continue;
            throw error(fmt::format(
                "ricci: the output {} overlaps the {} {}{}", quoted(p, out.name),
                output ? "output" : "input", quoted(p, other.name),
                output ? "." : "; it may only be the same memory element for element."));
        }
    }
}

}  // namespace

void check_number_fits(const number& value, element type, const std::string& what) {
    const auto refuse = [&](const std::string& why) {
        throw error(
            fmt::format("ricci: {} is {}, and the tensors hold {}.", what, why, name_of(type)));
    };
    if (value.imaginary != 0 && !is_complex(type)) refuse("a complex number");
    if (!is_integer(type)) return;
    if (!value.is_whole()) refuse(fmt::format("{}, no whole number", words_of_number(value.real)));
    if (type == element::i32 && (value.whole > INT32_MAX || value.whole < INT32_MIN))
        refuse(words_of_number(value.real));
}

std::shared_ptr<const void> element_of_number(const number& value, element type) {
    switch (type) {
        case element::i64:
            return std::make_shared<std::int64_t>(value.as<std::int64_t>());
        case element::c64:
            return std::make_shared<std::complex<float>>(value.as<std::complex<float>>());
        case element::c128:
            return std::make_shared<std::complex<double>>(value.as<std::complex<double>>());
        default:
            return nullptr;
    }
}

void set_row_major(slot& s, const ir::program_view& p, element type) {
    std::int64_t elements = 1;
    s.strides.assign(s.extents.size(), 0);
    bool overflow = false;
    for (std::size_t axis = s.extents.size(); axis-- > 0;) {
        s.strides[axis] = elements;
        // An extent of 0 makes the tensor empty, not the strides of the axes before it.
        overflow = overflow || __builtin_mul_overflow(
                                   elements, std::max<std::int64_t>(s.extents[axis], 1), &elements);
    }
    if (overflow || elements > INT64_MAX / static_cast<std::int64_t>(4 * size_of(type)))
        throw error(
            fmt::format("ricci: {} of shape {} has more elements than memory has addresses.",
                        quoted(p, s.name), words_of_extents(s.extents)));
    s.bytes = static_cast<std::size_t>(elements) * size_of(type);
}

name_roles find_roles(const ir::program_view& p) {
    const auto names = at(p.names.size());
    name_roles roles{
        std::vector<bool>(names), std::vector<bool>(names), std::vector<bool>(names), {}};
    std::vector<bool> seen(at(p.nodes.size()));
    for (const auto& e : p.equations) {
        if (!ir::computes(p, e)) continue;
        roles.defined[at(e.name)] = true;
        mark_used(p, e.body, seen, roles.used);
    }
    for (std::size_t n = 0; n < names; ++n)
        roles.output[n] =
            roles.defined[n] && (!roles.used[n] || p.names[static_cast<ir::ref>(n)].kept);
    return roles;
}

namespace {

/// Fills the slots of names, one group of operands after the other.
class operand_binding {
public:
    operand_binding(const engine::request& request, const name_roles& roles,
                    ir::shape_table& shapes)
        : request_(request),
          program_(request.program),
          roles_(roles),
          shapes_(shapes),
          slots_(at(request.program.names.size())) {}

    std::vector<slot> run() {
        check_scale();
        bind_inputs();
        refuse_missing_inputs();
        bind_outputs();
        find_shapes();
        make_others();
        check_overlap(slots_, program_, request_.type);
        return std::move(slots_);
    }

private:
    void bind_inputs() {
        for (std::int32_t k = 0; k < request_.input_count; ++k) {
            const auto& o = request_.inputs[k];
            check_number(program_, o.name);
            if (roles_.defined[at(o.name)])
                throw error(fmt::format(
                    "ricci: {} is defined by the program and cannot be bound as an input.",
                    quoted(program_, o.name)));
            slot& s = slots_[at(o.name)];
            if (s.name != ir::none)
                throw error(fmt::format("ricci: {} is bound twice.", quoted(program_, o.name)));
            s = memory_of(o, storage::input, program_, request_.type);
            shapes_.set_shape(o.name, o.rank, s.extents.data());
        }
    }
    void refuse_missing_inputs() const {
        std::vector<std::string> missing;
        for (ir::ref n = 0; n < program_.names.size(); ++n)
            if (roles_.used[at(n)] && !roles_.defined[at(n)] && slots_[at(n)].name == ir::none)
                missing.push_back(quoted(program_, n));
        if (!missing.empty())
            throw error(
                fmt::format("ricci: nothing is bound to the input {}.", fmt::join(missing, ", ")));
    }
    void bind_outputs() {
        for (std::int32_t k = 0; k < request_.output_count; ++k) {
            const auto& o = request_.outputs[k];
            check_number(program_, o.name);
            if (!roles_.output[at(o.name)])
                throw error(fmt::format(
                    "ricci: {} is not an output of the program{}", quoted(program_, o.name),
                    roles_.defined[at(o.name)] ? "; keep(...) makes an intermediate tensor one."
                                               : "."));
            slot& s = slots_[at(o.name)];
            if (s.name != ir::none)
                throw error(
                    fmt::format("ricci: the output {} is bound twice.", quoted(program_, o.name)));
            s = memory_of(o, storage::output, program_, request_.type);
            check_result_type(o);
            // Memory of no elements may be nowhere; any address says that it is bound.
            if (s.data == nullptr) s.data = &slots_;
            shapes_.set_shape(o.name, o.rank, s.extents.data());
        }
    }
    /// Of a tensor that the program defines.
    element type_of(ir::ref name) const {
        return ir::is_of_places(program_, name) ? element::i32 : request_.type;
    }
    void check_result_type(const engine::operand& o) const {
        const element bound = o.is_positions ? o.positions : request_.type;
        const element given = type_of(o.name);
        if (bound == given) return;
        throw error(fmt::format("ricci: the output {} holds {}, and memory of {} is bound to it.",
                                quoted(program_, o.name), name_of(given), name_of(bound)));
    }
    /// Places are no sums, which could be scaled and added to others.
    void check_scale() const {
        if (request_.alpha == number(1) && request_.beta == number(0)) return;
        for (ir::ref n = 0; n < program_.names.size(); ++n)
            if (roles_.output[at(n)] && ir::is_of_places(program_, n))
                throw error(fmt::format(
                    "ricci: the output {} holds places, which are not scaled; alpha is 1 and beta "
                    "0 where a program gives it.",
                    quoted(program_, n)));
    }
    void find_shapes() const {
        for (std::int32_t k = 0; k < request_.index_extent_count; ++k) {
            const auto& given = request_.index_extents[k];
            if (given.index < 0 || given.index >= program_.indices.size() || given.extent < 0)
                throw error(fmt::format(
                    "ricci: an index is given the extent {}, and it is not an index of the "
                    "program or the extent is negative.",
                    given.extent));
            shapes_.set_index(given.index, given.extent);
        }
        if (const auto mistake = ir::infer_shapes(program_, shapes_))
            throw shape_error(fmt::format("ricci: {}", string_of(mistake.words.view())));
    }
    // What nobody binds: outputs, intermediates, and names that stand for their shape alone.
    void make_others() {
        for (ir::ref n = 0; n < program_.names.size(); ++n) {
            slot& s = slots_[at(n)];
            const bool shape_only = program_.names[n].shape_only && shapes_.rank(n) >= 0;
            if ((!roles_.defined[at(n)] && !shape_only) || s.name != ir::none) continue;
            s.name = n;
            s.kind = shape_only             ? storage::unused
                     : roles_.output[at(n)] ? storage::output
                                            : storage::workspace;
            s.extents.assign(shapes_.extents(n), shapes_.extents(n) + shapes_.rank(n));
            s.own_type = type_of(n);
            s.is_foreign = s.own_type != request_.type;
            set_row_major(s, program_, s.own_type);
        }
    }

    const engine::request& request_;
    const ir::program_view& program_;
    const name_roles& roles_;
    ir::shape_table& shapes_;
    std::vector<slot> slots_;
};

}  // namespace

std::vector<slot> bind_operands(const engine::request& request, const name_roles& roles,
                                ir::shape_table& shapes) {
    return operand_binding(request, roles, shapes).run();
}

std::vector<ir::ref> outputs_in_place(const std::vector<slot>& slots, element type) {
    std::vector<ir::ref> result;
    for (const auto& out : slots) {
        if (out.kind != storage::output || out.data == nullptr) continue;
        const bool shared = std::ranges::any_of(slots, [&](const slot& other) {
            return other.kind == storage::input && other.data != nullptr &&
                   overlap(footprint_of(out, type), footprint_of(other, type));
        });
        if (shared) result.push_back(out.name);
    }
    return result;
}

}  // namespace ricci::plan
