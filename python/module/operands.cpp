#include "module/operands.hpp"

#include <complex>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>

#include "module/arrays.hpp"
#include "module/errors.hpp"

namespace ricci::python {
namespace {

template <class T>
T only_element(const array& a) {
    return *static_cast<const T*>(a.data());
}

bindable number_in(const array& a) {
    switch (a.type()) {
        case element::f32:
            return only_element<float>(a);
        case element::f64:
            return only_element<double>(a);
        case element::bf16:
            return only_element<bf16>(a);
        case element::f16:
            return only_element<f16>(a);
        case element::c64:
            return only_element<std::complex<float>>(a);
        case element::c128:
            return only_element<std::complex<double>>(a);
        case element::i32:
            return only_element<std::int32_t>(a);
        case element::i64:
            return only_element<std::int64_t>(a);
        default:
            return static_cast<std::int32_t>(only_element<std::uint8_t>(a) != 0);
    }
}

std::optional<bindable> number_of(py::handle x) {
    PyObject* const o = x.ptr();
    if (PyBool_Check(o)) return bindable(static_cast<std::int32_t>(o == Py_True));
    if (PyLong_CheckExact(o)) {
        int beyond = 0;
        const long long value = PyLong_AsLongLongAndOverflow(o, &beyond);
        if (beyond == 0) return bindable(static_cast<std::int64_t>(value));
        const double rounded = PyLong_AsDouble(o);
        if (rounded == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
        return bindable(rounded);
    }
    if (PyFloat_CheckExact(o)) return bindable(PyFloat_AS_DOUBLE(o));
    if (PyComplex_CheckExact(o))
        return bindable(std::complex<double>(PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o)));
    return std::nullopt;
}

void add(call_operands& given, const std::string& name, py::handle x, shapes_allowed shapes) {
    if (auto number = number_of(x)) {
        given.list.push_back({name, *std::move(number)});
        return;
    }
    if (py::isinstance<extent>(x)) {
        given.list.push_back({name, bindable(x.cast<extent>())});
        return;
    }
    if (shapes.allowed)
        if (auto shape = shape_of(x, shapes.type)) {
            given.list.push_back({name, bindable(*std::move(shape))});
            return;
        }
    taken a = any_array_of(x, name);
    if (a.value.rank() == 0) {
        given.of_numbers = a.value.type();
        given.list.push_back({name, number_in(a.value)});
        return;
    }
    given.any_array = true;
    given.all_torch = given.all_torch && a.of_torch;
    given.list.push_back({name, bindable(std::move(a.value))});
}

void add_outputs(call_operands& given, const std::string* single) {
    if (given.out.is_none()) return;
    py::dict outputs;
    if (PyDict_Check(given.out.ptr())) outputs = given.out;
    else if (single != nullptr) outputs[py::str(*single)] = given.out;
    else refuse("out= is a dict of arrays by the names of outputs: out={\"Y\": y}");
    for (const auto& [key, value] : outputs) {
        const std::string& name = canonical(key);
        auto a = array_of(value, name);
        if (!a) refuse(fmt::format("out= of {} is no array", name));
        if (!a->value.is_writable())
            refuse(fmt::format("out= of {} is an array that may only be read", name));
        given.list.push_back({name, bindable(std::move(a->value))});
        given.out_arrays[py::str(name)] = value;
    }
}

}  // namespace

const std::string& canonical(py::handle name) {
    static auto* const known = new std::unordered_map<std::string, std::string>;
    if (!PyUnicode_Check(name.ptr())) refuse("an operand is bound by its name, a str");
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(name.ptr(), &size);
    if (text == nullptr) throw py::error_already_set();
    std::string spelling(text, static_cast<std::size_t>(size));
    if (const auto found = known->find(spelling); found != known->end()) return found->second;
    if (known->size() > 10000) known->clear();  // names that programs make
    std::string name_of_it = canonical_name(spelling);
    return known->emplace(std::move(spelling), std::move(name_of_it)).first->second;
}

call_operands read_operands(const py::args& positional, const py::dict& keywords,
                            const std::string* single, shapes_allowed shapes) {
    call_operands given;
    given.list.reserve(positional.size() + keywords.size());
    if (positional.size() > 1 || (positional.size() == 1 && !PyDict_Check(positional[0].ptr())))
        refuse("operands are given by name: X=x, or {\"X\": x}");
    if (positional.size() == 1)
        for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(positional[0]))
            add(given, canonical(key), value, shapes);
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t place = 0;
    while (PyDict_Next(keywords.ptr(), &place, &key, &value) != 0) {
        if (PyUnicode_CompareWithASCIIString(key, "out") == 0)
            given.out = py::reinterpret_borrow<py::object>(value);
        else add(given, canonical(key), value, shapes);
    }
    add_outputs(given, single);
    return given;
}

prepare_options options_of(const call_operands& given) {
    prepare_options options;
    if (given.any_array || !given.of_numbers) return options;
    if (!is_whole(*given.of_numbers)) options.type = *given.of_numbers;
    return options;
}

py::object result_of(const array& a, const call_operands& given) {
    return given.any_array && given.all_torch ? to_torch(a) : to_numpy(a);
}

}  // namespace ricci::python
