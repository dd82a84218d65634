// The claims of a text, each in a constant evaluation of its own: compilers bound the steps of one.
#pragma once

#include <cstdint>
#include <utility>

#include <ricci/detail/bind/program_key.hpp>

namespace ricci::detail {

/// What is to be said of a claim; no words where it is proved.
struct said_of_claim {
    static constexpr std::int32_t most_words = 1200;

    char words[most_words];
    std::int32_t count;
};

template <std::uint64_t Hash, std::int32_t Equation>
inline constexpr said_of_claim said =
    include_ricci_derivatives_hpp_to_prove<Hash>::template say<Equation>();

/// The first claim, from equation number `Equation` on, that is not proved; or none.
template <std::uint64_t Hash, std::int32_t Equation = 0>
consteval ir::ref first_unproved() {
    constexpr ir::program_view p = outcome_of<Hash>.program.view();
    if constexpr (Equation >= p.equations.count) {
        return ir::none;
    } else if constexpr (p.equations.data[Equation].claim) {
        if constexpr (said<Hash, Equation>.count > 0) return Equation;
        else return first_unproved<Hash, Equation + 1>();
    } else {
        return first_unproved<Hash, Equation + 1>();
    }
}

/// The first claim of a text that is not proved, as a mistake in the text.
template <literal_text Text>
struct words_of_claims {
    static constexpr std::uint64_t hash = parsed_text<Text>::hash;
    static constexpr ir::ref equation = first_unproved<hash>();

    static constexpr auto build() {
        frozen_words out{};
        if constexpr (equation != ir::none) {
            constexpr ir::program_view p = outcome_of<hash>.program.view();
            const ir::source_span at = p.nodes[p.equations[equation].body].source;
            const said_of_claim& about = said<hash, equation>;
            const ir::mistake m = ir::make_mistake(ir::mistake_kind::claim, Text.view(), at.begin,
                                                   at.end, {about.words, about.count});
            const text_view all = m.words;
            out.count = all.size < out.most ? all.size : out.most;
            for (std::int32_t k = 0; k < out.count; ++k) out.characters[k] = all[k];
        }
        return out;
    }
    static constexpr text_view text() { return {stored.characters, stored.count}; }

private:
    struct frozen_words {
        static constexpr std::int32_t most = 1500;
        char characters[most];
        std::int32_t count;
    };
    static constexpr frozen_words stored = build();
};

/// The mistake in what `Maker` makes, or, where there is none, in the claims of its text.
template <class Maker, class Mistake>
struct mistake_or_claim {
    using type = Mistake;
};
template <literal_text Text>
struct mistake_or_claim<parsed_text<Text>, correct> {
    using type = mistake_of<words_of_claims<Text>>;
};

}  // namespace ricci::detail
