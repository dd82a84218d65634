// Making derived equations good ones: products without ones, sums over what is left, no shadowed
// index, no equation that nobody needs.
#pragma once

#include <cstdint>

#include <ricci/ir/compact.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

using ir::op;
using ir::ref;

/// The product of factors, nested products opened, constants folded to the front.
constexpr ref product_of(ir::program& p, const detail::buffer<ref>& factors) {
    double constant = 1;
    detail::buffer<ref> all;
    const auto take = [&](auto& self, ref n) -> void {
        const ir::node x = p.nodes[n];
        if (x.kind == op::number) {
            constant *= x.value;
        } else if (x.kind == op::multiply) {
            for (std::int32_t k = 0; k < x.children.count; ++k)
                self(self, p.links[x.children.first + k]);
        } else {
            all.push(n);
        }
    };
    for (ref n : factors) take(take, n);
    if (constant == 0 || all.empty()) return p.number(constant);
    detail::buffer<ref> list;
    if (constant != 1) list.push(p.number(constant));
    list.append(all.data(), all.size());
    return list.size() == 1 ? list[0] : p.make(op::multiply, 0, list.data(), list.size());
}

/// The sum of an expression over every index that it has, or that a sum around it ran over, and that
/// `left` does not have. A sum over an index that nothing has counts.
constexpr ref sum_but(ir::program& p, ref body, ir::range left, const detail::buffer<ref>& around) {
    ir::index_set free = ir::free_indices(p, body);
    for (ref i : around) free.add(i);
    ir::for_each_index(p, left, [&](ref i) { free.remove(i); });
    detail::buffer<ref> over;
    for (ref i = 0; i < free.end(); ++i)
        if (free.has(i)) over.push(i);
    if (over.empty()) return body;
    const ir::range list = p.add_links(over);
    return p.reduce(ir::reduction::sum, list, body);
}

constexpr ref with_more_primes(ir::program& p, ref index, const ir::index_set& taken) {
    detail::text_builder spelling;
    spelling << p.index(index);
    while (true) {
        spelling << '\'';
        const ref candidate = p.intern_index(spelling);
        if (!taken.has(candidate)) return candidate;
    }
}

/// Renames bound indices that are named like one which is free or bound around them.
constexpr ref prime_shadowed(ir::program& p, ref n, const ir::index_set& outer) {
    const ir::node x = p.nodes[n];
    if (x.children.count == 0) return n;
    if (!ir::binds(x))
        return ir::rebuild_node(p, n, {},
                                [&](ref child) { return prime_shadowed(p, child, outer); });
    ir::index_map renamed;
    ir::index_set inner = outer;
    for (std::int32_t k = 0; k < x.indices.count; ++k) {
        ref i = p.links[x.indices.first + k];
        if (outer.has(i)) {
            ir::index_set taken = ir::free_indices(p, p.links[x.children.first]);
            taken.merge(inner);
            const ref fresh = with_more_primes(p, i, taken);
            renamed.set(i, fresh);
            i = fresh;
        }
        inner.add(i);
    }
    const ref copy = renamed.empty() ? n : ir::rename_indices(p, n, renamed);
    return ir::rebuild_node(p, copy, {},
                            [&](ref child) { return prime_shadowed(p, child, inner); });
}
constexpr ref prime_shadowed(ir::program& p, ref body, ir::range left) {
    // what is free in the body counts too: a sum beside it may not reuse the letter
    ir::index_set outer = ir::free_indices(p, body);
    ir::for_each_index(p, left, [&](ref i) { outer.add(i); });
    return prime_shadowed(p, body, outer);
}

/// A copy whose left side has the indices of `to` in place of those of `from`. A bound index that
/// has one of the new names takes the letter that has become free.
constexpr ref rename_left_side(ir::program& p, ref body, ir::range from, ir::range to) {
    detail::buffer<ref> a, b;
    ir::for_each_index(p, from, [&](ref i) { a.push(i); });
    ir::for_each_index(p, to, [&](ref i) { b.push(i); });
    ir::index_map renamed;
    const auto is_in = [](const detail::buffer<ref>& list, ref i) {
        for (ref j : list)
            if (j == i) return true;
        return false;
    };
    detail::buffer<ref> vacated;
    for (ref i : a)
        if (!is_in(b, i)) vacated.push(i);
    std::int32_t next = 0;
    for (std::int32_t k = 0; k < a.size(); ++k) {
        if (a[k] != b[k]) renamed.set(a[k], b[k]);
        if (!is_in(a, b[k]) && next < vacated.size())
            renamed.set(b[k], p.indices.push({p.indices[vacated[next++]].text}));
    }
    return renamed.empty() ? body : ir::rename_indices(p, body, renamed);
}

/// A copy with the equations that the kept names need, directly or not, in their order. Of the names
/// in `shapes` the definition stays too, for the shape alone where nothing needs the values.
constexpr ir::program drop_dead_equations(ir::program& p, detail::buffer<bool> shapes) {
    detail::buffer<bool> needed;
    for (const ir::name_symbol& n : p.names) needed.push(n.kept);
    shapes.resize(p.names.size(), false);
    for (std::int32_t e = p.equations.size(); e-- > 0;) {
        const ir::equation& q = p.equations[e];
        if (q.claim || (!needed[q.name] && !shapes[q.name])) continue;
        auto& reached = needed[q.name] ? needed : shapes;
        ir::for_each_node(p, q.body, [&](ref n) {
            if (p.nodes[n].kind == op::tensor) reached[p.nodes[n].name] = true;
        });
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
