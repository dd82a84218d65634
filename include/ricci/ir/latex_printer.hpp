// Equations as LaTeX that the parser reads back.
#pragma once

#include <cstdint>

#include <ricci/ir/axes.hpp>
#include <ricci/ir/conditions.hpp>
#include <ricci/ir/needed.hpp>
#include <ricci/ir/print_name.hpp>
#include <ricci/ir/print_signs.hpp>
#include <ricci/ir/print_tensor.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/scope.hpp>
#include <ricci/ir/solutions.hpp>

namespace ricci::ir {

/// A template: files in which nothing is printed build nothing of it.
template <class Program = program_view>
class latex_printer : public tensor_printer<Program> {
    using base = tensor_printer<Program>;
    using base::counters_, base::numbers_, base::out_, base::p_, base::written_,
        base::written_axis_;
    using base::is_counter, base::part_in_hand, base::part_of, base::parts_counted, base::scripts;
    template <class T>
    using buffer = detail::buffer<T>;

public:
    using base::tensor;

    /// `implied`: sums that the reader finds by itself are left to it.
    constexpr latex_printer(const program_view& p, detail::text_builder& out, bool implied = true)
        : base(p, out), implied_(implied) {}

    /// A tensor whose parts are counted by an index is printed part by part.
    constexpr void equation_line(const equation& e) {
        buffer<ref> counted;
        for_each_index(p_, e.positions, [&](ref i) {
            if (parts_counted(i) > 0) counted.push(i);
        });
        if (e.claim) counted.clear();
        part_lines(e, counted, 0);
    }
    constexpr void expression(ref n) { terms(n, false); }
    /// The axes of an equation's indices, as they stand behind it; where parts are printed one by
    /// one, no index is left that counts them.
    constexpr void axes(const equation& e) {
        for_each_said(p_, e, [&](ref i) {
            if (parts_counted(i) > 0 && !(e.claim && has_index(p_, e.positions, i))) return;
            const axis& along = p_.indices[i].along;
            out_ << ", \\quad " << p_.index(i) << " \\in \\operatorname{axis}_{" << along.number
                 << "}(";
            tensor(along.tensor, {0, 0});
            out_ << ')';
        });
    }

private:
    // Equations -----------------------------------------------------------------------------------

    constexpr void part_lines(const equation& e, const buffer<ref>& counted, std::int32_t k) {
        if (k == counted.size()) return one_line(e);
        for (std::int32_t part = 0; part < parts_counted(counted[k]); ++part) {
            if (part > 0) out_ << '\n';
            counters_.push({counted[k], part});
            part_lines(e, counted, k + 1);
            counters_.shrink(counters_.size() - 1);
        }
    }
    constexpr void one_line(const equation& e) {
        tensor(e.name, e.positions);
        // that of a derivative would be a claim without the colon
        out_ << (is_plain(p_, e.name) || e.claim ? " = " : " := ");
        // Reading back demands every index of the left on the right, but for a mask; delta^{ii}
        // with a free i is 1.
        index_set right = free_indices(p_, e.body);
        bool lacks = false;
        const ref right_side = part_of(e.body);
        const bool givers = !e.claim && shape_givers(e, right);
        const bool shapes = (!e.claim && shapes_without_name(e)) || givers;
        for_each_index(p_, e.positions,
                       [&](ref i) { lacks = lacks || (part_in_hand(i) == none && !right.has(i)); });
        if (!shapes && (!lacks || is_mask(p_, e.body))) return terms(right_side, true);
        for_each_index(p_, e.positions, [&](ref i) {
            if (part_in_hand(i) == none && !right.has(i))
                out_ << "\\delta^{" << p_.index(i) << p_.index(i) << "} ";
        });
        if (shapes && p_.nodes[right_side].kind != op::add && !is_negative(p_, right_side))
            return term(right_side, false, false);
        factor(right_side, true);
    }
    /// A derivative may have its shape from a tensor that is defined for that alone. (S^{ij})^0
    /// says so, which is 1: without it that tensor would be an output. Whether there was one; its
    /// indices are added to `right`.
    constexpr bool shape_givers(const equation& e, index_set& right) {
        bool any = false;
        for_each_part(p_, e.name, e.positions, [&](ref part, range at) {
            if (!is_unread_shape(p_, part) || first_named_by(p_, part) != e.name) return;
            out_ << '(';
            tensor(part, at);
            out_ << ")^{0} ";
            add_indices(p_, at, right);
            any = true;
        });
        return any;
    }
    /// A derivative that no name holds stands in a factor of 1 instead, 1 + \sum_i 0 (S^i)^0, so
    /// that it is no output either. Whether there was one.
    constexpr bool shapes_without_name(const equation& e) {
        bool any = false;
        for (ref name = 0; name < p_.names.size(); ++name) {
            if (p_.names[name].kind == name_kind::plain || !is_unread_shape(p_, name) ||
                first_named_by(p_, name) != none)
                continue;
            const ref host = host_of_shape(p_, name);
            if (host == none || p_.equations[host].name != e.name) continue;
            const range at = p_.equations[p_.definition(name)].positions;
            index_set left;
            add_indices(p_, e.positions, left);
            out_ << "(1 + ";
            bool sum = false;
            for_each_index(p_, at, [&](ref i) {
                if (left.has(i)) return;
                out_ << (sum ? "," : "\\sum_{") << p_.index(i);
                sum = true;
            });
            out_ << (sum ? "} 0 (" : "0 (");
            tensor(name, at);
            out_ << ")^{0}) ";
            any = true;
        }
        return any;
    }
    // Levels of binding, loosest first: a sum of terms, a term, a factor.

