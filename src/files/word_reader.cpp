// Words and numbers between spaces.
#include "src/files/word_reader.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace ricci::files {
namespace {

// Signs that others write, too: "+1".
std::string_view without_plus(std::string_view word) {
    if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
    return word;
}

}  // namespace

bool read_integer(std::string_view word, std::int64_t& value) {
    word = without_plus(word);
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    return problem == std::errc() && end == word.data() + word.size();
}

bool read_number(std::string_view word, double& value) {
    word = without_plus(word);
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (problem == std::errc::result_out_of_range && end == word.data() + word.size()) {
        // Too small for a double is 0 to all that follows; too large is no number.
        const std::size_t exponent = word.find_first_of("eE");
        value = 0;
        return exponent + 1 < word.size() && word[exponent + 1] == '-';
    }
    return problem == std::errc() && end == word.data() + word.size();
}

std::string_view word_reader::word(const char* what) {
    skip_space();
    word_at_ = at_;
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    if (at_ == word_at_) fail("it ends where {} should stand", what);
    return text_.substr(word_at_, at_ - word_at_);
}

std::int64_t word_reader::integer(const char* what, std::int64_t least, std::int64_t most) {
    const std::string_view text = word(what);
    std::int64_t value = 0;
    if (!read_integer(text, value)) fail("{} should stand where {} does", what, printable(text));
    if (value < least || value > most)
        fail("{} is {}, and has to be from {} to {}", what, value, least, most);
    return value;
}

double word_reader::number(const char* what) {
    const std::string_view text = word(what);
    double value = 0;
    if (!read_number(text, value)) fail("{} should stand where {} does", what, printable(text));
    return value;
}

std::string_view word_reader::rest_of_line() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find('\n', at_), text_.size());
    return text_.substr(begin, at_ - begin);
}

std::size_t word_reader::line() const {
    const std::string_view before = text_.substr(0, word_at_);
    return static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
}

}  // namespace ricci::files
