// Reading functions by their words, with parentheses and without: \exp(x), \log x, \max_j x, and
// the functions that a text defines.
#pragma once

#include <cstdint>

#include <ricci/ir/extrema.hpp>
#include <ricci/notation/sums.hpp>

namespace ricci::notation {

/// `Expression` is the parser that derives from this one and reads what a function is of.
template <class Expression>
class function_parser : public sum_parser<Expression> {
    using sums = sum_parser<Expression>;

public:
    using sum_parser<Expression>::sum_parser;
    using sums::failed;

protected:
    using sums::accept_symbol, sums::advance, sums::are_of_matrix, sums::begin_here,
        sums::bounded_sign, sums::calls_after_subscript, sums::closing_bar_, sums::end_before,
        sums::ends_group, sums::expect_symbol, sums::exponent_is_list, sums::fail, sums::fail_here,
        sums::find_styled, sums::function_as_tensor, sums::group_, sums::is_defined, sums::is_key,
        sums::is_reciprocal, sums::is_signed, sums::is_single, sums::is_symbol, sums::label_follows,
        sums::note_argument, sums::now_, sums::parser, sums::peek, sums::powered_call,
        sums::program_, sums::read_base_name, sums::read_condition_or_list, sums::read_index_list,
        sums::refuse_group_argument, sums::refuse_inverse_function, sums::survey_, sums::text_,
        sums::two_powers, sums::unknown_function, sums::word;

    /// `exp(x)`, `\operatorname{softmax}_j(x)`, a function defined before, or a tensor.
    constexpr ref read_word_or_tensor(std::int32_t begin) {
        const bool wrapped = is_key(keyword::wrapper);
        const bool operation = wrapped && word() == "operatorname";
        const token* start = now_;
        detail::text_builder name;
        read_base_name(name);
        if (failed()) return none;
        const bool called = is_symbol('(') && !peek().spaced;
        if (find_styled(name) != none) {
            now_ = start;
            return parser().read_tensor(begin);
        }
        if (name.view() == "e" && is_symbol('^') && !exponent_is_list(begin)) {
            if (failed()) return none;
            advance();
            const ref exponent = parser().read_argument();
            return failed() ? none
                            : program_.apply(ir::function::exp, exponent, {begin, end_before()});
        }
        const bool label = label_follows(name);
        const bool subscript = is_symbol('_') && !label;
        if (subscript && is_reduction(name)) return read_function(name, begin);
        if (meaning_of(name, false).kind == word_kind::function && !label) {
            if (operation || is_symbol('(') || powered_call()) return read_function(name, begin);
            function_as_tensor(name, begin);
            return none;
        }
        if (wrapped && called && is_reduction(name)) return read_function(name, begin);
        if (operation || (subscript && is_among(name, words::operations) && !is_defined(name)) ||
            ((wrapped || name.size() > 2) &&
             (called || (subscript && wrapped && calls_after_subscript())))) {
            unknown_function(name, begin);
            return none;
        }
        now_ = start;
        return parser().read_tensor(begin);
    }
    constexpr ref read_sigmoid(std::int32_t begin) {
        const name_facts* facts = survey_.find("\\sigma");
        if (facts != nullptr && (facts->ranks & 1) != 0 && survey_.is_factor(*facts, now_)) {
            fail(mistake_kind::unexpected, begin, peek(1).end,
                 "this can be the logistic function and a product with the number \\sigma, which "
                 "the text has elsewhere; write \\operatorname{sigmoid}(...) or \\sigma \\cdot "
                 "(...)");
            return none;
        }
        advance();
        return read_application(ir::function::sigmoid, begin);
    }

