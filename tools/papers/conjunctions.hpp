// The conjunctions that join equations, or say where one holds. No other words of a page are read
// as saying that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ricci::papers {

enum class conjunction : std::uint8_t {
    none,
    joins,       // "and", "hence": the next equation stands for itself
    everywhere,  // "for all": it restricts nothing
    restricts,   // "if", "for": the equation holds where the words say
};

/// What words within a display do to the equations around them.
conjunction conjunction_of(std::string_view words);

/// The sentence that a text ends in, as far as it has gone.
std::string last_sentence(std::string_view text);

/// Whether the sentence that leads to an equation supposes something: "if", "requires", "then".
/// Such an equation defines nothing for those after it.
bool supposes(std::string_view text_before);

/// Whether what stands before an equation says that it explains what was said: "where", "with".
bool explains(std::string_view text_before);

/// What the heading or that sentence says of letters in mathematics, "i \ne j": the equation holds
/// there alone. Empty where they say nothing.
std::string places_in(std::string_view heading, std::string_view text_before);

}  // namespace ricci::papers
