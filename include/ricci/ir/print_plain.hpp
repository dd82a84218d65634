// A program as plain text, for terminals and logs: Q[h,i,a] = sum(b) X[i,b] * W_Q[h,b,a].
#pragma once

#include <cstdint>

#include <ricci/ir/axes.hpp>
#include <ricci/ir/print_name.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/rewrite.hpp>

namespace ricci::ir {

class plain_printer {
public:
    constexpr plain_printer(const program_view& p, detail::text_builder& out) : p_(p), out_(out) {}

    constexpr void equation_line(const equation& e) {
        tensor(e.name, e.positions);
        out_ << " = ";
        terms(e.body);
        for_each_said(p_, e, [&](ref i) {
            const axis& along = p_.indices[i].along;
            out_ << ", " << p_.index(i) << " in axis " << along.number << " of "
                 << p_.name(along.tensor);
        });
    }
    constexpr void tensor(ref name, range at) {
        out_ << p_.name(name);
        list(at);
    }
    /// A place that no tensor says.
    constexpr void one_place(const position& q) { place(q); }

private:
    constexpr void list(range at) {
        if (at.count == 0) return;
        out_ << '[';
        for (std::int32_t k = 0; k < at.count; ++k) {
            if (k > 0) out_ << ',';
            place(p_.at(at, k));
        }
        out_ << ']';
    }
    constexpr void use(const node& x) {
        const range outer = numbers_;
        numbers_ = x.children;
        tensor(x.name, x.positions);
        numbers_ = outer;
    }
    constexpr void place(const position& q) {
        if (q.kind == position_kind::gathered) use(p_.nodes[p_.links[numbers_.first + q.offset]]);
        if (q.kind == position_kind::index) out_ << p_.index(q.index);
        if (q.kind == position_kind::fixed) out_ << q.offset;
        if (q.kind == position_kind::merged) out_ << '(';
        for (std::int32_t t = 0; t < q.terms.count; ++t) {
            const affine_term& term = p_.affine_terms[q.terms.first + t];
            if (q.kind == position_kind::affine) {
                if (t > 0 || term.coefficient < 0) out_ << (term.coefficient < 0 ? '-' : '+');
                const std::int32_t count =
                    term.coefficient < 0 ? -term.coefficient : term.coefficient;
                if (count != 1) out_ << count << '*';
            }
            out_ << p_.index(term.index);
        }
        if (q.kind == position_kind::merged) out_ << ')';
        if (q.kind == position_kind::affine && q.offset != 0) {
            if (q.offset > 0) out_ << '+';
            out_ << q.offset;
        }
    }
    constexpr void terms(ref n) {
        const node& x = p_.nodes[n];
        if (x.kind != op::add) return product(n);
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            if (k > 0) out_ << " + ";
            product(p_.child(x, k));
        }
    }
    constexpr void product(ref n) {
        const node& x = p_.nodes[n];
        if (x.kind == op::multiply) {
            for (std::int32_t k = 0; k < x.children.count; ++k) {
                if (k > 0) out_ << " * ";
                factor(p_.child(x, k), k + 1 == x.children.count);
            }
        } else if (x.kind == op::divide) {
            factor(p_.child(x, 0), false);
            out_ << " / ";
            factor(p_.child(x, 1), false);
        } else {
            factor(n, true);
        }
    }
    constexpr void bracketed(ref n) {
        out_ << '(';
        terms(n);
        out_ << ')';
    }
    constexpr void arguments(const node& x) {
        out_ << '(';
        for (std::int32_t k = 0; k < x.children.count; ++k) {
            if (k > 0) out_ << ", ";
            terms(p_.child(x, k));
        }
        out_ << ')';
    }
    constexpr void reduced(const node& x, bool last) {
        const bool sum = x.detail == static_cast<std::uint8_t>(reduction::sum);
        if (sum && !last) out_ << '(';
        out_ << reduction_word(static_cast<reduction>(x.detail)) << '(';
        for (std::int32_t k = 0; k < x.indices.count; ++k)
            out_ << (k ? "," : "") << p_.index(p_.reduced(x, k));
        out_ << ") ";
        if (sum && p_.nodes[p_.child(x, 0)].kind != op::add) product(p_.child(x, 0));
        else bracketed(p_.child(x, 0));
        if (sum && !last) out_ << ')';
    }
    constexpr void factor(ref n, bool last) {
        const node& x = p_.nodes[n];
        switch (x.kind) {
            case op::number:
                if (x.value == __builtin_inf() || x.value == -__builtin_inf())
                    out_ << (x.value < 0 ? "-inf" : "inf");
                else print_number(p_, x, false, out_);
                return;
            case op::imaginary_unit:
                out_ << "\\mathrm{i}";
                return;
            case op::tensor:
                use(x);
                return;
            case op::add:
            case op::multiply:
            case op::divide:
                bracketed(n);
                return;
            case op::power:
                factor(p_.child(x, 0), false);
                out_ << '^';
                factor(p_.child(x, 1), false);
                return;
            case op::apply:
                out_ << function_word(static_cast<function>(x.detail));
                arguments(x);
                return;
            case op::reduce:
                reduced(x, last);
                return;
            case op::delta:
                out_ << "delta";
                list(x.positions);
                return;
            case op::position:
                out_ << p_.index(p_.at(x.positions, 0).index);
                return;
            case op::compare:
                out_ << '[';
                terms(p_.child(x, 0));
                out_ << ' ' << comparison_word(static_cast<comparison>(x.detail)) << ' ';
                terms(p_.child(x, 1));
                out_ << ']';
                return;
            case op::choose:
                out_ << "cases";
                arguments(x);
                return;
            case op::call:
                return;  // written out before anything is printed
        }
    }
    static constexpr text_view comparison_word(comparison c) {
        switch (c) {
            case comparison::less:
                return "<";
            case comparison::less_equal:
                return "<=";
            case comparison::equal:
                return "=";
            case comparison::not_equal:
                return "!=";
            case comparison::logical_and:
                return "and";
            case comparison::logical_or:
                return "or";
        }
        return "";
    }

    program_view p_;
    detail::text_builder& out_;
    range numbers_{};  // what the gathered positions of the tensor in hand read
};

/// Every equation, a line each.
constexpr void to_text(const program_view& p, detail::text_builder& out) {
    for (const equation& e : p.equations) {
        plain_printer(p, out).equation_line(e);
        out << '\n';
    }
}

}  // namespace ricci::ir
