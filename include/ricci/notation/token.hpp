// Characters to tokens. Spaces, comments and words of layout disappear here; brackets are paired.
#pragma once

#include <cstdint>

#include <ricci/detail/buffer.hpp>
#include <ricci/detail/text.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/notation/characters.hpp>
#include <ricci/notation/vocabulary.hpp>

namespace ricci::notation {

using detail::text_view;

enum class token_kind : std::uint8_t {
    letter,     // one letter, in UTF-8
    number,     // digits, with at most one point
    command,    // \name
    symbol,     // one character
    row,        // \\ within cases
    separator,  // between statements
    end,
};

/// `code` is the character of a symbol and the keyword of a command, so that looking ahead compares
/// numbers, not texts. No default initialisers: lists of tokens grow without writing them twice.
struct token {
    token_kind kind;
    unsigned char code;
    bool spaced;  // something blank stands before it
    bool ends_term;
    bool starts_name;
    std::int32_t begin;
    std::int32_t end;
};

struct token_list {
    detail::buffer<token> tokens;
    ir::mistake mistake;
};

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
        push(token_kind::separator, text_.size, text_.size, 0, true);
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
        out_.tokens.push({kind, code, spaced_, ends_term, starts_name, begin, end});
        spaced_ = false;
    }
    constexpr void separate(std::int32_t begin, std::int32_t end) {
        if (open_.empty()) push(token_kind::separator, begin, end, 0, true);
        else spaced_ = true;
    }

    constexpr void step() {
        const char c = text_[at_];
        const std::int32_t begin = at_;
        if (c == ' ' || c == '\t' || c == '\r' || c == '~' || (c == '&' && open_.empty())) {
            spaced_ = true;
            while (++at_ < text_.size && text_[at_] == ' ') {
            }
        } else if (c == '\n') {
            separate(begin, ++at_);
        } else if (c == '%') {
            while (at_ < text_.size && text_[at_] != '\n') ++at_;
        } else if (c == '$') {
            ++at_;
            separate(begin, at_);
        } else if (c == ';') {
            ++at_;
            // within brackets a semicolon separates nothing, so it stays a character of its own
            if (open_.empty()) push(token_kind::separator, begin, at_, 0, true);
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
        } else if (static_cast<unsigned char>(c) >= 0x80 || is_ascii_letter(c)) {
            const std::int32_t length = utf8_length(text_, at_);
            if (length == 0)
                return fail(ir::mistake_kind::unexpected, at_, at_ + 1, "this is not UTF-8 text");
            at_ += length;
            push(token_kind::letter, begin, at_, 0, false, true);
        } else {
            ++at_;
            symbol(c, begin);
        }
    }

    constexpr void symbol(char c, std::int32_t begin) {
        const char closer = c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : '\0';
        if (closer != '\0') open_.push({closer, begin, at_});
        if (c == ')' || c == ']' || c == '}') close(c, begin);
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
            fail(ir::mistake_kind::unbalanced, b.begin, b.end,
                 "this bracket is not closed before the one around it is; close it");
        }
    }

    constexpr void command() {
        const std::int32_t begin = at_++;
        if (at_ == text_.size)
            return fail(ir::mistake_kind::unexpected, begin, at_, "a backslash needs a word");
        if (is_ascii_letter(text_[at_])) {
            while (at_ < text_.size && is_ascii_letter(text_[at_])) ++at_;
            const text_view word = text_.slice(begin + 1, at_);
            const keyword k = keyword_of(word);
            if (k == keyword::layout) spaced_ = true;
            else if (k == keyword::bar) push(token_kind::symbol, begin, at_, '|');
            else if (k == keyword::begin || k == keyword::end)
                environment(k == keyword::begin, begin);
            else push_command(k, begin);
            // \operatorname* is \operatorname with its limits below
            if (word == "operatorname" && at_ < text_.size && text_[at_] == '*') ++at_;
            return;
        }
        const char c = text_[at_++];
        if (c == '\\') {
            if (open_.empty()) push(token_kind::separator, begin, at_, 0, true);
            else push(token_kind::row, begin, at_, 0, true);
        } else if (c == ',' || c == ';' || c == '!' || c == ':' || c == ' ' || c == '\n') {
            spaced_ = true;
        } else {
            push(token_kind::symbol, begin, at_);  // \| and the like: the parser says what is wrong
        }
    }
    constexpr void push_command(keyword k, std::int32_t begin) {
        const bool ends = k == keyword::end_cases || k == keyword::equivalent ||
                          k == keyword::logical_and || k == keyword::logical_or ||
                          (k >= keyword::less && k <= keyword::not_equal);
        const bool name = k == keyword::greek || k == keyword::accent || k == keyword::wrapper;
        push(token_kind::command, begin, at_, static_cast<unsigned char>(k), ends, name);
    }
    /// \begin{cases} and \end{cases} become commands of their own that pair like brackets. What stands
    /// around whole equations, such as \begin{align}, only separates them.
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
        if (opens) open_.push({'c', begin, at_});
        else close('c', begin);
    }

    text_view text_;
    std::int32_t at_ = 0;
    bool spaced_ = false;
    detail::buffer<bracket> open_;
    detail::buffer<environment_start> around_;  // what the equations stand in
    token_list out_;
};

}  // namespace ricci::notation
