// What a whole text shows of its names, for the places where one line can be read in two ways:
// whether W_1 is a label or a place, d_k a number, x^{2i} two axes or one, \lambda (x) a product.
// Looks at tokens alone, and only once somebody asks.
#pragma once

#include <cstdint>

#include <ricci/detail/buffer.hpp>
#include <ricci/detail/spelling_table.hpp>
#include <ricci/detail/text.hpp>
#include <ricci/ir/program.hpp>
#include <ricci/notation/index_lists.hpp>
#include <ricci/notation/token.hpp>
#include <ricci/notation/vocabulary.hpp>

namespace ricci::notation {

/// How a name is written wherever nothing about it is in doubt.
struct name_facts {
    ir::range text;       // its spelling
    bool above;           // somewhere with indices above
    bool one_below;       // somewhere with a list of one index below
    bool several_below;   // somewhere with a list of several
    bool factor;          // somewhere with no parenthesis behind it, and no parameter there
    bool called;          // somewhere on a right side with a parenthesis behind it
    bool defined;         // on a left side
    bool bare;            // somewhere with nothing above or below, nor a parenthesis behind
    std::uint32_t ranks;  // bit r: somewhere with r indices, as far as 31
};

class text_survey : public list_reader {
public:
    constexpr text_survey(text_view text, const token* first, const token* last)
        : list_reader(text, first, last) {
        for (const token* t = first; t < last; ++t)
            if (t == first || t[-1].kind == token_kind::separator) look_at_left_side(t);
    }

    /// Whether the text defines e with indices above, or delta with indices.
    constexpr bool e_is_tensor() const { return e_is_tensor_; }
    constexpr bool delta_is_tensor() const { return delta_is_tensor_; }

    /// What is known of a name, or nullptr.
    constexpr const name_facts* find(text_view spelling) {
        if (!surveyed_) survey();
        const std::int32_t k = find_facts(spelling);
        return k < 0 ? nullptr : &facts_[k];
    }

    /// Whether the text has a name as a factor. The parameter of a function is one in the line that
    /// defines the function alone, unless no line calls it: then it is no parameter.
    constexpr bool is_factor(const name_facts& facts, const token* here) const {
        if (facts.factor) return true;
        const token* line = statement_of(here);
        for (const parameter_use& u : parameter_uses_) {
            const bool called = facts_[u.function].called;
            if (&facts_[u.name] != &facts) continue;
            if (called ? u.line == line : !u.on_left) return true;
        }
        return false;
    }

    /// Whether a name stands somewhere with nothing above or below it, nor a parenthesis behind.
    constexpr bool stands_bare(text_view spelling) {
        const name_facts* const facts = find(spelling);
        return facts != nullptr && facts->bare;
    }

    /// Whether d_x or n_x has an index: the text defines the name with it, or writes it in one
    /// equation with two letters that are indices there.
    constexpr bool dimension_is_indexed(text_view base) {
        known& answer = base == "d" ? d_indexed_ : n_indexed_;
        if (answer == known::not_yet) answer = find_indexed(base) ? known::yes : known::no;
        return answer == known::yes;
    }
    /// Whether a letter stands in an index list of the statement, labels and d_x left out.
    constexpr bool is_index_in(const token* here, text_view letter) const {
        bool found = false;
        for (const token* t = statement_of(here); t < last_ && t->kind != token_kind::separator;
             ++t)
            if (t->kind == token_kind::symbol && begins_list(t)) {
                const token* end = behind_list(t + 1);
                for (const token* k = t + 1; k < end; ++k)
                    if (text_[k->begin] == letter.data[0])
                        found = found || (is_letter_like(k) && text_of(k) == letter);
            }
        return found;
    }
    /// Whether a capital stands alone below or among the indices above a name of the statement.
    constexpr bool stands_alone(const token* here, text_view capital) const {
        for (const token* t = statement_of(here); t < last_ && t->kind != token_kind::separator;
             ++t) {
            if (is_symbol(t, '_')) {
                const bool braces = is_symbol(t + 1, '{');
                const token* letter = t + 1 + braces;
                if (letter->kind == token_kind::letter && text_of(letter) == capital &&
                    (!braces || is_symbol(letter + 1, '}')))
                    return true;
            } else if (begins_list(t) && is_symbol(t, '^')) {
                const token* end = behind_list(t + 1);
                for (const token* k = t + 1; k < end; ++k)
                    if (k->kind == token_kind::letter && text_of(k) == capital) return true;
            }
        }
        return false;
    }

private:
    enum class known : std::uint8_t { not_yet, no, yes };

