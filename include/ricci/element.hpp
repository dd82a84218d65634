// The element types a tensor may hold, as types and as the tag that compiled code dispatches on.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <ricci/half.hpp>

namespace ricci {

/// What one element of an operand is; complex numbers are counted in the bits of both parts, as
/// numpy does. The order is part of the binary interface: add at the end. `boolean` stands in
/// conditions, is one byte, 0 or 1, and never computed with.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \
    "-Wshadow"  // g++ 12 takes element::f16 for one that hides ricci::f16
enum class element : std::uint8_t { f32, f64, bf16, f16, c64, c128, i32, i64, boolean };
#pragma GCC diagnostic pop

/// Bytes one element takes.
constexpr std::size_t size_of(element type) {
    constexpr std::uint8_t sizes[] = {4, 8, 2, 2, 8, 16, 4, 8, 1};
    return sizes[static_cast<std::size_t>(type)];
}

/// The name of an element type as C++ spells it, for messages.
constexpr const char* name_of(element type) {
    constexpr const char* names[] = {"float",
                                     "double",
                                     "ricci::bf16",
                                     "ricci::f16",
                                     "std::complex<float>",
                                     "std::complex<double>",
                                     "std::int32_t",
                                     "std::int64_t",
                                     "bool"};
    return names[static_cast<std::size_t>(type)];
}

constexpr bool is_integer(element type) { return type == element::i32 || type == element::i64; }
/// What may say places and conditions among tensors of another type.
constexpr bool is_whole(element type) { return is_integer(type) || type == element::boolean; }
constexpr bool is_complex(element type) { return type == element::c64 || type == element::c128; }

/// The words for whoever tries another type.
#define RICCI_ELEMENT_TYPES                                                         \
    "this is no element type of ricci: float, double, std::int32_t, std::int64_t, " \
    "ricci::bf16, ricci::f16, std::complex<float>, std::complex<double> or bool"

template <class T>
struct element_of {
    static constexpr bool supported = false;
};
template <element Tag>
struct supported_element {
    static constexpr bool supported = true;
    static constexpr element tag = Tag;
};

template <>
struct element_of<float> : supported_element<element::f32> {};
template <>
struct element_of<double> : supported_element<element::f64> {};
template <>
struct element_of<std::int32_t> : supported_element<element::i32> {};
template <>
struct element_of<std::int64_t> : supported_element<element::i64> {};
template <>
struct element_of<bool> : supported_element<element::boolean> {};
template <>
struct element_of<bf16> : supported_element<element::bf16> {};
template <>
struct element_of<f16> : supported_element<element::f16> {};

/// std::complex<float> and std::complex<double>, known by what they are: including <complex> would
/// cost every user's file more than all of this one.
template <class T, class Part>
concept complex_of = sizeof(T) == 2 * sizeof(Part) && alignof(T) == alignof(Part) &&
                     std::same_as<typename T::value_type, Part>&& requires(const T z) {
    { z.real() } -> std::same_as<Part>;
    { z.imag() } -> std::same_as<Part>;
};
template <complex_of<float> T>
struct element_of<T> : supported_element<element::c64> {};
template <complex_of<double> T>
struct element_of<T> : supported_element<element::c128> {};

template <class T>
struct element_of<const T> : element_of<T> {};

/// The tag of element type `T`, const or not.
template <class T>
requires(element_of<T>::supported) inline constexpr element element_v = element_of<T>::tag;

}  // namespace ricci
