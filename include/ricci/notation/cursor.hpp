// Walking over tokens: looking ahead, failing once with a place, and reading names.
#pragma once

#include <cstdint>

#include <ricci/ir/mistake.hpp>
#include <ricci/ir/nesting.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/notation/misplaced.hpp>
#include <ricci/notation/other_functions.hpp>
#include <ricci/notation/survey.hpp>
#include <ricci/notation/tokenizer.hpp>
#include <ricci/notation/vocabulary.hpp>

namespace ricci::notation {

using ir::mistake_kind;
using ir::none;
using ir::ref;

/// The base of the parsers: tokens, the program under construction, and the first mistake.
class cursor {
public:
    cursor(const cursor&) = delete;  // points into its own tokens
    constexpr cursor(text_view text, token_list&& tokens)
        : text_(text),
          tokens_(static_cast<detail::buffer<token>&&>(tokens.tokens)),
          now_(tokens_.data()),
          last_(tokens_.data() + tokens_.size() - 1),
          survey_(text, now_, last_),
          mistake_(static_cast<ir::mistake&&>(tokens.mistake)),
          failed_(mistake_.kind != ir::mistake_kind::valid),
          dressed_text_(tokens.dressed) {}

    constexpr bool failed() const { return failed_; }
    constexpr const ir::mistake& mistake() const { return mistake_; }

protected:
    // One function for here and one for ahead: the compiler's constant evaluation pays by the call.
    constexpr const token& peek() const { return *now_; }
    constexpr const token& peek(std::int32_t ahead) const {
        return ahead < last_ - now_ ? now_[ahead] : *last_;
    }
    constexpr text_view text_of(const token& t) const {
        return t.spelled != nullptr ? text_view{t.spelled, t.spelled_size}
                                    : text_.slice(t.begin, t.end);
    }
    constexpr void advance() {
        if (now_ != last_) ++now_;
    }
    constexpr bool is(token_kind kind) const { return now_->kind == kind; }
    constexpr bool is(token_kind kind, std::int32_t ahead) const {
        return (ahead < last_ - now_ ? now_[ahead] : *last_).kind == kind;
    }
    constexpr bool is_symbol(char c) const {
        return now_->code == static_cast<unsigned char>(c) && now_->kind == token_kind::symbol;
    }
    constexpr bool is_symbol(char c, std::int32_t ahead) const {
        const token& t = ahead < last_ - now_ ? now_[ahead] : *last_;
        return t.code == static_cast<unsigned char>(c) && t.kind == token_kind::symbol;
    }
    /// The word of a command without its backslash; empty for anything else.
    constexpr text_view word(std::int32_t ahead = 0) const {
        const token& t = peek(ahead);
        if (t.kind != token_kind::command) return {};
        const text_view all = text_of(t);
        return all.slice(1, all.size);
    }
    constexpr keyword key() const {
        return now_->kind == token_kind::command ? static_cast<keyword>(now_->code)
                                                 : keyword::none_of_them;
    }
    constexpr keyword key(std::int32_t ahead) const {
        const token& t = ahead < last_ - now_ ? now_[ahead] : *last_;
        return t.kind == token_kind::command ? static_cast<keyword>(t.code) : keyword::none_of_them;
    }
    constexpr bool is_key(keyword k) const {
        return now_->kind == token_kind::command && static_cast<keyword>(now_->code) == k;
    }
    constexpr bool is_key(keyword k, std::int32_t ahead) const { return key(ahead) == k; }
    constexpr bool accept_symbol(char c) {
        if (now_->code != static_cast<unsigned char>(c) || now_->kind != token_kind::symbol)
            return false;
        ++now_;
        return true;
    }
    constexpr bool accept_key(keyword k) {
        if (key() != k) return false;
        advance();
        return true;
    }
    constexpr bool expect_symbol(char c) {
        if (accept_symbol(c)) return true;
        detail::text_builder sentence;
        if (is_comparison()) write_place(text_of(peek()), keyword::less, sentence);
        else sentence << "expected " << c << " here";
        fail_here(mistake_kind::unexpected, sentence);
        return false;
    }

    constexpr void fail(mistake_kind kind, std::int32_t begin, std::int32_t end,
                        text_view sentence) {
        if (failed_) return;
        mistake_ = ir::make_mistake(kind, text_, begin, end, sentence);
        failed_ = true;
    }
    constexpr void fail_here(mistake_kind kind, text_view sentence) {
        fail(kind, peek().begin, peek().end, sentence);
    }
    /// Fails, for what reads an expression: gives none in its place.
    constexpr ref refuse(mistake_kind kind, std::int32_t begin, std::int32_t end,
                         text_view sentence) {
        fail(kind, begin, end, sentence);
        return none;
    }
    constexpr ref refuse_here(mistake_kind kind, text_view sentence) {
        return refuse(kind, peek().begin, peek().end, sentence);
    }
    /// One level further in; a mistake where that is one too many.
    constexpr bool enter() {
        if (++depth_ > deepest()) fail_here(mistake_kind::unexpected, "nested too deeply");
        return !failed();
    }
    constexpr std::int32_t begin_here() const { return now_->begin; }
    constexpr std::int32_t end_before() const { return now_ != tokens_.data() ? now_[-1].end : 0; }

