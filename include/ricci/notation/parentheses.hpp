// A name before a parenthesis: a call of what the text defines so, a product, or neither.
#pragma once

#include <cstdint>

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

    detail::buffer<ref> styled_;  // names whose left sides have parentheses
};

}  // namespace ricci::notation
