// Reading sums: the indices that they run over, their bounds, and the product that they take in.
#pragma once

#include <cstdint>

#include <ricci/notation/bounds.hpp>
#include <ricci/notation/conditions.hpp>

namespace ricci::notation {

/// `Expression` is the parser that derives from this one: it reads what is summed.
template <class Expression>
class sum_parser : public condition_parser<Expression> {
    using conditions = condition_parser<Expression>;

public:
    using condition_parser<Expression>::condition_parser;
    using conditions::failed;

protected:
    using conditions::accept_symbol, conditions::advance, conditions::begin_here,
        conditions::end_before, conditions::expect_symbol, conditions::fail, conditions::fail_here,
        conditions::group_, conditions::is, conditions::is_symbol, conditions::now_,
        conditions::peek, conditions::program_, conditions::read_index, conditions::read_index_list,
        conditions::refuse_group, conditions::sum_behind_, conditions::term_shape_,
        conditions::text_of;

    constexpr Expression& parser() { return static_cast<Expression&>(*this); }

    /// \sum_{j}, \sum_{j \le i}, \sum_{j=1}^{i}, and \prod likewise: over the product to the right.
    constexpr ref read_sum(ir::reduction reduction, std::int32_t begin) {
        advance();
        if (!accept_symbol('_')) {
            fail_here(mistake_kind::unexpected, reduction == ir::reduction::sum
                                                    ? "a sum needs its indices: \\sum_{j}"
                                                    : "a product needs its indices: \\prod_{j}");
            return none;
        }
        detail::buffer<ref> over;
        double mark = 0;
        const ref bounds = is_symbol('{') && !holds_condition() && has_lower_bound()
                               ? read_bounds(over, mark)
                               : read_condition_or_list(over, mark);
        if (failed()) return none;
        if (is_symbol('^') && mark == 0) return refuse_upper_bound(over[0]);
        if (parser().ends_term())
            return this->refuse_here(mistake_kind::unexpected,
                                     reduction == ir::reduction::sum
                                         ? "a sum needs something to sum"
                                         : "a product needs something to multiply");
        const std::int32_t body_begin = begin_here();
        ref body = parser().read_term();
        if (failed()) return none;
        sum_behind_ = now_;
        if (term_shape_.several) refuse_group(group_, body_begin);
        return bounded_sign(reduction, program_.add_links(over), bounds, mark, body, begin);
    }
    /// Below a sign or a function: the indices, or a condition, which is given back.
    constexpr ref read_condition_or_list(detail::buffer<ref>& over, double& mark) {
        if (!is_symbol('{') || !holds_condition()) {
            refuse_set();
            read_index_list(over);
            return none;
        }
        const ref condition = read_braced_condition(over);
        mark = over.empty() ? undecided::condition : undecided::none;
        return condition;
    }
    /// \sum_{j \in N}
    constexpr void refuse_set() {
        for (std::int32_t k = 1; is_symbol('{') && !is_symbol('}', k); ++k) {
            if (peek(k).kind == token_kind::end) return;
            if (text_of(peek(k)) != "\\in") continue;
            return fail(mistake_kind::unexpected, begin_here(), peek(k).end,
                        "a sign runs over an index, and no set; write which places are in it as a "
                        "condition, \\sum_{j \\le i}, or as a tensor of 0 and 1, \\sum_{j} "
                        "[m^{ij}] x^j");
        }
    }
    /// \sum_i^n x^i
    constexpr ref refuse_upper_bound(ref index) {
        detail::text_builder s;
        s << "a last place needs a first one: \\sum_{" << program_.index(index)
          << "=1}^{n}; all of "
          << "the axis is \\sum_{" << program_.index(index) << '}';
        return this->refuse_here(mistake_kind::unexpected, s);
    }
    /// `bounds`: the condition, or the last place, if there is one.
    constexpr ref bounded_sign(ir::reduction reduction, ir::range over, ref bounds, double mark,
                               ref body, std::int32_t begin) {
        if (bounds != none)
            body = program_.make(op::multiply, bounds, body, program_.nodes[body].source);
        const ref sign = program_.reduce(reduction, over, body, {begin, end_before()});
        program_.nodes[sign].value = mark;
        return sign;
    }
    /// Whether a relation other than = stands in the braces at the cursor.
    constexpr bool holds_condition() const {
        std::int32_t depth = 0;
        for (const token* t = now_; t->kind != token_kind::end; ++t) {
            if (t->kind == token_kind::command) {
                const auto k = static_cast<keyword>(t->code);
                if (k >= keyword::less && k <= keyword::logical_not) return true;
            }
            if (t->kind != token_kind::symbol) continue;
            if (t->code == '<' || t->code == '>' || t->code == ':') return true;
            if (t->code == '{') ++depth;
            if (t->code == '}' && --depth == 0) return false;
        }
        return false;
    }
    /// {j \le i}, or {j : j \ne i}, which says what is bound.
    constexpr ref read_braced_condition(detail::buffer<ref>& over) {
        advance();
        if (is_symbol(':'))
            fail_here(mistake_kind::unexpected,
                      "what is bound stands before the colon: \\sum_{j : j \\le i}");
        const token* begin = now_;
        while (now_->kind == token_kind::letter || now_->kind == token_kind::command ||
               is_symbol(',') || is_symbol('\''))
            advance();
        const bool named = is_symbol(':');
        now_ = begin;
        while (named && !failed() && !accept_symbol(':')) {
            over.push(read_index());
            accept_symbol(',');
        }
        if (failed()) return none;
        const ref condition = parser().read_condition();
        if (!failed() && is_symbol(','))
            fail_here(mistake_kind::unexpected,
                      "conditions below one sign are joined by \\land, or stand below a sign each: "
                      "\\sum_{p \\le i} \\sum_{q \\le j}");
        if (!failed()) expect_symbol('}');
        if (!failed() && is_symbol('^'))
            fail_here(mistake_kind::unexpected,
                      "a sum with a condition has no upper bound; write both in the condition: "
                      "\\sum_{i < j < n}");
        return condition;
    }
    constexpr bool has_lower_bound() const {
        for (const token* t = now_ + 1;
             t->kind != token_kind::end && t->kind != token_kind::separator; ++t) {
            if (t->kind != token_kind::symbol) continue;
            if (t->code == '=') return true;
            if (t->code == '}') return false;
        }
        return false;
    }
    /// {a=1}^{d}: the last place. What it means is decided once the equation's indices are known.
    constexpr ref read_bounds(detail::buffer<ref>& over, double& mark) {
        advance();
        const ref index = read_index();
        if (failed()) return none;
        over.push(index);
        if (!expect_symbol('=')) return none;
        const bool from_zero = is(token_kind::number) && text_of(peek()) == "0";
        const bool from_one = is(token_kind::number) && text_of(peek()) == "1";
        if ((!from_zero && !from_one) || !is_symbol('}', 1)) {
            fail_here(mistake_kind::unexpected,
                      "a sum runs from 0 or from 1; for another part of an axis write a condition, "
                      "as in \\sum_{j \\ge 2} or \\sum_{j > i}");
            return none;
        }
        mark = from_zero ? undecided::from_zero : undecided::from_one;
        advance();
        if (!expect_symbol('}') || !accept_symbol('^')) {
            fail_here(mistake_kind::unexpected,
                      "a sum with a lower bound needs an upper one: \\sum_{a=1}^{d}");
            return none;
        }
        return parser().read_argument();
    }

