// Characters to tokens. Spaces, comments and words of layout disappear here; brackets are paired.
#pragma once

#include <cstdint>

#include <ricci/detail/buffer.hpp>
#include <ricci/detail/text.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/notation/characters.hpp>
#include <ricci/notation/line_ends.hpp>
#include <ricci/notation/misplaced.hpp>
#include <ricci/notation/sizes.hpp>
#include <ricci/notation/token.hpp>
#include <ricci/notation/vocabulary.hpp>

namespace ricci::notation {

class tokenizer {
public:
    constexpr explicit tokenizer(text_view text) : text_(text) {}

    constexpr token_list run() {
        while (at_ < text_.size && out_.mistake.kind == ir::mistake_kind::valid) step();
        if (!out_.mistake && !open_.empty()) {
            const bracket& b = open_.back();
            fail(ir::mistake_kind::unbalanced, b.begin, b.end,
                 "this bracket is never closed; close it");
        }
        if (!out_.mistake && !around_.empty())
            fail(ir::mistake_kind::unbalanced, around_.back().begin, around_.back().end,
                 "this is never ended; write the \\end that belongs to it");
        separate(text_.size, text_.size);
        push(token_kind::end, text_.size, text_.size, 0, true);
        return static_cast<token_list&&>(out_);
    }

private:
    struct bracket {
        char closer;
        std::int32_t begin;
        std::int32_t end;
    };

    struct environment_start {
        text_view name;
        std::int32_t begin;
        std::int32_t end;
    };

    constexpr void fail(ir::mistake_kind kind, std::int32_t begin, std::int32_t end,
                        text_view sentence) {
        if (!out_.mistake) out_.mistake = ir::make_mistake(kind, text_, begin, end, sentence);
    }
    constexpr void push(token_kind kind, std::int32_t begin, std::int32_t end,
                        unsigned char code = 0, bool ends_term = false, bool starts_name = false) {
        if (line_end_.kind != token_kind::end) settle_line_end(kind, code);
        out_.tokens.push({kind, code, spaced_, ends_term, starts_name, staggered_, dress_,
                          static_cast<unsigned char>(spelled_.size), begin, end, spelled_.data});
        spaced_ = staggered_ = false;
    }
    constexpr void separate(std::int32_t begin, std::int32_t end) {
        if (!open_.empty()) {
            spaced_ = true;
            return;
        }
        line_end_ = {};
        if (ends_with_point()) out_.tokens.shrink(out_.tokens.size() - 1);
        push(token_kind::separator, begin, end, 0, true);
    }

    // Lines ---------------------------------------------------------------------------------------

    constexpr void end_line(std::int32_t begin, std::int32_t end, bool row = false) {
        spaced_ = true;
        if (!open_.empty() && !row) return;
        if (line_end_.kind == token_kind::end)
            line_end_ = {open_.empty() ? token_kind::separator : token_kind::row, begin, end};
    }
    /// The end of a line in the text. An empty line ends an equation, brackets or none.
    constexpr void new_line() {
        const std::int32_t begin = at_++;
        if (!is_empty_line(text_, begin)) return end_line(begin, at_);
        if (!open_.empty())
            return fail(ir::mistake_kind::unbalanced, open_.back().begin, open_.back().end,
                        "this bracket is not closed before the empty line, which ends the "
                        "equation; close it");
        separate(begin, at_);
    }
    /// Decides about the end of the line before a token.
    constexpr void settle_line_end(token_kind kind, unsigned char code) {
        const pending_end line = line_end_;
        line_end_ = {};
        detail::buffer<token>& all = out_.tokens;
        if (joins_lines(kind, code)) return;
        if (!all.empty() && joins_lines(all.back().kind, all.back().code)) return;
        if (line.kind == token_kind::separator && is_point_last()) all.shrink(all.size() - 1);
        all.push({line.kind, 0, false, true, false, false, words::dress::plain, 0, line.begin,
                  line.end, nullptr});
    }
    /// The last token is a comma or a full stop between statements.
    constexpr bool ends_with_point() const { return open_.empty() && is_point_last(); }
    constexpr bool is_point_last() const {
        if (out_.tokens.empty()) return false;
        const token& last = out_.tokens[out_.tokens.size() - 1];
        return last.kind == token_kind::symbol && (last.code == ',' || last.code == '.');
    }

