// Primes for indices: another letter of the same extent, where one is taken.
#pragma once

#include <cstdint>

#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

/// Adds every index of an expression, bound ones too.
constexpr void add_indices(const program& p, ref n, index_set& out) {
    for_each_node(p, n, [&](ref m) {
        const node& x = p.nodes[m];
        add_indices(p, x.positions, out);
        for (std::int32_t k = 0; k < x.indices.count; ++k) out.add(p.links[x.indices.first + k]);
    });
}

/// Whether a set has an index that is spelt like this one: bound ones may be symbols of their own.
constexpr bool has_spelling(const program& p, const index_set& set, ref index) {
    if (set.has(index)) return true;
    const detail::text_view spelling = p.index(index);
    for (ref i = 0, last = set.end(); i < last; ++i)
        if (set.has(i) && p.index(i) == spelling) return true;
    return false;
}

template <class Program>
constexpr detail::text_view letter_of(const Program& p, ref index) {
    detail::text_view text = p.index(index);
    while (text.size > 0 && text[text.size - 1] == '\'') --text.size;
    return text;
}

/// Whether a letter that the caller may give an extent runs over another axis than an index.
template <class Program>
constexpr bool is_known_elsewhere(const Program& p, ref letter, ref index) {
    const axis &its = p.indices[letter].along, &mine = p.indices[index].along;
    return letter < p.known_letters && its.tensor != none && mine.tensor != none && its != mine;
}

/// Of what a caller may give extents, what indices of `out` would have theirs from, j for j', is
/// known there too: it can be given where no equation has it any more.
constexpr void keep_lending_letters(const program& source, program& out) {
    for (ref i = 0; i < source.known_letters; ++i) {
        const detail::text_view spelling = source.index(i), letter = letter_of(source, i);
        if (source.indices[i].extent < 0 || out.find(spelling) != none) continue;
        bool lends = false, known = false;
        for (ref j = 0, count = out.indices.size(); j < count; ++j) {
            known = known || out.index(j) == spelling;
            lends = lends || (letter_of(out, j) == letter && out.index(j).size > spelling.size);
        }
        if (lends && !known) out.intern_index(spelling);
    }
}

/// The index with as few primes more as set it apart from all that are taken, and from letters
/// whose extents would be given to it.
constexpr ref with_more_primes(program& p, ref index, const index_set& taken) {
    const detail::text_view own = p.index(index), letter = letter_of(p, index);
    detail::buffer<bool> used;  // by the number of primes more
    for (ref i = 0; i < taken.end() || i < p.known_letters; ++i) {
        if (!taken.has(i) && !is_known_elsewhere(p, i, index)) continue;
        const detail::text_view other = p.index(i);
        const std::int32_t more = other.size - own.size;
        if (more < 1 || other[letter.size] != '\'' || !(other.slice(0, letter.size) == letter))
            continue;
        while (used.size() <= more) used.push(false);
        used[more] = true;
    }
    detail::text_builder spelling;
    spelling << own << '\'';
    for (std::int32_t more = 1; more < used.size() && used[more]; ++more) spelling << '\'';
    const index_symbol s = p.indices[index];
    const ref fresh = p.index_along(spelling, s.along);
    const bool alike =
        p.indices[fresh].extent == s.extent || (p.indices[fresh].extent >= 0 && s.extent >= 0);
    // one that is kept inside is no other of its spelling
    return alike ? fresh
                 : p.indices.push({p.indices[fresh].text, s.extent < 0 ? s.extent : 0, s.along});
}

/// Whether a count stands below a sum over another index of its letter, which it counts then.
template <class Program>
constexpr bool counts_another(const Program& p, ref n, ref count, bool below = false) {
    const node& x = p.nodes[n];
    for (std::int32_t k = 0; k < bound_count(x); ++k) {
        const ref i = p.links[x.indices.first + k];
        if (i == count) return below;
        below = below ||
                (p.index(i).size < p.index(count).size && letter_of(p, i) == letter_of(p, count));
    }
    for (std::int32_t k = 0; k < x.children.count; ++k)
        if (counts_another(p, p.links[x.children.first + k], count, below)) return true;
    return false;
}

/// \sum_{j'} 1 counts j by its letter: where j is renamed in all of `bodies`, j' has to be as well.
/// `others`: indices that stand around.
template <class Program>
constexpr void rename_counts(Program& p, const detail::buffer<ref>& bodies,
                             const detail::buffer<ref>& others, index_map& renamed) {
    index_set counts;
    bool any = false;
    for (ref body : bodies)
        for_each_node(p, body, [&](ref n) {
            const node& x = p.nodes[n];
            if (!binds(x) || p.nodes[p.links[x.children.first]].kind != op::number) return;
            any = true;
            for (std::int32_t k = 0; k < x.indices.count; ++k)
                counts.add(p.links[x.indices.first + k]);
        });
    if (!any) return;
    index_set taken;
    for (ref body : bodies) add_indices(p, body, taken);
    for (ref i : others) taken.add(i);
    for (ref c = 0; c < counts.end(); ++c) {
        bool own = counts.has(c) && renamed(c) == c;
        for (ref body : bodies) own = own && !counts_another(p, body, c);
        if (!own) continue;
        for (ref i = 0; i < taken.end(); ++i) {
            if (!taken.has(i) || renamed(i) == i || !(letter_of(p, i) == letter_of(p, c)) ||
                p.indices[i].along != p.indices[c].along)
                continue;
            index_set all = taken;
            all.add(renamed(i));
            const ref fresh = with_more_primes(p, renamed(i), all);
            renamed.set(c, fresh);
            taken.add(fresh);
            break;
        }
    }
}

/// Renames bound indices that are spelt like one which is free or bound around them, or beside
/// them.
constexpr ref prime_shadowed(program& p, ref n, const index_set& outer) {
    const node x = p.nodes[n];
    if (x.children.count == 0) return n;
    if (!binds(x))
        return rebuild_children(p, n, [&](ref child) { return prime_shadowed(p, child, outer); });
    index_map renamed;
    index_set inner = outer;
    for (std::int32_t k = 0; k < x.indices.count; ++k) {
        ref i = p.links[x.indices.first + k];
        if (has_spelling(p, inner, i)) {
            index_set taken = inner;
            add_indices(p, p.links[x.children.first], taken);  // a sum below may not capture it
            const ref fresh = with_more_primes(p, i, taken);
            renamed.set(i, fresh);
            i = fresh;
        }
        inner.add(i);
    }
    const ref copy = renamed.empty() ? n : rename_indices(p, n, renamed);
    return rebuild_children(p, copy, [&](ref child) { return prime_shadowed(p, child, inner); });
}
constexpr ref prime_shadowed(program& p, ref body, range left) {
    // what is free in the body counts too: a sum beside it may not reuse the letter
    index_set outer = free_indices(p, body);
    add_indices(p, left, outer);
    return prime_shadowed(p, body, outer);
}

}  // namespace ricci::ir
