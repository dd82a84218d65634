// Derivatives that are 0 because a bracket is false. Such a 0 is strong: the bracket goes with the
// derivative into the equations that read it, where a slope may be infinite or no number.
#pragma once

#include <cstdint>

#include <ricci/derive/rules.hpp>
#include <ricci/derive/tidy.hpp>
#include <ricci/ir/conditions.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::derive {

template <class Program>
class strong_zeros {
    using list = detail::buffer<ref>;

public:
    /// `p`: as it is before anything is derived.
    constexpr explicit strong_zeros(Program& p)
        : p_(p), conditions_(p), source_nodes_(p.nodes.size()) {}

    constexpr bool is_condition(ref n) const {
        return p_.nodes[n].kind != op::delta && conditions_.is_condition(p_, n);
    }
    /// Adds the conditions that are factors of `n`, or of what stands above its stroke.
    constexpr void add_hiding(ref n, list& found) const {
        conditions_.for_each_hiding(p_, n, [&](ref c) {
            if (p_.nodes[c].kind != op::delta && !has(found, c)) found.push(c);
        });
    }
    /// Adds the brackets that hide an expression, by way of sums too, as they stand in the source:
    /// not those that are slopes, as [0 < x] is that of relu(x).
    constexpr void add_hiding_of_source(ref n, list& found) {
        const ir::node x = p_.nodes[n];
        if (x.kind == op::multiply) {
            for (std::int32_t k = 0; k < x.children.count; ++k)
                add_hiding_of_source(p_.links[x.children.first + k], found);
        } else if (x.kind == op::divide || is_sum(x)) {
            add_hiding_of_source(p_.links[x.children.first], found);
        } else if (x.kind == op::choose) {
            bool hides = false;
            list parts;  // the same cases with 1 for what is not 0
            for (std::int32_t j = 0; j < x.children.count; ++j) {
                const ref part = p_.links[x.children.first + j];
                const bool condition = j % 2 == 1 && j + 1 != x.children.count;
                const bool zero = !condition && is_zero(p_, part);
                hides = hides || zero;
                parts.push(condition ? part : p_.number(zero ? 0 : 1));
            }
            if (hides) found.push(p_.make(op::choose, 0, parts.data(), parts.size()));
        } else if (is_condition(n) && (n < source_nodes_ || is_carried(n))) {
            found.push(n);
        }
    }
    /// Of a sum with terms of minus infinity under brackets: the conditions under which the others
    /// count, as the sum is minus infinity elsewhere whatever they are.
    constexpr list unmasked(const ir::node& sum) {
        list found;
        for (std::int32_t k = 0; k < sum.children.count; ++k) {
            double number = 1;
            ref condition = ir::none;
            // of several brackets not all are false at once
            if (masks(p_.links[sum.children.first + k], number, condition) &&
                condition != ir::none && number < -ir::largest_number)
                found.push(opposite(condition));
        }
        return found;
    }
    /// Takes conditions out of factors that stand there before.
    constexpr void drop_repeated(list& factors) const {
        if (carried_.empty()) return;
        list kept;
        for (ref f : factors)
            if (!is_condition(f) || !has(kept, f)) kept.push(f);
        factors = static_cast<list&&>(kept);
    }
    /// Of `all` those conditions that depend on the indices of `left` alone.
    constexpr list within(const list& all, ir::range left) const {
        ir::index_set own;
        ir::add_indices(p_, left, own);
        list found;
        for (ref c : all)
            if (is_within(c, own)) found.push(c);
        return found;
    }
    /// A term of the derivative `name`, made at the indices of `at`: it is 0 where one of these,
    /// in the links, is false.
    constexpr void add_term(ref name, ir::range conditions, ir::range at) {
        if (ends_.empty()) supports_.push({name, at, {0, 0}});
        add_renamed(conditions, at, supports_.back().left, terms_, begin_of(ends_.size()));
        ends_.push(terms_.size());
    }
    /// That was all of them. The derivative is 0 where a condition of all terms is false, or one of
    /// each.
    constexpr void end_terms() {
        list found;
        for (std::int32_t k = 0; !ends_.empty() && k < ends_[0]; ++k)
            if (in_all_terms(terms_[k])) found.push(terms_[k]);
        if (const ref either = any_of_the_rest(found); either != ir::none) found.push(either);
        if (!ends_.empty()) supports_.back().conditions = p_.add_links(found);
        terms_.clear();
        ends_.clear();
    }
    /// Adds the conditions of which one is false where the derivative `name` is a strong 0, at
    /// these positions.
    constexpr void add_support(ref name, ir::range at, list& found) {
        for (std::int32_t s = 0; s < supports_.size(); ++s) {
            const support known = supports_[s];
            if (known.name != name || known.conditions.count == 0) continue;
            const std::int32_t before = found.size();
            add_renamed(known.conditions, known.left, at, found);
            carried_.append(found.data() + before, found.size() - before);
        }
    }
    /// Of the factors of a cotangent of `n`, a softmax, those that are conditions of whole rows.
    constexpr list take_conditions_of_rows(ref n, const list& conditions, list& factors) const {
        ir::index_set rows = ir::free_indices(p_, n);
        const ir::node& x = p_.nodes[n];
        for (std::int32_t k = 0; k < x.indices.count; ++k)
            rows.remove(p_.links[x.indices.first + k]);
        list taken, left;
        for (ref f : factors) (has(conditions, f) && is_within(f, rows) ? taken : left).push(f);
        factors = static_cast<list&&>(left);
        return taken;
    }

private:
    /// The derivative `name` at `left` is 0 where one of the conditions, in the links, is false.
    struct support {
        ref name;
        ir::range left;
        ir::range conditions;
    };

