// Programs as types: a hash is the type, the program a constant found through it.
#pragma once

#include <cstdint>

#include <ricci/detail/compile_error.hpp>
#include <ricci/detail/bind/keep.hpp>
#include <ricci/detail/bind/name.hpp>
#include <ricci/ir/frozen.hpp>
#include <ricci/notation/parse.hpp>

namespace ricci::detail {

// A type that carried the program itself, or its text, would put thousands of characters into every
// symbol of a user's object file. A 64-bit hash is the type instead, and a friend function that is
// found through it holds the rest, once.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-template-friend"
#endif
template <std::uint64_t Hash>
struct program_key {
    friend constexpr auto made_program(program_key<Hash>);
};
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/// Runs a pass with room for its result; when that is too little, with a lot more.
template <class Maker>
constexpr auto run_pass() {
    constexpr ir::program_sizes room = Maker::room;
    constexpr auto first = ir::freeze<room>(Maker::make());
    if constexpr (first.overflow) {
        constexpr auto second = ir::freeze<room.times(8)>(Maker::make());
        static_assert(!second.overflow, "a program of this size does not fit the room made for it");
        return second;
    } else {
        return first;
    }
}

/// A text is read first; what derives derivatives is instantiated where there are some.
template <class Maker>
constexpr auto outcome_from() {
    if constexpr (requires { typename Maker::derivatives; }) {
        constexpr auto read = run_pass<Maker>();
        if constexpr (ir::speaks_of_derivatives(read.program.view()))
            return run_pass<typename Maker::derivatives>();
        else return read;
    } else {
        return run_pass<Maker>();
    }
}

template <class Maker>
struct define_program {
    static constexpr std::uint64_t hash = Maker::hash;
    friend constexpr auto made_program(program_key<hash>) { return outcome_from<Maker>(); }
};

/// What the pass gave, with room to spare: never in the object file.
template <std::uint64_t Hash>
inline constexpr auto outcome_of = made_program(program_key<Hash>{});
/// Whether the equations have a mistake: what follows from them has nothing to add to its message.
template <std::uint64_t Hash>
inline constexpr bool is_mistaken = outcome_of<Hash>.mistaken();

template <std::uint64_t Hash>
consteval auto trimmed() {
    ir::frozen<outcome_of<Hash>.program.used> exact{};
    exact.store(outcome_of<Hash>.program.view());
    return exact;
}

/// The program of a hash in exactly as much memory as it needs.
template <std::uint64_t Hash>
inline constexpr auto program_of = trimmed<Hash>();

template <std::uint64_t Hash>
struct words_of_outcome {
    static constexpr text_view text() { return outcome_of<Hash>.text(); }
};

template <bool Said, class Text>
struct mistake_unless {
    using type = mistake_of<Text>;
};
template <class Text>
struct mistake_unless<true, Text> {
    using type = correct;
};
/// What is wrong with the equations that `Maker` makes of `Source`, if that is not wrong itself.
template <class Maker, std::uint64_t... Source>
using mistake_in = typename mistake_unless<(is_mistaken<Source> || ...),
                                           words_of_outcome<define_program<Maker>::hash>>::type;

constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    a ^= b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2);
    return a * 0xff51afd7ed558ccdu;
}
/// Every number in turn mixed into `h`.
template <class... Numbers>
constexpr std::uint64_t mix_all(std::uint64_t h, Numbers... numbers) {
    ((h = mix(h, numbers)), ...);
    return h;
}

// The passes --------------------------------------------------------------------------------------

/// Defined in <ricci/derivatives.hpp>: a file that calls equations alone need not read what derives
/// them. Where it is missing, compilers print these names.
template <class Text>
struct include_ricci_derivatives_hpp_to_derive;
template <std::uint64_t Hash, class Claim = void>
struct include_ricci_derivatives_hpp_to_prove;

template <literal_text Text>
struct parsed_text {
    static constexpr std::uint64_t hash = hash_of(Text.view());
    static constexpr ir::program_sizes room = ir::sizes_for_text(Text.view().size);
    static constexpr auto make() { return notation::parse_equations(Text.view()); }

    /// The same with the derivatives that it uses.
    using derivatives = include_ricci_derivatives_hpp_to_derive<parsed_text>;
};

struct kept_result {
    ir::program program;
    ir::mistake mistake;
};

template <std::uint64_t Source, std::uint64_t... Names>
struct kept_names {
    static constexpr std::uint64_t hash = mix_all(mix(Source, 3), Names...);
    static constexpr ir::program_sizes room = outcome_of<Source>.program.used;
    static constexpr kept_result make() {
        kept_result out{ir::program(outcome_of<Source>.program.view()), {}};
        const text_view names[] = {spelling<Names>()...};
        for (text_view wanted : names)
            if (!out.mistake) out.mistake = keep_name(out.program, wanted);
        return out;
    }
};

}  // namespace ricci::detail
