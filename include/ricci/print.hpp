// Tensors and arrays as text, as numpy prints them, and programs as equations: to a std::ostream,
// or as a std::string.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include <ricci/detail/export.hpp>
#include <ricci/tensor.hpp>

namespace ricci {

class array;
class program;

namespace detail {

/// What `to_text` needs to know of a tensor.
struct printed_tensor {
    element type;
    const void* data;
    std::size_t rank;
    const std::size_t* extents;
    const std::ptrdiff_t* strides;  // in elements
};
RICCI_EXPORT std::string text_of(const printed_tensor& t);
RICCI_EXPORT void write_text(std::ostream& out, const std::string& text);

}  // namespace detail

/// The numbers in brackets, a pair for each axis, behind a line with the element type and the
/// extents; a tensor of rank 0 is its number. Floats show as many digits as tell them from their
/// neighbours, at most eight behind the point, all with one width; a whole number by itself shows
/// all of its digits up to 2^53. Of more than 1000 elements the first and last three of each axis
/// are shown.
template <class T, int Rank>
std::string to_text(const tensor_view<T, Rank>& t) {
    return detail::text_of({element_v<T>, t.data(), Rank, t.extents().data(), t.strides().data()});
}
template <class T, int Rank>
std::string to_text(const tensor<T, Rank>& t) {
    return to_text(t.view());
}
template <class T, std::size_t... Extents>
std::string to_text(const fixed_tensor<T, Extents...>& t) {
    return to_text(t.view());
}

/// The same of an array; of a shape the line with the type and the extents.
RICCI_EXPORT std::string to_text(const array& a);

template <class T, int Rank>
std::ostream& operator<<(std::ostream& out, const tensor_view<T, Rank>& t) {
    detail::write_text(out, to_text(t));
    return out;
}
template <class T, int Rank>
std::ostream& operator<<(std::ostream& out, const tensor<T, Rank>& t) {
    return out << t.view();
}
template <class T, std::size_t... Extents>
std::ostream& operator<<(std::ostream& out, const fixed_tensor<T, Extents...>& t) {
    return out << t.view();
}

RICCI_EXPORT std::ostream& operator<<(std::ostream& out, const array& a);
/// The equations in plain text, a line each.
RICCI_EXPORT std::ostream& operator<<(std::ostream& out, const program& p);

}  // namespace ricci
