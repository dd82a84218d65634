// A program as Python holds it, and what the module is made of: each part in a file of its own.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>

#include <ricci/program.hpp>

#include "module/operands.hpp"

namespace ricci::python {

/// A program with the names of its outputs, which every call needs.
struct python_program {
    explicit python_program(program given) : value(std::move(given)) {
        for (const tensor_info& t : value.outputs()) outputs.push_back(t.name);
    }
    /// The name of the only output; none where there are several.
    const std::string* single() const { return outputs.size() == 1 ? outputs.data() : nullptr; }

    program value;
    std::vector<std::string> outputs;
};

/// An object of the package's Python files, imported when it is first wanted. `slot` is a static of
/// the caller's: nobody waits for it while a module is imported.
inline py::handle imported(PyObject*& slot, const char* module, const char* name) {
    if (slot == nullptr) slot = py::object(py::module_::import(module).attr(name)).release().ptr();
    return slot;
}

void add_programs(py::module_& m);
void add_derivatives(py::class_<python_program>& c);
void add_pictures(py::class_<python_program>& c);
void add_prepared(py::module_& m, py::class_<python_program>& c);
void add_networks(py::module_& m);
void add_tools(py::module_& m);

}  // namespace ricci::python
