// fmt formatters: tensors and arrays as numpy prints them, equations and programs as text, mistakes
// as their words. A plan is text already: ricci::explain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>  // core.h only declares what formats a text

#include <ricci/equations.hpp>
#include <ricci/ir/mistake.hpp>
#include <ricci/parse.hpp>
#include <ricci/prepared.hpp>
#include <ricci/print.hpp>

namespace ricci::detail {

/// Formats what ricci::to_text turns into words.
struct text_formatter : fmt::formatter<std::string_view> {
    template <class Value, class Context>
    auto format(const Value& value, Context& context) const {
        return fmt::formatter<std::string_view>::format(ricci::to_text(value), context);
    }
};

}  // namespace ricci::detail

// To <fmt/ranges.h>, which may be included too, tensors are not ranges, though one can go over
// them.
FMT_BEGIN_NAMESPACE
template <typename T, typename Char>
struct is_range;
template <class T, int Rank, class Char>
struct is_range<ricci::tensor_view<T, Rank>, Char> : std::false_type {};
template <class T, int Rank, class Char>
struct is_range<ricci::tensor<T, Rank>, Char> : std::false_type {};
template <class T, std::size_t... Extents, class Char>
struct is_range<ricci::fixed_tensor<T, Extents...>, Char> : std::false_type {};
FMT_END_NAMESPACE

template <class T, int Rank>
struct fmt::formatter<ricci::tensor_view<T, Rank>> : ricci::detail::text_formatter {};
template <class T, int Rank>
struct fmt::formatter<ricci::tensor<T, Rank>> : ricci::detail::text_formatter {};
template <class T, std::size_t... Extents>
struct fmt::formatter<ricci::fixed_tensor<T, Extents...>> : ricci::detail::text_formatter {};
template <std::uint64_t Hash>
struct fmt::formatter<ricci::equations<Hash>> : ricci::detail::text_formatter {};
template <>
struct fmt::formatter<ricci::array> : ricci::detail::text_formatter {};
template <>
struct fmt::formatter<ricci::program> : ricci::detail::text_formatter {};
template <>
struct fmt::formatter<ricci::mistake> : fmt::formatter<std::string_view> {
    template <class Context>
    auto format(const ricci::mistake& m, Context& context) const {
        return fmt::formatter<std::string_view>::format(m.message, context);
    }
};
template <>
struct fmt::formatter<ricci::ir::mistake> : fmt::formatter<std::string_view> {
    template <class Context>
    auto format(const ricci::ir::mistake& m, Context& context) const {
        const auto words = m.words.view();
        return fmt::formatter<std::string_view>::format(
            std::string_view(words.data, static_cast<std::size_t>(words.size)), context);
    }
};