    /// Adds copies for other indices to `found`, unless they stand there, from entry `first` on.
    constexpr void add_renamed(ir::range conditions, ir::range from, ir::range to, list& found,
                               std::int32_t first = 0) {
        ir::index_map renamed;
        ir::index_set lost;
        if (!match(from, to, renamed, lost)) return;
        for (std::int32_t k = 0; k < conditions.count; ++k) {
            const ref c = p_.links[conditions.first + k];
            const ir::index_set free = ir::free_indices(p_, c);
            bool kept = renamed.empty() || !binds_any(c);  // a bound index may not meet a free one
            for (ref i = 0; i < free.end(); ++i) kept = kept && !(free.has(i) && lost.has(i));
            if (!kept) continue;
            const ref here = ir::rename_indices(p_, c, renamed);
            if (!has(found, here, first)) found.push(here);
        }
    }
    constexpr bool has(const list& all, ref n, std::int32_t first = 0) const {
        for (std::int32_t k = first; k < all.size(); ++k)
            if (ir::same_expression(p_, all[k], n)) return true;
        return false;
    }
    constexpr bool is_within(ref n, const ir::index_set& own) const {
        const ir::index_set free = ir::free_indices(p_, n);
        for (ref i = 0; i < free.end(); ++i)
            if (free.has(i) && !own.has(i)) return false;
        return true;
    }
    constexpr bool binds_any(ref n) const {
        bool found = false;
        ir::for_each_node(p_, n, [&](ref m) { found = found || ir::binds(p_.nodes[m]); });
        return found;
    }
    static constexpr bool is_sum(const ir::node& x) {
        return x.kind == op::reduce && (x.detail == static_cast<std::uint8_t>(ir::reduction::sum) ||
                                        x.detail == static_cast<std::uint8_t>(ir::reduction::mean));
    }
    constexpr bool is_carried(ref n) const {
        for (ref c : carried_)
            if (c == n) return true;
        return false;
    }
    constexpr std::int32_t begin_of(std::int32_t term) const {
        return term == 0 ? 0 : ends_[term - 1];
    }
    constexpr bool in_all_terms(ref c) const {
        for (std::int32_t t = 0; t < ends_.size(); ++t) {
            bool there = false;
            for (std::int32_t k = begin_of(t); k < ends_[t]; ++k)
                there = there || ir::same_expression(p_, terms_[k], c);
            if (!there) return false;
        }
        return true;
    }
    /// Whether a node may be part of a larger condition in one bracket.
    constexpr bool is_comparison(ref n) const {
        const ir::node& x = p_.nodes[n];
        return x.kind == op::compare ||
               (x.kind == op::apply &&
                x.detail == static_cast<std::uint8_t>(function::logical_not));
    }
    /// Whether a term is a product of numbers and one bracket.
    constexpr bool masks(ref term, double& number, ref& condition) const {
        const ir::node& x = p_.nodes[term];
        if (x.kind == op::number) {
            number *= x.value;
            return true;
        }
        if (x.kind != op::multiply) {
            if (condition != ir::none || !is_comparison(term)) return false;
            condition = term;
            return true;
        }
        for (std::int32_t k = 0; k < x.children.count; ++k)
            if (!masks(p_.links[x.children.first + k], number, condition)) return false;
        return true;
    }
    constexpr ref opposite(ref condition) {
        expression_builder b(p_);
        const ir::node x = p_.nodes[condition];
        if (x.kind == op::apply) return p_.links[x.children.first];
        const ref left = p_.links[x.children.first], right = p_.links[x.children.first + 1];
        switch (static_cast<ir::comparison>(x.detail)) {
            case ir::comparison::less:
                return b.compare(ir::comparison::less_equal, right, left);
            case ir::comparison::less_equal:
                return b.compare(ir::comparison::less, right, left);
            default:
                return b.apply(function::logical_not, condition);
        }
    }
    /// [i < j \lor j < i], of what each term has beside the conditions of all; none where a term
    /// has nothing more.
    constexpr ref any_of_the_rest(const list& common) {
        constexpr std::int32_t most_terms = 4;
        if (ends_.size() < 2 || ends_.size() > most_terms) return ir::none;
        expression_builder b(p_);
        ref any = ir::none;
        list seen;
        for (std::int32_t t = 0; t < ends_.size(); ++t) {
            ref all = ir::none;
            for (std::int32_t k = begin_of(t); k < ends_[t]; ++k) {
                const ref c = terms_[k];
                if (has(common, c) || !is_comparison(c)) continue;
                all = all == ir::none ? c : b.compare(ir::comparison::logical_and, all, c);
            }
            if (all == ir::none) return ir::none;
            if (has(seen, all)) continue;
            seen.push(all);
            any = any == ir::none ? all : b.compare(ir::comparison::logical_or, any, all);
        }
        return any;
    }
    /// Which indices of `left` are which at `at`; `lost`: those that are none there. False where
    /// the two divide axes in another way.
    constexpr bool match(ir::range left, ir::range at, ir::index_map& renamed,
                         ir::index_set& lost) const {
        if (left.count != at.count) return false;
        for (std::int32_t k = 0; k < left.count; ++k) {
            const ir::position &from = p_.positions[left.first + k],
                               &to = p_.positions[at.first + k];
            if (from.kind != to.kind || from.terms.count != to.terms.count ||
                from.kind == ir::position_kind::affine) {
                ir::add_indices(p_, {left.first + k, 1}, lost);
                continue;
            }
            if (from.kind == ir::position_kind::index && from.index != to.index)
                renamed.set(from.index, to.index);
            for (std::int32_t t = 0; t < from.terms.count; ++t) {
                const ref i = p_.affine_terms[from.terms.first + t].index;
                const ref j = p_.affine_terms[to.terms.first + t].index;
                if (i != j) renamed.set(i, j);
            }
        }
        return true;
    }

    Program& p_;
    ir::condition_names<Program> conditions_;
    std::int32_t source_nodes_;
    list carried_;  // brackets that came with a derivative into another equation
    detail::buffer<support> supports_;
    list terms_;  // the conditions of the terms of the derivative in hand, one term after the other
    detail::buffer<std::int32_t> ends_;
};

}  // namespace ricci::derive
