// bool: what conditions may hold. It is read where a text says [m^{ij}] and never computed with, so
// that it is no element type of the compiled library.
#pragma once

#include <type_traits>

#include <ricci/element.hpp>

namespace ricci {

/// What is read is the whole numbers 0 and 1.
template <>
struct element_of<bool> : supported_element<element::i32> {};

template <class T>
inline constexpr bool holds_bool = std::is_same_v<std::remove_const_t<T>, bool>;

}  // namespace ricci
