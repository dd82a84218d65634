// What a name is by what stands behind it: a call, a product, a number, or neither.
#pragma once

#include <cstdint>

#include <ricci/notation/function_words.hpp>
#include <ricci/notation/scripts.hpp>

namespace ricci::notation {

class parenthesis_parser : public script_parser {
public:
    using script_parser::script_parser;

protected:
    /// The name that a left side in the style of a function has; none for any other.
    constexpr ref find_styled(text_view spelling) const {
        for (const ref name : styled_)
            if (program_.name(name) == spelling) return name;
        return none;
    }
    /// ( behind the name, or behind the indices that a function runs over: \operatorname{LN}_b(x).
    constexpr bool begins_call() const {
        if (is_symbol('(')) return true;
        if (!is_symbol('_')) return false;
        const token& after = *survey_.behind_list(now_ + 1);
        return after.kind == token_kind::symbol && after.code == '(';
    }
    /// A name before a parenthesis is a factor if the text shows it elsewhere as one.
    constexpr void check_product(text_view name, const detail::buffer<ir::position>& positions,
                                 bool styled, std::int32_t begin) {
        const token* closing = behind_bracket(now_);
        const std::int32_t end = closing[-1].end;
        detail::text_builder s;
        if (styled) {
            s << name << " is defined with an argument and has indices here; write " << name
              << "(...) for a call, or give the tensor another name";
            return fail(mistake_kind::unexpected, begin, end, s);
        }
        if (!positions.empty()) {
            if (!holds_indices_only(now_ + 1, closing - 1)) return;
            s << "this can be a product with a position and a tensor with one more index; write "
                 "the "
                 "index among the others, as in R^{abi}, or \\cdot for a product";
            return fail(mistake_kind::unexpected, begin, end, s);
        }
        const name_facts* facts = survey_.find(name);
        if (facts == nullptr || facts->defined || survey_.is_factor(*facts, closing - 1)) return;
        const bool primed = name[name.size - 1] == '\'';
        if (!primed && !is_function_letter(name) && has_top_level_sign(now_ + 1, closing - 1))
            return;
        s << "unknown function " << name << "; define it in a line of its own, as in " << name
          << "(x) = \\exp(x) + 1, or write " << name << " \\cdot (...) for a product";
        fail(mistake_kind::unknown_function, begin, end, s);
    }
    static constexpr bool is_function_letter(text_view name) {
        constexpr text_view letters[] = {"f",     "g",        "h",     "F",       "G",
                                         "\\phi", "\\varphi", "\\psi", "\\sigma", "\\rho"};
        return is_among(name, letters);
    }
    constexpr const token* behind_bracket(const token* t) const {
        std::int32_t level = 0;
        for (; t < last_; ++t) {
            if (t->kind != token_kind::symbol) continue;
            if (t->code == '(') ++level;
            if (t->code == ')' && --level == 0) return t + 1;
        }
        return last_;
    }
    constexpr bool holds_indices_only(const token* t, const token* end) const {
        const token* here = t;
        for (; t < end; ++t) {
            if (t->kind == token_kind::symbol && (t->code == ',' || t->code == '\'')) continue;
            const bool letter =
                t->kind == token_kind::letter ||
                (t->kind == token_kind::command && static_cast<keyword>(t->code) == keyword::greek);
            if (!letter || !survey_.is_index_in(here, text_of(*t))) return false;
        }
        return true;
    }
    /// + or - between terms; a sign in front is none.
    static constexpr bool has_top_level_sign(const token* t, const token* end) {
        std::int32_t level = 0;
        for (const token* first = t; t < end; ++t) {
            if (t->kind != token_kind::symbol) continue;
            if (t->code == '(' || t->code == '{' || t->code == '[') ++level;
            if (t->code == ')' || t->code == '}' || t->code == ']') --level;
            if (level == 0 && t != first && (t->code == '+' || t->code == '-')) return true;
        }
        return false;
    }

    // Functions and numbers by name ---------------------------------------------------------------