    constexpr void step() {
        const char c = text_[at_];
        const std::int32_t begin = at_;
        if (static_cast<unsigned char>(c) < ' ' && is_lost_command()) return;
        if (c == ' ' || c == '\t' || c == '\r' || c == '~' || (c == '&' && open_.empty())) {
            if (c == '&' && ends_with_point()) separate(begin, begin + 1);
            spaced_ = true;
            while (++at_ < text_.size && text_[at_] == ' ') {
            }
        } else if (c == '\n') {
            new_line();
        } else if (c == '%') {
            while (at_ < text_.size && text_[at_] != '\n') ++at_;
        } else if (c == '$') {
            ++at_;
            separate(begin, at_);
        } else if (c == ';') {
            ++at_;
            // within brackets a semicolon separates nothing, so it stays a character of its own
            if (open_.empty()) separate(begin, at_);
            else push(token_kind::symbol, begin, at_, ';');
        } else if (c == '\\') {
            command();
        } else if (is_digit(c)) {
            while (at_ < text_.size && is_digit(text_[at_])) ++at_;
            if (at_ + 1 < text_.size && text_[at_] == '.' && is_digit(text_[at_ + 1])) {
                ++at_;
                while (at_ < text_.size && is_digit(text_[at_])) ++at_;
            }
            push(token_kind::number, begin, at_);
        } else if (is_ascii_letter(c)) {
            push(token_kind::letter, begin, ++at_, 0, false, true);
        } else if (static_cast<unsigned char>(c) >= 0x80) {
            character(begin);
        } else {
            ++at_;
            symbol(c, begin);
        }
    }

    /// What a compiler made of \\f and its like, where the literal is not raw, is refused.
    constexpr bool is_lost_command() {
        const lost_command lost = find_lost(text_, at_, !open_.empty());
        if (lost.letter == '\0') return false;
        detail::text_builder sentence;
        write_lost(text_, at_, lost, sentence);
        fail(ir::mistake_kind::unexpected, at_, lost.end, sentence);
        return true;
    }

    /// A character beyond ASCII: a space, a sign that looks like one of LaTeX, or a letter.
    constexpr void character(std::int32_t begin) {
        const code_point c = decode(text_, at_);
        if (c.length == 0)
            return fail(ir::mistake_kind::unexpected, at_, at_ + 1, "this is not UTF-8 text");
        at_ += c.length;
        if (is_space(c.value)) {
            spaced_ = true;
            return;
        }
        if (is_line_end(c.value)) return end_line(begin, at_);
        const text_view sign = sign_meaning(c.value);
        if (sign.empty() && is_letter(c.value))
            return push(token_kind::letter, begin, at_, 0, false, true);
        if (sign == "\\mathbb{1}" && opens_bracket()) {
            spaced_ = true;
            return;
        }
        spelled_ = sign;
        if (sign == "\\|") push(token_kind::symbol, begin, at_, double_bar);
        else if (sign.size > 1 && sign[0] == '\\' && sign[sign.size - 1] != '}')
            named_command(sign.slice(1, sign.size), begin);
        else if (sign.size == 1 && is_ascii_letter(sign[0]))
            push(token_kind::letter, begin, at_, 0, false, true);
        else if (sign == "-" || sign == "/" || sign == "*" || sign == "|" || sign == "'")
            symbol(sign[0], begin);
        else unknown_character(c.value, begin);
        spelled_ = {};
    }
    constexpr void unknown_character(char32_t c, std::int32_t begin) {
        detail::text_builder sentence;
        sentence << "the character ";
        describe(c, sentence);
        const text_view sign = sign_meaning(c);
        const bool script = !sign.empty() && (sign[0] == '^' || sign[0] == '_');
        sentence << (sign.empty() ? " is none of the notation" : ", is none of the notation");
        if (script) sentence << "; write " << sign;
        fail(ir::mistake_kind::unexpected, begin, at_, sentence);
    }

