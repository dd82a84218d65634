// Reading the right side of an equation: sums of products of factors, functions, conditions.
#pragma once

#include <cstdint>

#include <ricci/ir/rewrite.hpp>
#include <ricci/notation/sums.hpp>

namespace ricci::notation {

class expression_parser : public sum_parser<expression_parser> {
public:
    using sum_parser::sum_parser;

protected:
    friend condition_parser<expression_parser>;
    friend sum_parser<expression_parser>;

    constexpr ref read_expression() {
        if (++depth_ > deepest) {
            fail_here(mistake_kind::unexpected, "nested too deeply");
            return none;
        }
        const std::int32_t begin = begin_here();
        detail::buffer<ref> terms;
        bool negative = accept_symbol('-');
        if (!negative) accept_symbol('+');
        while (!failed()) {
            const std::int32_t term_begin = begin_here();
            ref term = read_term();
            if (failed()) break;
            if (negative) term = negated(term, term_begin);
            terms.push(term);
            if (accept_symbol('+')) negative = false;
            else if (accept_symbol('-')) negative = true;
            else break;
        }
        --depth_;
        if (failed()) return none;
        if (terms.size() == 1) return terms[0];
        return program_.make(op::add, 0, terms.data(), terms.size(), {begin, end_before()});
    }

    constexpr ref negated(ref term, std::int32_t begin) {
        ir::node n = program_.nodes[term];
        if (n.kind == op::number) {
            n.value = -n.value;
            n.source = {begin, end_before()};
            return program_.nodes.push(n);
        }
        return program_.make(op::multiply, program_.number(-1), term, {begin, end_before()});
    }

    constexpr bool ends_term() const {
        return peek().ends_term ||
               (closing_bar_ != '\0' && is_symbol(closing_bar_) && !opens_norm());
    }

    /// A product of factors, and a sum sign's body up to the next + or -.
    constexpr ref read_term() {
        const std::int32_t begin = begin_here();
        detail::buffer<ref> factors;
        while (!failed()) {
            const ref factor = read_factor();
            if (failed()) return none;
            factors.push(factor);
            while (!failed()) {
                if (accept_symbol('/')) {
                    const ref divisor = read_factor();
                    if (failed()) return none;
                    factors.back() =
                        program_.make(op::divide, factors.back(), divisor, {begin, end_before()});
                } else if (accept_key(keyword::modulo)) {
                    const ref divisor = read_factor();
                    if (failed()) return none;
                    const ref both[] = {product(factors, begin), divisor};
                    factors.clear();
                    factors.push(program_.make(op::apply,
                                               static_cast<std::uint8_t>(ir::function::modulo),
                                               both, 2, {begin, end_before()}));
                } else {
                    break;
                }
            }
            const bool times = accept_symbol('*') || accept_key(keyword::times);
            if (!times && ends_term()) break;
        }
        return failed() ? none : product(factors, begin);
    }
    constexpr ref product(const detail::buffer<ref>& factors, std::int32_t begin) {
        if (factors.size() == 1) return factors[0];
        return program_.make(op::multiply, 0, factors.data(), factors.size(),
                             {begin, end_before()});
    }

    /// A primary with its powers. A tensor reads its own superscripts.
    constexpr ref read_factor() {
        const std::int32_t begin = begin_here();
        ref base = read_primary();
        while (!failed() && is_symbol('^')) {
            if (is_transpose()) {
                index_free();
                return none;
            }
            advance();
            const ref exponent = read_argument();
            if (failed()) return none;
            base = program_.make(op::power, base, exponent, {begin, end_before()});
        }
        return base;
    }

