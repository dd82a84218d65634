// The normal form: an expression as a sum of terms, each with a coefficient, sums over renamed
// indices and factors with powers. Deltas are eliminated, constants folded, products expanded, like
// terms collected. What has equal normal forms is equal; for polynomials the converse holds too.
#pragma once

#include <cstdint>

#include <ricci/ir/eliminate.hpp>
#include <ricci/ir/normal_brackets.hpp>
#include <ricci/ir/normal_inverses.hpp>
#include <ricci/ir/normal_numbers.hpp>
#include <ricci/ir/normal_pairs.hpp>
#include <ricci/ir/normal_term.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

/// Builds and compares normal forms within one program, to which it adds nodes and indices.
class normaliser {
public:
    /// After `most` steps nothing more is expanded, or found to be equal.
    constexpr explicit normaliser(program& p, std::int64_t most = INT64_MAX) : p_(p), most_(most) {}

    constexpr bool gave_up() const { return steps_ > most_; }
    constexpr std::int64_t steps() const { return steps_; }

    constexpr bool equal(ref a, ref b) { return equal(normalise(a), normalise(b)); }
    constexpr bool equal(const normal_sum& a, const normal_sum& b) {
        if (a.size() != b.size()) return false;
        detail::buffer<bool> used;
        for (std::int32_t k = 0; k < b.size(); ++k) used.push(false);
        for (std::int32_t k = 0; k < a.size(); ++k) {
            bool found = false;
            for (std::int32_t j = 0; j < b.size() && !found; ++j)
                if (!used[j] && a[k].coefficient == b[j].coefficient && same_term(a[k], b[j]))
                    used[j] = found = true;
            if (!found) return false;
        }
        return true;
    }

    constexpr normal_sum normalise(ref n) {
        normal_sum raw = expand(n);
        normal_sum out;
        for (std::int32_t k = 0; k < raw.size(); ++k) {
            normal_term& t = raw[k];
            substitute_free_deltas(t);
            fold_imaginary_units(p_, t);
            settle_numbers(p_, t);
            drop_brackets(*this, p_, t);
            bool merged = false;
            for (std::int32_t j = 0; j < out.size() && !merged; ++j)
                merged = same_term(out[j], t) && out[j].coefficient.add(t.coefficient);
            if (!merged) out.push(static_cast<normal_term&&>(t));
        }
        normal_sum collected;
        for (std::int32_t k = 0; k < out.size(); ++k)
            if (!out[k].coefficient.is(0) || has_infinity(p_, out[k]))
                collected.push(static_cast<normal_term&&>(out[k]));
        return collected;
    }

    /// The normal form as an expression again, for printing.
    constexpr ref to_node(const normal_sum& sum) {
        detail::buffer<ref> terms;
        for (std::int32_t k = 0; k < sum.size(); ++k) terms.push(to_node(sum[k]));
        if (terms.empty()) return p_.number(0);
        return terms.size() == 1 ? terms[0] : p_.make(op::add, 0, terms.data(), terms.size());
    }

private:
    static constexpr std::int32_t most_terms = 256;

    // Expansion -----------------------------------------------------------------------------------

    /// A number, and one factor, as sums of one term.
    constexpr normal_sum constant(std::int64_t value) {
        normal_sum s;
        normal_term t;
        t.coefficient = value;
        s.push(static_cast<normal_term&&>(t));
        return s;
    }
    constexpr normal_sum atom(ref n, const quotient& exponent = 1) {
        normal_sum s;
        normal_term t;
        t.factors.push({n, exponent});
        s.push(static_cast<normal_term&&>(t));
        return s;
    }