    constexpr text_view spelling_of(const name_facts& f) const {
        return spellings_.view().slice(f.text.first, f.text.first + f.text.count);
    }
    constexpr bool find_indexed(text_view base) const {
        for (const token* t = first_; t < last_; ++t)
            if (t->kind == token_kind::letter &&
                (t == first_ || t[-1].kind == token_kind::separator) && defines_indexed(t, base))
                return true;
        const token* begin = first_;
        text_view seen{};
        for (const token* t = first_; t < last_; ++t) {
            if (t->kind == token_kind::separator) {
                begin = t + 1;
                seen = {};
                continue;
            }
            if (t->kind != token_kind::letter) continue;  // a call less: this is every token
            if (text_.data[t->begin] != base.data[0]) continue;
            const token* letter = dimension_letter(t, base);
            if (letter == nullptr || !is_index_in(begin, text_of(letter))) continue;
            if (seen.size > 0 && !(seen == text_of(letter))) return true;
            seen = text_of(letter);
        }
        return false;
    }
    // Left sides ----------------------------------------------------------------------------------

    constexpr void look_at_left_side(const token* t) {
        if (t->kind == token_kind::letter && text_of(t) == "e" && is_symbol(t + 1, '^'))
            e_is_tensor_ = true;
        if (is_keyword(t, keyword::greek) && text_of(t) == "\\delta" &&
            (is_symbol(t + 1, '^') || is_symbol(t + 1, '_')))
            delta_is_tensor_ = true;
    }
    /// n_k = ... with an index k on the right.
    constexpr bool defines_indexed(const token* t, text_view base) const {
        const token* letter = dimension_letter(t, base);
        if (letter == nullptr) return false;
        const token* after = letter + 1;
        while (is_symbol(after, '\'') || is_symbol(after, '}')) ++after;
        bool found = false;
        if (is_symbol(after, '=') || is_keyword(after, keyword::defines))
            for (; after < last_ && after->kind != token_kind::separator; ++after) {
                found = found || (is_symbol(after, '[') && is_compared(after, letter));
                if (begins_list(after)) {
                    const token* end = behind_list(after + 1);
                    for (const token* k = after + 1; k < end; ++k)
                        found = found || is_same_index(k, letter);
                }
            }
        return found;
    }
    /// Whether the bracket at `t` compares the letter by itself with what has indices: [t_i = k].
    constexpr bool is_compared(const token* t, const token* letter) const {
        bool alone = false, list = false;
        for (; t < last_ && !is_symbol(t, ']') && t->kind != token_kind::separator; ++t) {
            list = list || begins_list(t);
            const bool joined = t[-1].kind == token_kind::letter && !t->spaced;
            const bool goes_on = t[1].kind == token_kind::letter && !t[1].spaced;
            alone = alone ||
                    (!joined && !goes_on && is_same_index(t, letter) && !is_symbol(t + 1, '^') &&
                     !is_symbol(t - 1, '^') && !is_symbol(t - 1, '_') && !is_symbol(t - 1, '{'));
        }
        return alone && list;
    }

    /// Whether a token is the index `letter`, primes included; x_i in a list is a tensor.
    constexpr bool is_same_index(const token* t, const token* letter) const {
        if (!is_letter_like(t) || !(text_of(t) == text_of(letter))) return false;
        while (is_symbol(++letter, '\''))
            if (!is_symbol(++t, '\'')) return false;
        return !is_symbol(t + 1, '\'') && !is_symbol(t + 1, '_');
    }

    // Scripts -------------------------------------------------------------------------------------

