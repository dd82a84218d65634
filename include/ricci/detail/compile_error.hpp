// Turning the words of a mistake into a compiler's message that stands at the user's own line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ricci/detail/text.hpp>

namespace ricci::detail {

// A failed assertion stands in the header that holds it, and how a compiler got there from the
// user's file fills the lines that follow. So nothing is asserted: what is called with a mistake is
// deleted, or consteval and no constant. Both are errors at the call itself, and both compilers
// print the template arguments of what was called, of which one is the mistake.

/// Words of a mistake in an array of exactly their size, which both compilers print as text.
template <std::size_t Count>
struct words {
    char text[Count];
};

// clang cuts a longer text in a template argument; g++ prints one of any length but for its last
// character, which it takes for the end of a string.
#ifdef __clang__
inline constexpr std::int32_t words_at_once = 35;
#else
inline constexpr std::int32_t words_at_once = 1000;
#endif

/// What a call with a mistake gives, so that nothing more is said of what is done with it.
struct refused {
    template <class Key>
    const refused& operator[](const Key&) const;
    template <class Operand>
    operator Operand&() const;
};

/// A mistake in a tensor program. The arguments are the message: the place, the equation with the
/// mistake marked >>>...<<<, and what to write instead.
template <words... Message>
struct mistake_in_equations : refused {};

/// Stands where a mistake might.
struct correct {};

#if defined(__clang__) && __clang_major__ < 16
/// Older compilers print the characters of words as numbers.
struct mistake_whose_words_gcc_12_and_clang_16_print : refused {};
#endif

template <class Mistake>
concept is_a_mistake = !std::is_same_v<Mistake, correct>;

template <class Text, std::int32_t Begin>
consteval auto words_from() {
    constexpr detail::text_view all = Text::text();
    constexpr std::int32_t left = all.size - Begin;
    constexpr std::int32_t count = left < words_at_once ? left : words_at_once;
    words<static_cast<std::size_t>(count) + 1> out{};
    for (std::int32_t k = 0; k < count; ++k) {
        // a compiler would print bytes beyond ASCII, and line ends, as numbers
        const char c = all[Begin + k];
        out.text[k] = c >= ' ' && c < 0x7f ? c : c == '\n' || c == '\t' ? ' ' : '?';
    }
    // clang prints numbers where the end of a text is no element that was written: it makes room
    // for 8, 16 or 32 elements at a time and keeps no more than "zeros follow" of those beyond
    out.text[count] = '\0';
    return out;
}

template <class Text, class Parts>
struct what_is_wrong;
template <class Text>
struct what_is_wrong<Text, std::integer_sequence<std::int32_t>> {
    using type = correct;
};
template <class Text, std::int32_t First, std::int32_t... Part>
struct what_is_wrong<Text, std::integer_sequence<std::int32_t, First, Part...>> {
#if defined(__clang__) && __clang_major__ < 16
    using type = mistake_whose_words_gcc_12_and_clang_16_print;
#else
    using type = mistake_in_equations<words_from<Text, First>(),
                                      words_from<Text, Part * words_at_once>()...>;
#endif
};

/// `Text::text()` as a mistake; `correct` when there are no words in it.
template <class Text>
using mistake_of = typename what_is_wrong<
    Text, std::make_integer_sequence<std::int32_t, (Text::text().size + words_at_once - 1) /
                                                       words_at_once>>::type;

/// Never defined, and no constant: a consteval function that comes to it stops the compilation.
template <class Mistake>
void these_equations_cannot_be_carried_out_as_written();

}  // namespace ricci::detail
