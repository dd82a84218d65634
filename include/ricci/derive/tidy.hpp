// Making derived equations good ones: terms counted, sums over what is left, no shadowed index.
#pragma once

#include <cstdint>

#include <ricci/derive/product.hpp>
#include <ricci/ir/compact.hpp>
#include <ricci/ir/primes.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/written_place.hpp>

namespace ricci::derive {

template <class Program>
constexpr bool is_zero(const Program& p, ref n) {
    return p.nodes[n].kind == op::number && p.nodes[n].value == 0;
}

/// Adds a term to a list, and counts one that is there already: x + x is 2 x, x - x is nothing.
template <class Program>
constexpr void collect_term(Program& p, detail::buffer<ref>& terms, ref term) {
    constant mine;
    const ref base = without_constant(p, term, mine);
    for (ref& t : terms) {
        constant count;
        const ref other = without_constant(p, t, count);
        if (!ir::same_expression(p, other, base)) continue;
        if (!count.plus(mine)) continue;
        if (count.above == 0) {  // the two cancel
            t = terms.back();
            terms.shrink(terms.size() - 1);
            return;
        }
        const ir::node x = p.nodes[base];
        const bool sum =
            x.kind == op::reduce && x.detail == static_cast<std::uint8_t>(ir::reduction::sum);
        detail::buffer<ref> factors;
        factors.push(make_constant(p, count));
        factors.push(sum ? p.links[x.children.first] : base);
        const ref product = product_of(p, factors);
        t = sum ? p.reduce(ir::reduction::sum, x.indices, product) : product;
        return;
    }
    terms.push(term);
}

/// A copy without products directly in products.
template <class Program>
constexpr ref flattened(Program& p, ref n) {
    const ref inside = ir::rebuild_children(p, n, [&](ref child) { return flattened(p, child); });
    const ir::node x = p.nodes[inside];
    if (x.kind != op::multiply) return inside;
    detail::buffer<ref> factors;
    factors.append(p.links.data() + x.children.first, x.children.count);
    return product_of(p, factors);
}

/// The sum of an expression over every index that it has, or that a sum around it ran over, and
/// that `left` does not have. A sum over an index that nothing has counts.
template <class Program>
constexpr ref sum_but(Program& p, ref body, ir::range left, const detail::buffer<ref>& around) {
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

using ir::add_indices;
using ir::prime_shadowed;
using ir::with_more_primes;

/// How far an index runs: the sum of 1 over `fresh`, which runs as far.
template <class Program>
constexpr ref count_over(Program& p, ref fresh) {
    return p.reduce(ir::reduction::sum, p.add_links(&fresh, 1), p.number(1));
}

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

/// The index of another's spelling that runs over an axis.
template <class Program>
constexpr ref index_like(Program& p, ref letter, ir::axis along) {
    detail::text_builder spelling;
    spelling << p.index(letter);
    return p.index_along(spelling, along);
}

/// A copy of an expression whose indices are renamed, those of the left side `from` too. A count
/// that has its extent from a letter which is renamed is renamed with it.
template <class Program>
constexpr ref rename_with_counts(Program& p, ref body, ir::range from, ir::index_map renamed) {
    if (renamed.empty()) return body;
    detail::buffer<ref> bodies, left;
    bodies.push(body);
    ir::for_each_index(p, from, [&](ref i) { left.push(i); });
    ir::rename_counts(p, bodies, left, renamed);
    return ir::rename_indices(p, body, renamed);
}

/// A copy of an expression with another index where one is free.
template <class Program>
constexpr ref rename_free(Program& p, ref n, ref from, ref to) {
    const ir::node x = p.nodes[n];
    for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k)
        if (p.links[x.indices.first + k] == from) return n;
    const ref inside =
        ir::rebuild_children(p, n, [&](ref child) { return rename_free(p, child, from, to); });
    ir::index_map renamed;
    renamed.set(from, to);
    ir::node copy = p.nodes[inside];
    bool has = ir::has_index(p, x.positions, from);
    for (std::int32_t k = 0; k < x.indices.count; ++k)
        has = has || p.links[x.indices.first + k] == from;
    if (!has) return inside;
    copy.positions = ir::rename_positions(p, copy.positions, renamed);
    detail::buffer<ref> over;
    for (std::int32_t k = 0; k < x.indices.count; ++k)
        over.push(renamed(p.links[x.indices.first + k]));
    if (!over.empty()) copy.indices = p.add_links(over);
    return p.nodes.push(copy);
}

/// name = 0, in the shape that the name has: with an index of its own for every axis.
/// `axis_of(name, k)`: the axis that stands for its axis k.
template <class Program, class AxisOf>
constexpr ir::equation zero_equation(Program& p, ref name, std::int32_t rank,
                                     const AxisOf& axis_of) {
    detail::buffer<ir::position> list;
    ir::index_set taken;
    for (ref i = 0; i < p.indices.size(); ++i) taken.add(i);
    for (std::int32_t k = 0; k < rank; ++k) {
        const ref fresh = with_more_primes(p, p.intern_index("p"), taken);
        taken.add(fresh);
        list.push(ir::index_position(index_like(p, fresh, axis_of(name, k))));
    }
    const ir::range at{p.positions.size(), list.size()};
    p.positions.append(list.data(), list.size());
    return {name, at, p.number(0), false, {}};
}

/// Whether two lists of positions divide the axes of a tensor alike.
template <class Program>
constexpr bool same_form(const Program& p, ir::range a, ir::range b) {
    for (std::int32_t k = 0; k < a.count; ++k) {
        const ir::position &x = p.positions[a.first + k], &y = p.positions[b.first + k];
        if (x.kind != y.kind || x.terms.count != y.terms.count) return false;
        // (ha) and (ah) are different places of one axis
        for (std::int32_t t = 0; t < x.terms.count; ++t)
            if (p.affine_terms[x.terms.first + t].index != p.affine_terms[y.terms.first + t].index)
                return false;
    }
    return true;
}

/// Visits every tensor of an expression at which `index` is free, and every place with it that
/// was written out and says how far it runs, [p = 3 - i].
template <class Program, class Visit>
constexpr void for_each_use(const Program& p, ref n, ref index, const Visit& visit) {
    const ir::node& x = p.nodes[n];
    for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k)
        if (p.links[x.indices.first + k] == index) return;
    if (x.kind == op::tensor)
        for (std::int32_t k = 0; k < x.positions.count; ++k) {
            const ir::range axis{x.positions.first + k, 1};
            if (ir::has_index(p, axis, index)) visit(n, p.positions[axis.first].kind);
        }
    const ref axis = ir::written_axis(p, x);
    if (axis != ir::none && p.indices[axis].extent == ir::kept_inside)
        ir::for_each_node(p, p.links[x.children.first + 1], [&](ref m) {
            const ir::node& y = p.nodes[m];
            if (y.kind == op::position && ir::has_index(p, y.positions, index))
                visit(n, ir::position_kind::affine);
        });
    for (std::int32_t k = 0; k < x.children.count; ++k)
        for_each_use(p, p.links[x.children.first + k], index, visit);
}

