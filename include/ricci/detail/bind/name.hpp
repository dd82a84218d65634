// "W_Q"_t: the name of a tensor as a type, short however long the name is.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ricci/detail/bind/operand.hpp>
#include <ricci/detail/compile_error.hpp>
#include <ricci/detail/text.hpp>
#include <ricci/notation/cursor.hpp>

namespace ricci::detail {

/// Text as a template argument.
template <std::size_t Size>
struct literal_text {
    char characters[Size] = {};

    constexpr literal_text() = default;
    consteval literal_text(const char (&text)[Size]) {  // NOLINT: implicit, so that a literal fits
        for (std::size_t k = 0; k < Size; ++k) characters[k] = text[k];
    }
    constexpr text_view view() const { return {characters, static_cast<std::int32_t>(Size) - 1}; }
};

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-template-friend"
#endif
/// The type system knows a name by a hash; the text is stored once, in a function found through it.
template <std::uint64_t Hash>
struct name_key {
    friend constexpr auto spelling_of(name_key<Hash>);
};
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

template <literal_text Spelling>
struct define_name {
    static constexpr std::uint64_t hash = hash_of(Spelling.view());
    friend constexpr auto spelling_of(name_key<hash>) { return Spelling; }
};

struct name_tag {};

template <std::uint64_t Hash>
inline constexpr auto spelling_text = spelling_of(name_key<Hash>{});

/// The canonical spelling of a name.
template <std::uint64_t Hash>
constexpr text_view spelling() {
    return spelling_text<Hash>.view();
}

struct extent_of_no_number {
    static constexpr text_view text() {
        return "the extent of an index is a whole number: \"h\"_i = 8";
    }
};

/// The names that a derivative is taken by.
template <std::uint64_t... Hashes>
struct name_list {};

template <literal_text Text>
consteval auto reread_literal() {
    constexpr std::int32_t size = notation::canonical_name(Text.view()).size();
    literal_text<static_cast<std::size_t>(size) + 1> out;
    const text_builder spelled = notation::canonical_name(Text.view());
    for (std::int32_t k = 0; k < size; ++k) out.characters[k] = spelled.view()[k];
    return out;
}

/// Letters, and perhaps a label of capitals: spelt canonically already, as most names are.
constexpr bool is_plain_name(text_view text) {
    std::int32_t k = 0;
    while (k < text.size && notation::is_ascii_letter(text.data[k])) ++k;
    if (k == text.size) return k > 0;
    if (k == 0 || text.data[k] != '_' || ++k == text.size) return false;
    while (k < text.size && text.data[k] >= 'A' && text.data[k] <= 'Z') ++k;
    return k == text.size;
}

template <literal_text Text>
consteval auto canonical_literal() {
    if constexpr (is_plain_name(Text.view())) return Text;
    else return reread_literal<Text>();
}

/// "dL/dX"_t from "X"_t: for names that are gone over, such as the keys of a map of parameters.
template <std::uint64_t Hash>
struct cotangent_of {
    static constexpr auto text = [] {
        const text_builder spelled = ir::cotangent_spelling("L", spelling<Hash>());
        literal_text<static_cast<std::size_t>(spelling<Hash>().size) + 5> out;
        for (std::int32_t k = 0; k < spelled.size(); ++k) out.characters[k] = spelled.view()[k];
        return out;
    }();
};

}  // namespace ricci::detail

namespace ricci {

/// The name of a tensor. `"X"_t = x` binds an operand to it.
template <std::uint64_t Hash>
struct name {
    using hana_tag = detail::name_tag;
    static constexpr std::uint64_t hash = Hash;

    /// Binds a tensor, a view, a number; the memory is not copied.
    template <class Operand>
    constexpr auto operator=(Operand&& operand) const {
        return detail::bind_operand<Hash>(static_cast<Operand&&>(operand));
    }
    name& operator=(const name&) = delete;
    constexpr name() = default;
    constexpr name(const name&) = default;
};

/// The name of an index, for `"h"_i = 8`.
template <std::uint64_t Hash>
struct index_name {
    static constexpr std::uint64_t hash = Hash;
    template <std::integral Extent>
    constexpr detail::bound_index<Hash> operator=(Extent extent) const {
        return {static_cast<std::int64_t>(extent)};
    }
    template <class Extent, class Mistake = detail::mistake_of<detail::extent_of_no_number>>
    requires(!std::integral<Extent>) Mistake operator=(const Extent&) const = delete;
    index_name& operator=(const index_name&) = delete;
    constexpr index_name() = default;
    constexpr index_name(const index_name&) = default;
};

template <std::uint64_t... Hashes>
consteval detail::name_list<Hashes...> wrt(name<Hashes>...) {
    return {};
}

template <std::uint64_t Hash>
constexpr auto cotangent(name<Hash>) {
    return name<detail::define_name<detail::cotangent_of<Hash>::text>::hash>{};
}

namespace literals {

template <detail::literal_text Text>
consteval auto operator""_t() {
    return name<detail::define_name<detail::canonical_literal<Text>()>::hash>{};
}
template <detail::literal_text Text>
consteval auto operator""_i() {
    return index_name<detail::define_name<Text>::hash>{};
}

}  // namespace literals

}  // namespace ricci