    constexpr void unknown_function(text_view name, std::int32_t begin) {
        const text_view refusal = refusal_of_function(name);
        if (!refusal.empty()) return fail(mistake_kind::index_free, begin, end_before(), refusal);
        detail::text_builder sentence;
        say_unknown_function(name, is_symbol('_'), sentence);
        fail(mistake_kind::unknown_function, begin, end_before(), sentence);
    }
    constexpr void function_as_tensor(text_view name, std::int32_t begin) {
        detail::text_builder sentence;
        say_function_as_tensor(name, sentence);
        fail(mistake_kind::unexpected, begin, end_before(), sentence);
    }
    constexpr bool is_defined(text_view name) {
        const name_facts* facts = survey_.find(name);
        return facts != nullptr && facts->defined;
    }
    /// ^2( behind the name of a function.
    constexpr bool powered_call() const {
        if (!is_symbol('^')) return false;
        const token& after = *survey_.behind_list(now_ + 1);
        return after.kind == token_kind::symbol && after.code == '(';
    }
    /// f^2(x): of what f a line defines, or what may be a function. `styled`: a line defines it.
    constexpr void refuse_powered_call(text_view name, bool styled, std::int32_t begin) {
        const bool inverse = is_symbol('{', 1) && is_minus_one(2) && is_symbol('}', 4);
        if (!styled && (!inverse || !is_function_letter(name) || survey_.stands_bare(name))) return;
        const token* bracket = survey_.behind_list(now_ + 1);
        const token* end = behind_bracket(bracket);
        const text_view called = text_.slice(bracket->begin, end[-1].end);
        const text_view word = text_.slice(begin, end_before());
        const text_view power = text_.slice(now_->begin, bracket[-1].end);
        detail::text_builder s;
        s << "this can be a power and " << (inverse ? "the inverse" : "a repetition")
          << " of the function " << name << "; write ";
        if (styled) s << word << called << power << " for the power";
        else s << word << power << " \\cdot " << called << " for a power of the number";
        if (name == "\\sigma" && !styled) {
            const text_view of = called.slice(1, called.size - 1);
            s << ", \\log(\\frac{" << of << "}{1 - (" << of << ")}) for the inverse";
        } else if (inverse) {
            s << "; the inverse is a function of its own, defined in a line";
        } else {
            s << ", " << word << '(' << word << called << ") for a repetition";
        }
        fail(mistake_kind::unexpected, begin, end[-1].end, s);
    }
    constexpr bool calls_after_subscript() const {
        if (!is_symbol('{', 1)) return is_symbol('(', 2) && !peek(2).spaced;
        std::int32_t k = 2;
        while (!is_symbol('}', k) && !is(token_kind::end, k)) ++k;
        return is_symbol('(', k + 1) && !peek(k + 1).spaced;
    }
    /// e^{...} is a tensor if the text defines e with indices above, and else the exponential.
    constexpr bool exponent_is_list(std::int32_t begin) {
        if (!survey_.e_is_tensor()) return false;
        const list_shape shape = survey_.shape_at(now_ + 1);
        const bool signs = is_symbol('{', 1) && (is_symbol('-', 2) || is_symbol('+', 2));
        if (!shape.known || signs || !shape.letters)
            fail(mistake_kind::unexpected, begin, survey_.behind_list(now_ + 1)[-1].end,
                 "e is a tensor here, which the text defines with indices above; write \\exp(...) "
                 "for the exponential, or give the tensor another name");
        return true;
    }
    /// The square of a mean, or the mean of squares? Papers write both so.
    constexpr void two_powers(text_view name, std::int32_t begin) {
        detail::text_builder sentence;
        sentence << "this power could belong to what stands in parentheses or to the value; write "
                 << name << "_j ((...)^2) or (" << name << "_j (...))^2";
        fail(mistake_kind::unexpected, begin, peek(1).end, sentence);
    }
    /// \pi is the number unless it has indices; then it is a tensor.
    constexpr bool is_circle_number() {
        if (is_symbol('_', 1) || is_symbol('\'', 1)) return false;
        if (find_styled("\\pi") != none) return false;
        if (!is_symbol('^', 1)) return true;
        const list_shape shape = survey_.shape_at(now_ + 2);
        const bool sign = is_symbol('{', 2) && (is_symbol('-', 3) || is_symbol('+', 3));
        if (!shape.known || sign) return true;
        // Beside \pi^k, \pi^2 could be a place: the reader of tensors refuses it.
        const name_facts* facts = survey_.find("\\pi");
        return !shape.letters && (facts == nullptr || (facts->ranks >> 1) == 0);
    }
    constexpr ref read_imaginary_unit(std::int32_t begin) {
        for (std::int32_t k = 0; k < 4; ++k) advance();
        if (is_symbol('_') || is_symbol('\'')) {
            fail(mistake_kind::unexpected, begin, peek().end,
                 "\\mathrm{i} is the imaginary unit, which has no indices; write \\text{i} for a "
                 "tensor of this name");
            return none;
        }
        return program_.imaginary_unit({begin, end_before()});
    }

    detail::buffer<ref> styled_;  // names whose left sides have parentheses
};

}  // namespace ricci::notation
