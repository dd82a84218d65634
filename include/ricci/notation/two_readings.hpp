// What prints alike and means two things: where the argument of a function ends that has no
// parentheses, what / divides by, what braces hold together, numbers side by side. Such a text is
// refused, and both ways to write it are shown.
#pragma once

#include <cstdint>

#include <ricci/notation/parentheses.hpp>

namespace ricci::notation {

/// What stands between brackets, as it looks without them.
struct printed_shape {
    bool several = false;        // terms
    bool sign = false;           // a sign in front
    bool factors = false;        // more than one factor, or a quotient
    bool open = false;           // what follows could belong to its end
    std::int32_t first_end = 0;  // where its first factor ends
};

/// A text with changes here and there.
class rewriting {
public:
    constexpr void replace(std::int32_t begin, std::int32_t end, text_view by) {
        std::int32_t k = changes_.push({begin, end, by});
        for (; k > 0 && changes_[k - 1].begin > begin; --k) {
            changes_[k] = changes_[k - 1];
            changes_[k - 1] = {begin, end, by};
        }
    }
    constexpr void put(std::int32_t at, text_view what) { replace(at, at, what); }
    constexpr void write(text_view text, std::int32_t begin, std::int32_t end,
                         detail::text_builder& out) const {
        for (const change& c : changes_) {
            if (c.begin < begin || c.end > end) continue;
            out << text.slice(begin, c.begin) << c.by;
            begin = c.end;
        }
        out << text.slice(begin, end);
    }

private:
    struct change {
        std::int32_t begin;
        std::int32_t end;
        text_view by;
    };
    detail::buffer<change> changes_;
};

class reading_parser : public parenthesis_parser {
public:
    using parenthesis_parser::parenthesis_parser;

protected:
    /// An argument that no bracket closes.
    struct open_argument {
        std::int32_t word;   // where the function's word begins
        std::int32_t begin;  // and where the argument does
        bool number;         // it is one number
        bool greedy;         // of \exp: even a function's name behind it could belong to it
        ir::range over;      // what a reduction binds
    };
    /// Braces or an \underbrace around something, which print no bracket.
    struct brace_group {
        const token* first = nullptr;
        const token* behind = nullptr;
        std::int32_t open_end = 0;     // of { or \underbrace{
        std::int32_t close_begin = 0;  // of } or }_{label}
        bool under = false;
        printed_shape shape;
    };
    /// The factors of a term as far as they have been read.
    struct term_places {
        const token* first;
        std::int32_t dividend = 0;
        std::int32_t dividend_end = 0;
        std::int32_t divisor = 0;
        bool divided = false;  // the factor just read is a quotient
        bool modulo = false;   // by \bmod
        bool quotient = false;
        std::int32_t modulo_at = -1;
    };

    // What has been read -------------------------------------------------------------------------

    constexpr bool ends_open() const { return open_behind_ == now_ && !open_.empty(); }
    constexpr bool open_is_number() const { return open_[0].number; }
    constexpr bool open_is_greedy() const { return open_[0].greedy; }
    /// The function at `word` has read its argument, which begins at `begin`, without parentheses.
    constexpr void note_argument(std::int32_t word, std::int32_t begin, bool number, bool greedy,
                                 ir::range over = {}) {
        if (open_behind_ != now_) open_.clear();
        open_.push({word, begin, number, greedy, over});
        open_behind_ = now_;
    }
    constexpr bool ends_group() const { return group_.behind == now_; }
    /// One factor, which needs no brackets.
    static constexpr bool is_single(const printed_shape& s) {
        return !s.several && !s.sign && !s.factors && !s.open;
    }
    /// One factor with a sign in front.
    static constexpr bool is_signed(const printed_shape& s) {
        return !s.several && !s.factors && !s.open;
    }
    /// The group just read is a product, and its braces begin behind no other factor.
    constexpr bool ends_product_group() const { return ends_group() && group_.shape.factors; }
    constexpr void note_group(const token* first, std::int32_t open_end, std::int32_t close_begin,
                              bool under) {
        group_ = {first, now_, open_end, close_begin, under, shape_};
    }

    // Doubts -------------------------------------------------------------------------------------

