// A text of words and numbers between spaces, read in order; what is wrong is said with its line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "src/files/words.hpp"

namespace ricci::files {

class word_reader {
public:
    word_reader(std::string_view text, const place& where) : text_(text), where_(where) {}

    /// Whether no word is left.
    bool done() {
        skip_space();
        return at_ == text_.size();
    }
    /// The next word. Throws where there is none; `what` says what should stand there.
    std::string_view word(const char* what);
    /// The next word, as a whole number from `least` to `most`, or any number.
    std::int64_t integer(const char* what, std::int64_t least, std::int64_t most);
    double number(const char* what);

    /// The rest of the line.
    std::string_view rest_of_line();
    /// Bytes that are left.
    std::size_t left() const { return text_.size() - at_; }
    /// Where the next word begins in the text, which goes on there after a return.
    std::size_t at() const { return at_; }

    /// Throws: "ricci: FILE: line 3: WORDS.", the line of the word that was read last.
    template <class... Values>
    [[noreturn]] void fail(fmt::format_string<Values...> words, Values&&... values) const {
        files::fail(where_, "line {}: {}", line(),
                    fmt::format(words, std::forward<Values>(values)...));
    }

private:
    static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
    void skip_space() {
        while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    }
    std::size_t line() const;

    std::string_view text_;
    place where_;
    std::size_t at_ = 0;
    std::size_t word_at_ = 0;  // of the word that was read last
};

/// A whole number in the words of a text; false where they are none.
bool read_integer(std::string_view word, std::int64_t& value);
/// A number in decimal digits, perhaps with an exponent.
bool read_number(std::string_view word, double& value);

}  // namespace ricci::files
