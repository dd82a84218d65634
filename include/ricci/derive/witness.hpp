// What says how far an index of a derived equation runs, where the tensor that said it has gone: a
// factor of 1 that reads one with an axis at the index, such as (\sum_{j} X^{ij})^{0}.
#pragma once

#include <cstdint>

#include <ricci/derive/tidy.hpp>
#include <ricci/ir/conditions.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

/// An index, and the expression in which a sign or the left side of an equation binds it. A template,
/// as all that derives is one: its lists are made only where something is derived.
template <class Program>
struct binding {
    ref index;
    ref body;
};

/// A letter that no index of the program has, with primes or without, for an axis whose extent is
/// its own affair: what has no extent of its own takes that of its letter. No tensor is called so
/// either, as the letter may stand as a number.
template <class Program>
constexpr ref fresh_letter(Program& p) {
    const detail::text_view letters = "pqrstuvwzyxmnklefgbcdo";
    for (std::int32_t k = 0; k < letters.size; ++k) {
        const detail::text_view letter = letters.slice(k, k + 1);
        bool taken = p.find(letter) != ir::none;
        for (ref i = 0; i < p.indices.size() && !taken; ++i) {
            const detail::text_view other = p.index(i);
            taken = other[0] == letter[0] && (other.size == 1 || other[1] == '\'');
        }
        if (!taken) return p.intern_index(letter);
    }
    detail::text_builder ell;
    for (ell << "\\ell"; p.find_index(ell) != ir::none;) ell << '\'';
    return p.intern_index(ell);
}

/// A use of a tensor, to the power 0, summed over whatever is not in `scope`: an axis at which it
/// stands there with other indices has a letter of its own. No place of it is named, as an axis may
/// be empty.
template <class Program>
constexpr ref witness_of(Program& p, ref use, const ir::index_set& scope) {
    const ir::node x = p.nodes[use];
    detail::buffer<ir::position> list;
    detail::buffer<ref> over;
    for (std::int32_t k = 0; k < x.positions.count; ++k) {
        ir::position q = p.positions[x.positions.first + k];
        bool inside = q.kind != ir::position_kind::gathered;
        ir::for_each_index(p, {x.positions.first + k, 1},
                           [&](ref i) { inside = inside && scope.has(i); });
        if (!inside) {
            const bool plain = q.kind == ir::position_kind::index;
            const ref axis = plain ? q.index : fresh_letter(p);
            bool known = false;  // a diagonal is summed once
            for (ref i : over) known = known || i == axis;
            if (!known) over.push(axis);
            q = ir::index_position(axis);
        }
        list.push(q);
    }
    const ir::range at{p.positions.size(), list.size()};
    p.positions.append(list.data(), list.size());
    ref read = p.tensor(x.name, at);
    if (!over.empty()) read = p.reduce(ir::reduction::sum, p.add_links(over), read);
    return p.make(op::power, read, p.number(0));
}

/// Whether an expression reads `use` where its place has to exist: under no bracket, in no cases.
/// `guarded`: one of the factors around is a bracket.
template <class Program>
constexpr bool reads_unguarded(const Program& p, ref n, ref use, bool guarded) {
    const ir::node& x = p.nodes[n];
    if (x.kind == op::tensor && !guarded && ir::same_expression(p, n, use)) return true;
    bool brackets = x.kind == op::choose;
    for (std::int32_t k = 0; x.kind == op::multiply && k < x.children.count; ++k)
        brackets = brackets || ir::is_bracket(p.nodes[p.links[x.children.first + k]]);
    for (std::int32_t k = 0; k < x.children.count; ++k) {
        const ref child = p.links[x.children.first + k];
        const bool beside =
            brackets && !ir::is_bracket(p.nodes[child]) && !ir::is_power_of_zero(p, p.nodes[child]);
        if (reads_unguarded(p, child, use, guarded || beside)) return true;
    }
    return false;
}

