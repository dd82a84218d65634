// A tensor or a derivative as LaTeX: its name, and the list of its places.
#pragma once

#include <cstdint>

#include <ricci/ir/axes.hpp>
#include <ricci/ir/print_heights.hpp>
#include <ricci/ir/print_name.hpp>
#include <ricci/ir/print_signs.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/written_place.hpp>

namespace ricci::ir {

/// What the printer of equations is made on: tensors, and which of their parts are in hand. A
/// tensor that is defined part by part has an index that counts them; it is printed as the number
/// of the part.
template <class Program>
class tensor_printer {
public:
    constexpr tensor_printer(const Program& p, detail::text_builder& out) : p_(p), out_(out) {}

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

protected:
    template <class T>
    using buffer = detail::buffer<T>;

    // Parts ---------------------------------------------------------------------------------------

    /// An index that counts a tensor's parts, and the part in hand.
    struct counter {
        ref index;
        std::int32_t part;
    };

    /// Of cases that only tell a tensor's parts apart, the one of the part in hand.
    constexpr ref part_of(ref n) const {
        const node& x = p_.nodes[n];
        if (counters_.empty() || x.kind != op::choose) return n;
        for (std::int32_t k = 1; k < x.children.count; k += 2) {
            const node& c = p_.nodes[p_.child(x, k)];
            const bool tells =
                c.kind == op::compare && c.detail == static_cast<std::uint8_t>(comparison::equal) &&
                is_counter(p_.nodes[p_.child(c, 0)]) && p_.nodes[p_.child(c, 1)].kind == op::number;
            if (!tells) return n;
            const ref counted = p_.at(p_.nodes[p_.child(c, 0)].positions, 0).index;
            if (p_.nodes[p_.child(c, 1)].value == part_in_hand(counted)) return p_.child(x, k - 1);
        }
        return p_.child(x, x.children.count - 1);
    }
    constexpr std::int32_t parts_counted(ref index) const { return ir::parts_counted(p_, index); }
    /// The part that an index counts at the moment, or none.
    constexpr std::int32_t part_in_hand(ref index) const {
        for (const counter& c : counters_)
            if (c.index == index) return c.part;
        return none;
    }
    constexpr bool is_counter(const node& x) const {
        return x.kind == op::position && is_counter(p_.at(x.positions, 0));
    }
    constexpr bool is_counter(const position& q) const {
        return q.kind == position_kind::index && part_in_hand(q.index) != none;
    }
    constexpr bool ends_with_counter(const position& q) const {
        return q.kind == position_kind::merged && q.terms.count == 2 &&
               part_in_hand(p_.affine_terms[q.terms.first + 1].index) != none;
    }

private:
    // Derivatives ---------------------------------------------------------------------------------

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

protected:
    // Places --------------------------------------------------------------------------------------

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
        if (below && begins_with_capital(at)) return tuple(name, at);
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
        if (is_counter(q)) out_ << part_in_hand(q.index);
        else if (q.kind == position_kind::index && q.index == written_axis_)
            return written_text(alone);
        else if (q.kind == position_kind::index) out_ << index_text(q.index);
        if (ends_with_counter(q)) {
            const ref counted = p_.affine_terms[q.terms.first + 1].index;
            out_ << (alone ? "" : "(") << parts_counted(counted)
                 << index_text(p_.affine_terms[q.terms.first].index) << '+' << part_in_hand(counted)
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
            if (merged) out_ << index_text(term.index);
            else term_text(term, t == 0);
        }
        if (q.kind == position_kind::affine && (q.offset != 0 || (q.terms.count == 1 && !merged)))
            out_ << (q.offset < 0 ? '-' : '+') << (q.offset < 0 ? -q.offset : q.offset);
        if (merged || !alone) out_ << ')';
    }
    constexpr void term_text(const affine_term& term, bool first) {
        if (!first || term.coefficient < 0) out_ << (term.coefficient < 0 ? '-' : '+');
        const std::int32_t count = term.coefficient < 0 ? -term.coefficient : term.coefficient;
        if (count != 1) out_ << count;
        out_ << index_text(term.index);
    }
    /// A place that counts from 0 as it is written, which its number says, be it 0.
    constexpr void written_text(bool alone) {
        if (!alone) out_ << '(';
        bool first = true;
        const bool falls = written_.terms[0].coefficient < 0;
        if (falls) out_ << written_.offset;
        for (const affine_term& term : written_.terms) {
            term_text(term, first);
            first = false;
        }
        if (!falls) out_ << '+' << written_.offset;
        if (!alone) out_ << ')';
    }
    /// Below a name a capital would begin a label.
    constexpr bool begins_with_capital(range at) const {
        const position& q = p_.at(at, 0);
        if (q.kind != position_kind::index) return false;
        const char first = p_.index(q.index)[0];
        return first >= 'A' && first <= 'Z';
    }
    /// n_b would be read as a number's name, as d_k is.
    constexpr bool reads_as_dimension(text_view name, range at) const {
        return (name == "d" || name == "n") && at.count == 1 &&
               p_.at(at, 0).kind == position_kind::index;
    }
    /// x_{i}: in an index list the indices stand below, but for those of a name with a label.
    constexpr void gathered(ref n) {
        const node& x = p_.nodes[n];
        const range outer = numbers_;
        numbers_ = x.children;
        print_name(p_.name(x.name), out_);
        const bool above = has_label(p_.name(x.name)) || begins_with_capital(x.positions) ||
                           reads_as_dimension(p_.name(x.name), x.positions);
        out_ << (above ? "^{" : "_{");
        for (std::int32_t k = 0; k < x.positions.count; ++k) {
            if (k > 0 && p_.at(x.positions, k - 1).kind == position_kind::fixed) out_ << ',';
            position_text(p_.at(x.positions, k), x.positions.count == 1);
        }
        if (x.positions.count == 1 && p_.at(x.positions, 0).kind == position_kind::fixed)
            out_ << ',';
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

    Program p_;
    detail::text_builder& out_;
    detail::text_builder spaced_;
    range numbers_{};  // of the tensor in hand
    buffer<counter> counters_;
    ref written_axis_ = none;  // an index whose place is printed as it was written
    written_place written_;
};

}  // namespace ricci::ir
