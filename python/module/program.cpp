// ricci.Program and what it gives: calls, derivatives, prepared programs, words.
#include "module/program.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <pybind11/stl.h>

#include <ricci/prepared.hpp>
#include <ricci/program.hpp>

#include "draw/layout.hpp"
#include "draw/svg.hpp"
#include "module/arrays.hpp"
#include "module/errors.hpp"
#include "module/operands.hpp"
#include "show/trace.hpp"

namespace ricci::python {
namespace {

// A program with the names of its outputs, which every call needs.
struct python_program {
    explicit python_program(program given) : value(std::move(given)) {
        for (const tensor_info& t : value.outputs()) outputs.push_back(t.name);
    }
    const std::string* single() const { return outputs.size() == 1 ? &outputs[0] : nullptr; }
    program value;
    std::vector<std::string> outputs;
};

python_program read(std::string_view text) {
    auto made = parse(text);
    if (!made) refuse(made.error());
    return python_program(std::move(made).value());
}

py::object new_results() {
    static auto* const type =
        new py::object(py::module_::import("ricci._results").attr("Results"));
    return (*type)();
}

py::object call(const python_program& p, const py::args& positional, const py::kwargs& keywords) {
    call_operands given = read_operands(positional, keywords, p.single());
    arrays results;
    {
        const py::gil_scoped_release unlocked;
        results = run(p.value, given.list, options_of(given));
    }
    py::object out = new_results();
    for (const auto& [name, value] : results) {
        const py::str key(name);
        const bool written = given.out_arrays.contains(key);
        const py::object entry =
            written ? py::object(given.out_arrays[key]) : result_of(value, given);
        if (PyDict_SetItem(out.ptr(), key.ptr(), entry.ptr()) != 0)
            throw py::error_already_set();
    }
    return out;
}

py::object info_of(const tensor_info& t) {
    static auto* const type = new py::object(py::module_::import("ricci._results").attr("Tensor"));
    return (*type)(t.name, t.rank, t.indices, t.equation);
}
py::tuple infos_of(const tensor_list& list) {
    py::tuple out(list.size());
    for (std::size_t k = 0; k < list.size(); ++k) out[k] = info_of(list[k]);
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
    const py::gil_scoped_release unlocked;
    return passes ? explain_passes(p.value, given.list, options_of(given))
                  : explain(p.value, given.list, options_of(given));
}

// Prepared programs -------------------------------------------------------------------------------

struct python_runner {
    python_runner(const python_program& p, call_operands& given, const prepare_options& options)
        : outputs(p.outputs),
          torch(given.any_array && given.all_torch),
          out_arrays(given.out_arrays),
          step(p.value, given.list, options) {}
    std::vector<std::string> outputs;
    bool torch;
    py::dict out_arrays;
    runner step;
    std::mutex running;  // its memory is one run's at a time
};

std::unique_ptr<python_runner> prepared(const python_program& p, const py::args& positional,
                                        const py::kwargs& keywords) {
    py::dict left;
    bool exact = true;
    for (const auto& [key, value] : keywords) {
        if (key.cast<std::string>() == "exact_distances") exact = value.cast<bool>();
        else left[key] = value;
    }
    call_operands given = read_operands(positional, left, p.single());
    prepare_options options = options_of(given);
    options.exact_distances = exact;
    return std::make_unique<python_runner>(p, given, options);
}

void run_prepared(python_runner& r) {
    const py::gil_scoped_release unlocked;
    const std::lock_guard one(r.running);
    r.step();
}

void bind_prepared(python_runner& r, const py::args& positional, const py::kwargs& keywords) {
    call_operands given = read_operands(
        positional, keywords, r.outputs.size() == 1 ? &r.outputs[0] : nullptr);
    {
        const py::gil_scoped_release unlocked;
        const std::lock_guard one(r.running);
        r.step.bind(given.list);
    }
    for (const auto& [name, value] : given.out_arrays) r.out_arrays[name] = value;
}

py::object output_of(const py::object& self, const py::str& name) {
    auto& r = self.cast<python_runner&>();
    const std::string& key = canonical(name);
    if (r.out_arrays.contains(py::str(key))) return r.out_arrays[py::str(key)];
    const array a = r.step[key];
    return r.torch ? to_torch(a) : to_numpy(a, false, self);
}

// Pictures ----------------------------------------------------------------------------------------

std::string drawn(const python_program& p, bool whole) {
    const py::gil_scoped_release unlocked;
    std::vector<draw::picture> pictures;
    const auto diagrams = whole ? std::vector<draw::diagram>{draw::whole_diagram(p.value)}
                                : draw::diagrams_of(p.value);
    for (const draw::diagram& d : diagrams) pictures.push_back({d, draw::plain_layout(d)});
    return draw::to_svg(pictures);
}

py::dict facts_of(const python_program& p, const std::string& name) {
    py::dict facts;
    const auto letters = show::letters_of(p.value, name);
    facts["letters"] = letters;
    facts["symbol"] = show::symbol_of(name, letters);
    for (const tensor_info& t : p.value.definitions())
        if (t.name == name) facts["equation"] = t.equation;
    return facts;
}

python_program kept(const python_program& p, const std::vector<std::string>& names) {
    program out = p.value;
    for (const std::string& name : names) out = out.keep({canonical(py::str(name))});
    return python_program(out);
}

std::string canonical_text(const std::string& name) { return canonical(py::str(name)); }
std::vector<std::string> canonical_list(const std::vector<std::string>& names) {
    std::vector<std::string> out;
    for (const std::string& name : names) out.push_back(canonical_text(name));
    return out;
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

void add_derivatives(py::class_<python_program>& c) {
    using names = std::vector<std::string>;
    c.def("_gradient", [](const python_program& p, const std::string& of, const names& by) {
        return python_program(gradient(p.value, canonical_text(of), canonical_list(by)));
    });
    c.def("_value_and_gradient",
          [](const python_program& p, const std::string& of, const names& by) {
              return python_program(
                  value_and_gradient(p.value, canonical_text(of), canonical_list(by)));
          });
    c.def("_tangent", [](const python_program& p, const names& by) {
        return python_program(tangent(p.value, canonical_list(by)));
    });
    c.def("_jacobian", [](const python_program& p, const std::string& of, const names& by) {
        return python_program(jacobian(p.value, canonical_text(of), canonical_list(by)));
    });
    c.def("_batch", [](const python_program& p, const std::string& index, const names& of) {
        return python_program(batch(p.value, {.of = canonical_list(of), .index = index}));
    });
    c.def("_repeat", [](const python_program& p, std::size_t count, const std::string& from,
                        const std::string& to, const std::string& index, const names& shared,
                        bool recompute) {
        return python_program(repeat(p.value, count,
                                     {.from = canonical_text(from),
                                      .to = canonical_text(to),
                                      .index = index,
                                      .shared = canonical_list(shared),
                                      .recompute = recompute}));
    });
    c.def("_keep", kept);
}

}  // namespace

void add_programs(py::module_& m) {
    py::class_<extent>(m, "extent",
                       "The extent of an index that no shape gives.\n\n"
                       "Parameters\n----------\ncount : int\n    How far the index runs.\n\n"
                       "Examples\n--------\n"
                       ">>> p = ricci.program(r'Q^{hia} = P^{i(ha)}')\n"
                       ">>> p(P=np.zeros((3, 8)), h=ricci.extent(2)).Q.shape\n(2, 3, 4)\n")
        .def(py::init<std::int64_t>(), py::arg("count"))
        .def_readonly("count", &extent::value)
        .def("__repr__", [](const extent& e) { return fmt::format("ricci.extent({})", e.value); });

    py::class_<python_program> c(m, "Program");
    c.def(py::init(&read), py::arg("text"))
        .def(py::init<const python_program&>(), py::arg("other"))
        .def("__call__", &call)
        .def_property_readonly("inputs",
                               [](const python_program& p) { return infos_of(p.value.inputs()); })
        .def_property_readonly("outputs",
                               [](const python_program& p) { return infos_of(p.value.outputs()); })
        .def("_warnings",
             [](const python_program& p) {
                 py::list out;
                 for (const mistake& w : p.value.warnings())
                     out.append(py::make_tuple(w.message, w.line, w.column));
                 return out;
             })
        .def("latex", [](const python_program& p) { return to_latex(p.value); })
        .def("__str__", [](const python_program& p) { return to_text(p.value); })
        .def("states",
             [](const python_program& p, const std::string& claim) {
                 return p.value.states(claim);
             })
        .def("_judge", judged)
        .def("explain", words_of_plan)
        .def("prepare", prepared)
        .def("_draw", drawn)
        .def("_facts", facts_of);
    add_derivatives(c);

    py::class_<python_runner>(m, "Prepared", py::dynamic_attr())
        .def("__call__", run_prepared)
        .def("bind", bind_prepared)
        .def("__getitem__", output_of)
        .def("explain", [](const python_runner& r) { return r.step.explain(); })
        .def_readonly("outputs", &python_runner::outputs);

    m.def("einsum_program", [](const std::string& text, const std::vector<std::size_t>& ranks) {
        return python_program(einsum_program(text, ranks));
    });
    m.def("canonical_name", canonical_text);
    m.def("set_threads", [](int count) { threads(count); });
}

}  // namespace ricci::python
