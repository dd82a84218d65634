// Arrays of Python as arrays of ricci, and back: memory is looked at, never copied.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <ricci/array.hpp>

namespace ricci::python {

namespace py = pybind11;

/// An object of Python that C++ keeps alive. Whoever drops it last may be a thread without the
/// interpreter's lock.
std::shared_ptr<void> kept_alive(py::object x);

/// An array of ricci over the memory of one of Python's.
struct taken {
    array value;
    bool of_torch = false;
};

/// By the buffer protocol, `__array_interface__` or `__dlpack__`, whichever the object has first;
/// none where it has none of these. Elements of 8 and 16 bits, which are not computed with, are
/// widened. `name`: for sentences. Raises ricci.Error for what no element type is, for devices other
/// than the processor, and for torch tensors that require gradients.
std::optional<taken> array_of(py::handle x, const std::string& name);
/// The same, and lists and tuples through numpy; raises ricci.Error for what is no array.
taken any_array_of(py::handle x, const std::string& name);

/// "float32", as numpy calls the type.
const char* numpy_name(element type);
/// An element type by what numpy or torch call it, or by ricci's short names.
element element_named(py::handle dtype);

/// A numpy array over the same memory, which lives as long as the array does, and `owner` with it.
py::object to_numpy(const array& a, bool writable = true, const py::object& owner = py::none());
/// A torch tensor over the same memory.
py::object to_torch(const array& a);

/// A tuple of whole numbers as a shape.
std::optional<array> shape_of(py::handle x, element type);

}  // namespace ricci::python