    constexpr void symbol(char c, std::int32_t begin) {
        if (c == '{' && is_stagger()) {
            staggered_ = true;
            return;
        }
        const char closer = c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : '\0';
        if (closer != '\0') open_.push({closer, begin, at_});
        if (c == '}' && !open_.empty() && open_.back().closer == styled) {
            const bool names_tensor = open_.back().begin == tensor_;
            spaced_ = at_ < text_.size && is_ascii_letter(text_[at_]);
            dress_ = words::dress::plain;
            open_.shrink(open_.size() - 1);
            if (names_tensor && next() == '{') open_scripts();
            return;
        }
        if (c == ')' || c == ']' || c == '}') close(c, begin);
        if (c == ':' && at_ < text_.size && text_[at_] == '=') {
            ++at_;
            return push_command(keyword::defines, begin);
        }
        if (c < ' ' || c == 0x7f)
            return fail(ir::mistake_kind::unexpected, begin, at_,
                        "this character has no meaning here");
        const bool ends =
            closer == '\0' && (c == '+' || c == '-' || c == ')' || c == ']' || c == '}' ||
                               c == ',' || c == '=' || c == '&' || c == '<' || c == '>');
        push(token_kind::symbol, begin, at_, static_cast<unsigned char>(c), ends);
    }
    constexpr void close(char closer, std::int32_t begin) {
        if (!open_.empty() && open_.back().closer == closer) {
            open_.shrink(open_.size() - 1);
        } else if (open_.empty()) {
            fail(ir::mistake_kind::unbalanced, begin, at_,
                 "this bracket closes nothing; remove it or open it before");
        } else {
            const bracket& b = open_.back();
            const bool list = closer == '}' && b.closer == ')' && b.begin > 1 &&
                              (text_[b.begin - 2] == '_' || text_[b.begin - 2] == '^');
            fail(ir::mistake_kind::unbalanced, b.begin, b.end,
                 list ? text_view(
                            "this bracket is not closed before the one around it is; close it, "
                            "or write a symmetric part out: \\frac{1}{2} (k_a l_b + k_b l_a)")
                      : text_view(
                            "this bracket is not closed before the one around it is; close it"));
        }
    }

