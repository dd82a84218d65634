// Turning the words of a mistake into a compiler's message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <ricci/detail/text.hpp>

namespace ricci {

/// Some of the words of a mistake, as exactly as many characters: both compilers print them as text.
template <std::size_t Count>
struct words {
    char text[Count];
};

// clang cuts a longer text in a template argument; g++ prints one of any length but for its last
// character, which it takes for the end of a string.
#ifdef __clang__
inline constexpr std::int32_t words_at_once = 35;
inline constexpr std::int32_t words_end = 1;
#else
inline constexpr std::int32_t words_at_once = 1000;
inline constexpr std::int32_t words_end = 1;
#endif

/// In the condition of the assertion, since that is what clang prints first.
template <words... Message>
inline constexpr bool nothing_is_wrong = sizeof...(Message) == 0;

/// A mistake in a tensor program. The compiler's message names this template, and its arguments are
/// the message: the place, the equation with the mistake marked >>>...<<<, and what to write instead.
template <words... Message>
struct mistake_in_equations {
    static_assert(nothing_is_wrong<Message...>,
                  "these tensor equations cannot be carried out as written");
};

template <class Text, std::int32_t Begin>
consteval auto words_from() {
    constexpr detail::text_view all = Text::text();
    constexpr std::int32_t left = all.size - Begin;
    constexpr std::int32_t count = left < words_at_once ? left : words_at_once;
    words<static_cast<std::size_t>(count + words_end)> out{};
    for (std::int32_t k = 0; k < count; ++k) {
        // a compiler would print bytes beyond ASCII, and line ends, as numbers
        const char c = all[Begin + k];
        out.text[k] = c >= ' ' && c < 0x7f ? c : c == '\n' || c == '\t' ? ' ' : '?';
    }
    // clang prints numbers where the end of a text is no element that was written: it makes room for
    // 8, 16 or 32 elements at a time and keeps no more than "zeros follow" of those beyond
    for (std::int32_t k = 0; k < words_end; ++k) out.text[count + k] = '\0';
    return out;
}

template <class Text, std::int32_t... Part>
consteval bool report(std::integer_sequence<std::int32_t, Part...>) {
    return sizeof(mistake_in_equations<words_from<Text, Part * words_at_once>()...>) > 0;
}

/// Stops the compilation with `Text::text()` as the message, if there are words in it.
template <class Text>
consteval void report_mistake() {
    constexpr std::int32_t size = Text::text().size;
    if constexpr (size > 0)
        report<Text>(
            std::make_integer_sequence<std::int32_t, (size + words_at_once - 1) / words_at_once>{});
}

}  // namespace ricci
