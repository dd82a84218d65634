// The macros of a document: what \newcommand and its like define, and their expansion within
// bounds.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "papers/paper_tokens.hpp"

namespace ricci::papers {

struct definition_reader;

class macro_table {
public:
    /// The macros that packages bring and papers use without defining them.
    macro_table();

    /// Reads the definition that begins with the command at `at`, if there is one; the offset
    /// behind it, or `at`.
    std::size_t read_definition(std::string_view text, std::size_t at);
    /// Reads all definitions in a text.
    void read_definitions(std::string_view text);
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

    // What stands behind the name in a definition of each kind; false where it is none.
    bool read_alias(definition_reader& w, macro& m) const;
    static bool read_operator(definition_reader& w, macro& m);
    static bool read_delimiters(definition_reader& w, macro& m);
    static bool read_plain(definition_reader& w, macro& m);
    static bool read_document_command(definition_reader& w, macro& m);
    static bool read_command(definition_reader& w, macro& m);
    /// The body of a macro that is called at `at`, with its arguments.
    static tokens filled_in(const macro& m, const std::vector<tokens>& arguments, std::size_t at);
    void define(std::string name, int parameters, std::string_view body);
    std::string environment_of(std::string_view command, std::string_view word) const;

    std::map<std::string, macro, std::less<>> macros_;
};

}  // namespace ricci::papers