    /// `top`: the terms are the equation's own, where sums of repeated indices stay implied.
    constexpr void terms(ref n, bool top) {
        n = part_of(n);
        const node& x = p_.nodes[n];
        if (x.kind != op::add) return term(n, top, false);
        detail::buffer<ref> signs;  // what the sum signs so far bind
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            const ref child = part_of(p_.child(x, k));
            const bool negative = is_negative(p_, child);
            if (negative) out_ << (k == 0 ? "-" : " - ");
            else if (k > 0) out_ << " + ";
            if (p_.nodes[child].kind == op::add) factor(child, false);
            else {
                const bool implied = top && implied_ && !repeats_sign(child, signs);
                term(child, implied, negative);
                if (top && implied_) collect_signs(child, implied, signs);
            }
        }
    }
    /// Whether a term sums over a letter that a sum sign in the terms before it binds: to be told
    /// from the rest of what that sign covers, it needs a sign as well.
    constexpr bool repeats_sign(ref term, const detail::buffer<ref>& signs) const {
        const node& x = signless(p_, term);
        if (!is_sum_node(x)) return false;
        for (const ref bound : signs)
            for (std::int32_t k = 0; k < x.indices.count; ++k)
                if (p_.index(bound) == p_.index(p_.reduced(x, k))) return true;
        return false;
    }
    /// Adds the indices of the sum signs that end a term; `implied`: the first is not printed.
    constexpr void collect_signs(ref term, bool implied, detail::buffer<ref>& signs) const {
        const node* x = &signless(p_, term);
        if (is_sum_node(*x) && implied && is_implied_sum(p_, *x) && !has_bounds(p_, *x))
            x = &p_.nodes[p_.child(*x, 0)];
        for (; x->kind == op::multiply || is_sum_node(*x);
             x = &p_.nodes[p_.child(*x, x->children.count - 1)])
            for (std::int32_t k = 0; is_sum_node(*x) && k < x->indices.count; ++k)
                signs.push(p_.reduced(*x, k));
    }
    constexpr void term(ref n, bool top, bool sign_printed) {
        n = part_of(n);
        const node& x = p_.nodes[n];
        if (!sign_printed && is_negative(p_, n)) {
            out_ << '-';
            sign_printed = true;
        }
        if (const ref use = as_written(x); use != none)
            return factor(use, true), written_axis_ = none, void();
        if (is_sum_node(x) && counter_of(x) != none)
            return parts_summed(n, counter_of(x), sign_printed);
        if (is_sum_node(x) && has_bounds(p_, x)) {
            out_ << "\\sum_{" << p_.index(p_.reduced(x, 0)) << "=0}^{"
                 << static_cast<std::int64_t>(x.value) - 1 << "} ";
            const ref body = p_.child(p_.nodes[p_.child(x, 0)], 1);
            if (p_.nodes[body].kind == op::add) return factor(body, true);
            return term(body, false, sign_printed);
        }
        if (is_sum_node(x)) {
            if (!top || !implied_ || !is_implied_sum(p_, x)) sum_sign(x);
            const node& body = p_.nodes[p_.child(x, 0)];
            if (body.kind == op::add || (body.kind == op::number && !sign_printed))
                return factor(p_.child(x, 0), true);
            return term(p_.child(x, 0), false, sign_printed);
        }
        if (x.kind == op::number) return print_number(p_, x, sign_printed, out_);
        if (x.kind != op::multiply) return factor(n, true);
        if (sign_printed && is_minus_one(p_, x) && !is_negative(p_, p_.child(x, 1)))
            return term(p_.child(x, 1), top, false);
        bool first = true;
        ref before = none;
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            const ref child = part_of(p_.child(x, k));
            const node& y = p_.nodes[child];
            if (k == 0 && sign_printed && y.kind == op::number) {
                if (y.value == -1 && x.children.count > 1) continue;
                print_number(p_, y, true, out_);
            } else {
                if (!first)
                    out_ << (needs_sign(p_, before, child, k + 1 == x.children.count) ? " \\cdot "
                                                                                      : " ");
                factor(child, k + 1 == x.children.count);
            }
            before = child;
            first = false;
        }
    }
    constexpr void sum_sign(const node& x) {
        out_ << "\\sum";
        print_index_list(p_, x, out_);
        out_ << ' ';
    }
    constexpr void bracketed(ref n) {
        out_ << '(';
        terms(n, false);
        out_ << ')';
    }
    /// `last`: nothing follows in the product, so a sum sign needs no brackets.
    constexpr void factor(ref n, bool last) {
        n = part_of(n);
        const node& x = p_.nodes[n];
        switch (x.kind) {
            case op::number:
                if (x.value < 0) out_ << '(';
                print_number(p_, x, false, out_);
                if (x.value < 0) out_ << ')';
                return;
            case op::imaginary_unit:
                out_ << "\\mathrm{i}";
                return;
            case op::tensor:
                return tensor(x.name, x.positions, x.children);
            case op::delta:
                out_ << "\\delta";
                return scripts("\\delta", x.positions);
            case op::position:
                if (is_counter(x)) out_ << part_in_hand(p_.at(x.positions, 0).index);
                else out_ << p_.index(p_.at(x.positions, 0).index);
                return;
            case op::add:
            case op::multiply:
                return bracketed(n);
            case op::divide:
                if (of_conditional_mean(p_, x) != none) return conditional_mean(x);
                out_ << "\\frac{";
                terms(p_.child(x, 0), false);
                out_ << "}{";
                terms(p_.child(x, 1), false);
                out_ << '}';
                return;
            case op::power:
                return power(x);
            case op::apply:
                return apply(x);
            case op::reduce:
                return reduce(n, last);
            case op::compare:
                out_ << '[';
                condition(n);
                out_ << ']';
                return;
            case op::choose:
                return cases(x);
            case op::call:
                return;  // written out before anything is printed
        }
    }
    constexpr void power(const node& x) {
        if (is_bare_power(p_, x)) factor(p_.child(x, 0), false);
        else bracketed(p_.child(x, 0));
        out_ << "^{";
        terms(p_.child(x, 1), false);
        out_ << '}';
    }
    constexpr void apply(const node& x) {
        const auto f = static_cast<function>(x.detail);
        if (f == function::sqrt) {
            out_ << "\\sqrt{";
            terms(p_.child(x, 0), false);
            out_ << '}';
        } else if (f == function::modulo) {
            out_ << '(';
            factor(p_.child(x, 0), false);
            out_ << " \\bmod ";
            factor(p_.child(x, 1), false);
            out_ << ')';
        } else if (f == function::logical_not) {
            out_ << "[\\lnot ";
            condition_operand(p_.child(x, 0));
            out_ << ']';
        } else {
            function_latex(f, out_);
            out_ << '(';
            for (std::int32_t k = 0; k < x.children.count; ++k) {
                if (k > 0) out_ << ", ";
                terms(p_.child(x, k), false);
            }
            out_ << ')';
        }
    }
    constexpr void reduce(ref n, bool last) {
        const node& x = p_.nodes[n];
        if (const ref use = as_written(x); use != none)
            return factor(use, last), written_axis_ = none, void();
        if (is_sum_node(x)) {
            if (last && !is_negative(p_, n)) return term(n, false, false);
            return bracketed(n);
        }
        if (is_inverse(x)) return inverse(x);
        if (is_solve(x)) return solution(x);
        // A product takes in what follows it, as a sum does.
        const bool open = x.detail == static_cast<std::uint8_t>(reduction::product) && !last;
        if (open) out_ << '(';
        out_ << reduction_latex(static_cast<reduction>(x.detail));
        print_index_list(p_, x, out_);
        bracketed(p_.child(x, 0));
        const bool logarithm = x.detail == static_cast<std::uint8_t>(reduction::log_of_determinant);
        if (open || logarithm) out_ << ')';
    }
    constexpr void conditional_mean(const node& x) {
        const node& count = p_.nodes[p_.child(x, 1)];
        out_ << "\\operatorname{mean}_{";
        for (std::int32_t k = 0; k < count.indices.count; ++k)
            out_ << (k ? "," : "") << p_.index(p_.reduced(count, k));
        out_ << " : ";
        condition(p_.child(count, 0));
        out_ << '}';
        bracketed(of_conditional_mean(p_, x));
    }
    constexpr void inverse(const node& x) {
        const node& matrix = p_.nodes[p_.child(x, 0)];
        out_ << '(' << p_.name(matrix.name) << "^{-1})^{"
             << p_.index(p_.at(matrix.positions, 1).index)
             << p_.index(p_.at(matrix.positions, 0).index) << '}';
    }
    constexpr void solution(const node& x) {
        out_ << "\\operatorname{solve}";
        print_index_list(p_, x, out_);
        out_ << '(';
        terms(p_.child(x, 0), false);
        out_ << ", ";
        terms(p_.child(x, 1), false);
        out_ << ')';
    }
    constexpr void condition(ref n) {
        const node& x = p_.nodes[n];
        if (x.kind != op::compare) {
            if (x.kind == op::apply &&
                x.detail == static_cast<std::uint8_t>(function::logical_not)) {
                out_ << "\\lnot ";
                return condition_operand(p_.child(x, 0));
            }
            return terms(n, false);
        }
        if (is_truth(x)) return terms(p_.child(x, 0), false);
        const auto c = static_cast<comparison>(x.detail);
        const bool logical = c == comparison::logical_and || c == comparison::logical_or;
        for (std::int32_t k = 0; k < 2; ++k) {
            if (k == 1) out_ << ' ' << comparison_latex(c) << ' ';
            if (logical) condition_operand(p_.child(x, k));
            else terms(p_.child(x, k), false);
        }
    }
    /// Within \land, \lor and \lnot: an Iverson bracket keeps what belongs together.
    constexpr void condition_operand(ref n) { factor(n, false); }
    constexpr void cases(const node& x) {
        out_ << "\\begin{cases} ";
        for (std::int32_t k = 0; k + 1 < x.children.count; k += 2) {
            terms(p_.child(x, k), false);
            out_ << " & \\text{if } ";
            condition(p_.child(x, k + 1));
            out_ << " \\\\ ";
        }
        terms(p_.child(x, x.children.count - 1), false);
        out_ << " & \\text{otherwise} \\end{cases}";
    }

    /// Of \sum_p [p = 3 - i] x^p, which x^{3-i} was written out as, the use of x, whose place is
    /// printed as it was; else none.
    constexpr ref as_written(const node& sum) {
        if (!is_sum_node(sum) || sum.indices.count != 1) return none;
        const ref axis = p_.reduced(sum, 0);
        const node& body = p_.nodes[p_.child(sum, 0)];
        if (p_.indices[axis].extent != kept_inside || body.kind != op::multiply ||
            body.children.count != 2)
            return none;
        const node& is_at = p_.nodes[p_.child(body, 0)];
        const ref use = p_.child(body, 1);
        if (is_at.kind != op::compare || p_.nodes[use].kind != op::tensor) return none;
        const node& left = p_.nodes[p_.child(is_at, 0)];
        if (left.kind != op::position || p_.at(left.positions, 0).index != axis) return none;
        written_place at = read_written_place(p_, p_.child(is_at, 1));
        bool falls = false;
        for (const affine_term& t : at.terms) falls = falls || t.coefficient < 0;
        if (!at.known || !falls || at.offset < 0) return none;
        index_set stands;
        add_indices(p_, p_.nodes[use].positions, stands);
        if (!stands.has(axis) || stands.repeated(axis)) return none;
        written_ = at;
        written_axis_ = axis;
        return use;
    }

    // Sums over parts ----------------------------------------------------------------------------

    /// The first index of a sum that counts parts, whose number no sign can say; or none.
    constexpr ref counter_of(const node& sum) const {
        for (std::int32_t k = 0; k < sum.indices.count; ++k) {
            const ref i = p_.reduced(sum, k);
            if (parts_counted(i) > 0 && part_in_hand(i) == none) return i;
        }
        return none;
    }
    /// A sum over parts, written out.
    constexpr void parts_summed(ref n, ref counted, bool sign_printed) {
        out_ << '(';
        for (std::int32_t part = 0; part < parts_counted(counted); ++part) {
            if (part > 0) out_ << " + ";
            counters_.push({counted, part});
            summed(n, sign_printed);
            counters_.shrink(counters_.size() - 1);
        }
        out_ << ')';
    }
    /// A sum with its sign, over what counts no parts in hand.
    constexpr void summed(ref n, bool sign_printed) {
        const node& x = p_.nodes[n];
        if (const ref counted = counter_of(x); counted != none)
            return parts_summed(n, counted, sign_printed);
        bool first = true;
        for (std::int32_t k = 0; k < x.indices.count; ++k) {
            if (part_in_hand(p_.reduced(x, k)) != none) continue;
            out_ << (first ? "\\sum_{" : ",") << p_.index(p_.reduced(x, k));
            first = false;
        }
        if (!first) out_ << "} ";
        const ref body = part_of(p_.child(x, 0));
        if (p_.nodes[body].kind == op::add) return factor(body, true);
        term(body, false, sign_printed);
    }

    bool implied_;
};

}  // namespace ricci::ir