    /// What \frac, \sqrt and ^ take: {...}, or as TeX does one digit or letter without a script.
    constexpr ref read_argument() {
        if (accept_symbol('{')) {
            const ref inside = read_expression();
            if (!failed()) expect_symbol('}');
            return inside;
        }
        const bool number = is(token_kind::number), letter = is(token_kind::letter);
        const bool longer = number ? peek().end - peek().begin > 1
                                   : letter && is(token_kind::letter, 1) && !peek(1).spaced;
        const bool script = (letter || is_key(keyword::greek)) && is_script(peek(1));
        if (longer || script) {
            fail(
                mistake_kind::unexpected, begin_here(), peek(number ? 0 : 1).end,
                "without braces only one digit or letter is taken here, and no script; write {...} "
                "around all that is meant, as in \\frac{1}{2}, e^{x_i}, 2^{10}");
            return none;
        }
        if (number) return read_number();
        return read_primary();
    }

    constexpr ref read_number() {
        const token t = peek();
        double value = 0;
        double scale = 1;
        std::uint64_t whole = 0;
        bool fraction = false, fits = true;  // as a whole number of 64 bits
        for (char c : text_of(t)) {
            if (c == '.') {
                fraction = true;
                continue;
            }
            const auto digit = static_cast<std::uint64_t>(c - '0');
            value = 10 * value + static_cast<double>(digit);
            if (fraction) scale *= 10;
            fits = fits && whole <= (UINT64_MAX - digit) / 10;
            if (fits) whole = 10 * whole + digit;
        }
        if (!fraction && fits) {
            value = static_cast<double>(whole);
            const bool exact = value < 0x1p64 && static_cast<std::uint64_t>(value) == whole;
            if (!exact) rounded_ = {t.begin, t.end};
        }
        advance();
        const ref n = program_.number(value / scale, {t.begin, t.end});
        // a double does not tell what it rounded
        if (t.end - t.begin > ir::digits_of_double)
            ir::set_digits(program_.nodes[n], program_.add_text(text_of(t)));
        return n;
    }

    constexpr ref read_primary() {
        const std::int32_t begin = begin_here();
        if (++depth_ > deepest) {
            fail_here(mistake_kind::unexpected, "nested too deeply");
            return none;
        }
        const ref result = read_primary_at(begin);
        --depth_;
        return failed() ? none : result;
    }

    constexpr ref read_primary_at(std::int32_t begin) {
        if (is(token_kind::number)) return read_number();
        if (is(token_kind::letter)) return read_word_or_tensor(begin);
        if (accept_symbol('(')) return read_bracketed(')');
        if (accept_symbol('{')) return read_bracketed('}');
        if (accept_symbol('[')) {
            const ref condition = read_condition();
            if (!failed()) expect_symbol(']');
            return condition;
        }
        if (accept_symbol('|')) {
            const char outer = closing_bar_;
            closing_bar_ = '|';
            const ref inside = read_expression();
            closing_bar_ = outer;
            if (!failed()) expect_symbol('|');
            return failed() ? none
                            : program_.apply(ir::function::absolute, inside, {begin, end_before()});
        }
        if (is_symbol(double_bar)) return read_norm(begin);
        if (is(token_kind::command)) return read_command(begin);
        fail_here(mistake_kind::unexpected, misplaced());
        return none;
    }
    constexpr ref read_bracketed(char closer) {
        const char outer = closing_bar_;
        closing_bar_ = '\0';
        const ref inside = read_expression();
        closing_bar_ = outer;
        if (!failed()) expect_symbol(closer);
        return inside;
    }

