// The scalar functions of the language, from their table.
#pragma once

#include <cstdint>

#include <ricci/detail/function_kinds.hpp>
#include <ricci/detail/text.hpp>

namespace ricci::ir {

using detail::function_form;
using detail::text_view;

enum class function : std::uint8_t {
#define RICCI_FUNCTION(NAME, ...) NAME,
#include <ricci/detail/functions.inc>
};

/// An entry of the table, without what derivations and the engine take from it.
struct function_entry {
    text_view word;
    text_view also;  // another word for it; empty for none
    function_form form;
    std::uint8_t types;  // detail::function_types
    std::int32_t arguments;
};

namespace function_table {
using namespace detail::function_types;

inline constexpr function_entry entries[] = {
#define RICCI_FUNCTION(NAME, WORD, ALSO, FORM, TYPES, ...) \
    {WORD, ALSO, function_form::FORM, TYPES, 1},
#define RICCI_FUNCTION_OF_TWO(NAME, WORD, ALSO, FORM, TYPES, ...) \
    {WORD, ALSO, function_form::FORM, TYPES, 2},
#include <ricci/detail/functions.inc>
};
}  // namespace function_table

constexpr const function_entry& entry_of(function f) {
    return function_table::entries[static_cast<std::uint8_t>(f)];
}
constexpr text_view function_word(function f) { return entry_of(f).word; }

/// Whether all of the bits of detail::function_types are said of a function.
constexpr bool says(function f, std::uint8_t types) { return (entry_of(f).types & types) == types; }

/// What stands before the arguments in LaTeX, without the parenthesis.
constexpr void function_latex(function f, detail::text_builder& out) {
    if (entry_of(f).form == function_form::command) out << '\\' << function_word(f);
    else out << "\\operatorname{" << function_word(f) << '}';
}

}  // namespace ricci::ir
