// What the module is made of, each part in a file of its own.
#pragma once

#include <pybind11/pybind11.h>

namespace ricci::python {

void add_programs(pybind11::module_& m);
void add_networks(pybind11::module_& m);
void add_tools(pybind11::module_& m);

}  // namespace ricci::python