    constexpr ref read_command(std::int32_t begin) {
        switch (key()) {
            case keyword::frac:
                return read_fraction(begin);
            case keyword::sqrt: {
                advance();
                const ref inside = read_argument();
                return failed() ? none
                                : program_.apply(ir::function::sqrt, inside, {begin, end_before()});
            }
            case keyword::sum:
                return read_sum(ir::reduction::sum, begin);
            case keyword::product:
                return read_sum(ir::reduction::product, begin);
            case keyword::left_floor:
                return read_rounded(ir::function::floor, keyword::right_floor, begin);
            case keyword::left_ceil:
                return read_rounded(ir::function::ceil, keyword::right_ceil, begin);
            case keyword::right_floor:
            case keyword::right_ceil:
                fail_here(mistake_kind::unexpected, misplaced());
                return none;
            case keyword::infinity:
                advance();
                return program_.number(__builtin_inf(), {begin, end_before()});
            case keyword::begin_cases:
                return read_cases(begin);
            case keyword::underbrace: {
                advance();
                if (!is_symbol('{')) {
                    fail(mistake_kind::unexpected, begin, end_before(),
                         "what the brace is under stands in braces: \\underbrace{x^i + "
                         "b^i}_{\\text{shifted}}");
                    return none;
                }
                const ref inside = read_argument();
                if (!failed() && accept_symbol('_')) skip_group();
                return inside;
            }
            case keyword::wrapper:
                return is_imaginary_unit() ? read_imaginary_unit(begin)
                                           : read_word_or_tensor(begin);
            case keyword::greek:
                if (word() == "pi" && is_circle_number()) {
                    advance();
                    return program_.number(ir::circle_number, {begin, end_before()});
                }
                if (!(is_symbol('(', 1) && word() == "sigma") || find_styled("\\sigma") != none)
                    return read_tensor(begin);
                return read_sigmoid(begin);
            case keyword::accent:
                return read_tensor(begin);
            case keyword::function: {
                const text_view name = word();
                advance();
                return read_function(name, begin);
            }
            default:
                break;
        }
        unknown_command();
        return none;
    }
    /// \lfloor x \rfloor and \lceil x \rceil.
    constexpr ref read_rounded(ir::function f, keyword closer, std::int32_t begin) {
        advance();
        const char outer = closing_bar_;
        closing_bar_ = '\0';
        const ref inside = read_expression();
        closing_bar_ = outer;
        if (!failed() && !accept_key(closer)) fail_here(mistake_kind::unexpected, misplaced());
        return failed() ? none : program_.apply(f, inside, {begin, end_before()});
    }
    constexpr text_view misplaced() const {
        return ends_term() ? "expected a factor before this" : "this does not fit here";
    }
    constexpr void skip_group() {
        if (!expect_symbol('{')) return;
        for (std::int32_t level = 1; level > 0 && !is(token_kind::end); advance()) {
            if (is_symbol('{')) ++level;
            if (is_symbol('}')) --level;
        }
    }

    /// \frac{a}{b}, or a derivative: \frac{\partial L}{\partial W^{ij}} is the tensor dL/dW.
    constexpr ref read_fraction(std::int32_t begin) {
        if (is_derivative()) {
            detail::buffer<ir::position> positions;
            const ref name = read_derivative(positions);
            if (failed()) return none;
            return use_of(name, positions, {begin, end_before()});
        }
        advance();
        const ref numerator = read_argument();
        if (failed()) return none;
        const ref denominator = read_argument();
        return failed() ? none
                        : program_.make(op::divide, numerator, denominator, {begin, end_before()});
    }

