// Element types by the names and formats that Python and its libraries have for them.
#pragma once

#include <cstdint>
#include <string>

#include <pybind11/pybind11.h>

#include <ricci/element.hpp>

namespace ricci::python {

namespace py = pybind11;

/// Whole numbers of 8 and 16 bits, which are not computed with: they are copied to int32.
enum class narrow : std::uint8_t { none, i8, u8, i16, u16 };

/// What the elements of an array are.
struct element_format {
    element type = element::f64;
    python::narrow narrow = python::narrow::none;
};

/// By the format of the buffer protocol, as the module struct writes it, of so many bytes an
/// element. Raises ricci.Error for what no element type is, and for another byte order. `x` and its
/// `name`: for sentences.
element_format format_of_buffer(py::handle x, const std::string& name, const char* format,
                                std::size_t bytes);
/// By the typestr of `__array_interface__`, "<f4".
element_format format_of_typestr(py::handle x, const std::string& name, const std::string& typestr);
/// By a code and bits of DLPack.
element_format format_of_dlpack(py::handle x, const std::string& name, std::uint8_t code,
                                std::uint8_t bits, std::uint16_t lanes);

/// "float32", as numpy calls the type.
const char* numpy_name(element type);
/// numpy's dtype. Raises ricci.Error for bfloat16 where ml_dtypes is not there.
py::object dtype_of(element type);
/// An element type by what numpy or torch call it, or by ricci's short names.
element element_named(py::handle dtype);

}  // namespace ricci::python