/// Whether a tensor of an expression has an axis at `index`, so that its shape gives the extent of
/// the index where that is free.
template <class Program>
constexpr bool shows_extent(const Program& p, ref n, ref index) {
    const ir::node& x = p.nodes[n];
    if (x.kind == op::tensor && x.positions.count > 0) {
        const ir::position* q = p.positions.begin() + x.positions.first;
        for (const ir::position* end = q + x.positions.count; q != end; ++q)
            if (q->kind == ir::position_kind::index && q->index == index) return true;
    }
    if (x.children.count == 0) return false;
    for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k)
        if (p.links[x.indices.first + k] == index) return false;
    for (std::int32_t k = 0; k < x.children.count; ++k)
        if (shows_extent(p, p.links[x.children.first + k], index)) return true;
    return false;
}

/// Whether that is so below every sign that binds the index.
template <class Program>
constexpr bool shows_where_bound(const Program& p, ref n, ref index) {
    bool all = true;
    ir::for_each_node(p, n, [&](ref m) {
        const ir::node& x = p.nodes[m];
        for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k)
            if (p.links[x.indices.first + k] == index)
                all = all && shows_extent(p, p.links[x.children.first], index);
    });
    return all;
}

/// Bound indices, told apart where the reader would take a tensor at one for a neighbour of the
/// same tensor at arithmetic of another: x^i in one sum beside x^{i+1} in the next would be
/// x^{i+0}.
template <class Program = ir::program>
class neighbour_letters {
public:
    constexpr neighbour_letters(Program& p, ref body, ir::range left) : p_(p), body_(body) {
        ir::add_indices(p_, left, taken_);
    }
    constexpr ref run() {
        add_arithmetic(body_, arithmetic_);
        if (arithmetic_.empty()) return body_;
        add_indices(p_, body_, taken_);
        return apart(body_);
    }

private:
    struct use {
        ref name;
        ref index;
    };