    constexpr normal_sum expand(ref n) {
        if (++steps_ > most_) return atom(n);
        const node x = p_.nodes[n];
        switch (x.kind) {
            case op::number: {
                normal_sum s;
                s.push(number_term(p_, n));
                return s;
            }
            case op::add: {
                normal_sum all;
                for (std::int32_t k = 0; k < x.children.count; ++k) {
                    normal_sum part = expand(p_.links[x.children.first + k]);
                    for (std::int32_t j = 0; j < part.size(); ++j)
                        all.push(static_cast<normal_term&&>(part[j]));
                }
                return all;
            }
            case op::multiply: {
                normal_sum product = constant(1);
                for (std::int32_t k = 0; k < x.children.count; ++k) {
                    product = multiply(static_cast<normal_sum&&>(product),
                                       expand(p_.links[x.children.first + k]));
                    if (product.size() > most_terms) return atom(n);
                }
                return product;
            }
            case op::divide: {
                normal_sum numerator = expand(p_.links[x.children.first]);
                return multiply(static_cast<normal_sum&&>(numerator),
                                raise(p_.links[x.children.first + 1], -1));
            }
            case op::power: {
                quotient value = 0;
                if (!constant_value(p_.links[x.children.first + 1], value)) return atom(n);
                return raise(p_.links[x.children.first], value);
            }
            case op::apply:
                if (x.detail == static_cast<std::uint8_t>(function::sqrt))
                    return raise(p_.links[x.children.first], quotient(1, 2));
                return atom(n);
            case op::reduce:
                if (x.detail == static_cast<std::uint8_t>(reduction::sum)) return expand_sum(x);
                return atom(n);
            case op::delta: {
                const position a = p_.positions[x.positions.first],
                               b = p_.positions[x.positions.first + 1];
                if (a.kind == position_kind::index && b.kind == position_kind::index &&
                    a.index == b.index)
                    return constant(1);
                return atom(n);
            }
            default:
                return atom(n);
        }
    }
    constexpr bool constant_value(ref n, quotient& out) {
        const normal_sum s = normalise(n);
        if (s.size() == 0) return out = 0, true;
        if (s.size() != 1 || !s[0].factors.empty() || !s[0].bound.empty()) return false;
        out = s[0].coefficient;
        return true;
    }

    constexpr normal_term copy_term(const normal_term& t) {
        normal_term out;
        out.coefficient = t.coefficient;
        index_map fresh;
        for (ref i : t.bound) {
            const ref symbol = fresh_index(i);
            fresh.set(i, symbol);
            out.bound.push(symbol);
        }
        for (const normal_factor& f : t.factors)
            out.factors.push(
                {fresh.empty() ? f.atom : rename_indices(p_, f.atom, fresh), f.exponent});
        return out;
    }
    constexpr normal_sum copy_sum(const normal_sum& s) {
        normal_sum out;
        for (std::int32_t k = 0; k < s.size(); ++k) out.push(copy_term(s[k]));
        return out;
    }
    /// A new symbol that prints like the old one: the text up to # is its letter.
    constexpr ref fresh_index(ref like) {
        const index_symbol symbol = p_.indices[like];
        return p_.indices.push({symbol.text, 0, symbol.along});
    }

    constexpr normal_sum multiply(normal_sum&& a, const normal_sum& b) {
        normal_sum out;
        // Every sum sign was given symbols of its own, so terms used once need no copy.
        if (a.size() == 1 && b.size() == 1) {
            normal_term t = static_cast<normal_term&&>(a[0]);
            append_factors(t, b[0]);
            out.push(static_cast<normal_term&&>(t));
            return out;
        }
        for (std::int32_t i = 0; i < a.size(); ++i)
            for (std::int32_t j = 0; j < b.size(); ++j) {
                normal_term t = copy_term(a[i]);
                append_factors(t, copy_term(b[j]));
                out.push(static_cast<normal_term&&>(t));
            }
        return out;
    }
    constexpr void append_factors(normal_term& t, const normal_term& u) {
        for (const normal_factor& f : u.factors) add_factor(t, f);
        if (!t.coefficient.multiply(u.coefficient)) {  // too long: as powers of primes
            const quotient& c = u.coefficient;
            multiply_by_power(p_, t, c.above() < 0 ? -c.above() : c.above(), 1);
            multiply_by_power(p_, t, c.below(), -1);
            if (c.above() < 0) t.coefficient.multiply(-1);
        }
        t.bound.append(u.bound.data(), u.bound.size());
    }
    constexpr void add_factor(normal_term& t, normal_factor f) {
        for (std::int32_t k = 0; k < t.factors.size(); ++k) {
            if (is_infinite(p_, f) || !same_atom(t.factors[k].atom, f.atom) ||
                !t.factors[k].exponent.add(f.exponent))
                continue;
            if (t.factors[k].exponent.is(0)) {
                t.factors[k] = t.factors.back();
                t.factors.shrink(t.factors.size() - 1);
            }
            return;
        }
        t.factors.push(f);
    }

    /// base^exponent for a constant exponent.
    constexpr normal_sum raise(ref base, const quotient& exponent) {
        normal_sum s = normalise(base);
        if (exponent.is(0)) return constant(1);
        if (s.size() == 0 && exponent.above() > 0) return s;
        if (s.size() == 1 && s[0].bound.empty() && raise_term(p_, s[0], exponent)) return s;
        if (exponent.is_whole() && exponent.above() > 1 && exponent.above() <= 4) {
            normal_sum out = copy_sum(s);
            for (std::int64_t k = 1; k < exponent.above(); ++k)
                out = multiply(static_cast<normal_sum&&>(out), copy_sum(s));
            if (out.size() <= most_terms) return out;
        }
        return atom(base, exponent);
    }

