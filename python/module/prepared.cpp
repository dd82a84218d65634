// Prepared programs: checked, planned and allocated once.
#include <memory>
#include <mutex>

#include <pybind11/stl.h>

#include <ricci/prepare_options.hpp>

#include "module/arrays.hpp"
#include "module/errors.hpp"
#include "module/one_run.hpp"
#include "module/program.hpp"

namespace ricci::python {
namespace {

struct python_runner {
    python_runner(const python_program& p, const call_operands& given,
                  const prepare_options& options)
        : outputs(p.outputs),
          torch(given.gives_torch()),
          out_arrays(given.out_arrays),
          step(p.value, given.list, options) {}

    std::vector<std::string> outputs;
    bool torch;
    py::dict out_arrays;
    runner step;
    one_run running;  // its memory is one run's at a time
};

std::unique_ptr<python_runner> prepared(const python_program& p, const py::args& positional,
                                        const py::kwargs& keywords) {
    py::dict left;
    bool exact = false;
    for (const auto& [key, value] : keywords) {
        if (key.cast<std::string>() == "exact_distances") exact = value.cast<bool>();
        else left[key] = value;
    }
    const call_operands given = read_operands(positional, left, p.single());
    prepare_options options = options_of(given);
    options.exact_distances = exact;
    return std::make_unique<python_runner>(p, given, options);
}

void run(python_runner& r) {
    const py::gil_scoped_release unlocked;
    const std::lock_guard one(r.running);
    r.step();
}

void bind(python_runner& r, const py::args& positional, const py::kwargs& keywords) {
    const std::string* const single = r.outputs.size() == 1 ? r.outputs.data() : nullptr;
    const call_operands given = read_operands(positional, keywords, single);
    {
        const py::gil_scoped_release unlocked;
        const std::lock_guard one(r.running);
        r.step.bind(given.list);
    }
    for (const auto& [name, value] : given.out_arrays) r.out_arrays[name] = value;
}

py::object output_of(const py::object& self, const py::str& name) {
    auto& r = self.cast<python_runner&>();
    const std::string spelling = canonical(name);
    const py::str key(spelling);
    if (r.out_arrays.contains(key)) return r.out_arrays[key];
    const array a = [&] {
        const py::gil_scoped_release unlocked;
        const std::lock_guard one(r.running);
        return r.step[spelling];
    }();
    return r.torch ? to_torch(a) : to_numpy(a, false, self);
}

}  // namespace

void add_prepared(py::module_& m, py::class_<python_program>& c) {
    py::class_<python_runner>(m, "Prepared",
                              "A program planned and allocated for its operands: ``s()`` runs it, "
                              "``s[\"Y\"]`` is an output,\nread-only and overwritten by the next "
                              "run, ``s.bind(X=x)`` gives it other memory.\n\n"
                              "Examples\n--------\n"
                              ">>> x = np.ones(3)\n"
                              ">>> s = ricci.program('y = x^i x^i').prepare(x=x)\n"
                              ">>> s(); float(s['y'])\n3.0\n"
                              ">>> x[:] = 2; s(); float(s['y'])\n12.0\n")
        .def("__call__", run, "Runs the program on what its operands hold now.")
        .def("bind", bind, "Other arrays, numbers or outputs, by name, as in a call.")
        .def("__getitem__", output_of)
        .def(
            "explain", [](const python_runner& r) { return r.step.explain(); },
            "The plan in words.")
        .def_readonly("outputs", &python_runner::outputs, "The names of what it gives.");
    c.def("prepare", prepared,
          "Checks, plans and allocates once, for operands as in a call.\n\n"
          "Parameters\n----------\noperands : dict, optional\n    By name, as the keywords.\n"
          "out : dict or ndarray, optional\n    Where outputs are written.\n"
          "exact_distances : bool\n    Whether each squared distance is a sum of squared "
          "differences, as it is written;\n    otherwise wide ones may be expanded into products, "
          "but for near points.\n\n"
          "Returns\n-------\nPrepared\n\n"
          "Examples\n--------\n"
          ">>> s = ricci.program('y^i = 2 x^i').prepare(x=np.ones(2))\n"
          ">>> s(); s['y']\narray([2., 2.])\n");
}

}  // namespace ricci::python
