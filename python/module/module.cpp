// ricci._core: the compiled part of the Python package.
#include <pybind11/pybind11.h>

#include <ricci/version.hpp>

#include "module/errors.hpp"
#include "module/program.hpp"

PYBIND11_MODULE(_core, m) {
    ricci::python::translate_exceptions();
    ricci::python::add_programs(m);
    ricci::python::add_networks(m);
    ricci::python::add_tools(m);
    m.attr("version") = RICCI_VERSION_STRING;
}
