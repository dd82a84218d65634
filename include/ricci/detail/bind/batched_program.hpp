// Batching a program over an index that a caller spells.
#pragma once

#include <cstdint>

#include <ricci/derive/batch.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/notation/characters.hpp>
#include <ricci/notation/vocabulary.hpp>

namespace ricci::detail {

/// A letter, Latin or Greek, with primes or without.
constexpr bool spells_an_index(text_view text) {
    while (text.size > 0 && text[text.size - 1] == '\'') --text.size;
    if (text.size == 1) return notation::is_ascii_letter(text[0]);
    return text.size > 1 && text[0] == '\\' &&
           notation::is_among(text.slice(1, text.size), notation::words::greek);
}

template <class Source>
constexpr derive::derived batched_program(const Source& source, const text_view* of,
                                          std::int32_t count, text_view index) {
    if (spells_an_index(index)) return derive::batch(source, of, count, index);
    text_builder s;
    if (index.size == 0) s << "no index is named; write a letter, as b, or a Greek one, as \\beta";
    else s << "an index is a letter, as b, or a Greek one, as \\beta; " << index << " is none";
    derive::derived out;
    out.mistake = ir::make_mistake(ir::mistake_kind::unexpected, s);
    return out;
}

}  // namespace ricci::detail
