// Arrays of Python as arrays of ricci, and back: memory is looked at, never copied.
#pragma once

#include <optional>
#include <string>

#include <pybind11/pybind11.h>

#include <ricci/array.hpp>

namespace ricci::python {

namespace py = pybind11;

/// An array of ricci over the memory of one of Python's.
struct taken {
    array value;
    bool of_torch = false;
    bool copied = false;  // of elements that had to be widened, or of a list
};

/// By the buffer protocol, `__array_interface__` or `__dlpack__`, whichever the object has first;
/// none where it has none of these. Elements of 8 and 16 bits, which are not computed with, are
/// widened. `name`: for sentences. Raises ricci.Error for what no element type is, for devices
/// other than the processor, for masked arrays and for torch tensors that require gradients.
std::optional<taken> array_of(py::handle x, const std::string& name);
/// The same, and lists and tuples through numpy; raises ricci.Error for what is no array.
taken any_array_of(py::handle x, const std::string& name);

/// A numpy array over the same memory, which lives as long as the array does, and `owner` with it.
py::object to_numpy(const array& a, bool writable = true, const py::object& owner = py::none());
/// A torch tensor over the same memory.
py::object to_torch(const array& a);

/// A tuple of whole numbers as a shape.
std::optional<array> shape_of(py::handle x, element type);

}  // namespace ricci::python