    constexpr void refuse_both(std::int32_t begin, std::int32_t end, text_view why,
                               const rewriting& one, const rewriting& other) {
        detail::text_builder s;
        s << why << "; write ";
        one.write(text_, begin, end, s);
        s << " or ";
        other.write(text_, begin, end, s);
        fail(mistake_kind::unexpected, begin, end, s);
    }
    /// Where blanks before `at` begin.
    constexpr std::int32_t behind_ink(std::int32_t at) const {
        while (at > 0 && ir::is_blank(text_[at - 1])) --at;
        return at;
    }
    constexpr bool begin_doubt(std::int32_t begin, const token* term, text_view why) {
        if (doubt_.term != nullptr) return false;  // one is enough
        doubt_.term = term;
        doubt_.begin = begin;
        doubt_.end = -1;
        doubt_.why = why;
        return true;
    }
    /// Another factor, or a /, follows the open argument; `behind` is the token behind it.
    constexpr void doubt_argument(const term_places& t, const token* behind) {
        const std::int32_t begin = t.divided ? t.dividend : open_.back().word;
        if (!begin_doubt(begin, t.first,
                         "without parentheses it is open where the argument of this function ends"))
            return;
        doubt_.run = behind;
        doubt_.function = true;
        doubt_.greedy = open_[0].greedy;
        doubt_.over = open_.back().over;
        const std::int32_t first = open_[0].begin, end = behind[-1].end;
        doubt_.one.replace(behind_ink(first), first, "(");
        for (const open_argument& a : open_) {
            doubt_.other.replace(behind_ink(a.begin), a.begin, "(");
            doubt_.other.put(end, ")");
        }
        if (t.divided) close_quotient(t, end);
    }
    /// Another factor follows the quotient that ends here.
    constexpr void doubt_divisor(const term_places& t) {
        if (!begin_doubt(t.dividend, t.first,
                         t.modulo ? text_view("it is open how much \\bmod divides by")
                                  : text_view("it is open how much / divides by")))
            return;
        doubt_.run = now_;
        doubt_.one.put(t.divisor, "(");
        close_quotient(t, end_before());
    }
    constexpr void close_quotient(const term_places& t, std::int32_t end) {
        doubt_.other.put(t.dividend, t.modulo ? "(" : "\\frac{");
        if (!t.modulo) doubt_.other.replace(t.dividend_end, t.divisor, "}{");
        doubt_.other.put(end, t.modulo ? ")" : "}");
    }
    constexpr void doubt_group(const token* term) {
        if (!begin_doubt(term->begin, term, not_printed)) return;
        without_braces(term->begin, doubt_.one, doubt_.other);
    }
    /// a / {b c}
    constexpr void doubt_group_divisor(const term_places& t) {
        const printed_shape& shape = group_.shape;
        if (group_.under || shape.several || shape.sign || shape.open || shape.first_end == 0)
            return doubt_group(t.first);
        if (!begin_doubt(t.dividend, t.first, not_printed)) return;
        const std::int32_t end = group_.behind[-1].end;
        doubt_.one.replace(group_.first->begin, group_.open_end, "(");
        doubt_.one.replace(group_.close_begin, end, ")");
        doubt_.other.put(t.dividend, "\\frac{");
        doubt_.other.replace(t.dividend_end, group_.open_end, "}{");
        doubt_.other.put(shape.first_end, "}");
        doubt_.other.replace(group_.close_begin, end, "");
    }
    static constexpr text_view not_printed = "braces hold this together, and are not printed";
    /// The group just read: in parentheses, and without its braces. `first`: where the term begins.
    constexpr void without_braces(std::int32_t first, rewriting& one, rewriting& other) const {
        const std::int32_t begin = group_.first->begin, end = group_.behind[-1].end;
        const bool name = begin > first && is_name_end(group_.first[-1]);
        const text_view opener = name ? text_view(" \\cdot (") : text_view("(");
        if (group_.under) {
            one.put(begin, opener);
            one.put(end, ")");
        } else {
            one.replace(name ? behind_ink(begin) : begin, group_.open_end, opener);
            one.replace(group_.close_begin, end, ")");
        }
        const auto inked = [&](std::int32_t at) {
            return at >= 0 && at < text_.size &&
                   (is_ascii_letter(text_[at]) || is_digit(text_[at]));
        };
        other.replace(begin, group_.open_end, inked(begin - 1) ? " " : "");
        other.replace(group_.close_begin, end, inked(end) ? " " : "");
    }
    static constexpr bool is_name_end(const token& t) {
        return t.kind == token_kind::letter ||
               (t.kind == token_kind::command && static_cast<keyword>(t.code) == keyword::greek) ||
               (t.kind == token_kind::symbol && t.code == '\'');
    }
    /// 30 000, 2 \frac{1}{2}, x2 and x_ij: what stands side by side here may be meant as one.
    constexpr void doubt_neighbours(const token* factor, const token* term) {
        const token& before = now_[-1];
        const bool number = is(token_kind::number);
        const bool alone = before.kind == token_kind::number && factor + 1 == now_;
        const text_view digits = text_of(before);
        if (alone && number) {
            if (has_point(text_of(peek())) ||
                !begin_doubt(before.begin, term, "this can be one number and a product of two"))
                return;
            doubt_.one.replace(before.end, begin_here(), "");
        } else if (alone && is_key(keyword::frac) && !has_point(digits)) {
            const std::int32_t end = end_of_number_fraction();
            if (end < 0 || !begin_doubt(before.begin, term, "this can be a sum and a product"))
                return;
            doubt_.one.put(before.begin, "(");
            doubt_.one.replace(before.end, begin_here(), " + ");
            doubt_.one.put(end, ")");
        } else if (!peek().spaced && is_name_end(before) && (number || is(token_kind::letter))) {
            const bool script = &before != tokens_.data() && is_script(now_[-2]);
            if (!number && (!script || is_written_on())) return;
            if (!begin_doubt(script ? before.begin : factor->begin, term,
                             script ? text_view("only one sign stands above or below here")
                                    : text_view("a number behind a name can be part of it")))
                return;
            doubt_.begin = factor->begin;
            if (script) doubt_.one.put(before.begin, "{");
            else doubt_.one.put(begin_here(), "_{");
            const token* last = now_;
            while (script && last[1].kind == token_kind::letter && !last[1].spaced) ++last;
            doubt_.one.put(last->end, "}");
        } else {
            return;
        }
        doubt_.other.replace(before.end, begin_here(), " \\cdot ");
    }
    /// A name with scripts of its own begins here: w_ix_i.
    constexpr bool is_written_on() const {
        std::int32_t k = 1;
        while (is(token_kind::letter, k) && !peek(k).spaced) ++k;
        while (is_symbol('\'', k)) ++k;
        return is_script(peek(k));
    }
    static constexpr bool has_point(text_view digits) {
        for (const char c : digits)
            if (c == '.') return true;
        return false;
    }
    /// Where the \frac of two numbers that begins here ends; -1 if it is of something else.
    constexpr std::int32_t end_of_number_fraction() const {
        std::int32_t k = 1;
        for (std::int32_t part = 0; part < 2; ++part) {
            const bool braces = is_symbol('{', k);
            k += braces;
            if (!is(token_kind::number, k)) return -1;
            if (!braces && part == 0 && text_of(peek(k)).size == 2) return peek(k).end;
            ++k;
            if (braces && !is_symbol('}', k++)) return -1;
        }
        return peek(k - 1).end;
    }
    /// What a doubt is about does not reach beyond this place.
    constexpr void close_run(const token* term, const token* behind) {
        if (doubt_.term != term || doubt_.run == nullptr) return;
        if (binds_in(doubt_.run)) {  // an index behind what binds it has a sentence of its own
            doubt_ = {};
            return;
        }
        doubt_.end = behind[-1].end;
        doubt_.one.put(doubt_.end, ")");
        doubt_.run = nullptr;
    }
    constexpr bool binds_in(const token* t) const {
        for (; t < now_; ++t)
            for (std::int32_t k = 0; k < doubt_.over.count; ++k)
                if (t->kind != token_kind::symbol &&
                    text_of(*t) == program_.index(program_.links[doubt_.over.first + k]))
                    return true;
        return false;
    }
    constexpr bool ends_at_functions(const token* term) const {
        return doubt_.term == term && doubt_.function && !doubt_.greedy;
    }
    constexpr bool doubts_divisor(const token* term) const {
        return doubt_.term == term && !doubt_.function;
    }
    constexpr void end_term(const token* term) {
        if (doubt_.term != term) return;
        close_run(term, now_);
        if (doubt_.term != term) return;
        refuse_both(doubt_.begin, doubt_.end < 0 ? end_before() : doubt_.end, doubt_.why,
                    doubt_.one, doubt_.other);
    }
    /// A function's name begins a factor of its own: \sin x \cos y.
    constexpr bool starts_function() const {
        return is_key(keyword::function) || (is_key(keyword::wrapper) && word() == "operatorname");
    }