    /// After the word: a subscript of indices for a reduction, a power, then the argument.
    constexpr ref read_function(text_view name, std::int32_t begin) {
        const bool indexed = is_symbol('_');
        const word_meaning meaning = meaning_of(name, indexed);
        if (meaning.kind == word_kind::unknown) {
            detail::text_builder sentence;
            if (is_of_matrix(name))
                sentence << name << " needs the indices of its matrix's rows and columns: " << name
                         << "_{ij}";
            else sentence << name << " needs the index it runs over, for example " << name << "_j";
            return this->refuse(mistake_kind::unexpected, begin, end_before(), sentence);
        }
        if (meaning.kind == word_kind::reduction)
            return read_reduction(static_cast<ir::reduction>(meaning.value), name, begin);
        if (!indexed) return read_powered(static_cast<ir::function>(meaning.value), begin);
        fail_here(mistake_kind::unexpected,
                  name == "log" || name == "ln"
                      ? "the logarithm is the natural one; write \\frac{\\log(x)}{\\log(2)} for "
                        "another base"
                      : "this function runs over no index");
        return none;
    }
    /// \sin(x) and \sin^2(x), with the cursor behind the word.
    constexpr ref read_powered(ir::function f, std::int32_t begin) {
        ref power = none;
        const std::int32_t word_end = end_before();
        if (accept_symbol('^')) power = parser().read_argument();
        if (failed()) return none;
        const std::int32_t at = begin_here();
        const ref value = read_application(f, begin);
        if (failed() || power == none) return value;
        if (is_reciprocal(program_.nodes[power])) {
            const bool brackets = text_[at] == '(' || text_[at] == '{';
            refuse_inverse_function(f, begin, text_.slice(begin, word_end),
                                    text_.slice(at + brackets, end_before() - brackets),
                                    end_before());
        }
        return program_.make(ir::op::power, value, power, {begin, end_before()});
    }
    /// \max_j x and \operatorname{solve}_{ij}(K^{ij}, y^i), with the cursor at the subscript.
    constexpr ref read_reduction(ir::reduction reduction, text_view name, std::int32_t begin) {
        advance();
        detail::buffer<ref> over;
        double mark = 0;
        const bool matrix = ir::is_of_matrix(reduction);
        ref condition = none;
        if (matrix) read_index_list(over);
        else condition = read_condition_or_list(over, mark);
        if (failed() || (matrix && !are_of_matrix(over, name, begin))) return none;
        if (ir::gives_place(reduction) && (condition != none || over.size() != 1))
            return this->refuse(mistake_kind::unexpected, begin, end_before(), one_axis);
        if (reduction == ir::reduction::solve) {
            ref arguments[2] = {none, none};
            if (!read_arguments(arguments, true,
                                "this takes the matrix and the right-hand side: "
                                "\\operatorname{solve}_{ij}(K^{ij}, y^i)"))
                return none;
            return ir::solution_of(program_, arguments[0], arguments[1], over[0], over[1],
                                   {begin, end_before()});
        }
        const bool softmax = reduction == ir::reduction::softmax;
        const bool bracketed = is_symbol('(');
        const std::int32_t at = begin_here();
        const ref body = bracketed ? parser().read_primary() : parser().read_factor();
        if (!failed() && bracketed && !softmax && is_symbol('^')) two_powers(name, begin);
        if (failed()) return none;
        const ir::range bound = program_.add_links(over);
        if (ends_group() && !is_single(group_.shape)) refuse_group_argument(begin);
        if (!bracketed)
            note_argument(begin, at, program_.nodes[body].kind == ir::op::number, false, bound);
        return bounded_sign(reduction, bound, condition, mark, body, begin);
    }
    static constexpr text_view one_axis =
        "a place is one of the axis of one index; write argmax_j, and what a condition leaves out "
        "as "
        "a value that is never the largest: \\operatorname{argmax}_j(\\begin{cases} x^{ij} & j "
        "\\le i "
        "\\\\ -\\infty & \\text{otherwise} \\end{cases})";
    constexpr ref read_application(ir::function f, std::int32_t begin) {
        const bool two = ir::entry_of(f).arguments == 2;
        if (!two && !is_symbol('(')) {
            const std::int32_t at = begin_here();
            const bool braces = is_symbol('{');
            const ref argument = braces ? parser().read_primary() : parser().read_factor();
            if (failed()) return none;
            if (ends_group() && !is_single(group_.shape) && !is_signed(group_.shape))
                refuse_group_argument(begin);
            if (braces && is_symbol('^')) return refuse_braced_power(begin);
            note_argument(begin, at, program_.nodes[argument].kind == ir::op::number,
                          f == ir::function::exp);
            return program_.apply(f, argument, {begin, end_before()});
        }
        ref arguments[2] = {none, none};
        if (!read_arguments(arguments, two,
                            "this takes two arguments, or an index it runs over: \\max(x, y) or "
                            "\\max_j"))
            return none;
        return program_.make(ir::op::apply, static_cast<std::uint8_t>(f), arguments, two ? 2 : 1,
                             {begin, end_before()});
    }
    /// (x), or of two (x, y), with the cursor in front; `two_needed` is said where the second
    /// lacks.
    constexpr bool read_arguments(ref (&arguments)[2], bool two, text_view two_needed) {
        const bool opened = accept_symbol('(');
        const char outer = closing_bar_;
        closing_bar_ = '\0';
        if (opened) arguments[0] = parser().read_expression();
        if (!failed() && two && (!opened || !accept_symbol(',')))
            fail_here(mistake_kind::unexpected, two_needed);
        if (!failed() && two) arguments[1] = parser().read_expression();
        closing_bar_ = outer;
        return !failed() && expect_symbol(')');
    }
    /// \sin{x}^2, with the cursor at the ^: the power of the value, or of what it is of?
    constexpr ref refuse_braced_power(std::int32_t begin) {
        const auto group = group_;
        advance();
        parser().read_argument();
        if (failed()) return none;
        group_ = group;
        this->refuse_braced_argument(begin);
        return none;
    }
};

}  // namespace ricci::notation