    constexpr bool is_comparison() const {
        const keyword k = key();
        return is_symbol('<') || is_symbol('>') || (k >= keyword::less && k <= keyword::not_equal);
    }
    /// A command that is known, and that has a meaning elsewhere.
    constexpr bool is_known_word() const { return !place_of(key()).empty(); }
    constexpr void unknown_command() {
        const text_view name = word();
        const bool mean = name == "mathbb" && is_symbol('{', 1) && text_of(peek(2)) == "E";
        const text_view refusal = mean ? words::expectation : refusal_of(name);
        if (!refusal.empty()) return fail_here(mistake_kind::index_free, refusal);
        detail::text_builder sentence;
        if (is_known_word()) {
            write_place(text_of(peek()), key(), sentence);
            return fail_here(mistake_kind::unexpected, sentence);
        }
        if (say_other_function(name, sentence))
            return fail_here(mistake_kind::unknown_command, sentence);
        sentence << "unknown command \\" << name;
        const nearest n = nearest_command(name);
        if (n.found()) sentence << "; did you mean \\" << n.best << "?";
        else sentence << "; write \\text{" << name << "} for a tensor of this name";
        fail_here(mistake_kind::unknown_command, sentence);
    }

    /// \mathrm{i}; but not in other letters, which are a name's.
    constexpr bool is_imaginary_unit() const {
        return word() == "mathrm" && is_symbol('{', 1) && is(token_kind::letter, 2) &&
               text_of(peek(2)) == "i" && is_symbol('}', 3);
    }

    // Names ---------------------------------------------------------------------------------------

    constexpr bool is_capital(const token& t) const {
        if (t.kind != token_kind::letter) return false;
        const char first = text_of(t)[0];
        return first >= 'A' && first <= 'Z';
    }
    constexpr bool starts_name() const { return now_->starts_name; }
    constexpr bool starts_name(std::int32_t ahead) const { return peek(ahead).starts_name; }

