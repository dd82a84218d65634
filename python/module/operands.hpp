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
    bool any_array = false;             // with axes
    bool any_other = false;             // of those, one that is not torch's
    bool any_torch = false;             // scalars of torch too
    std::optional<element> of_numbers;  // what numpy's scalars are, for calls of numbers alone
    py::object out = py::none();
    py::dict out_arrays;  // what `out` gave, by canonical name

    /// Whether results are torch's.
    bool gives_torch() const { return any_torch && !any_other; }
};

/// What a call may be given besides: a shape for a tensor, where nothing is run.
struct shapes_allowed {
    bool allowed = false;
    element type = element::f32;
};

/// The canonical spelling of a name, remembered.
std::string canonical(py::handle name);

/// Reads `f(operands, out=..., **keywords)`. Raises ricci.Error for what is no operand. `single`:
/// the name of the only output, which `out` may be an array for.
call_operands read_operands(const py::args& positional, const py::dict& keywords,
                            const std::string* single = nullptr, shapes_allowed shapes = {});

/// What is computed in where no array says it.
prepare_options options_of(const call_operands& given);

}  // namespace ricci::python
