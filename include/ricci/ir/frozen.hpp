// A program in arrays of fixed size: what a compile-time result is kept in.
#pragma once

#include <cstdint>

#include <ricci/ir/mistake.hpp>
#include <ricci/ir/program.hpp>

namespace ricci::ir {

/// How many entries each array of a program has.
struct program_sizes {
    std::int32_t characters, names, indices, nodes, links, positions, affine_terms, equations;

    constexpr bool fits(const program_sizes& room) const {
        return characters <= room.characters && names <= room.names && indices <= room.indices &&
               nodes <= room.nodes && links <= room.links && positions <= room.positions &&
               affine_terms <= room.affine_terms && equations <= room.equations;
    }
    /// Room for a result that may be `f` times as large, and not empty where this one is empty.
    constexpr program_sizes times(std::int32_t f) const {
        constexpr std::int32_t some = 32;
        return {f * characters + some,   f * names + some,    f * indices + some,
                f * nodes + some,        f * links + some,    f * positions + some,
                f * affine_terms + some, f * equations + some};
    }
};

constexpr program_sizes sizes_of(const program_view& p) {
    return {p.characters.count, p.names.count,     p.indices.count,      p.nodes.count,
            p.links.count,      p.positions.count, p.affine_terms.count, p.equations.count};
}

/// Room that is enough for nearly every text of this length.
constexpr program_sizes sizes_for_text(std::int32_t length) {
    const std::int32_t n = length + 16;
    return {2 * n, n / 2, n / 2, n, n, n, n / 4, n / 4};
}

/// A program with room for `Room` entries.
template <program_sizes Room>
struct frozen {
    char characters[Room.characters + 1];
    name_symbol names[Room.names + 1];
    index_symbol indices[Room.indices + 1];
    node nodes[Room.nodes + 1];
    ref links[Room.links + 1];
    position positions[Room.positions + 1];
    affine_term affine_terms[Room.affine_terms + 1];
    equation equations[Room.equations + 1];
    program_sizes used;

    constexpr program_view view() const {
        return {{characters, used.characters},
                {names, used.names},
                {indices, used.indices},
                {nodes, used.nodes},
                {links, used.links},
                {positions, used.positions},
                {affine_terms, used.affine_terms},
                {equations, used.equations}};
    }
    constexpr void store(const program_view& p) {
        used = sizes_of(p);
        copy(characters, p.characters);
        copy(names, p.names);
        copy(indices, p.indices);
        copy(nodes, p.nodes);
        copy(links, p.links);
        copy(positions, p.positions);
        copy(affine_terms, p.affine_terms);
        copy(equations, p.equations);
    }

private:
    template <class T>
    static constexpr void copy(T* to, const program_view::list<T>& from) {
        for (std::int32_t k = 0; k < from.count; ++k) to[k] = from.data[k];
    }
};

/// What a compile-time pass gives: a program, or the words of a mistake; `overflow` when the room
/// was too small for either to be there.
template <program_sizes Room>
struct outcome {
    static constexpr std::int32_t most_words = 1500;

    frozen<Room> program;
    char words[most_words + 1];
    std::int32_t word_count;
    bool overflow;

    constexpr bool mistaken() const { return word_count > 0; }
    constexpr text_view text() const { return {words, word_count}; }
};

/// `made` is anything with members program and mistake.
template <program_sizes Room, class Made>
constexpr outcome<Room> freeze(const Made& made) {
    outcome<Room> out{};
    if (made.mistake) {
        const text_view words = made.mistake.words;
        out.word_count = words.size < out.most_words ? words.size : out.most_words;
        for (std::int32_t k = 0; k < out.word_count; ++k) out.words[k] = words[k];
        return out;
    }
    const program_view p = made.program;
    out.overflow = !sizes_of(p).fits(Room);
    if (!out.overflow) out.program.store(p);
    return out;
}

}  // namespace ricci::ir
