// Words of a text and of lists.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>

#include <ricci/detail/letters.hpp>

namespace ricci::papers {

template <class List>
bool is_among(std::string_view word, const List& list) {
    return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

/// The text with small ASCII letters for capitals.
std::string lower(std::string_view text);

/// Whether a text in small letters has one of the words: no letter stands before or behind it.
bool has_word(std::string_view text, std::initializer_list<std::string_view> words);

/// Whether a word of a text in small letters begins with one of these.
bool has_word_beginning(std::string_view text, std::initializer_list<std::string_view> beginnings);

}  // namespace ricci::papers
