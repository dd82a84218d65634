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

/// `x^n` is x at the place n.
constexpr void hint_at_power(detail::text_view text, ir::mistake& mistake) {
    const detail::text_view said = mistake.words.view();
    if (said.size > 0 && said[said.size - 1] == '?') return;  // it asks for another letter
    for (std::int32_t at = mistake.begin + 1; at + 1 < mistake.end; ++at) {
        if (text[at] != '^') continue;
        const bool braces = text[at + 1] == '{';
        const std::int32_t letter = at + 1 + braces;
        if (letter >= mistake.end || !is_ascii_letter(text[letter])) continue;
        if (braces && (letter + 1 >= text.size || text[letter + 1] != '}')) continue;
        const detail::text_view index = text.slice(letter, letter + 1);
        if (!is_about(mistake, index)) continue;
        std::int32_t base = at;
        while (base > mistake.begin && is_ascii_letter(text[base - 1])) --base;
        if (base == at) continue;
        if (base > mistake.begin && text[base - 1] == '\\') --base;
        mistake.words << "; if a power is meant, write (" << text.slice(base, at) << ")^" << index;
        return;
    }
}

/// Whether a mistake can come from a word below a name that was meant as a label: it is about one
/// of the letters, or about the ranks of the name.
constexpr bool is_related(detail::text_view text, detail::text_view word,
                          const ir::mistake& mistake) {
    if (mistake.kind != ir::mistake_kind::rank) {
        for (std::int32_t k = 0; k < word.size; ++k)
            if (is_about(mistake, word.slice(k, k + 1))) return true;
        return false;
    }
    std::int32_t end = static_cast<std::int32_t>(word.data - text.data);  // of the name
    while (end > 0 && (text[end - 1] == '{' || text[end - 1] == '_' || text[end - 1] == '}')) {
        if (text[end - 1] == '}')  // indices above, as in S^{ij}_{masked}
            while (end > 0 && text[end - 1] != '{') --end;
        --end;
        if (end > 0 && text[end - 1] == '^') --end;
    }
    std::int32_t base = end;
    while (base > 0 && is_ascii_letter(text[base - 1])) --base;
    const detail::text_view name = text.slice(base, end);
    return !name.empty() && mistake.begin + name.size <= text.size &&
           text.slice(mistake.begin, mistake.begin + name.size) == name;
}

/// `S_{masked}` reads as six indices; what goes wrong then is seldom seen to come from there.
/// `word`: what of the text is like one, or nothing.
constexpr void hint_at_label(detail::text_view text, detail::text_view word, ir::mistake& mistake) {
    using kind = ir::mistake_kind;
    const bool related = mistake.kind == kind::rank || mistake.kind == kind::index_once ||
                         mistake.kind == kind::index_missing ||
                         mistake.kind == kind::index_repeated;
    if (!related) return;
    if (mistake.kind == kind::index_once) hint_at_power(text, mistake);
    if (word.empty() || !is_related(text, word, mistake)) return hint_at_subscript(text, mistake);
    mistake.words << "; if " << word << " is a label and no list of indices, write \\text{" << word
                  << "}";
}

}  // namespace ricci::notation
