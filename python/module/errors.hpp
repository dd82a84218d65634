// How what is wrong in C++ is raised in Python: ricci.Error and ricci.Mistake, with Python's words.
#pragma once

#include <string>

#include <pybind11/pybind11.h>

#include <ricci/parse.hpp>

namespace ricci::python {

namespace py = pybind11;

/// Raises ricci.Error with this sentence.
[[noreturn]] void refuse(const std::string& sentence);
/// Raises ricci.Mistake: line, column, the marked equation and a caret below it.
[[noreturn]] void refuse(const mistake& wrong);

/// Whether this is a ricci.Error already.
bool is_error(const py::error_already_set& e);

/// Every exception of C++ becomes one of these, or MemoryError.
void translate_exceptions();

}  // namespace ricci::python