    constexpr void add_arithmetic(ref body, detail::buffer<use>& out) const {
        ir::for_each_node(p_, body, [&](ref n) {
            const ir::node& x = p_.nodes[n];
            for (std::int32_t k = 0; x.kind == op::tensor && k < x.positions.count; ++k)
                if (p_.positions[x.positions.first + k].kind == ir::position_kind::affine)
                    ir::for_each_index(p_, {x.positions.first + k, 1}, [&](ref i) {
                        out.push({x.name, i});
                    });
        });
    }
    constexpr std::int32_t count_of(const detail::buffer<use>& uses, ref name, ref index) const {
        std::int32_t count = 0;
        for (const use& u : uses)
            count += u.name == name && p_.index(u.index) == p_.index(index) ? 1 : 0;
        return count;
    }
    constexpr ref apart(ref n) {
        const ir::node x = p_.nodes[n];
        if (x.children.count == 0) return n;
        ir::index_map renamed;
        for (std::int32_t k = 0; ir::binds(x) && k < x.indices.count; ++k) {
            const ref i = p_.links[x.indices.first + k];
            if (!has_neighbour(p_.links[x.children.first], i)) continue;
            const ref fresh = ir::with_more_primes(p_, i, taken_);
            taken_.add(fresh);
            renamed.set(i, fresh);
        }
        const ref copy = renamed.empty() ? n : ir::rename_indices(p_, n, renamed);
        return ir::rebuild_children(p_, copy, [&](ref child) { return apart(child); });
    }
    /// Whether a tensor stands at the index alone, and elsewhere at arithmetic of one spelt so.
    constexpr bool has_neighbour(ref body, ref index) const {
        bool found = false;
        detail::buffer<use> inside;
        add_arithmetic(body, inside);
        ir::for_each_node(p_, body, [&](ref n) {
            const ir::node& x = p_.nodes[n];
            for (std::int32_t k = 0; x.kind == op::tensor && k < x.positions.count; ++k) {
                const ir::position& at = p_.positions[x.positions.first + k];
                if (at.kind != ir::position_kind::index || at.index != index) continue;
                found =
                    found || count_of(arithmetic_, x.name, index) > count_of(inside, x.name, index);
            }
        });
        return found;
    }

    Program& p_;
    ref body_;
    ir::index_set taken_;
    detail::buffer<use> arithmetic_;
};

/// What takes the place of which index of an equation, for its left side to have the indices of
/// `to` instead of those of `from`. A bound index that has one of the new names takes a letter that
/// has become free, of an index that runs over the same axis: the caller may give that letter an
/// extent.
template <class Program>
constexpr ir::index_map left_side_renaming(Program& p, ref body, ir::range from, ir::range to) {
    detail::buffer<ref> a, b;
    ir::for_each_index(p, from, [&](ref i) { a.push(i); });
    ir::for_each_index(p, to, [&](ref i) { b.push(i); });
    ir::index_map renamed;
    const auto is_in = [](const detail::buffer<ref>& list, ref i) {
        for (ref j : list)
            if (j == i) return true;
        return false;
    };
    detail::buffer<ref> counts;
    ir::for_each_node(p, body, [&](ref n) {
        const ir::node& x = p.nodes[n];
        if (!ir::binds(x) || p.nodes[p.links[x.children.first]].kind != op::number) return;
        for (std::int32_t k = 0; k < x.indices.count; ++k)
            counts.push(p.links[x.indices.first + k]);
    });
    // Whatever took a letter that a count has its extent from would be counted instead.
    const auto is_kept = [&](ref i) {
        // a bound index that was copied is another symbol of the same letter
        for (ref j : b)
            if (p.index(j) == p.index(i)) return true;
        for (ref c : counts)
            if (ir::letter_of(p, c) == ir::letter_of(p, i)) return true;
        return false;
    };
    detail::buffer<ref> vacated;
    for (ref i : a)
        if (!is_kept(i)) vacated.push(i);
    ir::index_set taken;
    for (ref i : b) taken.add(i);
    add_indices(p, body, taken);
    const auto take_vacated = [&](ref i) {
        for (ref& v : vacated)
            if (v != ir::none && p.indices[v].along == p.indices[i].along) {
                const ref taken_one = v;
                v = ir::none;
                return taken_one;
            }
        return ir::none;
    };
    for (std::int32_t k = 0; k < a.size(); ++k) {
        if (a[k] != b[k]) renamed.set(a[k], b[k]);
        if (is_in(a, b[k])) continue;
        // one that has its extent from its letter, or whose letter the caller binds, keeps that
        const detail::text_view spelling = p.index(b[k]);
        const bool may = spelling[spelling.size - 1] != '\'' && shows_where_bound(p, body, b[k]);
        if (const ref letter = may ? take_vacated(b[k]) : ir::none; letter != ir::none) {
            renamed.set(b[k], p.indices.push({p.indices[letter].text, 0, p.indices[b[k]].along}));
        } else {
            const ref fresh = with_more_primes(p, b[k], taken);
            renamed.set(b[k], fresh);
            taken.add(fresh);
        }
    }
    return renamed;
}

}  // namespace ricci::derive
