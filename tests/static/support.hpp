// Helpers of the static tests: the texts that passes give, compared with the ones expected.
#pragma once

#include <cstdint>

#include <ricci/derive/gradient.hpp>
#include <ricci/detail/text.hpp>
#include <ricci/ir/normal.hpp>
#include <ricci/ir/print.hpp>
#include <ricci/ir/print_plain.hpp>
#include <ricci/notation/parse.hpp>

namespace ricci::testing {

using detail::text_view;
using ir::mistake_kind;

constexpr bool contains(text_view text, text_view part) {
    for (std::int32_t at = 0; at + part.size <= text.size; ++at)
        if (text.slice(at, at + part.size) == part) return true;
    return false;
}

/// Whether the text of a program, or of what a pass made of it, is `expected`; its last line may
/// lack the line end.
constexpr bool is_text(const detail::text_builder& text, text_view expected) {
    const text_view all = text.view();
    return all == expected || (all.size == expected.size + 1 &&
                               all.slice(0, expected.size) == expected && text.last() == '\n');
}

constexpr detail::text_builder latex_of(const ir::program_view& p) {
    detail::text_builder out;
    ir::to_latex(p, out);
    return out;
}

/// `text` is accepted and prints as `expected`, and that reads back as the same.
constexpr bool prints(text_view text, text_view expected) {
    const auto read = notation::parse_equations(text);
    if (read.mistake || !is_text(latex_of(read.program), expected)) return false;
    const auto again = notation::parse_equations(expected);
    return !again.mistake && is_text(latex_of(again.program), expected);
}
/// The same in the plain form, which is not read back.
constexpr bool prints_plain(text_view text, text_view expected) {
    const auto read = notation::parse_equations(text);
    detail::text_builder out;
    if (!read.mistake) ir::to_text(read.program, out);
    return !read.mistake && is_text(out, expected);
}
constexpr bool is_accepted(text_view text) { return !notation::parse_equations(text).mistake; }

/// `text` is refused for `kind` at this place; the words hold `part`.
constexpr bool refused(text_view text, mistake_kind kind, std::int32_t line, std::int32_t column,
                       text_view part) {
    const auto read = notation::parse_equations(text);
    return read.mistake.kind == kind && read.mistake.line == line &&
           read.mistake.column == column && contains(read.mistake.words, part);
}

/// Whether two right sides are equal in normal form. `left` is the left side of both.
constexpr bool equal(text_view left, text_view a, text_view b) {
    detail::text_builder text;
    text << left << " = " << a << "\nOTHER";
    // the second equation defines a name of its own with the same indices
    std::int32_t scripts = 0;
    while (scripts < left.size && left[scripts] != '^') ++scripts;
    text << left.slice(scripts, left.size) << " = " << b;
    auto read = notation::parse_equations(text);
    if (read.mistake || read.program.equations.size() != 2)
        throw "an expression of the test cannot be read";
    ir::program& p = read.program;
    return ir::normaliser(p).equal(p.equations[0].body, p.equations[1].body);
}

/// The gradient of `of` by up to five names, as LaTeX.
template <class... Names>
constexpr detail::text_builder gradient_latex(text_view text, text_view of, Names... by) {
    const auto read = notation::parse_equations(text);
    detail::text_builder out;
    if (read.mistake) return out << read.mistake.words.view();
    const text_view wrt[] = {text_view(by)...};
    const auto derived = derive::gradient(read.program, {of, wrt, sizeof...(Names), false});
    if (derived.mistake) return out << derived.mistake.words.view();
    return latex_of(derived.program);
}
/// Whether the gradient of Y by X is `expected`, and nothing else but the value it needs.
constexpr bool derives(text_view text, text_view expected) {
    return is_text(gradient_latex(text, "Y", "X"), expected);
}

}  // namespace ricci::testing
