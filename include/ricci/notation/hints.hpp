// What a mistake with an index often comes from: a label that was written like a list of indices.
#pragma once

#include <cstdint>

#include <ricci/detail/text.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/notation/characters.hpp>

namespace ricci::notation {

/// Whether the sentence of a mistake is about `index`.
constexpr bool is_about(const ir::mistake& mistake, detail::text_view index) {
    detail::text_builder wanted;
    wanted << "index " << index << ' ';
    const detail::text_view all = mistake.words, words = wanted;
    for (std::int32_t at = 0; at + words.size <= all.size; ++at)
        if (all.slice(at, at + words.size) == words) return true;
    return false;
}

/// `r_s` reads as r with an index s. The marked place does not show whoever meant a label.
constexpr void hint_at_subscript(detail::text_view text, ir::mistake& mistake) {
    for (std::int32_t at = mistake.begin + 1; at + 1 < mistake.end; ++at) {
        if (text[at] != '_') continue;
        const std::int32_t letter = text[at + 1] == '{' ? at + 2 : at + 1;
        if (letter >= mistake.end || text[letter] < 'a' || text[letter] > 'z') continue;
        if (letter == at + 2 && (letter + 1 >= text.size || text[letter + 1] != '}')) continue;
        const detail::text_view index = text.slice(letter, letter + 1);
        if (!is_about(mistake, index)) continue;
        std::int32_t base = at;  // the letters before the subscript, and the backslash of a command
        while (base > mistake.begin && is_ascii_letter(text[base - 1])) --base;
        if (base == at) continue;  // the indices of \operatorname{softmax}_j
        if (base > mistake.begin && text[base - 1] == '\\') --base;
        mistake.words << "; a lower-case subscript is an index: if " << index
                      << " is a label, write " << text.slice(base, at) << "_{\\text{" << index
                      << "}}";
        return;
    }
}

/// `S_{masked}` reads as six indices; what goes wrong then is seldom seen to come from there.
/// `word`: what of the text is like one, or nothing.
constexpr void hint_at_label(detail::text_view text, detail::text_view word, ir::mistake& mistake) {
    using kind = ir::mistake_kind;
    const bool related = mistake.kind == kind::rank || mistake.kind == kind::index_once ||
                         mistake.kind == kind::index_missing ||
                         mistake.kind == kind::index_repeated;
    if (!related) return;
    if (word.empty()) return hint_at_subscript(text, mistake);
    mistake.words << "; if " << word << " is a label and no list of indices, write \\text{" << word
                  << "}";
}

}  // namespace ricci::notation