    constexpr normal_sum expand_sum(const node& x) {
        index_map fresh;
        detail::buffer<ref> over;
        for (std::int32_t k = 0; k < x.indices.count; ++k) {
            const ref i = p_.links[x.indices.first + k];
            over.push(fresh_index(i));
            fresh.set(i, over.back());
        }
        normal_sum body = expand(rename_indices(p_, p_.links[x.children.first], fresh));
        for (std::int32_t k = 0; k < body.size(); ++k) {
            for (ref i : over) body[k].bound.push(i);
            cancel_inverses(p_, body[k]);
            eliminate_deltas(body[k]);
        }
        return body;
    }
    /// sum_j delta_ij x_j = x_i, wherever one of delta's indices is bound in the term.
    constexpr void eliminate_deltas(normal_term& t) {
        for (std::int32_t k = 0; k < t.factors.size(); ++k) {
            const node x = p_.nodes[t.factors[k].atom];
            if (x.kind != op::delta || t.factors[k].exponent.above() < 0) continue;
            const position a = p_.positions[x.positions.first],
                           b = p_.positions[x.positions.first + 1];
            if (a.kind != position_kind::index || b.kind != position_kind::index) continue;
            const bool first = is_bound(t, a.index) && may_stand_for(p_, t, b.index, a.index);
            if (!first && (!is_bound(t, b.index) || !may_stand_for(p_, t, a.index, b.index)))
                continue;
            const ref gone = first ? a.index : b.index;
            const ref stays = first ? b.index : a.index;
            t.factors[k] = t.factors.back();
            t.factors.shrink(t.factors.size() - 1);
            unbind(t, gone);
            index_map renamed;
            renamed.set(gone, stays);
            normal_term out;
            for (const normal_factor& f : t.factors) {
                const ref atom_renamed = rename_indices(p_, f.atom, renamed);
                const node y = p_.nodes[atom_renamed];
                const bool one = y.kind == op::delta &&
                                 p_.positions[y.positions.first].kind == position_kind::index &&
                                 p_.positions[y.positions.first + 1].kind == position_kind::index &&
                                 p_.positions[y.positions.first].index ==
                                     p_.positions[y.positions.first + 1].index;
                if (!one) add_factor(out, {atom_renamed, f.exponent});
            }
            t.factors = out.factors;
            k = -1;  // the renaming may have brought another delta within reach
        }
    }
    /// delta_ij x_j = delta_ij x_i: beside a delta of two free indices every other factor is
    /// written with the one that comes first.
    constexpr void substitute_free_deltas(normal_term& t) {
        for (std::int32_t k = 0; k < t.factors.size(); ++k) {
            ref a = none, b = none;
            if (!plain_delta(p_, p_.nodes[t.factors[k].atom], a, b)) continue;
            if (a == b || is_bound(t, a) || is_bound(t, b) || in_softmax(p_, t, a, b)) continue;
            index_map renamed;
            renamed.set(a < b ? b : a, a < b ? a : b);
            normal_term out;
            for (std::int32_t j = 0; j < t.factors.size(); ++j) {
                const normal_factor f = t.factors[j];
                if (j == k)
                    out.factors.push({f.atom, f.exponent.above() > 0 ? quotient(1) : f.exponent});
                else add_factor(out, {rename_indices(p_, f.atom, renamed), f.exponent});
            }
            t.factors = out.factors;
        }
    }

    // Comparison ----------------------------------------------------------------------------------

