// The operands of a call, as Python gives them: by name, in a dict and as keywords.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include <ricci/program.hpp>

namespace ricci::python {

namespace py = pybind11;

struct call_operands {
    std::vector<named> list;
    bool any_array = false;
    bool all_torch = true;             // of the arrays, where there are any
    std::optional<element> of_numbers;  // what numpy's scalars are, for calls of numbers alone
    py::object out = py::none();
    py::dict out_arrays;  // what `out` gave, by canonical name
};

/// What a call may be given besides: a shape for a tensor, where nothing is run.
struct shapes_allowed {
    bool allowed = false;
    element type = element::f32;
};

/// The canonical spelling of a name, remembered.
const std::string& canonical(py::handle name);

/// Reads `f(operands, out=..., **keywords)`. Raises ricci.Error for what is no operand. `single`:
/// the name of the only output, which `out` may be an array for.
call_operands read_operands(const py::args& positional, const py::dict& keywords,
                            const std::string* single = nullptr, shapes_allowed shapes = {});

/// What is computed in where no array says it.
prepare_options options_of(const call_operands& given);

/// A result as the library of the operands has arrays.
py::object result_of(const array& a, const call_operands& given);

}  // namespace ricci::python
