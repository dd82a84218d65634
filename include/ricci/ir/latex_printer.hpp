// Equations as LaTeX that the parser reads back.
#pragma once

#include <cstdint>

#include <ricci/ir/print_heights.hpp>
#include <ricci/ir/print_name.hpp>
#include <ricci/ir/print_signs.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/ir/scope.hpp>

namespace ricci::ir {

class latex_printer {
public:
    /// `implied`: sums that the reader finds by itself are left to it.
    constexpr latex_printer(const program_view& p, detail::text_builder& out, bool implied = true)
        : p_(p), out_(out), implied_(implied) {}

    constexpr void equation_line(const equation& e) {
        for_each_index(p_, e.positions, [&](ref i) {
            if (p_.indices[i].extent > 0) part_index_ = i;
        });
        if (!is_plain(p_, e.name)) part_index_ = none;  // parts of a derivative are no definition
        if (part_index_ == none) return one_line(e);
        for (part_ = 0; part_ < p_.indices[part_index_].extent; ++part_) {
            if (part_ > 0) out_ << '\n';
            equation part = e;
            part.body = part_of(e.body);
            one_line(part);
        }
        part_index_ = none;
    }
    constexpr void expression(ref n) { terms(n, false); }

private:
    /// Of cases that only tell a tensor's parts apart, the one of the part in hand.
    constexpr ref part_of(ref n) const {
        const node& x = p_.nodes[n];
        if (x.kind != op::choose) return n;
        for (std::int32_t k = 1; k < x.children.count; k += 2) {
            const node& c = p_.nodes[p_.child(x, k)];
            const bool tells =
                c.kind == op::compare && c.detail == static_cast<std::uint8_t>(comparison::equal) &&
                is_counter(p_.nodes[p_.child(c, 0)]) && p_.nodes[p_.child(c, 1)].kind == op::number;
            if (!tells) return n;
            if (p_.nodes[p_.child(c, 1)].value == part_) return p_.child(x, k - 1);
        }
        return p_.child(x, x.children.count - 1);
    }
    constexpr bool is_counter(const node& x) const {
        return x.kind == op::position && is_counter(p_.at(x.positions, 0));
    }
    constexpr bool is_counter(const position& q) const {
        return part_index_ != none && q.kind == position_kind::index && q.index == part_index_;
    }
    constexpr bool ends_with_counter(const position& q) const {
        return part_index_ != none && q.kind == position_kind::merged && q.terms.count == 2 &&
               p_.affine_terms[q.terms.first + 1].index == part_index_;
    }
    constexpr void one_line(const equation& e) {
        tensor(e.name, e.positions);
        out_ << " = ";
        // Reading back demands every index of the left on the right, but for a mask; delta^{ii}
        // with a free i is 1.
        const index_set right = free_indices(p_, e.body);
        bool lacks = false, tensors = false;
        for_each_index(p_, e.positions,
                       [&](ref i) { lacks = lacks || (i != part_index_ && !right.has(i)); });
        for_each_node(p_, e.body,
                      [&](ref n) { tensors = tensors || p_.nodes[n].kind == op::tensor; });
        if (!lacks || !tensors) return terms(e.body, true);
        for_each_index(p_, e.positions, [&](ref i) {
            if (i != part_index_ && !right.has(i))
                out_ << "\\delta^{" << p_.index(i) << p_.index(i) << "} ";
        });
        factor(e.body, true);
    }

public:
    /// `numbers`: what gathered positions read, in links.
    constexpr void tensor(ref name, range at, range numbers) {
        const range outer = numbers_;
        numbers_ = numbers;
        tensor(name, at);
        numbers_ = outer;
    }
    constexpr void tensor(ref name, range at) {
        const name_symbol& s = p_.names[name];
        if (s.kind == name_kind::cotangent) return cotangent(s, at);
        if (s.kind == name_kind::tangent) return tangent(s, at);
        named(p_.text(s.text), at);
    }

private:
    /// The derivative of a loss or a tensor; of a derivative by another tensor, as of second order.
    constexpr void cotangent(const name_symbol& s, range at) {
        const std::int32_t split = s.numerator_rank < at.count ? s.numerator_rank : at.count;
        const range above{at.first, split}, below{at.first + split, at.count - split};
        const name_symbol* inner = s.numerator == none ? nullptr : &p_.names[s.numerator];
        if (inner != nullptr && inner->kind == name_kind::cotangent && inner->numerator == none &&
            is_plain(p_, inner->of) && is_plain(p_, s.of)) {
            const std::int32_t loss = inner->numerator_rank < split ? inner->numerator_rank : split;
            out_ << "\\frac{\\partial^2 ";
            named(parts_of_derivative(p_.text(inner->text)).numerator, {at.first, loss});
            out_ << "}{\\partial ";
            tensor(inner->of, {at.first + loss, split - loss});
            out_ << " \\partial ";
        } else {
            out_ << "\\frac{\\partial ";
            if (inner != nullptr) tensor(s.numerator, above);
            else named(parts_of_derivative(p_.text(s.text)).numerator, above);
            out_ << "}{\\partial ";
        }
        tensor(s.of, below);
        out_ << '}';
    }
    constexpr void tangent(const name_symbol& s, range at) {
        const text_view along = parts_of_tangent(p_.text(s.text)).along;
        if (is_plain(p_, s.of)) {
            out_ << "\\frac{d ";
            tensor(s.of, at);
            out_ << "}{d " << along << '}';
        } else {
            out_ << "\\frac{d}{d " << along << "} ";
            tensor(s.of, at);
        }
    }
    constexpr void named(text_view name, range at) {
        if (reads_as_place(p_, name))
            out_ << name.slice(0, 2) << "{\\text{" << name.slice(2, 3) << "}}";
        else print_name(name, out_);
        scripts(name, at);
    }