    /// Appends the canonical spelling of the name at the cursor, without its label.
    constexpr void read_base_name(detail::text_builder& spelling) {
        const words::dress dressed = peek().dressed;
        const std::int32_t begin = begin_here(), start = spelling.size();
        read_bare_name(spelling);
        if (dressed_text_ && !failed())
            check_dress(spelling.view().slice(start, spelling.size()), dressed, begin);
    }
    /// Refuses a name that is bold, or in script, in one place and not in another.
    constexpr void check_dress(text_view name, words::dress dressed, std::int32_t begin) {
        for (const worn& w : worn_) {
            if (w.name != hash_of(name)) continue;
            if (w.dressed == dressed) return;
            detail::text_builder sentence;
            sentence << "bold and script letters are no part of a name, and " << name
                     << " is written with and without; write one form everywhere, or give one of "
                        "the two tensors another name";
            return fail(mistake_kind::unexpected, begin, end_before(), sentence);
        }
        worn_.push({hash_of(name), dressed});
    }
    constexpr void read_bare_name(detail::text_builder& spelling) {
        read_unprimed_name(spelling);
        while (is_symbol('\'') && !failed()) {
            spelling << '\'';
            advance();
        }
    }
    constexpr void read_unprimed_name(detail::text_builder& spelling) {
        const text_view w = word();
        const keyword k = key();
        if (is(token_kind::letter)) {
            do {
                spelling << text_of(peek());
                advance();
            } while (is(token_kind::letter) && !peek().spaced);
        } else if (k == keyword::greek) {
            spelling << '\\' << w;
            advance();
        } else if (k == keyword::wrapper) {
            advance();
            read_wrapped(spelling);
        } else if (k == keyword::accent) {
            advance();
            spelling << '\\' << w << '{';
            const bool braces = accept_symbol('{');
            if (!starts_name())
                return fail_here(mistake_kind::unexpected, "an accent needs a name under it");
            if (!enter()) return;
            if (braces) {
                read_name(spelling);
                if (!failed() && is_script(peek())) return refuse_accented_scripts(w);
            } else if (is(token_kind::letter)) {
                spelling << text_of(peek());
                advance();
            } else {  // as LaTeX does, one sign: \hat\theta_1 is \hat{\theta}_1
                read_unprimed_name(spelling);
            }
            --depth_;
            if (braces && !failed()) expect_symbol('}');
            spelling << '}';
        } else {
            fail_here(mistake_kind::unexpected, "expected the name of a tensor here");
        }
    }
    /// \overline{A_{ki}}: an accent is part of a name, and no operation.
    constexpr void refuse_accented_scripts(text_view accent) {
        detail::text_builder s;
        s << "an accent is part of a name, whose indices stand behind it, as in \\" << accent
          << "{A}_{ij}";
        if (accent == "overline" || accent == "bar")
            s << "; the conjugate is \\operatorname{conj}(A_{ij}), and a mean "
                 "\\operatorname{mean}_i";
        fail_here(mistake_kind::unexpected, s);
    }
    /// `{Output}` after \text: the letters in it, spaces left out.
    constexpr void read_wrapped(detail::text_builder& spelling) {
        if (!expect_symbol('{')) return;
        const std::int32_t begin = begin_here();
        while (!is_symbol('}') && !is(token_kind::end)) {
            const token& t = peek();
            const bool dash = is_symbol('_') || is_symbol('-') || text_of(peek()) == "\\_";
            if (t.kind != token_kind::letter && t.kind != token_kind::number && !dash)
                return fail_here(mistake_kind::unexpected,
                                 "a name in words holds letters and digits only");
            if (t.end - t.begin == 2 && dash) spelling << '_';
            else spelling << text_of(t);
            advance();
        }
        if (begin_here() == begin)
            return fail_here(mistake_kind::unexpected, "a name in words cannot be empty");
        expect_symbol('}');
    }
    /// Whether the `_` at the cursor starts a label rather than a list of indices. A label in words
    /// may stand above too: `\xi^{\text{new}}`. `first`: it stands right behind the name.
    constexpr bool label_follows(text_view base, bool first = true) {
        if (is_symbol('^')) return is_label_word(1) || (is_symbol('{', 1) && is_braced_label());
        if (!is_symbol('_')) return false;
        const std::int32_t inside = is_symbol('{', 1) ? 2 : 1;
        if (is_capital(peek(inside))) return true;
        if (is(token_kind::number, inside)) return digits_are_label(base, inside);
        if (first && (base == "d" || base == "n") && is_dimension(inside))
            return alone_ || !survey_.dimension_is_indexed(base);
        // d_\text{model} is a name also where the text has d_i
        return inside == 1 ? is_label_word(1) : is_braced_label();
    }
    /// d_k, n_{x}: one letter.
    constexpr bool is_dimension(std::int32_t inside) const {
        if (!is(token_kind::letter, inside) && !is_key(keyword::greek, inside)) return false;
        if (inside == 1) return true;
        std::int32_t after = inside + 1;
        while (is_symbol('\'', after)) ++after;
        return is_symbol('}', after);
    }
    /// W_1 is a name, unless the text has W_i too; then it is a place. Digits that could be several
    /// places, or a name beside x^i, are refused.
    constexpr bool digits_are_label(text_view base, std::int32_t inside) {
        const text_view digits = text_of(peek(inside));
        if (inside == 2 && !is_symbol('}', 3)) return false;
        if (alone_) return true;
        if (inside == 1 && digits.size > 1) {
            refuse_long_script(peek(1));
            return true;
        }
        const name_facts* facts = survey_.find(base);
        if (facts == nullptr) return true;
        if (facts->one_below) return false;
        const std::int32_t after = inside == 1 ? 2 : 4;
        const bool more = is_symbol('^', after) || is_symbol('_', after);
        if (!(facts->several_below && digits.size > 1) && !(facts->above && !more)) return true;
        detail::text_builder s;
        s << base << '_' << digits << " can be a tensor of its own and "
          << (facts->above ? "a place of " : "places of ") << base << "; write " << base
          << "_{\\text{" << digits << "}} for the first, " << base << "_{";
        if (facts->above) s << digits << ",";
        else
            for (std::int32_t k = 0; k < digits.size; ++k) s << (k ? "," : "") << digits[k];
        s << "} for the second";
        fail(mistake_kind::unexpected, peek(0).begin, peek(inside).end, s);
        return true;
    }
    /// LaTeX takes one digit of x^10.
    constexpr void refuse_long_script(const token& number) {
        detail::text_builder s;
        s << "without braces only the first digit stands above or below; write {" << text_of(number)
          << "}, or a space behind the first digit";
        fail(mistake_kind::unexpected, number.begin, number.end, s);
    }
    constexpr bool is_script(const token& t) const {
        return t.kind == token_kind::symbol && (t.code == '^' || t.code == '_');
    }
    /// {\text{new}}; but {\text{tokens}_i} is a position that a tensor says.
    constexpr bool is_braced_label() const {
        if (!is_label_word(2)) return false;
        std::int32_t k = 3;
        while (!is_symbol('}', k) && !is(token_kind::end, k)) ++k;
        return !is_symbol('_', k + 1) && !is_symbol('^', k + 1);
    }
    /// \text{new}; but \operatorname{clamp} starts a position.
    constexpr bool is_label_word(std::int32_t ahead) const {
        return is_key(keyword::wrapper, ahead) && word(ahead) != "operatorname";
    }
    constexpr void read_label(detail::text_builder& spelling) {
        const token* label = now_;
        advance();
        spelling << '_';
        const bool braces = accept_symbol('{');
        const token* first = now_;
        std::int32_t capitals = 0;
        bool others = false;
        do {
            const bool capital = is_capital(peek());
            if (capital || is(token_kind::number) || (now_ == first && is(token_kind::letter))) {
                capitals += capital;
                others = others || !capital;
                spelling << text_of(peek());
                advance();
            } else if (is_key(keyword::wrapper) && !capitals) {
                others = true;
                advance();
                read_wrapped(spelling);
            } else if (is_key(keyword::greek) && now_ == first) {
                others = true;
                spelling << text_of(peek());
                advance();
            } else {
                break;
            }
        } while (braces && !failed());
        if (failed()) return;
        if (now_ == first) return fail_here(mistake_kind::unexpected, "expected a label here");
        while (is_symbol('\'') && braces) {
            spelling << '\'';
            advance();
        }
        if (braces && !is_symbol('}'))
            return fail(mistake_kind::unexpected, label->begin, peek().end,
                        "a subscript is a label, of capitals, digits or \\text{...}, or a list of "
                        "indices, of lower-case letters; write a label as \\text{...} and indices "
                        "behind it, as in W_{\\text{Q}}^{i}");
        if (!braces) return;
        advance();
        if (capitals > 1 && !others && !alone_) refuse_capital_indices(label, first);
    }
    /// v_A = M_{AB} w_B: letters that each stand alone below other names would be indices.
    constexpr void refuse_capital_indices(const token* label, const token* first) {
        for (const token* t = first; t < now_ - 1; ++t)
            if (!survey_.stands_alone(label, text_of(*t))) return;
        fail(mistake_kind::unexpected, label->begin, end_before(),
             "these capitals can be a label and, as each stands alone below another name, indices; "
             "write \\text{...} for a label and lower-case letters for indices");
    }
    /// A name with its label, in canonical spelling: `W_{QKV}` gives "W_QKV", `\text{Out}` "Out".
    constexpr void read_name(detail::text_builder& spelling) {
        const std::int32_t start = spelling.size();
        read_base_name(spelling);
        if (!failed() && label_follows(spelling.view().slice(start, spelling.size())))
            read_label(spelling);
    }

