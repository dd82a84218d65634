// Parts of a program as text, for messages and explanations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ricci/ir/program.hpp>

namespace ricci::plan {

/// The equation as LaTeX.
std::string words_of_equation(const ir::program_view&, ir::ref equation);
std::string words_of_name(const ir::program_view&, ir::ref name);
std::string words_of_index(const ir::program_view&, ir::ref index);
/// `h,(ia),0,2i+1`: the positions of an operand.
std::string words_of_positions(const ir::program_view&, ir::range positions);
std::string words_of_number(double value);
/// The words of each item, with a separator between them.
template <class List, class Words>
std::string joined(const List& list, const char* separator, Words words) {
    std::string all;
    for (const auto& item : list) {
        if (!all.empty()) all += separator;
        all += words(item);
    }
    return all;
}
/// The word of a value, of words in the order of its enumeration, whose last value is `Last`.
template <auto Last, std::size_t Count>
const char* word_in(const char* const (&words)[Count], decltype(Last) value) {
    static_assert(Count == static_cast<std::size_t>(Last) + 1);
    return words[static_cast<std::size_t>(value)];
}
/// `8x64`
std::string words_of_extents(const std::vector<std::int64_t>& extents);

}  // namespace ricci::plan