    /// \lVert x \rVert, \|x\|: what it runs over stands below, or is decided with the left side.
    constexpr ref read_norm(std::int32_t begin) {
        advance();
        const char outer = closing_bar_;
        closing_bar_ = double_bar;
        const ref inside = parser().read_expression();
        closing_bar_ = outer;
        if (failed()) return none;
        if (!is_symbol(double_bar) || opens_norm()) {
            fail(mistake_kind::unbalanced, begin, begin_here(),
                 "this norm is not closed; close it with \\rVert");
            return none;
        }
        advance();
        ref power = none;
        if (is_symbol('^') && is(token_kind::number, 1) && is_symbol('_', 2)) {  // \rVert^2_2
            advance();
            power = parser().read_argument();
        }
        double mark = undecided::norm;
        detail::buffer<ref> over;
        if (accept_symbol('_')) read_norm_label(over, mark);
        if (failed()) return none;
        const ir::range indices = program_.add_links(over);
        const ref norm =
            program_.reduce(ir::reduction::sum, indices, inside, {begin, end_before()});
        program_.nodes[norm].value = mark;
        return power == none ? norm : program_.make(op::power, norm, power, {begin, end_before()});
    }
    constexpr bool opens_norm() const {
        return is_symbol(double_bar) && text_of(peek()) == "\\lVert";
    }
    /// Below a norm: which it is, or the indices that it runs over.
    constexpr void read_norm_label(detail::buffer<ref>& over, double& mark) {
        const std::int32_t at = is_symbol('{') ? 1 : 0;
        const bool label = is(token_kind::number, at) || parser().is_letter("F", at) ||
                           parser().is_key(keyword::infinity, at);
        if (!label) return read_index_list(over);
        if (at == 1) advance();
        if (parser().is_key(keyword::infinity)) mark = undecided::norm_infinity;
        else if (text_of(peek()) == "1") mark = undecided::norm_one;
        else if (is(token_kind::number) && !(text_of(peek()) == "2"))
            return fail_here(mistake_kind::unexpected,
                             "the norms are 1, 2, F and \\infty; write others as a power of a sum");
        advance();
        if (at == 1) expect_symbol('}');
    }

    char closing_bar_ = '\0';  // of the bars around the cursor: | or that of a norm
};

}  // namespace ricci::notation