    // Braces and powers where they are read
    // --------------------------------------------------------

    /// {x_i z_i}^2, whose exponent has just been read; a - {x_i + z_i}.
    constexpr void refuse_group(const brace_group& g, std::int32_t begin) {
        const brace_group now = group_;
        group_ = g;
        rewriting one, other;
        without_braces(begin, one, other);
        group_ = now;
        refuse_both(begin, end_before(), not_printed, one, other);
    }
    /// \sin{x}^2, which has just been read to its end.
    constexpr void refuse_braced_argument(std::int32_t word) {
        rewriting one, other;
        one.replace(group_.first->begin, group_.open_end, "(");
        other.replace(group_.first->begin, group_.open_end, "(");
        one.replace(group_.close_begin, group_.behind[-1].end, ")");
        other.replace(group_.close_begin, group_.behind[-1].end, "");
        other.put(end_before(), ")");
        refuse_both(word, end_before(), not_printed, one, other);
    }
    /// \sin{x z}: the group just read is an argument.
    constexpr void refuse_group_argument(std::int32_t word) {
        const std::int32_t end = group_.behind[-1].end;
        rewriting one, other;
        one.replace(group_.first->begin, group_.open_end, "(");
        other.replace(group_.first->begin, group_.open_end, "(");
        one.replace(group_.close_begin, end, ")");
        other.put(group_.shape.first_end, ")");
        other.replace(group_.close_begin, end, "");
        refuse_both(word, end, not_printed, one, other);
    }
    /// x^2^3, which no page prints; the first exponent stands in [begin, end).
    constexpr void refuse_two_powers(std::int32_t first, std::int32_t begin, std::int32_t end) {
        rewriting one, other;
        one.put(first, "(");
        one.put(end, ")");
        other.put(first, "(");
        other.put(behind_ink(behind_ink(begin) - 1), ")");
        other.put(begin, "{");
        other.put(end_before(), "}");
        refuse_both(first, end_before(), "one power behind another can be of it and of the value",
                    one, other);
    }
    /// i + j \bmod 2, between `begin` and here; its last term begins at `term`.
    constexpr void refuse_modulo(std::int32_t begin, std::int32_t term, bool second) {
        // of i - i \\bmod 2 the other reading is 0
        const std::int32_t sign = behind_ink(term) - 1;
        if (second &&
            text_.slice(begin, behind_ink(sign)) == text_.slice(term, behind_ink(modulo_at_)))
            return;
        rewriting one, other;
        one.put(begin, "(");
        one.put(behind_ink(modulo_at_), ")");
        other.put(term, "(");
        other.put(end_before(), ")");
        refuse_both(begin, end_before(), "it is open how much of the sum \\bmod divides", one,
                    other);
    }
    /// 1e-3, as programs write numbers. The cursor is at the 1.
    constexpr bool refuse_exponent() {
        const token& e = peek(1);
        if (e.kind != token_kind::letter || e.spaced || !(text_of(e) == "e" || text_of(e) == "E"))
            return false;
        const bool sign = is_symbol('-', 2) || is_symbol('+', 2);
        if ((sign && peek(2).spaced) || !is(token_kind::number, 2 + sign) || peek(2 + sign).spaced)
            return false;
        const token& last = peek(2 + sign);
        const text_view number = text_of(peek()), power = text_of(last);
        const bool one = number == "1";
        detail::text_builder s;
        s << "this can be a number in a program's way and a product with " << text_of(e)
          << "; write " << (one ? "" : "(") << (one ? text_view() : number)
          << (one ? "" : " \\cdot ") << "10^{" << (is_symbol('-', 2) ? "-" : "") << power << '}'
          << (one ? "" : ")") << " or " << number << " \\cdot " << text_of(e) << ' '
          << (sign ? text_of(peek(2)) : text_view("\\cdot")) << ' ' << power;
        fail(mistake_kind::unexpected, begin_here(), last.end, s);
        return true;
    }
    /// \sin^{-1} x: the value's reciprocal, or the inverse function of `argument`.
    constexpr void refuse_inverse_function(ir::function f, std::int32_t word, text_view name,
                                           text_view argument, std::int32_t end) {
        detail::text_builder s;
        say_inverse_function(f, name, argument, s);
        fail(mistake_kind::unexpected, word, end, s);
    }

    struct doubt {
        const token* term = nullptr;  // the first token of the term that it is about; null: none
        const token* run = nullptr;   // where what follows begins, as long as that goes on
        std::int32_t begin = 0;
        std::int32_t end = 0;
        text_view why;
        bool function = false;  // it is about an argument
        bool greedy = false;    // which takes in what begins with a function's name
        ir::range over{};       // what the function in doubt binds
        rewriting one;
        rewriting other;
    };

    printed_shape shape_;                // of the sum read last
    printed_shape term_shape_;           // of the term read last
    brace_group group_;                  // the braces read last
    std::int32_t modulo_at_ = -1;        // of the term read last, where its \bmod stands
    const token* sum_behind_ = nullptr;  // behind the \sum read last

private:
    detail::buffer<open_argument> open_;  // arguments that end at one place, innermost first
    const token* open_behind_ = nullptr;
    doubt doubt_;  // the first one
};

}  // namespace ricci::notation
