// From an equation of a program to the planner's expressions.
#include "src/plan/translate.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <ricci/error.hpp>
#include "src/plan/scalar.hpp"
#include "src/plan/words.hpp"

namespace ricci::plan {
namespace {

// Both are numbered as in the table.
opcode code_of(ir::function f) { return static_cast<opcode>(first_function + static_cast<int>(f)); }

opcode code_of(ir::comparison c) {
    switch (c) {
        case ir::comparison::less:
            return opcode::less;
        case ir::comparison::less_equal:
            return opcode::less_equal;
        case ir::comparison::equal:
            return opcode::equal;
        case ir::comparison::not_equal:
            return opcode::not_equal;
        case ir::comparison::logical_and:
            return opcode::logical_and;
        case ir::comparison::logical_or:
            return opcode::logical_or;
    }
    return opcode::equal;
}

void accumulate(linear_form& form, ir::ref index, std::int64_t stride) {
    const auto at = std::lower_bound(form.strides.begin(), form.strides.end(), index,
                                     [](const index_stride& s, ir::ref i) { return s.index < i; });
    if (at != form.strides.end() && at->index == index) {
        at->stride += stride;
    } else {
        form.strides.insert(at, {index, stride});
    }
}

}  // namespace

// The position as a number; its strides may still hold zeros and indices of extent 1.
linear_form translation::form(const ir::position& p) const {
    linear_form result;
    if (p.kind == ir::position_kind::index) accumulate(result, p.index, 1);
    if (p.kind == ir::position_kind::merged) {
        std::int64_t size = 1;
        for (std::int32_t k = p.terms.count; k-- > 0;) {
            const ir::ref index = program_.affine_terms[p.terms.first + k].index;
            accumulate(result, index, size);
            size *= graph_.extent(index);
        }
    }
    if (p.kind == ir::position_kind::fixed || p.kind == ir::position_kind::affine)
        result.offset = p.offset;
    if (p.kind == ir::position_kind::affine) {
        for (std::int32_t k = 0; k < p.terms.count; ++k) {
            const auto& term = program_.affine_terms[p.terms.first + k];
            accumulate(result, term.index, term.coefficient);
            // Positions count from the least value that the index can give.
            if (term.coefficient < 0)
                result.offset -= term.coefficient * (graph_.extent(term.index) - 1);
        }
    }
    return result;
}

namespace {

void tidy(linear_form& form, const graph& g) {
    std::erase_if(form.strides,
                  [&](const index_stride& s) { return s.stride == 0 || g.extent(s.index) == 1; });
}

}  // namespace

access translation::reach(std::int32_t slot, ir::range positions) const {
    const auto& memory = slots_[static_cast<std::size_t>(slot)];
    access result;
    result.slot = slot;
    result.positions = positions;
    for (std::int32_t axis = 0; axis < positions.count; ++axis) {
        if (program_.at(positions, axis).kind == ir::position_kind::gathered) continue;
        const auto at = form(program_.at(positions, axis));
        const std::int64_t stride = memory.strides[static_cast<std::size_t>(axis)];
        const std::int64_t extent = memory.extents[static_cast<std::size_t>(axis)];
        std::int64_t least = at.offset, most = at.offset;
        bool empty = false;
        for (const auto& s : at.strides) {
            const std::int64_t reach = s.stride * (graph_.extent(s.index) - 1);
            (reach < 0 ? least : most) += reach;
            empty = empty || graph_.extent(s.index) == 0;
            accumulate(result.at, s.index, s.stride * stride);
        }
        if (!empty && (least < 0 || most >= extent))
            throw error("ricci: in " + words_of_equation(program_, equation_) + " axis " +
                        std::to_string(axis) + " of " + words_of_name(program_, memory.name) +
                        " is read or written at positions " + std::to_string(least) + " to " +
                        std::to_string(most) + ", and its extent is " + std::to_string(extent) +
                        ".");
        result.at.offset += at.offset * stride;
    }
    tidy(result.at, graph_);
    return result;
}

access translation::left_side() const { return left_side(program_.equations[equation_].name); }

access translation::left_side(std::int32_t memory) const {
    return reach(memory, program_.equations[equation_].positions);
}

bool translation::covers_all() const {
    const auto& e = program_.equations[equation_];
    const auto& memory = slots_[static_cast<std::size_t>(e.name)];
    std::vector<ir::ref> met;
    for (std::int32_t axis = 0; axis < e.positions.count; ++axis) {
        const auto at = form(program_.at(e.positions, axis));
        std::int64_t reached = 1;
        for (const auto& s : at.strides) {
            if (std::find(met.begin(), met.end(), s.index) != met.end() &&
                graph_.extent(s.index) != 1)
                return false;
            met.push_back(s.index);
            reached *= graph_.extent(s.index);
        }
        if (reached != memory.extents[static_cast<std::size_t>(axis)]) return false;
    }
    return true;
}

expr translation::node(ir::ref number) {
    auto& known = seen_[static_cast<std::size_t>(number)];
    if (known >= 0) {
        graph_.count_use(known);
    } else {
        const expr e = read(number);  // may not hold a reference meanwhile: it recurses
        seen_[static_cast<std::size_t>(number)] = e;
    }
    return seen_[static_cast<std::size_t>(number)];
}

// A tensor that is read where others say: their values are children, one for each such axis.
expr translation::gathered(const ir::node& n, const std::vector<expr>& numbers) {
    const auto& memory = slots_[static_cast<std::size_t>(n.name)];
    std::vector<lookup_axis> lookups(numbers.size());
    for (std::int32_t axis = 0; axis < n.positions.count; ++axis) {
        const auto& at = program_.at(n.positions, axis);
        if (at.kind == ir::position_kind::gathered)
            lookups[static_cast<std::size_t>(at.offset)] = {
                memory.strides[static_cast<std::size_t>(axis)],
                memory.extents[static_cast<std::size_t>(axis)],
                "in " + words_of_equation(program_, equation_) + " axis " + std::to_string(axis) +
                    " of " + words_of_name(program_, n.name) + " has the places 0 to " +
                    std::to_string(memory.extents[static_cast<std::size_t>(axis)] - 1) + ","};
    }
    return graph_.gather(reach(n.name, n.positions), std::move(lookups), numbers);
}

expr translation::read(ir::ref number) {
    const ir::node& n = program_.nodes[number];
    // x^0 is 1 whatever x is, which stands there for its shape and is not read.
    if (ir::is_power_of_zero(program_, n)) return graph_.constant(1);
    std::vector<expr> children;
    for (std::int32_t k = 0; k < n.children.count; ++k)
        children.push_back(node(program_.child(n, k)));
    const auto indexed = [&](const ir::position& p) {
        auto at = form(p);
        tidy(at, graph_);
        return graph_.position(std::move(at));
    };
    switch (n.kind) {
        case ir::op::number:
            return graph_.constant(n.value);
        case ir::op::imaginary_unit:
            return graph_.apply(opcode::sqrt, graph_.constant(-1));
        case ir::op::tensor: {
            const auto& memory = slots_[static_cast<std::size_t>(n.name)];
            if (memory.kind == storage::number) return graph_.constant(memory.value);
            if (n.children.count > 0) return gathered(n, children);
            return graph_.load(reach(n.name, n.positions));
        }
        case ir::op::add:
            return graph_.add(children);
        case ir::op::multiply:
            return graph_.multiply(children);
        case ir::op::divide:
            if (is_integer(graph_.type())) check_quotient(children[0], children[1]);
            return graph_.apply(opcode::divide, children[0], children[1]);
        case ir::op::power:
            if (is_integer(graph_.type())) check_exponent(children[1]);
            return graph_.power(children[0], children[1]);
        case ir::op::apply:
            if (graph_.is_identity(static_cast<ir::function>(n.detail))) return children[0];
            return graph_.apply(code_of(static_cast<ir::function>(n.detail)), children[0],
                                children.size() > 1 ? children[1] : -1);
        case ir::op::reduce: {
            std::vector<ir::ref> over;
            for (std::int32_t k = 0; k < n.indices.count; ++k)
                over.push_back(program_.reduced(n, k));
            return graph_.reduce(static_cast<ir::reduction>(n.detail), std::move(over),
                                 children[0]);
        }
        case ir::op::delta:
            return graph_.apply(opcode::equal, indexed(program_.at(n.positions, 0)),
                                indexed(program_.at(n.positions, 1)));
        case ir::op::position:
            return indexed(program_.at(n.positions, 0));
        case ir::op::compare:
            return graph_.apply(code_of(static_cast<ir::comparison>(n.detail)), children[0],
                                children[1]);
        case ir::op::choose: {
            expr result = children.back();
            for (std::size_t k = children.size() - 1; k >= 2; k -= 2)
                result = graph_.apply(opcode::select, children[k - 1], children[k - 2], result);
            return result;
        }
        case ir::op::call:  // written out while the text was read
            break;
    }
    return graph_.constant(0);
}

// Whole numbers: a quotient of two numbers has to be one.
void translation::check_quotient(expr numerator, expr denominator) const {
    const auto &a = graph_[numerator], &b = graph_[denominator];
    if (a.kind != kind::constant || b.kind != kind::constant) return;
    if (b.value != 0 && std::floor(a.value / b.value) == a.value / b.value) return;
    throw error("ricci: the tensors hold " + std::string(name_of(graph_.type())) + ", and " +
                words_of_number(a.value) + " / " + words_of_number(b.value) +
                " is no whole number, in " + words_of_equation(program_, equation_) + ".");
}

void translation::check_exponent(expr exponent) const {
    const auto& e = graph_[exponent];
    if (e.kind != kind::constant || e.value >= 0) return;
    throw error("ricci: the tensors hold " + std::string(name_of(graph_.type())) +
                ", and a negative power of whole numbers is none, in " +
                words_of_equation(program_, equation_) + ".");
}

}  // namespace ricci::plan
