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

    /// A name defined in the style of a function: `\phi(x) = ...` or, with indices, `P(j) = ...`.
    struct definition {
        ref name;
        detail::buffer<ref> parameters;  // empty: parentheses hold indices
        ref body;
    };

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
        const ir::node& n = program_.nodes[term];
        if (n.kind == op::number) return program_.number(-n.value, {begin, end_before()});
        return program_.make(op::multiply, program_.number(-1), term, {begin, end_before()});
    }

    constexpr bool ends_term() const {
        return peek().ends_term || (is_symbol('|') && inside_bars_);
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
            advance();
            const ref exponent = read_argument();
            if (failed()) return none;
            base = program_.make(op::power, base, exponent, {begin, end_before()});
        }
        return base;
    }

    /// What \frac, \sqrt and ^ take: {...} or one token.
    constexpr ref read_argument() {
        if (accept_symbol('{')) {
            const ref inside = read_expression();
            if (!failed()) expect_symbol('}');
            return inside;
        }
        if (is(token_kind::number)) return read_number();
        return read_primary();
    }

    constexpr ref read_number() {
        const token t = peek();
        double value = 0;
        double scale = 1;
        bool fraction = false;
        for (char c : text_of(t)) {
            if (c == '.') {
                fraction = true;
                continue;
            }
            value = 10 * value + (c - '0');
            if (fraction) scale *= 10;
        }
        advance();
        return program_.number(value / scale, {t.begin, t.end});
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
            const bool outer = inside_bars_;
            inside_bars_ = true;
            const ref inside = read_expression();
            inside_bars_ = outer;
            if (!failed()) expect_symbol('|');
            return failed() ? none
                            : program_.apply(ir::function::absolute, inside, {begin, end_before()});
        }
        if (is(token_kind::command)) return read_command(begin);
        fail_here(mistake_kind::unexpected,
                  ends_term() ? "expected a factor before this" : "this does not fit here");
        return none;
    }
    constexpr ref read_bracketed(char closer) {
        const bool outer = inside_bars_;
        inside_bars_ = false;
        const ref inside = read_expression();
        inside_bars_ = outer;
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
                return read_sum(begin);
            case keyword::infinity:
                advance();
                return program_.number(__builtin_inf(), {begin, end_before()});
            case keyword::begin_cases:
                return read_cases(begin);
            case keyword::underbrace: {
                advance();
                const ref inside = read_argument();
                if (!failed() && accept_symbol('_')) skip_group();
                return inside;
            }
            case keyword::wrapper:
                return read_word_or_tensor(begin);
            case keyword::greek:
                if (!(is_symbol('(', 1) && word() == "sigma")) return read_tensor(begin);
                advance();
                return read_application(ir::function::sigmoid, begin);
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
        const token* start = now_;
        detail::text_builder name;
        read_base_name(name);
        if (failed()) return none;
        const bool called = is_symbol('(') && !peek().spaced;
        if (name.view() == "e" && is_symbol('^')) {
            advance();
            const ref exponent = read_argument();
            return failed() ? none
                            : program_.apply(ir::function::exp, exponent, {begin, end_before()});
        }
        const bool subscript = is_symbol('_') && !label_follows(name);
        const bool known =
            (subscript && is_reduction(name)) ||
            ((called || wrapped) && meaning_of(name, false).what == word_meaning::kind::function);
        if (known) return read_function(name, begin);
        if (wrapped && called && is_reduction(name)) return read_function(name, begin);
        if ((wrapped || name.size() > 2) &&
            (called || (subscript && wrapped && calls_after_subscript())) &&
            find_definition(name) == none) {
            unknown_function(name, begin);
            return none;
        }
        now_ = start;
        return read_tensor(begin);
    }
    constexpr void unknown_function(text_view name, std::int32_t begin) {
        const text_view refusal = refusal_of_function(name);
        if (!refusal.empty()) return fail(mistake_kind::index_free, begin, end_before(), refusal);
        detail::text_builder sentence;
        const nearest n = nearest_function(name);
        sentence << "unknown function " << name;
        if (n.found()) sentence << "; did you mean " << n.best << "?";
        else sentence << "; define it in a line of its own, as in \\phi(x) = \\exp(x) + 1";
        fail(mistake_kind::unknown_function, begin, end_before(), sentence);
    }
    constexpr bool calls_after_subscript() const {
        if (!is_symbol('{', 1)) return is_symbol('(', 2) && !peek(2).spaced;
        std::int32_t k = 2;
        while (!is_symbol('}', k) && !is(token_kind::end, k)) ++k;
        return is_symbol('(', k + 1) && !peek(k + 1).spaced;
    }
    constexpr ref find_definition(text_view name) const {
        for (std::int32_t k = 0; k < definitions_.size(); ++k)
            if (program_.name(definitions_[k].name) == name) return k;
        return none;
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
        const ref body =
            read_factor();  // with its power, so mean_a (x)^2 is the mean of the square
        if (failed()) return none;
        return program_.reduce(static_cast<ir::reduction>(meaning.value), program_.add_links(over),
                               body, {begin, end_before()});
    }
    constexpr ref read_application(ir::function f, std::int32_t begin) {
        const bool two = f == ir::function::maximum || f == ir::function::minimum;
        if (!two && !is_symbol('(')) {
            const ref argument = is_symbol('{') ? read_argument() : read_factor();
            return failed() ? none : program_.apply(f, argument, {begin, end_before()});
        }
        const bool opened = accept_symbol('(');
        const bool outer = inside_bars_;
        inside_bars_ = false;
        ref arguments[2] = {opened ? read_expression() : none, none};
        if (!failed() && two && (!opened || !accept_symbol(',')))
            fail_here(mistake_kind::unexpected,
                      "this takes two arguments, or an index it runs over: \\max(x, y) or \\max_j");
        if (!failed() && two) arguments[1] = read_expression();
        inside_bars_ = outer;
        if (failed() || !expect_symbol(')')) return none;
        return program_.make(op::apply, static_cast<std::uint8_t>(f), arguments, two ? 2 : 1,
                             {begin, end_before()});
    }

    // Tensors -------------------------------------------------------------------------------------

    constexpr ref read_tensor(std::int32_t begin) {
        detail::text_builder spelling;
        read_name(spelling);
        if (failed()) return none;
        const std::int32_t defined = find_definition(spelling);
        if (defined != none && is_symbol('(')) return read_defined(definitions_[defined], begin);
        detail::buffer<ir::position> positions;
        const std::uint8_t variance = read_scripts(positions, spelling);
        if (failed()) return none;
        const bool plain = positions.size() == 2 && spelling.view() == "\\delta";
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
        const ref tensor = use_of(program_.intern_name(spelling), positions, {begin, end_before()});
        program_.nodes[tensor].detail = variance;
        return tensor;
    }
    /// A use of `\phi(x) = ...`, written out, or of `P(j) = ...`.
    constexpr ref read_defined(const definition& d, std::int32_t begin) {
        const ref name = d.name;
        ref body = d.body;
        const detail::buffer<ref> parameters = d.parameters;
        advance();
        if (parameters.empty()) {
            detail::buffer<ir::position> positions;
            read_list(')', positions);
            if (failed()) return none;
            return use_of(name, positions, {begin, end_before()});
        }
        for (std::int32_t k = 0; k < parameters.size() && !failed(); ++k) {
            const ref argument = read_expression();
            if (failed()) return none;
            body = ir::substitute_scalar(program_, body, parameters[k], argument);
            constexpr std::int32_t most = 10'000;
            if (ir::written_size(program_, body, most) >= most) {
                fail(mistake_kind::unexpected, begin, end_before(),
                     "written out in full, this function is too long; define tensors on the way");
                return none;
            }
            if (k + 1 < parameters.size()) expect_symbol(',');
        }
        if (!failed()) expect_symbol(')');
        return body;
    }

    bool inside_bars_ = false;
    detail::buffer<definition> definitions_;
};

}  // namespace ricci::notation