    /// Of nesting, so that no text exhausts the stack. Two for each level of an expression, which
    /// may be printed as a bracket around another; the compiler's own limit is lower.
    static constexpr std::int32_t deepest() {
        return __builtin_is_constant_evaluated() ? 100 : 2 * ir::deepest_expression() + 20;
    }

    text_view text_;
    detail::buffer<token> tokens_;
    const token* now_;
    const token* last_;
    text_survey survey_;
    bool alone_ = false;  // a name without a text around it
    std::int32_t depth_ = 0;
    ir::mistake mistake_;
    bool failed_;
    bool dressed_text_;
    struct worn {
        std::uint64_t name;
        words::dress dressed;
    };
    detail::buffer<worn> worn_;  // by the names so far, where some are dressed
};

/// Reads a name from text alone: the `"W_{Q}"_t` of a call.
class name_reader : public cursor {
public:
    constexpr explicit name_reader(text_view text) : cursor(text, tokenizer(text).run()) {
        alone_ = true;
    }
    constexpr detail::text_builder read() {
        detail::text_builder spelling;
        if (!failed()) read_name(spelling);
        if (!failed() && !is(token_kind::separator))
            fail_here(mistake_kind::unexpected, "a name ends before this");
        return spelling;
    }
};

/// The canonical spelling of a name: spaces and \text{} go, labels lose their braces, and
/// "dL/dW_{Q}", "d(dL/dX)/dX" and "d/dt X" hold canonical names themselves. What is no name stays
/// as it is.
constexpr detail::text_builder canonical_name(text_view text) {
    if (const ir::tangent_parts parts = ir::parts_of_tangent(text); !parts.of.empty())
        return ir::tangent_spelling(parts.along, canonical_name(parts.of));
    if (const ir::derivative_parts parts = ir::parts_of_derivative(text); !parts.of.empty())
        return ir::cotangent_spelling(canonical_name(parts.numerator), canonical_name(parts.of));
    detail::text_builder out;
    name_reader reader(text);
    detail::text_builder spelling = reader.read();
    out << (reader.failed() ? text : spelling.view());
    return out;
}

}  // namespace ricci::notation