    constexpr void command() {
        const std::int32_t begin = at_++;
        if (at_ == text_.size)
            return fail(ir::mistake_kind::unexpected, begin, at_, "a backslash needs a word");
        if (is_ascii_letter(text_[at_])) {
            while (at_ < text_.size && is_ascii_letter(text_[at_])) ++at_;
            return named_command(text_.slice(begin + 1, at_), begin);
        }
        const char c = text_[at_++];
        if (static_cast<unsigned char>(c) >= 0x80) {
            at_ += utf8_length(text_, begin + 1) - 1;
            fail(ir::mistake_kind::unexpected, begin, at_, "a backslash needs a word");
        } else if (c == '\\') {
            if (!open_.empty() && open_.back().closer == in_cases)
                push(token_kind::row, begin, at_, 0, true);
            else end_line(begin, at_, true);
        } else if (c == ',' || c == ';' || c == '!' || c == ':' || c == ' ' || c == '\n') {
            spaced_ = true;
        } else {
            // \{ and the like: the parser says what is wrong
            push(token_kind::symbol, begin, at_, c == '|' ? double_bar : '\0');
        }
    }
    /// Words that only say how a formula looks. What is wide, behind a comma, ends an equation.
    constexpr void layout(text_view word, std::int32_t begin) {
        spaced_ = true;
        if ((word == "quad" || word == "qquad") && ends_with_point()) separate(begin, at_);
        if ((word == "left" || word == "right") && next() == '.')
            fail(ir::mistake_kind::unexpected, begin, at_ + 1,
                 "a bar at which something is evaluated has no indices, and a bracket needs its "
                 "partner; name the value, as in y^i = f(x^i), and write \\begin{cases} for cases");
        else if (sizes_bracket(word) && !bracket_follows(text_, at_)) refuse_size(word, begin);
    }
    constexpr void refuse_size(text_view word, std::int32_t begin) {
        detail::text_builder sentence;
        sentence << '\\' << word << " says how large a bracket is, and none follows; write \\"
                 << word << (word == "right" ? ") or leave it out" : "( or leave it out");
        fail(ir::mistake_kind::unexpected, begin, at_, sentence);
    }
    /// The next character that is no space; 0 at the end.
    constexpr char next() {
        while (at_ < text_.size && text_[at_] == ' ') ++at_;
        return at_ < text_.size ? text_[at_] : '\0';
    }
    /// One past the partner of the { at the cursor, or the end of the text.
    constexpr std::int32_t end_of_group() const {
        std::int32_t level = 0;
        for (std::int32_t k = at_; k < text_.size; ++k) {
            if (text_[k] == '{') ++level;
            if (text_[k] == '}' && --level == 0) return k + 1;
        }
        return text_.size;
    }
    /// \tag{1}, \tag*{1}, \label{eq:one}: for the reader of a page.
    constexpr void label(std::int32_t begin) {
        if (next() == '*') ++at_;
        if (next() != '{')
            return fail(ir::mistake_kind::unexpected, begin, at_,
                        "the number of an equation stands in braces: \\tag{1}");
        at_ = end_of_group();
        if (text_[at_ - 1] != '}')
            return fail(ir::mistake_kind::unbalanced, begin, at_,
                        "this bracket is never closed; close it");
        spaced_ = true;
    }
    /// {} between a name and its scripts, which only keeps them apart: T^a{}_b. Ends behind it.
    constexpr bool is_stagger() {
        if (out_.tokens.empty() || next() != '}') return false;
        const std::int32_t before = at_;
        const token& last = out_.tokens.back();
        ++at_;
        const bool behind_name =
            last.starts_name || last.kind == token_kind::number ||
            (last.kind == token_kind::symbol && (last.code == '}' || last.code == '\'')) ||
            (last.kind == token_kind::command &&
             last.code == static_cast<unsigned char>(keyword::prime));
        if (behind_name && (next() == '^' || next() == '_')) return true;
        at_ = before;
        return false;
    }
    /// The braces around scripts that stand one behind the other.
    constexpr void open_scripts() {
        open_.push({styled, at_, at_ + 1});
        ++at_;
        staggered_ = true;
    }
    /// \tensor{T}{^a_b} is T^a{}_b, and so is T\indices{^a_b}. False where no braces follow.
    constexpr bool tensor_scripts(text_view word) {
        if (word == "indices" && next() == '{') {
            open_scripts();
            return true;
        }
        if (word != "tensor" || next() != '{') return false;
        tensor_ = at_;
        open_.push({styled, at_, at_ + 1});
        ++at_;
        spaced_ = true;
        return true;
    }
    /// \mathbb{1}, when a bracket follows, is what the bracket is alone.
    constexpr bool indicator() {
        const std::int32_t before = at_;
        if (next() == '{') ++at_;
        const bool one = next() == '1';
        if (one) ++at_;
        if (next() == '}') ++at_;
        if (one && opens_bracket()) spaced_ = true;
        else at_ = before;
        return one && at_ != before;
    }
    constexpr bool opens_bracket() {
        return next() == '[' || continues_with("\\left[") || continues_with("\\left [") ||
               continues_with("\\big") || continues_with("\\Big");
    }
    /// Bold and the like is how a name looks: \boldsymbol{\theta} is \theta. Words keep their
    /// braces, which say where they end, and so does what is more than a name.
    constexpr void style(keyword k, text_view wrapper, std::int32_t begin) {
        dress_ = words::dress_of(wrapper);
        out_.dressed = out_.dressed || dress_ != words::dress::plain;
        spaced_ = true;
        const bool braces = next() == '{';
        const std::int32_t first = at_ + braces, last = braces ? end_of_group() - 1 : first + 1;
        bool word = last > first && last < text_.size, name = true;
        for (std::int32_t c = first; c < last && c < text_.size; ++c) {
            word = word && (is_ascii_letter(text_[c]) || is_digit(text_[c]));
            name = name && text_[c] != '+' && text_[c] != '-' && text_[c] != '=' && text_[c] != ' ';
        }
        if (word && last == first + 1) {  // one letter, or the one that follows
            push(is_digit(text_[first]) ? token_kind::number : token_kind::letter, first, last, 0,
                 false, !is_digit(text_[first]));
            at_ = last + braces;
            spaced_ = at_ < text_.size && is_ascii_letter(text_[at_]);
        } else if (word && braces) {
            push_command(k, begin);
        } else if (braces && name) {
            open_.push({styled, at_, at_ + 1});
            ++at_;
            return;  // dressed up to the brace that closes
        } else if (!braces && next() == '\\') {
            command();
        }
        dress_ = words::dress::plain;
    }
    static constexpr bool is_style(text_view word) {
        return word != "text" && word != "mathrm" && word != "operatorname" && word != "textrm";
    }
    // What closes a bracket, where that is no character of its own.
    static constexpr char styled = 's', floor = 'f', ceil = 'g', in_cases = 'c';
    constexpr void named_command(text_view word, std::int32_t begin) {
        const keyword k = keyword_of(word);
        if (k == keyword::none_of_them || k == keyword::wrapper) {
            if (is_among(word, words::indicators) && indicator()) return;
            if ((word == "tensor" || word == "indices") && tensor_scripts(word)) return;
        }
        if (k == keyword::layout) layout(word, begin);
        else if (k == keyword::bar) push(token_kind::symbol, begin, at_, '|');
        else if (k == keyword::double_bar) push(token_kind::symbol, begin, at_, double_bar);
        else if (k == keyword::label) label(begin);
        else if (k == keyword::wrapper && is_style(word)) style(k, word, begin);
        else if (k == keyword::begin || k == keyword::end) environment(k == keyword::begin, begin);
        else push_command(k, begin);
        // \operatorname* is \operatorname with its limits below
        if (k == keyword::wrapper && word == "operatorname" && at_ < text_.size &&
            text_[at_] == '*')
            ++at_;
    }
    constexpr void push_command(keyword k, std::int32_t begin) {
        const bool closes = k == keyword::right_floor || k == keyword::right_ceil;
        if (k == keyword::left_floor || k == keyword::left_ceil)
            open_.push({k == keyword::left_floor ? floor : ceil, begin, at_});
        if (closes) close(k == keyword::right_floor ? floor : ceil, begin);
        const bool ends = closes || k == keyword::end_cases || k == keyword::equivalent ||
                          k == keyword::defines || k == keyword::logical_and ||
                          k == keyword::logical_or ||
                          (k >= keyword::less && k <= keyword::not_equal);
        const bool name = k == keyword::greek || k == keyword::accent || k == keyword::wrapper;
        push(token_kind::command, begin, at_, static_cast<unsigned char>(k), ends, name);
    }
    /// \begin{cases} and \end{cases} become commands of their own that pair like brackets. What
    /// stands around whole equations, such as \begin{align}, only separates them.
    constexpr void environment(bool opens, std::int32_t begin) {
        for (const text_view name : words::environments) {
            if (!continues_with(name)) continue;
            at_ += name.size;
            if (name == words::environments[0]) return cases(opens, begin);
            if (opens) {
                around_.push({name, begin, at_});
            } else if (around_.empty() || around_.back().name != name) {
                return fail(ir::mistake_kind::unbalanced, begin, at_,
                            "this closes nothing; remove it or write the \\begin that it ends");
            } else {
                around_.shrink(around_.size() - 1);
            }
            return separate(begin, at_);
        }
        fail(ir::mistake_kind::unknown_command, begin, at_,
             "only \\begin{cases} ... \\end{cases} and what stands around equations, such as "
             "\\begin{align}, are known");
    }
    constexpr bool continues_with(text_view word) const {
        return at_ + word.size <= text_.size && text_.slice(at_, at_ + word.size) == word;
    }
    constexpr void cases(bool opens, std::int32_t begin) {
        push_command(opens ? keyword::begin_cases : keyword::end_cases, begin);
        if (opens) open_.push({in_cases, begin, at_});
        else close(in_cases, begin);
    }

    text_view text_;
    std::int32_t at_ = 0;
    bool spaced_ = false;
    bool staggered_ = false;    // of the next token
    std::int32_t tensor_ = -1;  // where the braces of \tensor's name begin
    words::dress dress_ = words::dress::plain;
    text_view spelled_;  // of the next token, where it is not as in the text
    pending_end line_end_;
    detail::buffer<bracket> open_;
    detail::buffer<environment_start> around_;  // what the equations stand in
    token_list out_;
};

}  // namespace ricci::notation
