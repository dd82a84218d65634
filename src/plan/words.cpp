// Parts of a program as text, for messages and explanations.
#include "src/plan/words.hpp"

#include <ricci/ir/print.hpp>

namespace ricci::plan {
namespace {

std::string text_of(detail::text_view text) {
    return {text.data, static_cast<std::size_t>(text.size)};
}

std::string affine_words(const ir::program_view& p, const ir::position& at) {
    std::string words;
    for (std::int32_t k = 0; k < at.terms.count; ++k) {
        const auto& term = p.affine_terms[at.terms.first + k];
        if (term.coefficient < 0) words += '-';
        if (term.coefficient >= 0 && k > 0) words += '+';
        const std::int32_t count = term.coefficient < 0 ? -term.coefficient : term.coefficient;
        if (count != 1) words += std::to_string(count);
        words += text_of(p.index(term.index));
    }
    if (at.offset != 0) words += (at.offset > 0 ? "+" : "") + std::to_string(at.offset);
    return words;
}

}  // namespace

std::string words_of_equation(const ir::program_view& p, ir::ref equation) {
    if (equation == ir::none) return "the program";
    detail::text_builder text;
    ir::show(p, p.equations[equation], text);
    return text_of(text.view());
}

std::string words_of_name(const ir::program_view& p, ir::ref name) { return text_of(p.name(name)); }

std::string words_of_index(const ir::program_view& p, ir::ref index) {
    return index == ir::none ? "." : text_of(p.index(index));
}

std::string words_of_positions(const ir::program_view& p, ir::range positions) {
    std::string words;
    for (std::int32_t axis = 0; axis < positions.count; ++axis) {
        const auto& at = p.at(positions, axis);
        if (axis > 0) words += ',';
        if (at.kind == ir::position_kind::index) {
            words += text_of(p.index(at.index));
        } else if (at.kind == ir::position_kind::fixed) {
            words += std::to_string(at.offset);
        } else if (at.kind == ir::position_kind::merged) {
            words += '(';
            for (std::int32_t k = 0; k < at.terms.count; ++k)
                words += text_of(p.index(p.affine_terms[at.terms.first + k].index));
            words += ')';
        } else if (at.kind == ir::position_kind::gathered) {
            words += '*';
        } else {
            words += affine_words(p, at);
        }
    }
    return words;
}

std::string words_of_number(double value) {
    detail::text_builder text;
    ir::print_number(value, text);
    return text_of(text.view());
}

std::string words_of_extents(const std::vector<std::int64_t>& extents) {
    std::string words;
    for (const auto extent : extents) words += (words.empty() ? "" : "x") + std::to_string(extent);
    return words.empty() ? "1" : words;
}

}  // namespace ricci::plan
