// Parts of a program as text, for messages and explanations.
#include "src/plan/words/words.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include <ricci/ir/print.hpp>

#include "src/base/texts.hpp"

namespace ricci::plan {
namespace {

/// 2i-j+1
std::string affine_words(const ir::program_view& p, const ir::position& at) {
    std::string words;
    for (std::int32_t k = 0; k < at.terms.count; ++k) {
        const auto& term = p.affine_terms[at.terms.first + k];
        const std::int32_t count = std::abs(term.coefficient);
        words +=
            fmt::format("{}{}{}",
                        term.coefficient < 0 ? "-"
                        : k > 0              ? "+"
                                             : "",
                        count != 1 ? fmt::format("{}", count) : "", words_of_index(p, term.index));
    }
    if (at.offset != 0) words += fmt::format("{}{}", at.offset > 0 ? "+" : "", at.offset);
    return words;
}

std::string words_of_position(const ir::program_view& p, const ir::position& at) {
    switch (at.kind) {
        case ir::position_kind::index:
            return words_of_index(p, at.index);
        case ir::position_kind::fixed:
            return fmt::format("{}", at.offset);
        case ir::position_kind::merged: {
            std::string letters;
            for (std::int32_t k = 0; k < at.terms.count; ++k)
                letters += words_of_index(p, p.affine_terms[at.terms.first + k].index);
            return fmt::format("({})", letters);
        }
        case ir::position_kind::gathered:
            return "*";
        case ir::position_kind::affine:
            return affine_words(p, at);
    }
    return "";
}

}  // namespace

std::string words_of_equation(const ir::program_view& p, ir::ref equation) {
    if (equation == ir::none) return "the program";
    detail::text_builder text;
    ir::show(p, p.equations[equation], text);
    return string_of(text.view());
}

std::string words_of_name(const ir::program_view& p, ir::ref name) {
    return string_of(p.name(name));
}

std::string words_of_index(const ir::program_view& p, ir::ref index) {
    return index == ir::none ? "." : string_of(p.index(index));
}

std::string words_of_positions(const ir::program_view& p, ir::range positions) {
    std::string words;
    for (std::int32_t axis = 0; axis < positions.count; ++axis)
        words +=
            fmt::format("{}{}", axis > 0 ? "," : "", words_of_position(p, p.at(positions, axis)));
    return words;
}

std::string words_of_number(double value) {
    detail::text_builder text;
    ir::print_number(value, text);
    return string_of(text.view());
}

std::string words_of_extents(const std::vector<std::int64_t>& extents) {
    return extents.empty() ? "1" : fmt::format("{}", fmt::join(extents, "x"));
}

}  // namespace ricci::plan
