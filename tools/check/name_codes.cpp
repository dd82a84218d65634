// Words between marks that no language has.
#include "check/name_codes.hpp"

#include <cstddef>
#include <string_view>

namespace ricci::papers {

namespace {

constexpr std::string_view opening = "qz", closing = "zq";
constexpr char value_mark = 'y';        // of the value of an unknown function
constexpr std::size_t digit_base = 16;  // the letters a to p, none of which is part of a mark

}  // namespace

std::string name_codes::word_for(const std::string& key, const std::string& written, bool value) {
    const auto known = words_.find(key);
    if (known != words_.end()) return known->second;
    std::string digits;
    for (std::size_t number = written_.size();; number /= digit_base) {
        digits.insert(digits.begin(), static_cast<char>('a' + number % digit_base));
        if (number < digit_base) break;
    }
    written_.push_back(written);
    std::string out = std::string(opening) + (value ? std::string(1, value_mark) : std::string()) +
                      digits + std::string(closing);
    words_.emplace(key, out);
    return out;
}

std::string name_codes::shown(const std::string& sentence) const {
    std::string out;
    std::size_t done = 0;
    for (std::size_t at = sentence.find(opening); at != std::string::npos;
         at = sentence.find(opening, at + 1)) {
        std::size_t end = at + opening.size(), number = 0;
        if (end < sentence.size() && sentence[end] == value_mark) ++end;
        while (end < sentence.size() && sentence[end] >= 'a' &&
               sentence[end] < static_cast<char>('a' + digit_base))
            number = number * digit_base + static_cast<std::size_t>(sentence[end++] - 'a');
        if (sentence.compare(end, closing.size(), closing) != 0 || number >= written_.size())
            continue;
        end += closing.size();
        // the notation's \text{word} is the word too
        const bool wrapped = at >= 6 && sentence.compare(at - 6, 6, "\\text{") == 0 &&
                             end < sentence.size() && sentence[end] == '}';
        const std::size_t begin = wrapped ? at - 6 : at;
        out.append(sentence, done, begin - done);
        out += shown(written_[number]);
        done = wrapped ? end + 1 : end;
        at = end - 1;
    }
    return done == 0 ? sentence : out + sentence.substr(done);
}

bool name_codes::is_coded(const std::string& name) {
    return name.find(opening) != std::string::npos && name.find(closing) != std::string::npos;
}

bool name_codes::has_values(const std::string& text) {
    return text.find(std::string(opening) + value_mark) != std::string::npos;
}

}  // namespace ricci::papers
