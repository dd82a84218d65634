// Tensors of which only the shape is needed: all that reads them is x^0, which is 1 whatever x is.
#pragma once

#include <cstdint>

#include <ricci/detail/buffer.hpp>
#include <ricci/ir/axes.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

/// Whether an equation that computes something reads the tensor.
template <class Program>
constexpr bool is_read(const Program& p, ref name) {
    for (const equation& e : p.equations)
        if (!e.claim && uses_name(p, e.body, name)) return true;
    return false;
}

/// Marks the tensors whose values an expression takes.
template <class Program>
constexpr void mark_values(const Program& p, ref n, detail::buffer<bool>& values) {
    const node& x = p.nodes[n];
    if (is_power_of_zero(p, x)) return;
    if (x.kind == op::tensor) values[x.name] = true;
    for (std::int32_t k = 0; k < x.children.count; ++k)
        mark_values(p, p.links[x.children.first + k], values);
}

/// Marks as `shape_only` what the program defines, reads, and takes no values of. The equations
/// are in their order.
constexpr void mark_shape_only(program& p) {
    bool any = false;
    for (const node& x : p.nodes) any = any || is_power_of_zero(p, x);
    detail::buffer<bool> along;
    along.resize(p.names.size(), false);
    for (const index_symbol& i : p.indices)
        if (i.along.tensor != none) any = along[i.along.tensor] = true;
    if (!any) return;
    detail::buffer<bool> values;
    for (const name_symbol& n : p.names) values.push(n.kept);
    for (std::int32_t e = p.equations.size(); e-- > 0;) {
        const equation& q = p.equations[e];
        if (q.claim) continue;
        if (values[q.name] || !(is_read(p, q.name) || along[q.name]))
            mark_values(p, q.body, values);
        else p.names[q.name].shape_only = true;
    }
}

/// Visits the tensors that the name of a derivative holds, each with its part of the positions:
/// A and S of dA/dS, X of d/dt X; and what those hold.
template <class Visit>
constexpr void for_each_part(const program_view& p, ref name, range at, Visit&& visit) {
    const name_symbol& s = p.names[name];
    if (s.kind == name_kind::plain) return;
    const auto go = [&](ref part, range places) {
        if (part == none) return;
        visit(part, places);
        for_each_part(p, part, places, visit);
    };
    if (s.kind == name_kind::tangent) return go(s.of, at);
    const std::int32_t split = s.numerator_rank < at.count ? s.numerator_rank : at.count;
    go(p.find(parts_of_derivative(p.text(s.text)).numerator), {at.first, split});
    go(s.of, {at.first + split, at.count - split});
}

/// Whether a tensor is defined for its shape alone, and nothing in an equation says so: neither x^0
/// nor an index that runs over an axis of it.
constexpr bool is_unread_shape(const program_view& p, ref name) {
    return p.names[name].shape_only && p.definition(name) != none && !gives_axis(p, name) &&
           !is_read(p, name);
}
/// The first tensor that an equation defines whose name holds this one, as dL/dX holds X; or none.
constexpr ref first_named_by(const program_view& p, ref name) {
    for (const equation& e : p.equations) {
        bool found = false;
        if (!e.claim)
            for_each_part(p, e.name, e.positions,
                          [&](ref part, range) { found = found || part == name; });
        if (found) return e.name;
    }
    return none;
}
/// An equation in whose line a derivative that is an unread shape, and that no name holds, can stand
/// in a factor: the first behind it on whose left its letters stand for its own indices or not at
/// all; or none.
constexpr ref host_of_shape(const program_view& p, ref name) {
    const ref defined = p.definition(name);
    for (ref e = defined + 1; e < p.equations.size(); ++e) {
        const equation& q = p.equations[e];
        bool apart = !q.claim && !p.names[q.name].shape_only;
        for_each_index(p, q.positions, [&](ref i) {
            for_each_index(p, p.equations[defined].positions,
                           [&](ref j) { apart = apart && (i == j || p.index(i) != p.index(j)); });
        });
        if (apart) return e;
    }
    return none;
}

}  // namespace ricci::ir