    /// The letter of d_x or d_{x}, where `t` is d; nullptr for anything else.
    constexpr const token* dimension_letter(const token* t, text_view base) const {
        if (t->kind != token_kind::letter || !(text_of(t) == base) || !is_symbol(t + 1, '_') ||
            (t > first_ && t[-1].kind == token_kind::letter && !t->spaced))
            return nullptr;
        const bool braces = is_symbol(t + 2, '{');
        const token* letter = t + 2 + braces;
        if (!is_letter_like(letter) || is_capital(letter)) return nullptr;
        const token* after = letter + 1;
        while (is_symbol(after, '\'')) ++after;
        return !braces || is_symbol(after, '}') ? letter : nullptr;
    }
    /// A ^ or _ behind a name or a sign, with a list of indices: no label, no power, no exponent.
    constexpr bool begins_list(const token* t) const {
        if (!is_symbol(t, '^') && !is_symbol(t, '_')) return false;
        if (t == first_ || is_symbol(t - 1, ')') || is_symbol(t - 1, ']') || is_symbol(t - 1, '|'))
            return false;  // an exponent
        const bool script = t - first_ > 1 && (is_symbol(t - 2, '_') || is_symbol(t - 2, '^'));
        if (t[-1].kind == token_kind::number && !script) return false;
        const bool braces = is_symbol(t + 1, '{');
        const token* inside = t + 1 + braces;
        if (is_symbol(t, '_')) {
            if (is_capital(inside) || is_wrapper(inside)) return false;
            const bool dimension = t[-1].kind == token_kind::letter &&
                                   (text_of(t - 1) == "d" || text_of(t - 1) == "n") &&
                                   dimension_letter(t - 1, text_of(t - 1)) != nullptr;
            return !dimension;
        }
        if (t[-1].kind == token_kind::letter && text_of(t - 1) == "e" && !e_is_tensor_)
            return false;
        return !is_power(t);
    }
    constexpr bool is_power(const token* t) const {
        if (t[1].kind == token_kind::number) return true;
        if (!is_symbol(t + 1, '{')) return false;
        for (const token* k = t + 2; k < last_ && !is_symbol(k, '}'); ++k)
            if (k->kind != token_kind::number && !is_symbol(k, '-') && !is_symbol(k, '+') &&
                !is_symbol(k, '/'))
                return false;
        return true;
    }
    // The survey ----------------------------------------------------------------------------------

