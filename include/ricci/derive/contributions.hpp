// What the uses of a tensor add to its cotangent dL/dX: under which name, on which left side, and
// under which conditions.
#pragma once

#include <cstdint>

#include <ricci/derive/matrices.hpp>
#include <ricci/derive/places.hpp>
#include <ricci/derive/rules.hpp>
#include <ricci/derive/strong_zeros.hpp>
#include <ricci/derive/tidy.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

/// Collects them while a reverse pass walks an equation, and defines the cotangent by their sum.
template <class Program>
class contributions : protected matrix_derivatives<Program> {
protected:
    using shared = matrix_derivatives<Program>;
    using factors = typename shared::factors;
    using shared::derived_, shared::dimensions_, shared::find_wrt, shared::p_, shared::primed,
        shared::source_equations_, shared::unknown;

    constexpr contributions(const ir::program_view& source, const gradient_request& request)
        : shared(source), request_(request), zeros_(p_) {}

    // Names ---------------------------------------------------------------------------------------

    constexpr ir::mistake find_names() {
        of_ = p_.find(request_.of);
        if (of_ == none || p_.definition(of_) == none)
            return unknown(request_.of, " defines no tensor ", true);
        choose_loss();
        return find_wrt(request_.wrt, request_.wrt_count);
    }
    /// Where the source holds derivatives of a loss L itself, the derivative of one of those is
    /// that of another loss, L', of which nothing is said yet.
    constexpr void choose_loss() {
        loss_ = {};
        loss_ << request_.loss;
        for (bool taken = true; taken && !request_.jacobian;) {
            taken = false;
            for (ref e = 0; e < source_equations_ && !taken; ++e)
                taken = !p_.equations[e].claim &&
                        holds_derivative_of(p_, p_.equations[e], loss_.view());
            if (taken) loss_ << '\'';
        }
    }
    constexpr ir::mistake no_dependence(ref name) {
        detail::text_builder sentence;
        sentence << request_.of << " does not depend on " << p_.name(name)
                 << ", or in steps only, so there is no gradient";
        return ir::make_mistake(ir::mistake_kind::unknown_name, sentence);
    }
    constexpr ref cotangent_name(ref name) {
        const bool second = request_.jacobian && p_.names[of_].kind != ir::name_kind::plain;
        if (name >= cotangents_.size()) cotangents_.resize(p_.names.size(), none);
        if (cotangents_[name] == none)
            cotangents_[name] =
                p_.intern_name(ir::cotangent_spelling(loss_, p_.name(name)),
                               ir::name_kind::cotangent, name, 0, second ? of_ : none);
        return cotangents_[name];
    }
    constexpr bool cotangent_exists(ref name) {
        return name == of_ || p_.definition(cotangent_name(name)) != none;
    }

    /// How far an index runs, as an expression.
    constexpr ref extent_of(ref index) { return count_over(p_, primed(index)); }

    // Contributions -------------------------------------------------------------------------------