/// What gives the extent of an index that `source` reads at `uses` alone, which are arithmetic of
/// it: those, where all their indices mean something here and none stands under a bracket; or else
/// all of `source`, summed over what is not in `scope`: a factor of 1 adds no index to a product.
template <class Program>
constexpr ref arithmetic_witness(Program& p, ref source, const detail::buffer<ref>& uses,
                                 const ir::index_set& scope) {
    detail::buffer<ref> terms;
    bool alone = true;
    for (ref n : uses) {
        const ir::index_set free = ir::free_indices(p, n);
        for (ref j = 0; j < free.end(); ++j) alone = alone && (!free.has(j) || scope.has(j));
        alone = alone && p.nodes[n].children.count == 0 && reads_unguarded(p, source, n, false);
        bool known = false;
        for (ref t : terms) known = known || ir::same_expression(p, t, n);
        if (!known) terms.push(n);
    }
    if (alone) source = terms.size() == 1 ? terms[0] : p.make(op::add, 0, &terms[0], terms.size());
    const ir::index_set free = ir::free_indices(p, source);
    detail::buffer<ref> over;
    for (ref j = 0; j < free.end(); ++j)
        if (free.has(j) && !scope.has(j)) over.push(j);
    if (!over.empty()) source = p.reduce(ir::reduction::sum, p.add_links(over), source);
    return p.make(op::power, source, p.number(0));
}

/// Adds to `factors` what gives the extent of each index in `summed` that they do not give, from
/// the expression where the index had its extent, `where(index)`: a part of what was
/// differentiated.
/// `scope`: the indices that mean something here.
template <class Program, class Where>
constexpr void add_witnesses(Program& p, detail::buffer<ref>& factors, const Where& where,
                             const ir::index_set& summed, const ir::index_set& scope) {
    for (ref i = 0, last = summed.end(); i < last; ++i) {
        if (!summed.has(i)) continue;
        bool shown = false;
        for (ref f : factors) shown = shown || shows_extent(p, f, i);
        if (shown) continue;
        const ref source = where(i);
        ref plain = ir::none;
        detail::buffer<ref> arithmetic;
        for_each_use(p, source, i, [&](ref n, ir::position_kind kind) {
            if (kind == ir::position_kind::index) plain = n;
            else arithmetic.push(n);
        });
        if (plain != ir::none) {
            factors.push(witness_of(p, plain, scope));
            continue;
        }
        // Places that several indices share, or arithmetic: all of them say how far it runs.
        bool stand = true, brackets = false;
        for (ref f : factors) brackets = brackets || ir::is_bracket(p.nodes[f]);
        for (ref n : arithmetic) {
            const bool guarded = !reads_unguarded(p, source, n, false);
            bool found = false;
            for (ref f : factors)
                for_each_use(p, f, i, [&](ref m, ir::position_kind) {
                    if (!ir::same_expression(p, m, n)) return;
                    const bool hidden = brackets && !ir::is_power_of_zero(p, p.nodes[f]);
                    found = found || guarded || reads_unguarded(p, f, n, hidden);
                });
            stand = stand && found;
        }
        if (stand) continue;
        factors.push(arithmetic_witness(p, source, arithmetic, scope));
    }
}

/// The product of factors that is summed over `path` and every index that `left` does not have,
/// with what gives the extents that no tensor and no axis of `left` gives. `where(index)`: the
/// expression that gave the extent of an index.
template <class Program, class Where>
constexpr ref witnessed_product(Program& p, const detail::buffer<ref>& all, ir::range left,
                                const detail::buffer<ref>& path, const Where& where) {
    const ref product = product_of(p, all);
    ir::index_set summed = ir::free_indices(p, product);
    for (ref i : path) summed.add(i);
    ir::index_set scope = summed;
    for (std::int32_t k = 0; k < left.count; ++k) {
        // an axis of (ha) does not say how long h and a are
        const bool plain = p.positions[left.first + k].kind == ir::position_kind::index;
        ir::for_each_index(p, {left.first + k, 1}, [&](ref i) {
            scope.add(i);
            if (plain) summed.remove(i);
            else summed.add(i);
        });
    }
    detail::buffer<ref> factors;  // what has cancelled shows no extent
    factors.push(product);
    add_witnesses(p, factors, where, summed, scope);
    return factors.size() == 1 ? product : product_of(p, factors);
}

}  // namespace ricci::derive
