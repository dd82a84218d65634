// Words of a text and of lists.
#include "papers/text_words.hpp"

namespace ricci::papers {

namespace {

/// `accepts` is asked with the places where a part begins and ends.
template <class Accepts>
bool has_part(std::string_view text, std::initializer_list<std::string_view> parts,
              const Accepts& accepts) {
    for (const std::string_view part : parts)
        for (std::size_t k = text.find(part); k != std::string_view::npos;
             k = text.find(part, k + 1))
            if (accepts(k, k + part.size())) return true;
    return false;
}

}  // namespace

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (detail::is_capital_letter(c)) c = static_cast<char>(c - 'A' + 'a');
    return out;
}

bool has_word(std::string_view text, std::initializer_list<std::string_view> words) {
    return has_part(text, words, [&](std::size_t begin, std::size_t end) {
        return (begin == 0 || !detail::is_small_letter(text[begin - 1])) &&
               (end >= text.size() || !detail::is_small_letter(text[end]));
    });
}

bool has_word_beginning(std::string_view text, std::initializer_list<std::string_view> beginnings) {
    return has_part(text, beginnings, [&](std::size_t begin, std::size_t) {
        return begin == 0 || !detail::is_small_letter(text[begin - 1]);
    });
}

}  // namespace ricci::papers
