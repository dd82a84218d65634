// Reading the right side of an equation: sums of products of factors, functions, conditions.
#pragma once

#include <cstdint>

#include <ricci/ir/quotients.hpp>
#include <ricci/ir/rewrite.hpp>
#include <ricci/notation/functions.hpp>

namespace ricci::notation {

class expression_parser : public function_parser<expression_parser> {
public:
    using function_parser::function_parser;

protected:
    friend condition_parser<expression_parser>;
    friend sum_parser<expression_parser>;
    friend function_parser<expression_parser>;

    constexpr ref read_expression() {
        if (!enter()) return none;
        const std::int32_t begin = begin_here();
        detail::buffer<ref> terms;
        printed_shape shape;
        bool negative = accept_symbol('-');
        shape.sign = negative;
        if (!negative) accept_symbol('+');
        while (!failed()) {
            const std::int32_t term_begin = begin_here();
            ref term = read_term(negative && terms.empty());
            if (failed()) break;
            if (modulo_at_ >= 0 && (negative || !terms.empty()))
                refuse_modulo(begin, term_begin, terms.size() == 1);
            if (negative && term_shape_.several) refuse_group(group_, begin);
            if (negative) term = negated(term, term_begin);
            terms.push(term);
            if (terms.size() == 1) shape.first_end = term_shape_.first_end;
            shape.several = terms.size() > 1 || term_shape_.several;
            shape.sign = shape.sign || (terms.size() == 1 && term_shape_.sign);
            shape.factors = shape.factors || term_shape_.factors;
            shape.open = term_shape_.open;
            if (accept_symbol('+')) negative = false;
            else if (accept_symbol('-')) negative = true;
            else break;
        }
        --depth_;
        if (failed()) return none;
        shape_ = shape;
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

    /// A product of factors, and a sum sign's body up to the next + or -. `negative`: a sign stands
    /// in front, which is no term's before.
    constexpr ref read_term(bool negative = false) {
        const std::int32_t begin = begin_here();
        detail::buffer<ref> factors;
        term_places t{now_};
        printed_shape shape;
        while (!failed()) {
            const token* first = now_;
            const ref factor = read_factor();
            if (failed()) return none;
            factors.push(factor);
            if (factors.size() > 1) look_at_group(t.first);
            t.divided = false;
            t.dividend = first->begin;
            if (shape.first_end == 0) shape.first_end = end_before();
            while (is_symbol('/') || is_key(keyword::modulo)) {
                read_divisor(t, factors, begin, negative);
                if (failed()) return none;
            }
            const bool before = ends_group() && !is_single(group_.shape);
            const bool open = ends_open();
            const token* behind = now_;
            const bool times = accept_symbol('*') || accept_key(keyword::times);
            if (!times && ends_term()) break;
            if (before && (group_.shape.several || group_.shape.sign || group_.shape.open))
                doubt_group(t.first);
            if (times && open && open_is_number()) doubt_argument(t, behind);
            else if (times) close_run(t.first, behind);
            else look_between(t, first, open);
        }
        if (failed()) return none;
        end_term(t.first);
        if (failed()) return none;
        modulo_at_ = factors.size() == 1 && t.divided && t.modulo ? t.modulo_at : -1;
        if (factors.size() == 1 && !t.quotient && ends_group()) {
            term_shape_ = group_.shape;
        } else {
            shape.factors = factors.size() > 1 || t.quotient;
            shape.open = t.divided || ends_open() || sum_behind_ == now_;
            term_shape_ = shape;
        }
        return product(factors, begin);
    }
    /// What / divides the last factor by, or \bmod all of them, with the cursor at the sign.
    constexpr void read_divisor(term_places& t, detail::buffer<ref>& factors, std::int32_t begin,
                                bool negative) {
        const std::int32_t sign = begin_here();
        const bool modulo = is_key(keyword::modulo);
        look_behind(t);
        if (failed()) return;
        t.dividend_end = end_before();
        advance();
        const bool ordered = factors.size() > 1 || negative || ends_product_group();
        t.divisor = begin_here();
        const ref divisor = read_factor();
        if (failed()) return;
        if (ends_group() && !is_single(group_.shape)) doubt_group_divisor(t);
        t.divided = t.quotient = true;
        t.modulo = modulo;
        if (modulo) {
            t.dividend = begin;
            t.modulo_at = sign;
            const ref both[] = {product(factors, begin), divisor};
            factors.clear();
            factors.push(program_.make(op::apply, static_cast<std::uint8_t>(ir::function::modulo),
                                       both, 2, {begin, end_before()}));
        } else {
            factors.back() =
                program_.make(op::divide, factors.back(), divisor, {begin, end_before()});
            if (ordered) program_.nodes[factors.back()].value = ir::rounded_between;
        }
    }
    /// Braces behind other factors.
    constexpr void look_at_group(const token* term) {
        if (ends_group() && (group_.shape.several || group_.shape.sign)) doubt_group(term);
    }
    /// What stands before a / or a \bmod.
    constexpr void look_behind(const term_places& t) {
        if (ends_group() && (group_.shape.several || group_.shape.sign || group_.shape.open))
            doubt_group(t.first);
        else if (ends_open()) doubt_argument(t, now_);
        else if (doubts_divisor(t.first)) close_run(t.first, now_);
    }
    /// What stands between two factors without a sign; `first` begins the one before.
    constexpr void look_between(const term_places& t, const token* first, bool open) {
        if (starts_function() && ends_at_functions(t.first)) close_run(t.first, now_);
        if (!open) t.divided ? doubt_divisor(t) : doubt_neighbours(first, t.first);
        else if (!starts_function() || open_is_greedy()) doubt_argument(t, now_);
    }
    constexpr ref product(const detail::buffer<ref>& factors, std::int32_t begin) {
        if (factors.size() == 1) return factors[0];
        return program_.make(op::multiply, 0, factors.data(), factors.size(),
                             {begin, end_before()});
    }

    /// A primary with its powers. A tensor reads its own superscripts.
    constexpr ref read_factor() {
        const token* first = now_;
        const std::int32_t begin = begin_here();
        ref base = read_primary();
        if (!failed() && begins_inverse(first, base)) base = read_inverse(base, first);
        std::int32_t power_begin = -1, power_end = 0;  // of the exponent before
        while (!failed() && is_symbol('^')) {
            if (is_transpose()) {
                index_free();
                return none;
            }
            const bool grouped = ends_group();
            const brace_group group = group_;
            advance();
            const std::int32_t exponent_begin = begin_here();
            const ref exponent = read_argument();
            if (failed()) return none;
            if (is_power_of_matrix(base, exponent)) return refuse_power_of_matrix(base, begin);
            if (power_begin >= 0) refuse_two_powers(begin, power_begin, power_end);
            power_begin = exponent_begin;
            power_end = end_before();
            if (grouped && !is_single(group.shape)) refuse_group(group, begin);
            if (grouped && is_reciprocal(program_.nodes[exponent]) && is_element(base))
                refuse_braced_reciprocal(begin, group.open_end, group.close_begin);
            base = program_.make(op::power, base, exponent, {begin, end_before()});
            if (is_reciprocal(program_.nodes[exponent]) && (is_symbol('_') || is_symbol('^')))
                refuse_inverse_or_reciprocal(first, base);
        }
        return base;
    }
    /// (K^{-1})^{ij}, with the cursor at the scripts; `base`: K^{-1}.
    constexpr ref read_inverse(ref base, const token* first) {
        const ref name = program_.nodes[program_.links[program_.nodes[base].children.first]].name;
        detail::buffer<ir::position> at;
        detail::text_builder spelling;
        spelling << program_.name(name);
        read_scripts(at, spelling);
        if (failed()) return none;
        bool plain = at.size() == 2;
        for (const ir::position& q : at) plain = plain && q.kind == ir::position_kind::index;
        if (!plain) {
            fail(mistake_kind::unexpected, first->begin, end_before(),
                 "an inverse matrix has two indices, and no other places: (K^{-1})^{ij}; those of "
                 "a batch are \\operatorname{solve}_{ij}(K^{bij}, \\delta^{ik})");
            return none;
        }
        return inverse_at(name, at[0], at[1], {first->begin, end_before()});
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
        if (refuse_exponent()) return none;
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
        if (!enter()) return none;
        const ref result = read_primary_at(begin);
        --depth_;
        return failed() ? none : result;
    }

    constexpr ref read_primary_at(std::int32_t begin) {
        if (is(token_kind::number)) return read_number();
        if (is(token_kind::letter)) return read_word_or_tensor(begin);
        if (accept_symbol('(')) return read_bracketed(')');
        if (is_symbol('{')) {
            const token* first = now_;
            advance();
            const ref inside = read_bracketed('}');
            if (!failed()) note_group(first, first->end, now_[-1].begin, false);
            return inside;
        }
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
        return refuse_here(mistake_kind::unexpected, misplaced());
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
            case keyword::sqrt:
                return read_root(begin);
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
                return refuse_here(mistake_kind::unexpected, misplaced());
            case keyword::infinity:
                advance();
                return program_.number(__builtin_inf(), {begin, end_before()});
            case keyword::begin_cases:
                return read_cases(begin);
            case keyword::underbrace:
                return read_underbrace(begin);
            case keyword::wrapper:
                return is_imaginary_unit() ? read_imaginary_unit(begin)
                                           : read_word_or_tensor(begin);
            case keyword::greek:
                return read_greek(begin);
            case keyword::accent:
                return read_tensor(begin);
            case keyword::function: {
                const text_view name = word();
                advance();
                return read_function(name, begin);
            }
            default:
                unknown_command();
                return none;
        }
    }
    constexpr ref read_root(std::int32_t begin) {
        advance();
        const ref inside = read_argument();
        return failed() ? none : program_.apply(ir::function::sqrt, inside, {begin, end_before()});
    }
    /// \underbrace{x^i + b^i}_{\text{shifted}} is what stands in its braces.
    constexpr ref read_underbrace(std::int32_t begin) {
        const token* first = now_;
        advance();
        if (!is_symbol('{'))
            return refuse(mistake_kind::unexpected, begin, end_before(),
                          "what the brace is under stands in braces: \\underbrace{x^i + "
                          "b^i}_{\\text{shifted}}");
        const std::int32_t open_end = peek().end;
        const ref inside = read_argument();
        if (failed()) return none;
        const std::int32_t close_begin = now_[-1].begin;
        if (accept_symbol('_')) skip_group();
        note_group(first, open_end, close_begin, true);
        return inside;
    }
    /// The number \pi, the function \sigma(x), or a tensor.
    constexpr ref read_greek(std::int32_t begin) {
        if (word() == "pi" && is_circle_number()) {
            advance();
            return program_.number(ir::circle_number, {begin, end_before()});
        }
        if (word() == "sigma" && is_symbol('(', 1) && find_styled("\\sigma") == none)
            return read_sigmoid(begin);
        return read_tensor(begin);
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

    // Tensors -------------------------------------------------------------------------------------

    constexpr ref read_tensor(std::int32_t begin) {
        detail::text_builder spelling;
        read_name(spelling);
        if (failed()) return none;
        for (const auto& word : words::prose)
            if (word.word == spelling.view())
                return refuse(mistake_kind::unexpected, begin, end_before(),
                              spelling << ' ' << word.sentence);
        const ref styled = find_styled(spelling);
        if (styled != none && begins_call()) return read_call(styled, begin);
        if (is_symbol('^') && powered_call()) refuse_powered_call(spelling, styled != none, begin);
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
        return use_of(intern_name(spelling), positions, {begin, end_before()});
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
