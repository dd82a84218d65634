// The commands and words that a side of an equation may hold, and what each of them is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "papers/paper_tokens.hpp"

namespace ricci::papers {

template <std::size_t N>
bool is_among(std::string_view word, const std::string_view (&list)[N]) {
    return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

/// A function of the notation by this name, as "exp"; where papers call it otherwise ("ReLU"), by
/// the notation's name. Empty for what is none.
std::string function_of(std::string_view word);
/// Whether a function folds over an index below it: softmax, mean, max, min, logsumexp.
bool folds(std::string_view function);
/// Whether a function is of a matrix, with its rows and columns below: det, logdet, chol, solve.
bool is_of_matrix(std::string_view function);
/// Whether a word says in a place what stands beyond the edges: clamp, wrap, pad.
bool is_edge_word(std::string_view word);

/// Why mathematics with this command computes nothing; empty where it may.
std::string_view why_prose(std::string_view command);
/// The same for a name in words: \text{Var}.
std::string_view why_word_is_prose(std::string_view word);

bool is_greek_letter(const token& t);
bool is_wrapper(std::string_view command);        // \mathbf and its like, \text among them
bool is_bold_wrapper(std::string_view command);   // \mathbf, \vec
bool is_words_wrapper(std::string_view command);  // \text, \mathrm, \operatorname
bool is_accent(std::string_view command);
/// A lower-case subscript that reads as a word: max, new.
bool is_label_word(std::string_view letters);

}  // namespace ricci::papers