    // Levels of binding, loosest first: a sum of terms, a term, a factor.

    /// `top`: the terms are the equation's own, where sums of repeated indices stay implied.
    constexpr void terms(ref n, bool top) {
        const node& x = p_.nodes[n];
        if (x.kind != op::add) return term(n, top, false);
        detail::buffer<ref> signs;  // what the sum signs so far bind
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            ref child = p_.child(x, k);
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
        const node& x = p_.nodes[n];
        if (!sign_printed && is_negative(p_, n)) {
            out_ << '-';
            sign_printed = true;
        }
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
            if (body.kind == op::add) return factor(p_.child(x, 0), true);
            return term(p_.child(x, 0), false, sign_printed);
        }
        if (x.kind == op::number) return print_number(p_, x, sign_printed, out_);
        if (x.kind != op::multiply) return factor(n, true);
        if (sign_printed && is_minus_one(p_, x) && !is_negative(p_, p_.child(x, 1)))
            return term(p_.child(x, 1), top, false);
        bool first = true;
        ref before = none;
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            const ref child = p_.child(x, k);
            const node& y = p_.nodes[child];
            if (k == 0 && sign_printed && y.kind == op::number) {
                if (y.value == -1 && x.children.count > 1) continue;
                print_number(p_, y, true, out_);
            } else {
                if (!first) out_ << (needs_sign(p_, before, child) ? " \\cdot " : " ");
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
                if (is_counter(x)) out_ << part_;
                else out_ << p_.index(p_.at(x.positions, 0).index);
                return;
            case op::add:
            case op::multiply:
                return bracketed(n);
            case op::divide:
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
        if (is_sum_node(x)) {
            if (last && !is_negative(p_, n)) return term(n, false, false);
            return bracketed(n);
        }
        // A product takes in what follows it, as a sum does.
        const bool open = x.detail == static_cast<std::uint8_t>(reduction::product) && !last;
        if (open) out_ << '(';
        out_ << reduction_latex(static_cast<reduction>(x.detail));
        print_index_list(p_, x, out_);
        bracketed(p_.child(x, 0));
        if (open) out_ << ')';
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

    constexpr void scripts(text_view name, range at) {
        if (at.count == 0) return;
        bool all_fixed = true, commas = false;
        for (std::int32_t k = 0; k < at.count; ++k) {
            const bool fixed =
                p_.at(at, k).kind == position_kind::fixed || is_counter(p_.at(at, k));
            all_fixed = all_fixed && fixed;
            commas = commas || fixed;
        }
        if (has_long_index(p_, at)) return tuple(name, at);
        const position& first = p_.at(at, 0);
        const bool transpose =
            at.count == 1 && first.kind == position_kind::index && p_.index(first.index) == "T";
        // A superscript of digits would read as a power, ^{T} as a transpose, and a subscript of a
        // name in words, with a bracket after it, as a function's. e^{...} is exp.
        const bool angles = name != "e" && (transpose || (all_fixed && is_in_words(name)));
        const bool below = (all_fixed || name == "e") && !has_label(name);
        out_ << (angles ? "^<" : below ? "_{" : "^{");
        for (std::int32_t k = 0; k < at.count; ++k) {
            if (k > 0 && commas) out_ << ',';
            position_text(p_.at(at, k), at.count == 1);
        }
        if (all_fixed && at.count == 1) out_ << ',';  // a list: digits alone would be a label
        out_ << (angles ? '>' : '}');
    }
    constexpr void tuple(text_view name, range at) {
        out_ << (has_label(name) ? "^{(" : "_{(");
        for (std::int32_t k = 0; k < at.count; ++k) {
            if (k > 0) out_ << ',';
            position_text(p_.at(at, k), true);
        }
        out_ << ")}";
    }
    constexpr void position_text(const position& q, bool alone) {
        if (is_counter(q)) out_ << part_;
        else if (q.kind == position_kind::index) out_ << index_text(q.index);
        if (ends_with_counter(q)) {
            out_ << (alone ? "" : "(") << p_.indices[part_index_].extent
                 << index_text(p_.affine_terms[q.terms.first].index) << '+' << part_
                 << (alone ? "" : ")");
            return;
        }
        if (q.kind == position_kind::fixed) out_ << q.offset;
        if (q.kind == position_kind::gathered) gathered(p_.links[numbers_.first + q.offset]);
        if (q.terms.count == 0) return;
        const bool merged = q.kind == position_kind::merged;
        if (merged || !alone) out_ << '(';
        for (std::int32_t t = 0; t < q.terms.count; ++t) {
            const affine_term& term = p_.affine_terms[q.terms.first + t];
            if (!merged && (t > 0 || term.coefficient < 0))
                out_ << (term.coefficient < 0 ? '-' : '+');
            const std::int32_t count = term.coefficient < 0 ? -term.coefficient : term.coefficient;
            if (!merged && count != 1) out_ << count;
            out_ << index_text(term.index);
        }
        if (q.kind == position_kind::affine && (q.offset != 0 || (q.terms.count == 1 && !merged)))
            out_ << (q.offset < 0 ? '-' : '+') << (q.offset < 0 ? -q.offset : q.offset);
        if (merged || !alone) out_ << ')';
    }
    /// x_{i}: in an index list the indices stand below, but for those of a name with a label.
    constexpr void gathered(ref n) {
        const node& x = p_.nodes[n];
        const range outer = numbers_;
        numbers_ = x.children;
        print_name(p_.name(x.name), out_);
        out_ << (has_label(p_.name(x.name)) ? "^{" : "_{");
        for (std::int32_t k = 0; k < x.positions.count; ++k) {
            if (k > 0 && p_.at(x.positions, k - 1).kind == position_kind::fixed) out_ << ',';
            position_text(p_.at(x.positions, k), x.positions.count == 1);
        }
        out_ << '}';
        numbers_ = outer;
    }
    /// A Greek index is followed by a space, so that the next letter is not part of its command.
    constexpr text_view index_text(ref i) {
        const text_view text = p_.index(i);
        if (text[0] != '\\') return text;
        spaced_ = {};
        spaced_ << text << ' ';
        return spaced_;
    }

    program_view p_;
    detail::text_builder& out_;
    detail::text_builder spaced_;
    range numbers_{};        // of the tensor in hand
    ref part_index_ = none;  // counts the parts of the tensor on the left
    std::int32_t part_ = 0;
    bool implied_;
};

}  // namespace ricci::ir
