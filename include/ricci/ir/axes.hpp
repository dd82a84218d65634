// The axes that a text says its indices run over: i \in \operatorname{axis}_0(v).
#pragma once

#include <cstdint>

#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

/// Whether any index of a program has such an axis.
template <class Program>
constexpr bool says_axes(const Program& p) {
    for (const index_symbol& i : p.indices)
        if (i.along.tensor != none) return true;
    return false;
}

/// Whether an index runs over an axis of the tensor by the words of the text, which takes its shape.
template <class Program>
constexpr bool gives_axis(const Program& p, ref name) {
    for (const index_symbol& i : p.indices)
        if (i.along.tensor == name) return true;
    return false;
}

/// How many parts of a tensor an index counts, as its letter does; 0 for most.
template <class Program>
constexpr std::int32_t parts_counted(const Program& p, ref index) {
    const index_symbol& i = p.indices[index];
    detail::text_view letter = p.text(i.text);
    if (i.extent > 0 || letter[letter.size - 1] != '\'') return i.extent > 0 ? i.extent : 0;
    while (letter.size > 1 && letter[letter.size - 1] == '\'') --letter.size;
    for (const index_symbol& other : p.indices)
        if (other.extent > 0 && p.text(other.text) == letter) return other.extent;
    return 0;
}

/// The indices of an equation, bound ones too.
template <class Program>
constexpr index_set indices_of(const Program& p, const equation& e) {
    index_set all;
    add_indices(p, e.positions, all);
    for_each_node(p, e.body, [&](ref n) {
        const node& x = p.nodes[n];
        add_indices(p, x.positions, all);
        for (std::int32_t k = 0; k < x.indices.count; ++k) all.add(p.links[x.indices.first + k]);
    });
    return all;
}

/// Visits the indices of an equation whose axes the text says, each spelling once.
template <class Program, class Visit>
constexpr void for_each_said(const Program& p, const equation& e, const Visit& visit) {
    if (!says_axes(p)) return;
    const index_set all = indices_of(p, e);
    detail::buffer<ref> seen;
    for (ref i = 0, last = all.end(); i < last; ++i) {
        bool fresh = all.has(i) && p.indices[i].along.tensor != none;
        for (ref j : seen)
            fresh = fresh && !(p.text(p.indices[j].text) == p.text(p.indices[i].text));
        if (!fresh) continue;
        seen.push(i);
        visit(i);
    }
}

}  // namespace ricci::ir