    /// What one use of a tensor adds to its cotangent: the product of the factors, summed over the
    /// indices that the tensor does not have there.
    constexpr void contribute(const ir::node& use, const factors& cotangent) {
        factors all = cotangent;
        zeros_.drop_repeated(all);
        factors conditions = guards_;
        const ir::range left = left_side(use, all, conditions);
        const ref product = product_of(p_, all);
        if (is_zero(p_, product)) return;
        factors guards = zeros_.within(conditions, left);
        const ir::index_map freed = freed_letters(left);
        for (ref& g : guards) g = ir::rename_indices(p_, g, freed);
        contributions_.push({use.name, ir::rename_positions(p_, left, freed),
                             ir::rename_indices(p_, sum_but(p_, product, left, path_), freed),
                             p_.add_links(guards)});
    }
    /// The positions of the cotangent's left side. An axis that is not simply an index of its own
    /// (a diagonal, a fixed place, arithmetic, what a tensor says) gets a new index and a condition
    /// among the factors, which but for the last of these goes with the cotangent.
    constexpr ir::range left_side(const ir::node& x, factors& all, factors& conditions) {
        const ir::range use = x.positions;
        std::int32_t fresh_count = 0;
        buffer<ir::position> list;
        ir::index_set seen;
        for (std::int32_t k = 0; k < use.count; ++k) {
            const ir::position q = p_.positions[use.first + k];
            bool simple = q.kind == ir::position_kind::index || q.kind == ir::position_kind::merged;
            ir::for_each_index(p_, {use.first + k, 1}, [&](ref i) {
                simple = simple && !seen.has(i);
                seen.add(i);
            });
            if (simple) {
                list.push(q);
                continue;
            }
            const ir::position fresh = ir::index_position(fresh_axis(fresh_count++, x.name, k));
            list.push(fresh);
            if (q.kind == ir::position_kind::gathered) {
                all.push(expression_builder(p_).compare(ir::comparison::equal,
                                                        p_.position_of(fresh.index),
                                                        p_.links[x.children.first + q.offset]));
                continue;
            }
            const ref here = is_at(p_, q, fresh, [&](ref i) { return extent_of(i); });
            all.push(here);
            conditions.push(here);
            push_differences(use, k, list, conditions);
        }
        const ir::range left{p_.positions.size(), list.size()};
        p_.positions.append(list.data(), list.size());
        return left;
    }
    /// [q = p + 1] of r^{i+0, i+1}, which is left of [p = i] [q = i + 1] when i is summed.
    constexpr void push_differences(ir::range use, std::int32_t axis,
                                    const buffer<ir::position>& list, factors& conditions) {
        const auto shifted = [&](const ir::position& q) {
            return q.kind == ir::position_kind::affine && q.terms.count == 1 &&
                   p_.affine_terms[q.terms.first].coefficient == 1;
        };
        const ir::position mine = p_.positions[use.first + axis];
        // To the nearest one; those before it follow.
        for (std::int32_t k = axis - 1; shifted(mine) && k >= 0; --k) {
            const ir::position other = p_.positions[use.first + k];
            if (!shifted(other) ||
                p_.affine_terms[other.terms.first].index != p_.affine_terms[mine.terms.first].index)
                continue;
            expression_builder b(p_);
            const std::int32_t difference = mine.offset - other.offset;
            const ref there = p_.position_of(list[k].index),
                      here = p_.position_of(list[axis].index);
            conditions.push(
                b.compare(ir::comparison::equal, here,
                          difference == 0 ? there : b.plus(there, b.number(difference))));
            return;
        }
    }
    /// The `number`-th index for axes that a use gives none of their own: a letter that the program
    /// does not have, because one with primes would share the extent of its letter.
    constexpr ref fresh_axis(std::int32_t number, ref name, std::int32_t axis) {
        while (fresh_.size() <= number) fresh_.push(fresh_letter(p_));
        return index_like(p_, fresh_[number], dimensions_.axis_of(name, axis));
    }
    /// The contributions to a tensor that one use splits into axes and another does not: all with
    /// an index of its own for each axis, and a condition where the axis was merged.
    constexpr factors in_plain_form(ref name, ir::range& left) {
        factors terms;
        buffer<ir::position> list;
        for (std::int32_t k = 0; k < left.count; ++k)
            list.push(ir::index_position(fresh_axis(k, name, k)));
        left = {p_.positions.size(), list.size()};
        p_.positions.append(list.data(), list.size());
        for (std::int32_t k = contributions_.size(); k-- > 0;) {
            const contribution c = contributions_[k];
            if (c.name != name) continue;
            factors all;
            ir::index_map renamed;
            for (std::int32_t axis = 0; axis < left.count; ++axis) {
                const ir::position q = p_.positions[c.positions.first + axis];
                if (q.kind == ir::position_kind::index) renamed.set(q.index, list[axis].index);
                else all.push(is_at(p_, q, list[axis], [&](ref i) { return extent_of(i); }));
            }
            // not the conditions: they have the new indices, which a use may have of its own too
            all.push(rename_with_counts(p_, c.body, c.positions, renamed));
            terms.push(sum_but(p_, product_of(p_, all), left, {}));
        }
        return terms;
    }
    /// Of dL/dx^p, which is a sum of [p = i - 1] y^i, p runs over all of the axis, and what is outside
    /// of that is no part of it.
    constexpr ir::index_map freed_letters(ir::range left) {
        ir::index_map freed;
        ir::for_each_index(p_, left, [&](ref i) {
            const ir::index_symbol s = p_.indices[i];
            if (s.extent == ir::kept_inside)
                freed.set(i, p_.indices.push({s.text, ir::written_out, s.along}));
        });
        return freed;
    }
    /// dL/dname = the sum of its contributions, in the order of the uses.
    constexpr void define_cotangent(ref name) {
        factors terms;
        ir::range left{};
        bool mixed = false;
        for (std::int32_t k = contributions_.size(); k-- > 0;) {
            const contribution c = contributions_[k];
            if (c.name != name) continue;
            if (terms.empty()) left = c.positions;
            zeros_.add_term(cotangent_name(name), c.guards, c.positions);
            const bool alike = terms.empty() || same_form(p_, c.positions, left);
            ref term = c.body;
            if (alike && !terms.empty())
                term = rename_with_counts(p_, term, c.positions,
                                          left_side_renaming(p_, term, c.positions, left));
            collect_term(p_, terms, term);
            mixed = mixed || !alike;
        }
        if (mixed) terms = in_plain_form(name, left);
        zeros_.end_terms();
        for (std::int32_t k = 1; k < terms.size(); ++k) terms[k] = ir::freshen_bound(p_, terms[k]);
        if (terms.empty()) return;
        const ref body =
            terms.size() == 1 ? terms[0] : p_.make(op::add, 0, terms.data(), terms.size());
        const ref primed_body = prime_shadowed(p_, body, left);
        derived_.push(cotangent_name(name));
        p_.equations.push({cotangent_name(name),
                           left,
                           neighbour_letters(p_, primed_body, left).run(),
                           false,
                           {}});
    }

    gradient_request request_;
    detail::text_builder loss_;
    ref of_ = none;
    buffer<ref> cotangents_;  // of each name, once asked for
    strong_zeros<Program> zeros_;
    factors guards_;  // conditions among the factors of the cotangent in hand
    factors path_;    // the indices of the sums around the place in hand
    factors fresh_;   // letters for axes that no index of a use stands for

private:
    struct contribution {
        ref name;
        ir::range positions;
        ref body;
        ir::range guards;  // in the links: conditions, of which one is false where it is 0
    };

    buffer<contribution> contributions_;
};

}  // namespace ricci::derive
