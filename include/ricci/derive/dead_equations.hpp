// Dropping equations that nobody needs, and keeping those that give a derivative its shape.
#pragma once

#include <cstdint>

#include <ricci/derive/witness.hpp>
#include <ricci/ir/compact.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

/// Whether the right side of an equation says how far an index of its left side runs: a tensor has
/// an axis at it, or one that it shares with indices of which that is known. `open`: tensors whose
/// shapes their own equations do not say.
template <class Program>
constexpr bool shows_own_extent(const Program& p, const ir::equation& q, ref index,
                                const detail::buffer<bool>& open) {
    if (p.indices[index].extent > 0) return true;
    bool shown = false;
    const auto says = [&](ref name) { return name >= open.size() || !open[name]; };
    const auto has_axis_at = [&](ref i) {
        bool found = false;
        ir::for_each_node(p, q.body, [&](ref n) {
            const ir::node& x = p.nodes[n];
            if (x.kind != op::tensor || !says(x.name)) return;
            for (std::int32_t k = 0; k < x.positions.count; ++k) {
                const ir::position& at = p.positions[x.positions.first + k];
                found = found || (at.kind == ir::position_kind::index && at.index == i);
            }
        });
        return found;
    };
    for_each_use(p, q.body, index, [&](ref n, ir::position_kind) {
        const ir::range at = p.nodes[n].positions;
        for (std::int32_t k = 0; says(p.nodes[n].name) && k < at.count; ++k) {
            bool mine = false, others = true;
            ir::for_each_index(p, {at.first + k, 1}, [&](ref i) {
                mine = mine || i == index;
                others = others && (i == index || has_axis_at(i));
            });
            shown = shown || (mine && others);
        }
    });
    return shown;
}
template <class Program>
constexpr bool shows_own_shape(const Program& p, const ir::equation& q,
                               const detail::buffer<bool>& open = {}) {
    bool all = true;
    ir::for_each_index(p, q.positions,
                       [&](ref i) { all = all && shows_own_extent(p, q, i, open); });
    return all;
}

/// Whether the equation of a tangent reads tensors at an index of its left side wherever the
/// equation of the tensor itself does, at places that several indices share: X^{i+k}, X^{i(ha)}.
/// Then the same shapes say how far it runs. One of them alone may be longer than it is read.
template <class Program>
constexpr bool shows_as_source(const Program& p, const ir::equation& q, ref index) {
    const ir::name_symbol& s = p.names[q.name];
    const ref source = s.kind == ir::name_kind::tangent ? p.definition(s.of) : ir::none;
    if (source == ir::none) return false;
    if (!shows_own_shape(p, p.equations[source]))  // its uses may say it
        for (const ir::equation& other : p.equations)
            if (!other.claim && ir::uses_name(p, other.body, s.of)) return false;
    bool any = false, all = true;
    ir::for_each_node(p, p.equations[source].body, [&](ref n) {
        const ir::node& x = p.nodes[n];
        if (x.kind != op::tensor || !ir::has_index(p, x.positions, index)) return;
        bool found = false;
        ir::for_each_node(p, q.body, [&](ref m) {
            const ir::node& y = p.nodes[m];
            found =
                found || (y.kind == op::tensor && ir::same_positions(p, x.positions, y.positions));
        });
        any = any || found;
        all = all && found;
    });
    return any && all;
}

/// Whether every term of an expression has a factor that reads a tensor with an axis at `index`:
/// then its derivatives show how far the index runs too.
template <class Program>
constexpr bool shows_throughout(const Program& p, ref n, ref index) {
    const ir::node& x = p.nodes[n];
    const auto child = [&](std::int32_t k) {
        return shows_throughout(p, p.links[x.children.first + k], index);
    };
    bool any = false, all = x.children.count > 0;
    switch (x.kind) {
        case op::tensor:
            return shows_extent(p, n, index);
        case op::multiply:
        case op::divide:
        case op::power:
        case op::compare:
            for (std::int32_t k = 0; k < x.children.count; ++k) any = any || child(k);
            return any;
        case op::choose:  // the values, not the conditions
            for (std::int32_t k = 0; k < x.children.count; ++k)
                all = all && ((k % 2 == 1 && k + 1 != x.children.count) || child(k));
            return all;
        default:
            for (std::int32_t k = 0; k < x.children.count; ++k) all = all && child(k);
            return all;
    }
}

