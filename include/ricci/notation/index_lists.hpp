// What the lists behind ^ and _ hold, told from their tokens alone.
#pragma once

#include <cstdint>

#include <ricci/detail/text.hpp>
#include <ricci/notation/token.hpp>
#include <ricci/notation/vocabulary.hpp>

namespace ricci::notation {

/// The entries of an index list.
struct list_shape {
    std::int32_t entries = 0;
    std::int32_t multiplied = 0;  // of those, the ones that begin with a number: 2i
    bool letters = false;
    bool known = true;
};

/// Looks at the tokens of a text, from anywhere in it.
class list_reader {
public:
    constexpr list_reader(text_view text, const token* first, const token* last)
        : text_(text), first_(first), last_(last) {}

    /// The first token behind a script's list that begins at `t`, behind its ^ or _.
    constexpr const token* behind_list(const token* t) const {
        if (is_wrapper(t)) ++t;
        const char closer = is_symbol(t, '{') ? '}' : is_symbol(t, '<') ? '>' : '\0';
        if (closer == '\0') return t < last_ ? t + 1 : last_;
        const char opener = closer == '}' ? '{' : '<';
        for (std::int32_t level = 0; t < last_; ++t) {
            if (is_symbol(t, opener)) ++level;
            if (is_symbol(t, closer) && --level == 0) return t + 1;
        }
        return last_;
    }
    /// The list between `begin` and `end`, brackets left out.
    constexpr list_shape shape_of(const token* begin, const token* end) const {
        list_shape out;
        bool fresh = true;  // at the beginning or behind a comma
        while (begin < end && out.known) {
            if (is_symbol(begin, ',')) {
                fresh = true;
                ++begin;
                continue;
            }
            ++out.entries;
            begin = behind_entry(begin, end, fresh, out);
            fresh = false;
        }
        return out;
    }
    /// What stands between the brackets of the list that begins at `t`, or the one token.
    constexpr list_shape shape_at(const token* t) const {
        const token* end = behind_list(t);
        const bool brackets = is_symbol(t, '{') || is_symbol(t, '<');
        return brackets ? shape_of(t + 1, end - 1) : shape_of(t, end);
    }

protected:
    constexpr text_view text_of(const token* t) const { return text_.slice(t->begin, t->end); }
    static constexpr bool is_symbol(const token* t, char c) {
        return t->kind == token_kind::symbol && t->code == static_cast<unsigned char>(c);
    }
    static constexpr bool is_keyword(const token* t, keyword k) {
        return t->kind == token_kind::command && static_cast<keyword>(t->code) == k;
    }
    static constexpr bool is_wrapper(const token* t) { return is_keyword(t, keyword::wrapper); }
    static constexpr bool is_letter_like(const token* t) {
        return t->kind == token_kind::letter || is_keyword(t, keyword::greek);
    }
    constexpr bool is_capital(const token* t) const {
        return t->kind == token_kind::letter && text_[t->begin] >= 'A' && text_[t->begin] <= 'Z';
    }
    constexpr const token* statement_of(const token* t) const {
        while (t > first_ && t[-1].kind != token_kind::separator) --t;
        return t;
    }

private:
    constexpr bool at_least_two(const token* t) const {
        const text_view digits = text_of(t);
        return digits.size > 1 || digits[0] > '1';
    }
    constexpr const token* behind_primes(const token* t, const token* end) const {
        while (t < end && is_symbol(t, '\'')) ++t;
        return t;
    }
    constexpr const token* behind_entry(const token* t, const token* end, bool fresh,
                                        list_shape& out) const {
        if (is_symbol(t, '(')) return behind_bracket(t, end, out);
        if (t->kind == token_kind::number) {
            const bool counts = fresh && at_least_two(t) && t + 1 < end && is_letter_like(t + 1);
            if (!counts) return behind_arithmetic(t + 1, end, out);
            const token* after = behind_primes(t + 2, end);
            out.letters = true;
            if (after == end || (!is_symbol(after, '+') && !is_symbol(after, '-')))
                ++out.multiplied;
            return behind_arithmetic(after, end, out);
        }
        if (!is_letter_like(t)) {
            out.known = false;
            return end;
        }
        out.letters = true;
        t = behind_primes(t + 1, end);
        while (t < end && (is_symbol(t, '_') || is_symbol(t, '^'))) t = behind_list(t + 1);
        return behind_arithmetic(t, end, out);
    }
    /// + and - with what follows each: one place.
    constexpr const token* behind_arithmetic(const token* t, const token* end,
                                             list_shape& out) const {
        while (t < end && (is_symbol(t, '+') || is_symbol(t, '-'))) {
            ++t;
            if (t < end && t->kind == token_kind::number) ++t;
            if (t < end && is_letter_like(t)) {
                out.letters = true;
                t = behind_primes(t + 1, end);
            }
        }
        return t;
    }
    /// (ha) and (i-j) are one entry, (pos, 2i) several.
    constexpr const token* behind_bracket(const token* t, const token* end, list_shape& out) const {
        std::int32_t level = 0;
        out.letters = true;
        for (; t < end; ++t) {
            if (is_symbol(t, '(')) ++level;
            if (is_symbol(t, ',') && level == 1) ++out.entries;
            if (is_symbol(t, ')') && --level == 0) return t + 1;
        }
        out.known = false;
        return end;
    }

protected:
    text_view text_;
    const token* first_;
    const token* last_;  // the end token
};

}  // namespace ricci::notation