    constexpr void survey() {
        surveyed_ = true;
        for (const token* t = first_; t < last_;) {
            const bool left = t == first_ || t[-1].kind == token_kind::separator;
            if (left) {
                line_ = t;
                parameters_.clear();
            }
            if (is_symbol(t, '=') || is_keyword(t, keyword::defines)) in_parameters_ = false;
            t = t->starts_name ? see_name(t, left) : t + 1;
        }
    }
    constexpr const token* behind_name(const token* t, detail::text_builder& spelling) const {
        if (t->kind == token_kind::letter) {
            do spelling << text_of(t++);
            while (t->kind == token_kind::letter && !t->spaced);
        } else if (is_keyword(t, keyword::greek)) {
            spelling << text_of(t++);
        } else {  // \text{Out} or \tilde{Q}
            const bool accent = !is_wrapper(t);
            if (accent) spelling << text_of(t) << '{';
            ++t;
            if (is_symbol(t, '{'))
                for (++t; t < last_ && !is_symbol(t, '}'); ++t) spelling << text_of(t);
            else if (accent && t < last_) spelling << text_of(t);
            if (t < last_) ++t;
            if (accent) spelling << '}';
        }
        for (; is_symbol(t, '\''); ++t) spelling << '\'';
        return t;
    }
    constexpr const token* see_name(const token* t, bool left) {
        detail::text_builder spelling;
        detail::text_builder numbered;  // with a label of digits, in case it is one
        t = behind_name(t, spelling);
        name_facts now{};
        std::int32_t rank = 0, digits_rank = 0;
        bool plain = true, doubtful = false, scripted = false;
        for (t = behind_braces(t); is_symbol(t, '^') || is_symbol(t, '_');
             t = behind_braces(behind_list(t + 1))) {
            const token* inside = t + 1 + is_symbol(t + 1, '{');
            if (is_keyword(inside, keyword::prime)) continue;
            if (is_wrapper(inside) || (is_symbol(t, '_') && is_capital(inside))) {
                add_label(t + 1, spelling);
                continue;
            }
            scripted = true;
            if (!begins_list(t)) {
                plain = is_symbol(t, '^');  // a power ends the scripts; d_x has none
                if (is_symbol(t, '^')) break;
                continue;
            }
            const list_shape shape = shape_at(t + 1);
            const bool digits = is_symbol(t, '_') && !shape.letters;
            plain = plain && shape.known && shape.multiplied == 0;
            rank += shape.entries;
            if (digits && inside->kind == token_kind::number && numbered.size() == 0) {
                numbered << spelling << '_' << text_of(inside);
                digits_rank = shape.entries;
                doubtful = true;
            }
            if (digits || !shape.known) continue;
            now.above = now.above || is_symbol(t, '^');
            if (is_symbol(t, '_')) {
                now.one_below = now.one_below || shape.entries == 1;
                now.several_below = now.several_below || shape.entries > 1;
            }
        }
        const bool factor = !is_symbol(t, '(');
        now.bare = factor && !scripted;
        const bool parameter = is_parameter(spelling);
        now.factor = factor && !parameter && !in_parameters_;
        now.called = !factor && !left;
        now.defined = left;
        if (plain && !doubtful && rank < 32) now.ranks = std::uint32_t{1} << rank;
        note(spelling, now);
        const std::int32_t name = number_of(spelling);
        if (in_parameters_) parameters_.push(name);
        if (in_parameters_ || (factor && parameter))
            parameter_uses_.push({name, function_, line_, in_parameters_});
        if (left && !factor) {
            in_parameters_ = true;
            function_ = name;
        }
        if (doubtful && plain && rank - digits_rank < 32) {
            now.ranks = std::uint32_t{1} << (rank - digits_rank);
            note(numbered, now);
        }
        return t;
    }
    /// T{}^a{}_b: braces that hold nothing set scripts apart.
    constexpr const token* behind_braces(const token* t) const {
        while (is_symbol(t, '{') && is_symbol(t + 1, '}')) t += 2;
        return t;
    }
    /// Whether the left side of the line in hand has the name in its parentheses.
    constexpr bool is_parameter(text_view spelling) const {
        for (const std::int32_t name : parameters_)
            if (spelling_of(facts_[name]) == spelling) return true;
        return false;
    }
    constexpr void note(text_view spelling, const name_facts& now) {
        name_facts& f = facts_[number_of(spelling)];
        f.above = f.above || now.above;
        f.one_below = f.one_below || now.one_below;
        f.several_below = f.several_below || now.several_below;
        f.factor = f.factor || now.factor;
        f.called = f.called || now.called;
        f.defined = f.defined || now.defined;
        f.bare = f.bare || now.bare;
        f.ranks |= now.ranks;
    }
    constexpr void add_label(const token* t, detail::text_builder& spelling) const {
        const token* end = behind_list(t);
        spelling << '_';
        for (; t < end; ++t)
            if (t->kind == token_kind::letter || t->kind == token_kind::number)
                spelling << text_of(t);
    }
    constexpr std::int32_t find_facts(text_view spelling) {
        const std::int32_t count = facts_.size();
        if (count > detail::spelling_table::few)
            return table_.find(spelling, count,
                               [&](std::int32_t k) { return spelling_of(facts_[k]); });
        for (std::int32_t k = 0; k < count; ++k)
            if (spelling_of(facts_[k]) == spelling) return k;
        return -1;
    }
    constexpr std::int32_t number_of(text_view spelling) {
        const std::int32_t before = find_facts(spelling);
        if (before >= 0) return before;
        const ir::range text{spellings_.size(), spelling.size};
        spellings_ << spelling;
        facts_.push({text, false, false, false, false, false, false, false, 0});
        return facts_.size() - 1;
    }

    detail::text_builder spellings_;
    detail::buffer<name_facts> facts_;
    detail::spelling_table table_;  // of their spellings
    /// A parameter of the function that its line defines, or a factor that is called like one.
    struct parameter_use {
        std::int32_t name;
        std::int32_t function;
        const token* line;
        bool on_left;
    };
    detail::buffer<parameter_use> parameter_uses_;
    detail::buffer<std::int32_t> parameters_;  // of the line in hand
    bool in_parameters_ = false;
    std::int32_t function_ = 0;  // that the line in hand defines
    const token* line_ = nullptr;
    bool surveyed_ = false;
    known d_indexed_ = known::not_yet;
    known n_indexed_ = known::not_yet;
    bool e_is_tensor_ = false;
    bool delta_is_tensor_ = false;
};

}  // namespace ricci::notation
