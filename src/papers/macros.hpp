// The macros of a document: what \newcommand and its like define, and their expansion within
// bounds.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "papers/paper_tokens.hpp"

namespace ricci::papers {

class macro_table {
public:
    /// The macros that packages bring and papers use without defining them.
    macro_table();

    /// Reads the definition that begins with the command at `at`, if there is one; the offset
    /// behind it, or `at`.
    std::size_t read_definition(std::string_view text, std::size_t at);
    /// Whether any definition begins with this command.
    static bool is_definition(std::string_view command);

    /// Expands all macros. False where they go on for too long; `list` is then as far as they got.
    bool expand(tokens& list) const;

    /// The environment that a macro without parameters begins or ends, as \be for
    /// \begin{equation}; empty for others.
    std::string begins(std::string_view command) const;
    std::string ends(std::string_view command) const;

private:
    struct macro {
        int parameters = 0;
        bool optional = false;  // the first parameter stands in brackets, or is `standard`
        tokens standard;
        tokens body;
    };

    void define(std::string name, int parameters, std::string_view body);
    std::string environment_of(std::string_view command, std::string_view word) const;

    std::map<std::string, macro, std::less<>> macros_;
};

}  // namespace ricci::papers
