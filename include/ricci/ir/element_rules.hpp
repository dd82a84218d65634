// What a program asks of its element type: whole numbers have no exp, complex ones no order.
#pragma once

#include <cstdint>

#include <ricci/element.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/ir/print.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/ir/quotients.hpp>

namespace ricci::ir {

namespace types = detail::function_types;

/// Looks through the equations that compute something for what tensors of `type` cannot do. Real
/// types can do all of it. A template: files without calls build nothing of it.
template <class Program = program_view>
class element_rules {
public:
    /// `whole`: by name, the tensors that hold whole numbers of a type of their own; or nullptr.
    constexpr element_rules(const program_view& p, element type, const bool* whole = nullptr)
        : p_(p), type_(type), whole_(whole) {}

    constexpr mistake run() {
        if (!is_integer(type_) && !is_complex(type_) && !has_imaginary_unit()) return {};
        for (const equation& e : p_.equations) {
            if (!computes(p_, e)) continue;
            equation_ = &e;
            visit(e.body);
            if (mistake_) break;
        }
        return static_cast<mistake&&>(mistake_);
    }

private:
    using builder = detail::text_builder;

    constexpr void refuse(text_view what, text_view why) {
        if (mistake_) return;
        mistake_.kind = mistake_kind::element_type;
        if constexpr (has_words<Program>) {
            builder s;
            s << "the tensors hold " << name_of(type_) << ", and ";
            if (what.size > 0) s << what << ' ';
            s << why << ", in ";
            to_latex(p_, *equation_, s);
            mistake_ = make_mistake(mistake_kind::element_type, s);
        }
    }
    constexpr void refuse_number(double value) {
        builder s;
        print_number(value, s);
        refuse(s.view(), "is no whole number");
    }

    /// 3 t / 2 with whole numbers: \frac{3 t}{2}, or 3 \frac{t}{2}? `k`: which factor is the
    /// quotient; none: what stands before it is no factor of the same product any more.
    constexpr void refuse_order(const node& product, const node& quotient, std::int32_t k) {
        if (mistake_) return;
        builder s;
        s << "a quotient of whole numbers is rounded, so that it matters what / divides; write ";
        say_order(product, quotient, k, true, s);
        s << " or ";
        say_order(product, quotient, k, false, s);
        refuse("", s.view());
    }
    constexpr void say_order(const node& product, const node& quotient, std::int32_t k, bool all,
                             builder& s) const {
        if constexpr (has_words<Program>) {
            if (all) s << "\\frac{";
            for (std::int32_t before = 0; before < k; ++before) {
                const node& x = p_.nodes[p_.child(product, before)];
                if (x.kind == op::number && x.value == -1) {
                    s << '-';
                    continue;
                }
                latex_printer(p_, s, false).expression(p_.child(product, before));
                s << ' ';
            }
            if (k == none) s << "... ";
            if (!all) s << "\\frac{";
            latex_printer(p_, s, false).expression(p_.child(quotient, 0));
            s << "}{";
            latex_printer(p_, s, false).expression(p_.child(quotient, 1));
            s << '}';
        }
    }
    constexpr void check_order(const node& product) {
        for (std::int32_t k = 1; k < product.children.count; ++k) {
            const node& x = p_.nodes[p_.child(product, k)];
            if (x.kind == op::divide && x.value == rounded_between && !of_literals(x))
                return refuse_order(product, x, k);
        }
    }
    constexpr bool of_literals(const node& quotient) const {
        return is_literal(p_.child(quotient, 0)) && is_literal(p_.child(quotient, 1));
    }

    static constexpr bool is_whole(double value) {
        return value >= -0x1p53 && value <= 0x1p53 &&
               value == static_cast<double>(static_cast<std::int64_t>(value));
    }
    /// What is compared has 64 bits. What is computed is of the type, and is no number that may
    /// have been rounded when the text was read.
    constexpr void whole_number(double value) {
        const double limit = compared_ > 0 ? 0x1p63 : type_ == element::i32 ? 0x1p31 : 0x1p53;
        const bool beyond = value >= limit || value <= -limit;
        if (!beyond && (is_whole(value) || value > 0x1p53 || value < -0x1p53)) return;
        const bool infinite = !(value <= largest_number && value >= -largest_number);
        if (!beyond || infinite) return refuse_number(value);
        builder s;
        print_number(value, s);
        refuse(s.view(), compared_ > 0 || type_ == element::i32
                             ? "is none of them"
                             : "is beyond what a text's numbers count; bind it as a number");
    }
    constexpr bool is_literal(ref n) const { return p_.nodes[n].kind == op::number; }

