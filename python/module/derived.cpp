// Programs made of programs: derivatives, batches, layers, and pictures of them.
#include <algorithm>

#include <pybind11/stl.h>

#include "draw/layout.hpp"
#include "draw/svg.hpp"
#include "module/program.hpp"
#include "show/trace.hpp"

namespace ricci::python {
namespace {

using names = std::vector<std::string>;

std::string spelled(const std::string& name) { return canonical(py::str(name)); }
names spelled(const names& list) {
    names out;
    for (const std::string& name : list) out.push_back(spelled(name));
    return out;
}

python_program kept(const python_program& p, const names& list) {
    program out = p.value;
    for (const std::string& name : list) out = out.keep({spelled(name)});
    return python_program(out);
}

python_program repeated(const python_program& p, std::size_t count, const std::string& from,
                        const std::string& to, const std::string& index, const names& shared,
                        bool recompute) {
    return python_program(repeat(p.value, count,
                                 {.from = spelled(from),
                                  .to = spelled(to),
                                  .index = index,
                                  .shared = spelled(shared),
                                  .recompute = recompute}));
}

std::string drawn(const python_program& p, bool whole) {
    const py::gil_scoped_release unlocked;
    const auto diagrams = whole ? std::vector<draw::diagram>{draw::whole_diagram(p.value)}
                                : draw::diagrams_of(p.value);
    std::vector<draw::picture> pictures;
    for (const draw::diagram& d : diagrams) pictures.push_back({d, draw::plain_layout(d)});
    return draw::to_svg(pictures);
}

// What a page of heat maps says of a tensor.
py::dict facts_of(const python_program& p, const std::string& name) {
    py::dict facts;
    const auto letters = show::letters_of(p.value, name);
    facts["letters"] = letters;
    facts["symbol"] = show::symbol_of(name, letters);
    for (const tensor_info& t : p.value.definitions())
        if (t.name == name) facts["equation"] = t.equation;
    return facts;
}

bool has_index(const python_program& p, const std::string& letter) {
    const ir::program_view view = p.value.view();
    for (ir::ref i = 0; i < view.indices.size(); ++i)
        if (std::ranges::equal(view.index(i), letter)) return true;
    return false;
}

// Whether a call may bind it: what is not read may still say an extent.
bool takes(const python_program& p, const std::string& name) {
    const ir::program_view view = p.value.view();
    const ir::ref n = view.find({name.data(), static_cast<std::int32_t>(name.size())});
    return n != ir::none && view.definition(n) == ir::none;
}

}  // namespace

void add_derivatives(py::class_<python_program>& c) {
    c.def("_gradient", [](const python_program& p, const std::string& of, const names& by) {
        return python_program(gradient(p.value, spelled(of), spelled(by)));
    });
    c.def("_value_and_gradient",
          [](const python_program& p, const std::string& of, const names& by) {
              return python_program(value_and_gradient(p.value, spelled(of), spelled(by)));
          });
    c.def("_tangent", [](const python_program& p, const names& by) {
        return python_program(tangent(p.value, spelled(by)));
    });
    c.def("_jacobian", [](const python_program& p, const std::string& of, const names& by) {
        return python_program(jacobian(p.value, spelled(of), spelled(by)));
    });
    c.def("_batch", [](const python_program& p, const std::string& index, const names& of) {
        return python_program(batch(p.value, {.of = spelled(of), .index = index}));
    });
    c.def("_repeat", repeated);
    c.def("_keep", kept);
}

void add_pictures(py::class_<python_program>& c) {
    c.def("_draw", drawn);
    c.def("_facts", facts_of);
    c.def("_has_index", has_index);
    c.def("_takes", takes);
}

}  // namespace ricci::python