/// Whether the right side of a derivative's equation says how long every axis of its left side is,
/// and that of a derivative of it will.
template <class Program>
constexpr bool shows_shape(const Program& p, const ir::equation& q) {
    bool all = true;
    ir::for_each_index(p, q.positions, [&](ref i) {
        all = all && (shows_throughout(p, q.body, i) || shows_as_source(p, q, i));
    });
    return all;
}

/// Whether a tensor has any axis: the shape of a number is none.
template <class Program>
constexpr bool has_shape(const Program& p, ref name) {
    const ref e = p.definition(name);
    return e == ir::none || p.equations[e].positions.count > 0;
}

/// Adds the tensors that a derivative has its shape from: dL/dX that of X, dA/dS that of A and S.
template <class Program>
constexpr void add_shape_givers(const Program& p, ref name, detail::buffer<bool>& shapes) {
    const ir::name_symbol s = p.names[name];
    if (s.kind == ir::name_kind::plain) {
        shapes[name] = has_shape(p, name);
        return;
    }
    add_shape_givers(p, s.of, shapes);
    if (s.numerator_rank == 0) return;
    const ref above = p.find(ir::parts_of_derivative(p.name(name)).numerator);
    if (above != ir::none) add_shape_givers(p, above, shapes);
}

/// Marks the tensors whose equations read `q.name`, where q itself does not say how long an axis
/// is: the shapes that the forward run had it from give it here too. Returns whether that is so.
template <class Program>
constexpr bool add_shape_users(const Program& p, const ir::equation& q, detail::buffer<bool>& open,
                               detail::buffer<bool>& shapes) {
    if (open[q.name] || shows_own_shape(p, q, open)) return false;
    open[q.name] = true;
    for (const ir::equation& other : p.equations)
        if (!other.claim && ir::uses_name(p, other.body, q.name)) shapes[other.name] = true;
    return true;
}

/// A copy with the equations that the kept names need, directly or not, in their order. Of a tensor
/// that a derivative has its shape from, and of `shape` where that is a name, the definition stays
/// too, for the shape alone where nothing needs the values; and so does what reads a tensor whose
/// own equation leaves a part of its shape open.
template <class Program>
constexpr ir::program drop_dead_equations(Program& p, ref shape = ir::none) {
    detail::buffer<bool> needed, shapes;
    for (const ir::name_symbol& n : p.names) needed.push(n.kept), shapes.push(false);
    if (shape != ir::none && has_shape(p, shape)) shapes[shape] = true;
    detail::buffer<bool> open;  // of each name
    open.resize(p.names.size(), false);
    for (std::int32_t e = p.equations.size(); e-- > 0;) {
        const ir::equation& q = p.equations[e];
        if (q.claim || (!needed[q.name] && !shapes[q.name])) continue;
        auto& reached = needed[q.name] ? needed : shapes;
        const auto reach = [&](const auto& self, ref n, detail::buffer<bool>& into) -> void {
            const ir::node& x = p.nodes[n];
            if (x.kind == op::tensor) into[x.name] = true;
            auto& below = ir::is_power_of_zero(p, x) ? shapes : into;
            for (std::int32_t k = 0; k < x.children.count; ++k)
                self(self, p.links[x.children.first + k], below);
        };
        reach(reach, q.body, reached);
        if (p.names[q.name].kind != ir::name_kind::plain && !shows_shape(p, q))
            add_shape_givers(p, q.name, shapes);
        if (p.names[q.name].kind == ir::name_kind::plain && add_shape_users(p, q, open, shapes))
            e = p.equations.size();  // they stand below
    }
    for (std::int32_t n = 0; n < p.names.size(); ++n)
        p.names[n].shape_only = shapes[n] && !needed[n];
    ir::program out;
    ir::importer copy(out, p);
    for (const ir::equation& q : p.equations)
        if (!q.claim && (needed[q.name] || shapes[q.name])) out.equations.push(copy.import(q));
    return out;
}

}  // namespace ricci::derive