    // Functions -----------------------------------------------------------------------------------

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
            return read_tensor(begin);
        }
        if (name.view() == "e" && is_symbol('^') && !exponent_is_list(begin)) {
            if (failed()) return none;
            advance();
            const ref exponent = read_argument();
            return failed() ? none
                            : program_.apply(ir::function::exp, exponent, {begin, end_before()});
        }
        const bool label = label_follows(name);
        const bool subscript = is_symbol('_') && !label;
        if (subscript && is_reduction(name)) return read_function(name, begin);
        if (meaning_of(name, false).what == word_meaning::kind::function && !label) {
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
        return read_tensor(begin);
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
        if (meaning.what == word_meaning::kind::unknown) {
            detail::text_builder sentence;
            sentence << name << " needs the index it runs over, for example " << name << "_j";
            fail(mistake_kind::unexpected, begin, end_before(), sentence);
            return none;
        }
        if (meaning.what == word_meaning::kind::function) {
            ref power = none;
            if (accept_symbol('^')) power = read_argument();
            if (failed()) return none;
            const ref value = read_application(static_cast<ir::function>(meaning.value), begin);
            if (failed() || power == none) return value;
            return program_.make(op::power, value, power, {begin, end_before()});
        }
        advance();
        detail::buffer<ref> over;
        read_index_list(over);
        if (failed()) return none;
        const bool softmax = meaning.value == static_cast<std::uint8_t>(ir::reduction::softmax);
        const bool bracketed = is_symbol('(');
        const ref body = bracketed ? read_primary() : read_factor();
        if (!failed() && bracketed && !softmax && is_symbol('^')) two_powers(name, begin);
        if (failed()) return none;
        return program_.reduce(static_cast<ir::reduction>(meaning.value), program_.add_links(over),
                               body, {begin, end_before()});
    }
    constexpr ref read_application(ir::function f, std::int32_t begin) {
        const bool two = ir::entry_of(f).arguments == 2;
        if (!two && !is_symbol('(')) {
            const ref argument = is_symbol('{') ? read_argument() : read_factor();
            return failed() ? none : program_.apply(f, argument, {begin, end_before()});
        }
        const bool opened = accept_symbol('(');
        const char outer = closing_bar_;
        closing_bar_ = '\0';
        ref arguments[2] = {opened ? read_expression() : none, none};
        if (!failed() && two && (!opened || !accept_symbol(',')))
            fail_here(mistake_kind::unexpected,
                      "this takes two arguments, or an index it runs over: \\max(x, y) or \\max_j");
        if (!failed() && two) arguments[1] = read_expression();
        closing_bar_ = outer;
        if (failed() || !expect_symbol(')')) return none;
        return program_.make(op::apply, static_cast<std::uint8_t>(f), arguments, two ? 2 : 1,
                             {begin, end_before()});
    }

    // Tensors -------------------------------------------------------------------------------------

    constexpr ref read_tensor(std::int32_t begin) {
        detail::text_builder spelling;
        read_name(spelling);
        if (failed()) return none;
        const ref styled = find_styled(spelling);
        if (styled != none && begins_call()) return read_call(styled, begin);
        detail::buffer<ir::position> positions;
        read_scripts(positions, spelling);
        if (failed()) return none;
        if (is_symbol('(')) check_product(spelling, positions, styled != none, begin);
        if (failed()) return none;
        const bool plain =
            positions.size() == 2 && spelling.view() == "\\delta" && !survey_.delta_is_tensor();
        if (plain && has_gathered(positions)) {
            fail(mistake_kind::unexpected, begin, end_before(),
                 "a delta has plain indices; compare with a tensor in a bracket: [v = x_i]");
            return none;
        }
        if (plain) {
            const ir::range at = store(positions);
            ir::node n = ir::blank_node(op::delta, {begin, end_before()});
            n.positions = at;
            return program_.nodes.push(n);
        }
        return use_of(program_.intern_name(spelling), positions, {begin, end_before()});
    }

    // Calls ---------------------------------------------------------------------------------------

    /// A use of what a line defines as \phi(x), P(j) or \operatorname{LN}_a(x): decided when all
    /// lines have been read.
    constexpr ref read_call(ref name, std::int32_t begin) {
        detail::buffer<ref> over, arguments;
        if (accept_symbol('_')) read_index_list(over);
        if (failed() || !expect_symbol('(')) return none;
        const char outer = closing_bar_;
        closing_bar_ = '\0';
        do arguments.push(read_expression());
        while (!failed() && accept_symbol(','));
        closing_bar_ = outer;
        if (failed() || !expect_symbol(')')) return none;
        const ref call =
            program_.make(op::call, 0, arguments.data(), arguments.size(), {begin, end_before()});
        program_.nodes[call].name = name;
        program_.nodes[call].indices = program_.add_links(over);
        return call;
    }
};

}  // namespace ricci::notation
