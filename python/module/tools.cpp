// Files, papers that are proof-read, and pages of heat maps.
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include <ricci/files.hpp>

#include "check/check_paper.hpp"
#include "module/arrays.hpp"
#include "module/errors.hpp"
#include "module/program.hpp"
#include "papers/document.hpp"
#include "show/page.hpp"

namespace ricci::python {
namespace {

py::list checked(const std::string& text, const std::string& name) {
    papers::paper_report report;
    {
        const py::gil_scoped_release unlocked;
        try {
            report = papers::check_paper(papers::document::of_text(name, text));
        } catch (const papers::mistake_in_input& m) {
            const py::gil_scoped_acquire locked;
            refuse(m.words);
        }
    }
    py::list out;
    for (const papers::finding& f : report.findings)
        out.append(py::make_tuple(f.where.line, f.where.column, f.equation,
                                  papers::word_of(f.verdict), f.words));
    return out;
}

py::list loaded(const std::string& path) {
    arrays all;
    {
        const py::gil_scoped_release unlocked;
        all = load_all(path);
    }
    py::list out;
    for (const auto& [name, value] : all)
        out.append(py::make_tuple(name, to_numpy(value, value.is_writable())));
    return out;
}

py::object loaded_one(const std::string& path, const std::string& name) {
    const array a = load(path, name);
    return to_numpy(a, a.is_writable());
}

void saved(const std::string& path, const py::dict& tensors) {
    arrays all;
    for (const auto& [key, value] : tensors) {
        const auto name = key.cast<std::string>();
        all.set(name, any_array_of(value, name).value);
    }
    const py::gil_scoped_release unlocked;
    save(path, all);
}
void saved_one(const std::string& path, const py::object& tensor) {
    const array a = any_array_of(tensor, "what is saved").value;
    const py::gil_scoped_release unlocked;
    save(path, a);
}

using words = std::vector<std::string>;

std::string shown(const std::string& name, const py::object& values, const py::dict& facts,
                  const words& rows, const words& columns) {
    show::page page;
    page.title = name;
    page.rows = rows;
    page.columns = columns;
    show::view v;
    v.name = name;
    v.values = any_array_of(values, name).value;
    v.letters = facts["letters"].cast<words>();
    v.symbol = facts["symbol"].cast<std::string>();
    if (facts.contains("equation")) v.equation = facts["equation"].cast<std::string>();
    page.views.push_back(std::move(v));
    const py::gil_scoped_release unlocked;
    return show::to_html(page);
}

}  // namespace

void add_tools(py::module_& m) {
    m.def("check", checked);
    m.def("load", loaded);
    m.def("load_one", loaded_one);
    m.def("save", saved);
    m.def("save_one", saved_one);
    m.def("show", shown);
}

}  // namespace ricci::python