    constexpr void visit(ref n) {
        const node& x = p_.nodes[n];
        const bool relation = x.kind == op::compare;
        compared_ += relation ? 1 : 0;
        if (is_integer(type_) && x.kind == op::multiply) check_order(x);
        for (std::int32_t k = 0; k < x.children.count && !mistake_; ++k) visit(p_.child(x, k));
        compared_ -= relation ? 1 : 0;
        if (mistake_) return;
        if (is_complex(type_)) return complex(x);
        if (x.kind == op::imaginary_unit)
            return refuse("\\mathrm{i}", "needs tensors of complex numbers");
        if (is_integer(type_)) whole(x);
    }
    constexpr bool has_imaginary_unit() const {
        for (const node& x : p_.nodes)
            if (x.kind == op::imaginary_unit) return true;
        return false;
    }

    constexpr void whole(const node& x) {
        switch (x.kind) {
            case op::number:
                return whole_number(x.value);
            case op::apply: {
                const auto f = static_cast<function>(x.detail);
                if (!says(f, types::of_whole) && !says(f, types::keeps_whole) &&
                    !says(f, types::keeps_reals))
                    refuse(function_word(f), "of whole numbers is none");
                return;
            }
            case op::reduce: {
                const auto r = static_cast<reduction>(x.detail);
                if (r == reduction::mean || r == reduction::softmax || r == reduction::logsumexp ||
                    is_of_matrix(r))
                    refuse(reduction_word(r), "of whole numbers is none");
                return;
            }
            case op::power:
                if (is_literal(p_.child(x, 1)) && p_.nodes[p_.child(x, 1)].value < 0)
                    refuse("", "a negative power of whole numbers is none");
                return;
            case op::divide: {
                const ref a = p_.child(x, 0), b = p_.child(x, 1);
                if (!of_literals(x)) {
                    if (x.value == rounded_between) refuse_order(x, x, none);
                    return;
                }
                const double quotient = p_.nodes[a].value / p_.nodes[b].value;
                if (!is_whole(quotient)) refuse_number(quotient);
                return;
            }
            default:
                return;
        }
    }

    constexpr void complex(const node& x) {
        const bool real = all_real(x);
        switch (x.kind) {
            case op::apply: {
                const auto f = static_cast<function>(x.detail);
                if (!real && !says(f, types::of_complex))
                    refuse(function_word(f), "is for real numbers");
                return;
            }
            case op::reduce: {
                const auto r = static_cast<reduction>(x.detail);
                if (r != reduction::sum && r != reduction::mean && r != reduction::product &&
                    r != reduction::inverse && r != reduction::determinant)
                    refuse(reduction_word(r), "is for real numbers");
                return;
            }
            case op::compare: {
                const auto c = static_cast<comparison>(x.detail);
                if (!real && (c == comparison::less || c == comparison::less_equal))
                    refuse("", "complex numbers have no order");
                return;
            }
            case op::tensor:
                if (p_.names[x.name].in_norm && !is_real(x)) refuse_norm(x.name);
                return;
            default:
                return;
        }
    }
    constexpr void refuse_norm(ref name) {
        builder s;
        s << p_.name(name) << " stands in a norm, which is a root of squares; write "
          << "\\sqrt{\\sum_i |" << p_.name(name) << "^i|^2}";
        refuse("", s.view());
    }

    constexpr bool all_real(const node& x) const {
        for (std::int32_t k = 0; k < x.children.count; ++k)
            if (!is_real(p_.child(x, k))) return false;
        return true;
    }

    /// Real whatever the tensors hold.
    constexpr bool is_real(ref n) const { return is_real(p_.nodes[n]); }
    constexpr bool is_real(const node& x) const {
        switch (x.kind) {
            case op::number:
            case op::position:
            case op::delta:
            case op::compare:
                return true;
            case op::imaginary_unit:
                return false;
            case op::tensor: {
                if (whole_ && whole_[x.name]) return true;
                const ref defined = p_.definition(x.name);
                return defined != none && is_real(p_.equations[defined].body);
            }
            case op::apply:
                return is_always_real(x) ||
                       (!says(static_cast<function>(x.detail), types::leaves_reals) && all_real(x));
            case op::power:  // (z)^0, which counts places, is 1 whatever z is
                return is_literal(p_.child(x, 1)) &&
                       (p_.nodes[p_.child(x, 1)].value == 0 ||
                        (all_real(x) && is_whole(p_.nodes[p_.child(x, 1)].value)));
            default:
                return all_real(x);
        }
    }

    Program p_;
    element type_;
    const bool* whole_;
    std::int32_t compared_ = 0;  // how many comparisons are around
    const equation* equation_ = nullptr;
    mistake mistake_;
};

}  // namespace ricci::ir
