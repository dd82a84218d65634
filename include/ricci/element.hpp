// The element types a tensor may hold, as types and as the tag that compiled code dispatches on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ricci {

/// What one element of an operand is. Order is part of the binary interface: add at the end.
enum class element : std::uint8_t { f32, f64 };

/// Bytes one element takes.
constexpr std::size_t size_of(element type) {
    return type == element::f32 ? sizeof(float) : sizeof(double);
}

/// The name of an element type as C++ spells it, for messages.
constexpr const char* name_of(element type) { return type == element::f32 ? "float" : "double"; }

template <class T>
struct element_of {
    static constexpr bool supported = false;
};

template <>
struct element_of<float> {
    static constexpr bool supported = true;
    static constexpr element tag = element::f32;
};

template <>
struct element_of<double> {
    static constexpr bool supported = true;
    static constexpr element tag = element::f64;
};

template <class T>
struct element_of<const T> : element_of<T> {};

/// The tag of element type `T`, const or not.
template <class T>
requires(element_of<T>::supported) inline constexpr element element_v = element_of<T>::tag;

}  // namespace ricci
