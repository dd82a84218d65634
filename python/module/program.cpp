// ricci.Program: calls, and what a program says of itself.
#include "module/program.hpp"

#include <fmt/core.h>
#include <pybind11/stl.h>

#include "module/arrays.hpp"
#include "module/element_types.hpp"
#include "module/errors.hpp"
#include "src/front/run_into.hpp"
#include "src/runtime/forks.hpp"
#include "src/runtime/parallel.hpp"

namespace ricci::python {
namespace {

python_program read(std::string_view text) {
    auto made = parse(text);
    if (!made) refuse(made.error());
    return python_program(std::move(made).value());
}

void set(const py::object& results, const py::str& key, const py::object& value) {
    if (PyDict_SetItem(results.ptr(), key.ptr(), value.ptr()) != 0) throw py::error_already_set();
}

py::object call(const py::object& self, const py::args& positional, const py::kwargs& keywords) {
    const auto& p = self.cast<const python_program&>();
    const call_operands given = read_operands(positional, keywords, p.single());
    const prepare_options options = options_of(given);
    const bool writes_there = !given.out_arrays.empty();
    arrays results;
    {
        const py::gil_scoped_release unlocked;
        results = writes_there ? detail::run_into(p.value, given.list, options)
                               : run(p.value, given.list, options);
    }
    static PyObject* type = nullptr;
    const py::object out = imported(type, "ricci._results", "Results")();
    out.attr("_program") = self;
    for (const std::string& name : p.outputs) {
        const py::str key(name);
        if (given.out_arrays.contains(key)) set(out, key, given.out_arrays[key]);
        else if (given.gives_torch()) set(out, key, to_torch(results[name]));
        else set(out, key, to_numpy(results[name]));
    }
    for (const auto& [key, value] : given.out_arrays)  // what is no output but was asked for
        if (!out.contains(key))
            set(out, py::reinterpret_borrow<py::str>(key),
                py::reinterpret_borrow<py::object>(value));
    return out;
}

py::tuple infos_of(const tensor_list& list) {
    static PyObject* type = nullptr;
    const py::handle make = imported(type, "ricci._results", "Tensor");
    py::tuple out(list.size());
    for (std::size_t k = 0; k < list.size(); ++k)
        out[k] = make(list[k].name, list[k].rank, list[k].indices, list[k].equation);
    return out;
}

py::list warnings_of(const python_program& p) {
    py::list out;
    for (const mistake& w : p.value.warnings()) out.append(w.message);
    return out;
}

std::string words_of_plan(const python_program& p, const py::args& positional,
                          const py::kwargs& keywords) {
    py::dict left;
    shapes_allowed shapes{true};
    bool passes = false;
    for (const auto& [key, value] : keywords) {
        const auto word = key.cast<std::string>();
        if (word == "dtype") shapes.type = element_named(value);
        else if (word == "passes") passes = value.cast<bool>();
        else left[key] = value;
    }
    const call_operands given = read_operands(positional, left, p.single(), shapes);
    const prepare_options options = options_of(given);
    const py::gil_scoped_release unlocked;
    return passes ? explain_passes(p.value, given.list, options)
                  : explain(p.value, given.list, options);
}

bool stated(const python_program& p, const std::string& claim) {
    const py::gil_scoped_release unlocked;
    return p.value.states(claim);
}

py::tuple judged(const python_program& p, const std::string& claim) {
    judgement j;
    {
        const py::gil_scoped_release unlocked;
        j = p.value.judge(claim);
    }
    constexpr const char* words[] = {"proved", "refuted", "unproved"};
    return py::make_tuple(words[static_cast<std::size_t>(j.verdict)], j.words);
}

void add_extent(py::module_& m) {
    py::class_<extent>(m, "extent",
                       "The extent of an index that no shape gives.\n\n"
                       "Parameters\n----------\ncount : int\n    How far the index runs.\n\n"
                       "Examples\n--------\n"
                       ">>> p = ricci.program(r'Q^{hia} = P^{i(ha)}')\n"
                       ">>> p(P=np.zeros((3, 8)), h=ricci.extent(2)).Q.shape\n(2, 3, 4)\n")
        .def(py::init<std::int64_t>(), py::arg("count"))
        .def_property_readonly(
            "count", [](const extent& e) { return e.value; }, "How far the index runs.")
        .def("__repr__", [](const extent& e) { return fmt::format("ricci.extent({})", e.value); });
}

}  // namespace

void add_programs(py::module_& m) {
    add_extent(m);
    py::class_<python_program> c(m, "Program");
    c.def(py::init(&read), py::arg("text"))
        .def(py::init<const python_program&>(), py::arg("other"))
        .def("__call__", call)
        .def_property_readonly(
            "inputs", [](const python_program& p) { return infos_of(p.value.inputs()); },
            "What a call takes: tuples of name, rank, indices and equation.")
        .def_property_readonly(
            "outputs", [](const python_program& p) { return infos_of(p.value.outputs()); },
            "What a call gives.")
        .def("_warnings", warnings_of)
        .def(
            "latex", [](const python_program& p) { return to_latex(p.value); },
            "The equations in LaTeX.")
        .def("__str__", [](const python_program& p) { return to_text(p.value); })
        .def("states", stated, py::arg("claim"),
             "Whether the equations imply a claim; `judge` says why.\n\n"
             "Examples\n--------\n"
             ">>> ricci.program('y = (a + b)^2').states('y = a^2 + 2 a b + b^2')\nTrue\n")
        .def("_judge", judged)
        .def("explain", words_of_plan,
             "The plan in words: steps, contraction path, kernels, bytes.\n\n"
             "Parameters\n----------\noperands : dict, optional\n    Arrays, or shapes as "
             "tuples.\ndtype : optional\n    Of shapes; float32 unless told.\npasses : bool\n"
             "    Whether to print the plan after every pass instead.\n\n"
             "Examples\n--------\n"
             ">>> 'A' in ricci.program('y^i = A^{ij} x^j').explain(A=(2, 3), x=(3,))\nTrue\n");
    add_derivatives(c);
    add_pictures(c);
    add_prepared(m, c);

    m.def("einsum_program", [](const std::string& text, const std::vector<std::size_t>& ranks) {
        return python_program(einsum_program(text, ranks));
    });
    m.def("canonical_name", [](const py::str& name) { return canonical(name); });
    m.def("set_threads", [](int count) { runtime::set_worker_count(count); });
    m.def("threads_lost", [] { return runtime::threads_lost(); });
}

}  // namespace ricci::python