    /// Equal up to the coefficient and the names of bound indices.
    constexpr bool same_term(const normal_term& a, const normal_term& b) {
        if (a.factors.size() != b.factors.size() || a.bound.size() != b.bound.size()) return false;
        detail::buffer<bool> used;
        for (std::int32_t k = 0; k < b.factors.size(); ++k) used.push(false);
        pairing pairs;
        return match(a, b, 0, used, pairs);
    }
    /// Finds partners for the factors of `a` from number k on, by backtracking.
    constexpr bool match(const normal_term& a, const normal_term& b, std::int32_t k,
                         detail::buffer<bool>& used, pairing& pairs) {
        if (k == a.factors.size()) return unused_alike(p_, a, b, pairs);
        for (std::int32_t j = 0; j < b.factors.size(); ++j) {
            if (used[j] || !(a.factors[k].exponent == b.factors[j].exponent)) continue;
            const std::int32_t mark = pairs.left.size();
            used[j] = true;
            if (match_atom(a, b, k, j, used, pairs)) return true;
            used[j] = false;
            pairs.left.shrink(mark);
            pairs.right.shrink(mark);
        }
        return false;
    }
    constexpr bool match_atom(const normal_term& a, const normal_term& b, std::int32_t k,
                              std::int32_t j, detail::buffer<bool>& used, pairing& pairs) {
        if (++steps_ > most_) return false;
        const ref left = a.factors[k].atom, right = b.factors[j].atom;
        const node x = p_.nodes[left], y = p_.nodes[right];
        if (x.kind != y.kind || x.name != y.name || x.detail != y.detail ||
            x.positions.count != y.positions.count || x.children.count != y.children.count)
            return false;
        if (x.kind == op::tensor && x.children.count == 0 && !has_sum(p_, x))
            return pair_positions(p_, a, b, x.positions, y.positions, pairs) &&
                   match(a, b, k + 1, used, pairs);
        // Any other atom: settle the bound indices in it one by one, then compare as expressions.
        const index_set inside = free_indices(p_, left);
        for (ref i : a.bound) {
            if (!inside.has(i) || pairs.partner(i) != none) continue;
            for (ref other : b.bound) {
                if (pairs.taken(other)) continue;
                const std::int32_t mark = pairs.left.size();
                pairs.left.push(i);
                pairs.right.push(other);
                if (match_atom(a, b, k, j, used, pairs)) return true;
                pairs.left.shrink(mark);
                pairs.right.shrink(mark);
            }
            return false;
        }
        index_map renamed;
        for (std::int32_t m = 0; m < pairs.left.size(); ++m)
            renamed.set(pairs.left[m], pairs.right[m]);
        return same_atom(rename_indices(p_, left, renamed), right) &&
               match(a, b, k + 1, used, pairs);
    }
    /// Equal as they stand, no index of either being bound outside.
    constexpr bool same_atom(ref a, ref b) {
        if (a == b) return true;
        if (++steps_ > most_) return false;
        const node x = p_.nodes[a], y = p_.nodes[b];
        if (x.kind == op::add && y.kind == op::add) return equal(a, b);          // in any order
        const bool counts = x.kind == op::reduce && x.value < 1 && y.value < 1;  // of a mean too
        if (x.kind != y.kind || x.name != y.name || x.detail != y.detail ||
            (x.value != y.value && !counts) || x.positions.count != y.positions.count ||
            x.children.count != y.children.count || x.indices.count != y.indices.count)
            return false;
        if (x.kind == op::number) return same_number(p_, x, y);
        const normal_term nothing;
        pairing pairs;
        if (x.kind == op::delta) {
            pairing swapped;
            const range first{x.positions.first, 1}, second{x.positions.first + 1, 1};
            const range other{y.positions.first, 1}, last{y.positions.first + 1, 1};
            if (pair_positions(p_, nothing, nothing, first, last, swapped) &&
                pair_positions(p_, nothing, nothing, second, other, swapped))
                return true;
        }
        if (!pair_positions(p_, nothing, nothing, x.positions, y.positions, pairs)) return false;
        index_map renamed;
        for (std::int32_t k = 0; k < x.indices.count; ++k) {
            const ref i = p_.links[x.indices.first + k], j = p_.links[y.indices.first + k];
            if (binds(x) && !same_letter(p_, i, j) &&
                !is_on_axis(p_, p_.links[x.children.first], i))
                return false;
            if (binds(x)) renamed.set(i, j);
            else if (i != j) return false;
        }
        const bool even = x.kind == op::apply && is_even(static_cast<function>(x.detail));
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            ref left = p_.links[x.children.first + k];
            const ref right = p_.links[y.children.first + k];
            if (!renamed.empty()) left = rename_indices(p_, left, renamed);
            if (!equal(left, right) &&
                !(even && normalise(p_.make(op::add, left, right)).size() == 0))
                return false;
        }
        return true;
    }

    // Printing ------------------------------------------------------------------------------------

    constexpr ref to_node(const normal_term& t) {
        detail::buffer<ref> factors;
        if (!t.coefficient.is(1) || t.factors.empty()) factors.push(ir::to_node(p_, t.coefficient));
        for (const normal_factor& f : t.factors)
            factors.push(f.exponent.is(1)
                             ? f.atom
                             : p_.make(op::power, f.atom, ir::to_node(p_, f.exponent)));
        ref n = factors.size() == 1 ? factors[0]
                                    : p_.make(op::multiply, 0, factors.data(), factors.size());
        if (!t.bound.empty()) {
            const range over = p_.add_links(t.bound);
            n = p_.reduce(reduction::sum, over, n);
        }
        return n;
    }

    program& p_;
    std::int64_t most_;
    std::int64_t steps_ = 0;
};

}  // namespace ricci::ir
