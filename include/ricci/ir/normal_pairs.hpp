// Which bound index of one term of a normal form stands for which of another's.
#pragma once

#include <cstdint>

#include <ricci/detail/buffer.hpp>
#include <ricci/detail/text.hpp>
#include <ricci/ir/normal_term.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

/// The pairs that have been found so far.
struct pairing {
    detail::buffer<ref> left;
    detail::buffer<ref> right;
    constexpr ref partner(ref i) const {
        for (std::int32_t k = 0; k < left.size(); ++k)
            if (left[k] == i) return right[k];
        return none;
    }
    constexpr bool taken(ref i) const {
        for (ref r : right)
            if (r == i) return true;
        return false;
    }
};

constexpr bool is_bound(const normal_term& t, ref index) {
    for (ref i : t.bound)
        if (i == index) return true;
    return false;
}
constexpr bool in_softmax(const program& p, const normal_term& t, ref a, ref b) {
    for (const normal_factor& f : t.factors)
        if (has_softmax_over(p, f.atom, a) || has_softmax_over(p, f.atom, b)) return true;
    return false;
}
/// Whether one letter may stand for another in all factors: no softmax runs over that one, and none
/// over this one has both.
constexpr bool may_stand_for(const program& p, const normal_term& t, ref stays, ref gone) {
    for (const normal_factor& f : t.factors)
        if (p.nodes[f.atom].kind != op::delta &&
            (has_softmax_over(p, f.atom, gone) ||
             (has_softmax_over(p, f.atom, stays) && free_indices(p, f.atom).has(gone))))
            return false;
    return true;
}
constexpr bool pair_index(const normal_term& a, const normal_term& b, ref i, ref j,
                          pairing& pairs) {
    const bool bound = is_bound(a, i);
    if (bound != is_bound(b, j)) return false;
    if (!bound) return i == j;
    const ref partner = pairs.partner(i);
    if (partner != none) return partner == j;
    if (pairs.taken(j)) return false;
    pairs.left.push(i);
    pairs.right.push(j);
    return true;
}
/// The order of (ha) says which index is faster, that of i+j nothing.
constexpr bool pair_terms(const program& p, const normal_term& a, const normal_term& b,
                          const position& x, const position& y, pairing& pairs) {
    std::uint64_t used = 0;
    for (std::int32_t t = 0; t < x.terms.count; ++t) {
        const affine_term u = p.affine_terms[x.terms.first + t];
        const bool any = x.kind == position_kind::affine && x.terms.count <= 64;
        bool found = false;
        for (std::int32_t k = any ? 0 : t; k < (any ? y.terms.count : t + 1) && !found; ++k) {
            const affine_term v = p.affine_terms[y.terms.first + k];
            if (any && (used >> k & 1) != 0) continue;
            if (u.coefficient != v.coefficient || !pair_index(a, b, u.index, v.index, pairs))
                continue;
            found = true;
            if (any) used |= std::uint64_t{1} << k;
        }
        if (!found) return false;
    }
    return true;
}
constexpr bool pair_positions(const program& p, const normal_term& a, const normal_term& b,
                              range at, range other, pairing& pairs) {
    for (std::int32_t k = 0; k < at.count; ++k) {
        const position x = p.positions[at.first + k], y = p.positions[other.first + k];
        if (x.kind != y.kind || x.offset != y.offset || x.terms.count != y.terms.count)
            return false;
        if (x.kind == position_kind::index && !pair_index(a, b, x.index, y.index, pairs))
            return false;
        if (!pair_terms(p, a, b, x, y, pairs)) return false;
    }
    return true;
}
/// Whether arithmetic in a position leaves open which index stands for which.
constexpr bool has_sum(const program& p, const node& x) {
    for (std::int32_t k = 0; k < x.positions.count; ++k) {
        const position& q = p.positions[x.positions.first + k];
        if (q.kind == position_kind::affine && q.terms.count > 1) return true;
    }
    return false;
}
/// j and j' are as long as each other, where nothing else says how long.
constexpr bool same_letter(const program& p, ref i, ref j) {
    const auto letter = [&](ref index) {
        detail::text_view text = p.index(index);
        while (text.size > 0 && text[text.size - 1] == '\'') --text.size;
        return text;
    };
    return p.indices[i].along == p.indices[j].along && (i == j || letter(i) == letter(j));
}
/// Whether a tensor has an axis at an index, which says how far it runs: a sum of numbers alone
/// is another one under another letter.
constexpr bool is_on_axis(const program& p, ref n, ref index) {
    bool found = false;
    for_each_node(p, n, [&](ref m) {
        const node& x = p.nodes[m];
        found = found || (x.kind == op::tensor && has_index(p, x.positions, index));
    });
    return found;
}
/// Bound indices that no factor has stand for their extents: they must be the same letters.
constexpr bool unused_alike(const program& p, const normal_term& a, const normal_term& b,
                            const pairing& pairs) {
    for (std::int32_t k = 0; k < pairs.left.size(); ++k) {
        bool alike = same_letter(p, pairs.left[k], pairs.right[k]);
        for (const normal_factor& f : a.factors)
            alike = alike || is_on_axis(p, f.atom, pairs.left[k]);
        if (!alike) return false;
    }
    for (ref i : a.bound) {
        if (pairs.partner(i) != none) continue;
        bool found = false;
        for (ref j : b.bound)
            found = found || (!pairs.taken(j) && p.index(i) == p.index(j) &&
                              p.indices[i].along == p.indices[j].along);
        if (!found) return false;
    }
    return true;
}
/// f(-x) = f(x)
constexpr bool is_even(function f) { return f == function::absolute || f == function::cos; }

}  // namespace ricci::ir
